/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records the memory accesses of a program as a Cacheray trace. Compile the program with the instrumentation of
 * ThreadSanitizer, but link this file instead of its runtime:
 *
 *     clang -g -O0 -fsanitize=thread -c program.c            or clang++, gcc, g++
 *     clang -O2 -c cacheray.c
 *     clang -no-pie -rdynamic program.o cacheray.o -o program
 *     ./program                                              writes program.trace
 *     WIRETRACE_RECORD=help ./program                        prints the settings
 *
 * Threads are numbered from 0, the one that starts the program, in the order of their first records. Records are in the
 * order in which accesses were about to happen, and atomic operations in that in which they did. What malloc() and operator
 * new return is annotated with the place of the call; cacheray-types.h gives it types. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>

#define SETTINGS \
    {"file", "the trace; if it is not set, the name of the program with .trace", ""}, \
        {"limit", "how many million records there are at most; 0: as many as come", "0"}, \
        {"heap", "0: what malloc() and operator new return is not annotated", "1"}, \
        {"quiet", "1: prints nothing unless something is missing", "0"},
#include "recorder.h"

#if defined(__SANITIZE_THREAD__)
#define INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define INSTRUMENTED 1
#endif
#endif
#ifdef INSTRUMENTED
#error "Compile the recorder without -fsanitize=thread"
#endif

enum { LIMIT = FILE_NAME + 1, HEAP, QUIET };
enum { READ = 0, WRITE = 1, ADD = 2, REMOVE = 3, ATOMIC = 0x40, UNALIGNED = 0x80 };
enum { BUFFER = 1 << 16, NAME_MAX_LENGTH = 1000, PLACES = 1 << 12 };

/* Records, in the byte order of the machine. */
struct access_record {
    uint8_t tag;
    uintptr_t address;
    uint8_t size;
    uint64_t thread;
} __attribute__((packed));
struct remove_record {
    uint8_t tag;
    uintptr_t address;
    uint64_t thread;
} __attribute__((packed));
struct add_record {
    uint8_t tag;
    uintptr_t address;
    uint64_t thread;
    uint32_t element_size, element_count, length;
    char name[];
} __attribute__((packed));

static enum { UNBORN, RECORDING, ENDED } state;
static int trace_file = -1;
static uint8_t buffer[BUFFER];
static size_t filled; /* bytes of whole records */
static unsigned long long records, left_out, most;
static uint64_t threads;
static bool annotates_heap;
static int taken;                /* the lock of all of this */
static __thread uint64_t number; /* of the thread, from 1; 0: none yet */
static __thread int inside;      /* it is in this file, or in what that calls */

#define HOOK __attribute__((visibility("default"), used))
#define CALLER __builtin_return_address(0)

/* --- records ------------------------------------------------------------------------------------------------------- */

static void flush(void)
{
    for (size_t done = 0; done < filled;) {
        const ssize_t n = write(trace_file, buffer + done, filled - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            fprintf(stderr, "the trace cannot be written: %s\n", strerror(errno));
            state = ENDED;
            break;
        }
        done += (size_t)n;
    }
    filled = 0;
}

/* False: nothing is to be recorded, and the lock is not taken. */
static bool take(void)
{
    if (inside || state != RECORDING)
        return false;
    inside = 1;
    while (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE))
        sched_yield();
    return true;
}

static void leave(void)
{
    __atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
    inside = 0;
}

/* Room for a record, with the lock taken; NULL: it is left out. */
static void *next(size_t bytes)
{
    if (state != RECORDING || (most && records >= most)) {
        left_out++;
        return NULL;
    }
    if (filled + bytes > sizeof buffer)
        flush();
    if (!number)
        number = ++threads;
    records++;
    return buffer + filled;
}

static void put_access(uint8_t tag, uintptr_t address, unsigned size)
{
    struct access_record *r = next(sizeof *r);
    if (!r)
        return;
    *r = (struct access_record){tag, address, (uint8_t)size, number - 1};
    filled += sizeof *r;
}

