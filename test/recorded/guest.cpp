// SPDX-License-Identifier: GPL-2.0-or-later
// What programs in C++ do to a recorder: operators of their own (-DOWN_NEW), calls of ThreadSanitizer's interface and of
// annotations (-DINTERFACE), arrays with destructors, places behind containers, exceptions, memory that there is not and
// handlers for that.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include "cacheray-types.h"

#ifdef INTERFACE
extern "C" {
void __tsan_acquire(void *);
void __tsan_release(void *);
void AnnotateHappensBefore(const char *, int, const volatile void *);
void AnnotateIgnoreReadsBegin(const char *, int);
int RunningOnValgrind(void);
}
#endif

#ifdef OWN_NEW
static int made;
void *operator new(std::size_t size)
{
    made++;
    void *p = std::malloc(size);
    if (!p)
        throw std::bad_alloc();
    return p;
}
void operator delete(void *p) noexcept
{
    made--;
    std::free(p);
}
void operator delete(void *p, std::size_t) noexcept
{
    made--;
    std::free(p);
}
#endif

struct item {
    long a, b;
    ~item()
    {
    }
};
struct alignas(64) wide_item {
    long a;
    ~wide_item()
    {
    }
};

struct books {
    std::vector<int> prices, volumes;
};

__attribute__((noinline)) void load_prices(books &to)
{
    for (int i = 0; i < 100; i++)
        to.prices.push_back(i);
}

__attribute__((noinline)) void load_volumes(books &to)
{
    for (int i = 0; i < 10; i++)
        to.volumes.push_back(i);
}

template <class T> static void use_array()
{
    T *items = new T[10];
    WIRETRACE_ALLOCATED(items, T, 10);
    for (int i = 0; i < 10; i++)
        items[i].a = i;
    delete[] items;
    long *numbers = static_cast<long *>(std::malloc(sizeof(T) * 10 + 64));
    for (int i = 0; i < 10; i++)
        numbers[i] = i;
    std::free(numbers);
}

__attribute__((noinline)) void throw_deep(int depth)
{
    if (depth == 0)
        throw depth;
    throw_deep(depth - 1);
}

static int handled;
static void *volatile made_last; // else compilers take it away

static void handle_twice()
{
    if (++handled % 2 == 0)
        std::set_new_handler(nullptr);
}

static void handle_by_throwing()
{
    handled++;
    throw std::bad_alloc();
}

/* Each operator asks the handler until that is gone, or throws. */
static int fail_to_allocate(std::size_t much)
{
    int failed = 0;
    std::set_new_handler(handle_twice);
    try {
        made_last = ::operator new(much);
    } catch (const std::bad_alloc &) {
        failed++;
    }
    std::set_new_handler(handle_twice);
    try {
        made_last = new char[much];
    } catch (const std::bad_alloc &) {
        failed++;
    }
    std::set_new_handler(handle_by_throwing);
    failed += (made_last = ::operator new(much, std::nothrow)) == nullptr;
    failed += (made_last = new (std::nothrow) char[much]) == nullptr;
    std::set_new_handler(nullptr);
    return failed;
}

int main()
{
    books all;
    load_prices(all);
    load_volumes(all);
    use_array<item>();
    use_array<wide_item>();
    int caught = 0;
    for (int i = 0; i < 100; i++)
        try {
            throw_deep(i);
        } catch (int) {
            caught++;
        }
    volatile std::size_t much = static_cast<std::size_t>(-1) / 4;
    caught += fail_to_allocate(much);
    std::free(strdup("text"));
#ifdef INTERFACE
    __tsan_acquire(&all);
    __tsan_release(&all);
    AnnotateHappensBefore(__FILE__, __LINE__, &all);
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    caught += RunningOnValgrind();
#endif
#ifdef OWN_NEW
    std::printf("%d\n", made);
#endif
    std::printf("%d %d %zu\n", caught, handled, all.prices.size());
}