static inline void note(uint8_t tag, const volatile void *address, unsigned size)
{
    if (!take())
        return;
    put_access(tag, (uintptr_t)address, size);
    leave();
}

/* Largest pieces at `address` of a range: aligned, and at most 16 bytes. */
static unsigned piece(uintptr_t address, size_t left)
{
    unsigned n = 16;
    while (n > left || address % (n < 8 ? n : 8))
        n /= 2;
    return n;
}

static void put_range(uint8_t tag, uintptr_t address, size_t size)
{
    for (unsigned n; size > 0; address += n, size -= n)
        put_access(tag, address, n = piece(address, size));
}

/* gcc has no other call for an unaligned access. */
static void note_range(uint8_t tag, const volatile void *address, size_t size)
{
    if (!take())
        return;
    if (size && size <= 16 && !(size & (size - 1)))
        put_access(tag | (piece((uintptr_t)address, size) < size ? UNALIGNED : 0), (uintptr_t)address, (unsigned)size);
    else
        put_range(tag, (uintptr_t)address, size);
    leave();
}

/* --- regions ------------------------------------------------------------------------------------------------------- */

static void put_add(uintptr_t address, size_t size, size_t count, const char *name)
{
    const size_t length = strnlen(name, NAME_MAX_LENGTH);
    struct add_record *r = next(sizeof *r + length);
    if (!r)
        return;
    for (; size > UINT32_MAX; size = size / 2 + size % 2) /* records have 32 bits for each */
        count *= 2;
    *r = (struct add_record){ADD, address, number - 1, size ? (uint32_t)size : 1, (uint32_t)count, (uint32_t)length};
    for (size_t i = 0; i < length; i++)
        r->name[i] = name[i];
    filled += sizeof *r + length;
}

static void put_remove(uintptr_t address)
{
    struct remove_record *r = next(sizeof *r);
    if (!r)
        return;
    *r = (struct remove_record){REMOVE, address, number - 1};
    filled += sizeof *r;
}

extern char *__cxa_demangle(const char *name, char *to, size_t *room, int *status) __attribute__((weak));

/* "malloc in fill+0x1c", or where no symbol is known "malloc at program+0x11d6"; looked up once for each place. */
static const char *place_of(const char *what, const void *caller)
{
    static struct {
        const void *caller;
        const char *name;
    } known[PLACES];
    const size_t at = ((uintptr_t)caller >> 1) * 2654435761u % PLACES;
    char text[NAME_MAX_LENGTH];
    Dl_info info = {0};
    if (known[at].caller == caller && known[at].name)
        return known[at].name;
    if (!dladdr(caller, &info))
        snprintf(text, sizeof text, "%s at %p", what, caller);
    else if (info.dli_sname) {
        char *readable = __cxa_demangle ? __cxa_demangle(info.dli_sname, NULL, NULL, NULL) : NULL;
        snprintf(text, sizeof text, "%s in %s+0x%zx", what, readable ? readable : info.dli_sname,
                 (size_t)((const char *)caller - (const char *)info.dli_saddr));
        free(readable);
    } else {
        const char *base = strrchr(info.dli_fname, '/');
        snprintf(text, sizeof text, "%s at %s+0x%zx", what, base ? base + 1 : info.dli_fname,
                 (size_t)((const char *)caller - (const char *)info.dli_fbase));
    }
    free((char *)known[at].name);
    known[at].caller = caller;
    return known[at].name = strdup(text);
}

static void *note_new(const char *what, const void *caller, void *p, size_t size, size_t count)
{
    if (p && annotates_heap && take()) {
        put_add((uintptr_t)p, size, count, place_of(what, caller));
        leave();
    }
    return p;
}

/* Before the memory can be given to another thread. */
static void note_delete(const void *p)
{
    if (p && annotates_heap && take()) {
        put_remove((uintptr_t)p);
        leave();
    }
}

/* For cacheray-types.h. "struct order" becomes "struct.order", as compilers write it. */
HOOK void wiretrace_type(const void *p, size_t size, size_t count, const char *type, int instead)
{
    static const char *const words[] = {"struct ", "union ", "class "};
    char name[NAME_MAX_LENGTH];
    snprintf(name, sizeof name, "%s", type);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(name, words[i], strlen(words[i])) == 0)
            name[strlen(words[i]) - 1] = '.';
    if (!take())
        return;
    if (instead && annotates_heap)
        put_remove((uintptr_t)p);
    put_add((uintptr_t)p, size, count, name);
    leave();
}

HOOK void wiretrace_forget(const void *p)
{
    if (take()) {
        put_remove((uintptr_t)p);
        leave();
    }
}

/* --- the heap ------------------------------------------------------------------------------------------------------ */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

HOOK void *malloc(size_t size)
{
    return note_new("malloc", CALLER, __libc_malloc(size), size, 1);
}

HOOK void *calloc(size_t count, size_t size)
{
    return note_new("calloc", CALLER, __libc_calloc(count, size), size, count);
}

HOOK void *realloc(void *p, size_t size)
{
    const size_t before = p ? malloc_usable_size(p) : 0;
    note_delete(p);
    void *now = __libc_realloc(p, size);
    if (now || !size)
        return note_new("realloc", CALLER, now, size, 1);
    note_new("realloc", CALLER, p, before, 1); /* it has failed, and nothing has changed */
    return NULL;
}

HOOK void *memalign(size_t alignment, size_t size)
{
    return note_new("memalign", CALLER, __libc_memalign(alignment, size), size, 1);
}

HOOK void *aligned_alloc(size_t alignment, size_t size)
{
    return note_new("aligned_alloc", CALLER, __libc_memalign(alignment, size), size, 1);
}

HOOK int posix_memalign(void **p, size_t alignment, size_t size)
{
    void *now = __libc_memalign(alignment, size);
    if (now)
        *p = note_new("posix_memalign", CALLER, now, size, 1);
    return now ? 0 : ENOMEM;
}

HOOK void free(void *p)
{
    note_delete(p);
    __libc_free(p);
}

/* Operators of C++: their names as they are linked, with the letter of size_t. */
#if __SIZEOF_SIZE_T__ == 8 || defined(__s390__)
#define Z "m"
#else
#define Z "j"
#endif
#define OPERATOR_NEW(function, name, what) \
    HOOK void *function(size_t size) __asm__(name); \
    HOOK void *function(size_t size) \
    { \
        void *p = __libc_malloc(size ? size : 1); \
        if (p) \
            return note_new(what, CALLER, p, size, 1); \
        void *(*real)(size_t) = (void *(*)(size_t))dlsym(RTLD_NEXT, name); /* which throws */ \
        return real ? real(size) : NULL; \
    }
#define OPERATOR_NEW_NOTHROW(function, name, what) \
    HOOK void *function(size_t size, const void *unused) __asm__(name); \
    HOOK void *function(size_t size, const void *unused) \
    { \
        (void)unused; \
        return note_new(what, CALLER, __libc_malloc(size ? size : 1), size, 1); \
    }
#define OPERATOR_NEW_ALIGNED(function, name, what) \
    HOOK void *function(size_t size, size_t alignment) __asm__(name); \
    HOOK void *function(size_t size, size_t alignment) \
    { \
        void *p = __libc_memalign(alignment, size ? size : 1); \
        if (p) \
            return note_new(what, CALLER, p, size, 1); \
        void *(*real)(size_t, size_t) = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, name); \
        return real ? real(size, alignment) : NULL; \
    }
OPERATOR_NEW(new_one, "_Znw" Z, "new")
OPERATOR_NEW(new_array, "_Zna" Z, "new[]")
OPERATOR_NEW_NOTHROW(new_one_nothrow, "_Znw" Z "RKSt9nothrow_t", "new")
OPERATOR_NEW_NOTHROW(new_array_nothrow, "_Zna" Z "RKSt9nothrow_t", "new[]")
OPERATOR_NEW_ALIGNED(new_one_aligned, "_Znw" Z "St11align_val_t", "new")
OPERATOR_NEW_ALIGNED(new_array_aligned, "_Zna" Z "St11align_val_t", "new[]")
/* Whatever follows the pointer is not needed. */
#define OPERATOR_DELETE(function, name) \
    HOOK void function(void *p) __asm__(name); \
    HOOK void function(void *p) \
    { \
        free(p); \
    }
OPERATOR_DELETE(delete_one, "_ZdlPv")
OPERATOR_DELETE(delete_array, "_ZdaPv")
OPERATOR_DELETE(delete_one_sized, "_ZdlPv" Z)
OPERATOR_DELETE(delete_array_sized, "_ZdaPv" Z)
OPERATOR_DELETE(delete_one_nothrow, "_ZdlPvRKSt9nothrow_t")
OPERATOR_DELETE(delete_array_nothrow, "_ZdaPvRKSt9nothrow_t")
OPERATOR_DELETE(delete_one_aligned, "_ZdlPvSt11align_val_t")
OPERATOR_DELETE(delete_array_aligned, "_ZdaPvSt11align_val_t")
OPERATOR_DELETE(delete_one_sized_aligned, "_ZdlPv" Z "St11align_val_t")
OPERATOR_DELETE(delete_array_sized_aligned, "_ZdaPv" Z "St11align_val_t")

/* --- what compilers call ------------------------------------------------------------------------------------------- */

#define EMPTY(name, ...) \
    HOOK void name(__VA_ARGS__) \
    { \
    }
EMPTY(__tsan_init, void)
EMPTY(__tsan_func_entry, void *caller __attribute__((unused)))
EMPTY(__tsan_func_exit, void)
EMPTY(__tsan_ignore_thread_begin, void)
EMPTY(__tsan_ignore_thread_end, void)

#define ACCESS(name, tag, size) \
    HOOK void name(void *p) \
    { \
        note(tag, p, size); \
    }
#define UPDATE(name, flags, size) \
    HOOK void name(void *p) \
    { \
        note(READ | (flags), p, size); \
        note(WRITE | (flags), p, size); \
    }
#define ACCESSES(n) \
    ACCESS(__tsan_read##n, READ, n) \
    ACCESS(__tsan_write##n, WRITE, n) \
    UPDATE(__tsan_read_write##n, 0, n) \
    ACCESS(__tsan_volatile_read##n, READ, n) \
    ACCESS(__tsan_volatile_write##n, WRITE, n)
#define UNALIGNED_ACCESSES(n) \
    ACCESS(__tsan_unaligned_read##n, READ | UNALIGNED, n) \
    ACCESS(__tsan_unaligned_write##n, WRITE | UNALIGNED, n) \
    UPDATE(__tsan_unaligned_read_write##n, UNALIGNED, n) \
    ACCESS(__tsan_unaligned_volatile_read##n, READ | UNALIGNED, n) \
    ACCESS(__tsan_unaligned_volatile_write##n, WRITE | UNALIGNED, n)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
UNALIGNED_ACCESSES(2)
UNALIGNED_ACCESSES(4)
UNALIGNED_ACCESSES(8)
UNALIGNED_ACCESSES(16)
ACCESS(__tsan_vptr_read, READ, sizeof(void *))

HOOK void __tsan_vptr_update(void **p, void *value)
{
    (void)value;
    note(WRITE, p, sizeof *p);
}

HOOK void __tsan_read_range(void *p, size_t size)
{
    note_range(READ, p, size);
}

HOOK void __tsan_write_range(void *p, size_t size)
{
    note_range(WRITE, p, size);
}

/* Atomic operations, while the lock is taken, so that the order of the records is theirs. Whatever order of memory is asked
 * for, it is the strictest. */
#define WORD(bits, type) \
    static inline type load_##bits(const volatile type *p) \
    { \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST); \
    } \
    static inline bool swap_##bits(volatile type *p, type *old, type now) \
    { \
        return __atomic_compare_exchange_n(p, old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }
WORD(8, uint8_t)
WORD(16, uint16_t)
WORD(32, uint32_t)
WORD(64, uint64_t)

#ifdef __SIZEOF_INT128__
/* Not every processor has instructions for these. All are made here, as all of the program is instrumented. */
typedef unsigned __int128 uint128;
static int wide_taken;

static bool swap_128(volatile uint128 *p, uint128 *old, uint128 now)
{
    while (__atomic_exchange_n(&wide_taken, 1, __ATOMIC_ACQUIRE))
        sched_yield();
    const uint128 there = *p;
    const bool same = there == *old;
    if (same)
        *p = now;
    *old = there;
    __atomic_store_n(&wide_taken, 0, __ATOMIC_RELEASE);
    return same;
}

static uint128 load_128(const volatile uint128 *p)
{
    uint128 old = 0;
    swap_128((volatile uint128 *)p, &old, 0);
    return old;
}
#endif

/* Takes the lock, and records that the value is read, unless it is only written. True: it is to be left. */
static bool begin_atomic(const volatile void *p, unsigned size, bool reads)
{
    const bool recorded = take();
    if (recorded && reads)
        put_access(READ | ATOMIC, (uintptr_t)p, size);
    return recorded;
}

static void end_atomic(bool recorded, const volatile void *p, unsigned size, bool writes)
{
    if (recorded && writes)
        put_access(WRITE | ATOMIC, (uintptr_t)p, size);
    if (recorded)
        leave();
}

#define MODIFY(bits, type, name, reads, now) \
    HOOK type __tsan_atomic##bits##_##name(volatile type *p, type value, int order) \
    { \
        (void)order; \
        const bool recorded = begin_atomic(p, bits / 8, reads); \
        type old = load_##bits(p); \
        while (!swap_##bits(p, &old, (type)(now))) { \
        } \
        end_atomic(recorded, p, bits / 8, true); \
        return old; \
    }
#define COMPARE(bits, type, name) \
    HOOK int __tsan_atomic##bits##_compare_exchange_##name(volatile type *p, type *expected, type value, int order, \
                                                           int failure) \
    { \
        (void)order; \
        (void)failure; \
        const bool recorded = begin_atomic(p, bits / 8, true), same = swap_##bits(p, expected, value); \
        end_atomic(recorded, p, bits / 8, same); \
        return same; \
    }
#define ATOMICS(bits, type) \
    HOOK type __tsan_atomic##bits##_load(const volatile type *p, int order) \
    { \
        (void)order; \
        const bool recorded = begin_atomic(p, bits / 8, true); \
        const type value = load_##bits(p); \
        end_atomic(recorded, p, bits / 8, false); \
        return value; \
    } \
    MODIFY(bits, type, store, false, value) \
    MODIFY(bits, type, exchange, true, value) \
    MODIFY(bits, type, fetch_add, true, old + value) \
    MODIFY(bits, type, fetch_sub, true, old - value) \
    MODIFY(bits, type, fetch_and, true, old &value) \
    MODIFY(bits, type, fetch_or, true, old | value) \
    MODIFY(bits, type, fetch_xor, true, old ^ value) \
    MODIFY(bits, type, fetch_nand, true, ~(old & value)) \
    COMPARE(bits, type, strong) \
    COMPARE(bits, type, weak) \
    HOOK type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type expected, type value, int order, \
                                                         int failure) \
    { \
        __tsan_atomic##bits##_compare_exchange_strong(p, &expected, value, order, failure); \
        return expected; \
    }
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
#ifdef __SIZEOF_INT128__
ATOMICS(128, uint128)
#endif

HOOK void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

HOOK void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* --- memory that is copied ----------------------------------------------------------------------------------------- */

/* Newer compilers call __tsan_memcpy() and so on. Older ones call memcpy() itself, which libraries do as well: only what the
 * program calls is recorded. */
extern const char __executable_start[], __etext[];

static bool is_of_program(const void *caller)
{
    return (const char *)caller >= __executable_start && (const char *)caller < __etext;
}

/* Without the names of functions that a compiler would find in these loops, and call. */
#define LOOP __asm__ volatile("" ::: "memory")

typedef uintptr_t __attribute__((may_alias, aligned(1))) word;

static void *copy(void *to, const void *from, size_t size)
{
    char *t = to;
    const char *f = from;
    if ((uintptr_t)t - (uintptr_t)f >= size) {
        for (; size >= sizeof(word); size -= sizeof(word), t += sizeof(word), f += sizeof(word)) {
            *(word *)t = *(const word *)f;
            LOOP;
        }
        for (; size > 0; size--) {
            *t++ = *f++;
            LOOP;
        }
    } else {
        while (size-- > 0) {
            t[size] = f[size];
            LOOP;
        }
    }
    return to;
}

static void *fill(void *to, int value, size_t size)
{
    char *t = to;
    const word all = (word)-1 / 0xff * (uint8_t)value;
    for (; size >= sizeof all; size -= sizeof all, t += sizeof all) {
        *(word *)t = all;
        LOOP;
    }
    for (; size > 0; size--) {
        *t++ = (char)value;
        LOOP;
    }
    return to;
}

static void *note_copy(bool noted, void *to, const void *from, size_t size)
{
    if (noted && take()) {
        put_range(READ, (uintptr_t)from, size);
        put_range(WRITE, (uintptr_t)to, size);
        leave();
    }
    return copy(to, from, size);
}

static void *note_fill(bool noted, void *to, int value, size_t size)
{
    if (noted)
        note_range(WRITE, to, size);
    return fill(to, value, size);
}

#define COPY(name, noted) \
    HOOK void *name(void *to, const void *from, size_t size) \
    { \
        return note_copy(noted, to, from, size); \
    }
#define FILL(name, noted) \
    HOOK void *name(void *to, int value, size_t size) \
    { \
        return note_fill(noted, to, value, size); \
    }
COPY(__tsan_memcpy, true)
COPY(__tsan_memmove, true)
FILL(__tsan_memset, true)
COPY(memcpy, is_of_program(CALLER))
COPY(memmove, is_of_program(CALLER))
FILL(memset, is_of_program(CALLER))

/* --- from the beginning to the end ------------------------------------------------------------------------------------- */

static void end(void)
{
    if (!take())
        return;
    flush();
    state = ENDED;
    leave();
    if (left_out)
        fprintf(stderr, "the trace has the first %llu records: %llu more were left out (limit=%llu in WIRETRACE_RECORD)\n",
                records, left_out, number_of(LIMIT));
    else if (!number_of(QUIET))
        fprintf(stderr, "%s: %llu records of %llu threads\n", file_name("", ".trace"), records, (unsigned long long)threads);
}

/* After all other destructors. */
__attribute__((destructor(101))) static void end_of_program(void)
{
    end();
}

/* What is in the buffer is written, even if the program was interrupted while it made a record. */
static void end_by_signal(int signal_number)
{
    if (state == RECORDING)
        flush();
    state = ENDED;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void before_fork(void)
{
    while (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE))
        sched_yield();
    if (state == RECORDING)
        flush();
}

static void after_fork(void)
{
    __atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
}

/* The trace is that of the parent. */
static void in_child(void)
{
    state = ENDED;
    after_fork();
}

__attribute__((constructor(101))) static void start(void)
{
    static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGINT, SIGTERM};
    read_settings();
    most = number_of(LIMIT) * 1000000;
    annotates_heap = number_of(HEAP) != 0;
    const char *name = file_name("", ".trace");
    trace_file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (trace_file < 0) {
        fprintf(stderr, "%s cannot be written: %s\n", name, strerror(errno));
        _exit(2);
    }
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signal(signals[i], end_by_signal) == SIG_IGN)
            signal(signals[i], SIG_IGN);
    pthread_atfork(before_fork, after_fork, in_child);
    number = ++threads;
    state = RECORDING;
}
