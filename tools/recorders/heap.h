/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocations: malloc() and all of its kind, operators of C++, and types of memory for cacheray-types.h. What the program
 * would call without the recorder does the work. */
#ifndef WIRETRACE_HEAP_H
#define WIRETRACE_HEAP_H

#include <malloc.h>

#include "cacheray-records.h"
#include "hooks.h"

static bool sees_heap, annotates_heap;

/* --- blocks: what is allocated for arrays of C++, which may begin with their number of elements, and what has a type -- */

enum { BLOCKS = 1 << 16, BLOCK_PROBES = 16, FREE_AGAIN = 1 };
struct block {
    uintptr_t start; /* as allocated; 0: never used */
    uintptr_t typed; /* where its type begins; 0: it has none */
};
static struct block blocks[BLOCKS];
static unsigned long long blocks_forgotten;

static struct block *block_probe(uintptr_t start, unsigned i)
{
    return &blocks[((uint32_t)(start >> 4) * 2654435761u + i) % BLOCKS];
}

static struct block *find_block(uintptr_t start)
{
    for (unsigned i = 0; i < BLOCK_PROBES; i++) {
        struct block *b = block_probe(start, i);
        if (LOAD(b->start) == start)
            return b;
        if (LOAD(b->start) == 0)
            break;
    }
    return NULL;
}

static struct block *add_block(uintptr_t start)
{
    for (unsigned i = 0; i < BLOCK_PROBES; i++) {
        struct block *b = block_probe(start, i);
        for (uintptr_t unused = LOAD(b->start); unused <= FREE_AGAIN;)
            if (CHANGE(b->start, &unused, start)) {
                b->typed = 0;
                return b;
            }
    }
    ADD_TO(blocks_forgotten, 1);
    return NULL;
}

/* Arrays whose elements have destructors begin after their number, in 8 bytes or in what an element is aligned to. */
static struct block *block_of_array(uintptr_t first)
{
    struct block *b = find_block(first);
    for (unsigned before = sizeof(size_t); !b && before <= 64; before *= 2) {
        b = find_block(first - before);
        if (b && malloc_usable_size((void *)b->start) <= before) /* it ends before */
            b = NULL;
    }
    return b;
}

/* --- types, for cacheray-types.h ----------------------------------------------------------------------------------- */

static __thread struct {
    uintptr_t start;
    size_t size;
} latest; /* what the thread has allocated */

static void put_type(uintptr_t address, size_t size, size_t count, const char *type)
{
    static const char *const words[] = {"struct ", "union ", "class "};
    const struct part whole = {type, strnlen(type, NAME_ROOM)};
    struct part parts[] = {{NULL, 0}, {".", 1}, {NULL, 0}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t word = strlen(words[i]);
        if (strncmp(type, words[i], word) == 0) { /* "struct order" becomes "struct.order", as compilers write it */
            parts[0] = (struct part){type, word - 1};
            parts[2] = (struct part){type + word, whole.length - word};
        }
    }
    put_add(address, size, count, parts[0].text ? parts : &whole, parts[0].text ? 3 : 1);
}

/* Instead of the annotation of its allocation, until it is freed. One element that was allocated with more than its size
 * ends in a flexible array. */
static void put_allocated_type(uintptr_t address, size_t size, size_t count, const char *type)
{
    struct block *b = block_of_array(address);
    const uintptr_t start = b ? b->start : address;
    const bool annotated = annotates_heap && start == address;
    if (annotated)
        put_remove(address);
    else if (b && b->typed)
        put_remove(b->typed);
    if (!annotated && (b || (b = add_block(start))))
        b->typed = address;
    if (count == 1 && latest.start == address && latest.size > size)
        size = latest.size;
    put_type(address, size, count, type);
}

HOOK void wiretrace_type(const void *p, size_t size, size_t count, const char *type, int instead)
{
    if (!LOAD(mapped->base) || !p || size == 0 || count == 0 || (instead && !sees_heap))
        return;
    if (instead)
        put_allocated_type((uintptr_t)p, size, count, type);
    else
        put_type((uintptr_t)p, size, count, type);
}

HOOK void wiretrace_forget(const void *p)
{
    if (LOAD(mapped->base))
        put_remove((uintptr_t)p);
}

/* --- beginnings and ends of allocations --------------------------------------------------------------------------- */

static __thread volatile struct {
    const char *what; /* NULL: nothing */
    uintptr_t caller, stack;
} asked; /* by an operator of C++, which calls malloc(). Volatile: compilers take it that malloc() does not change it */

/* One operator may call another one: the first is what the program has called. One that was left by an exception is below.
 */
static bool is_asked(uintptr_t stack)
{
    return asked.what && asked.stack >= stack;
}

static void *note_new(const char *what, uintptr_t caller, uintptr_t stack, void *p, size_t size, size_t count)
{
    if (is_asked(stack)) {
        what = asked.what;
        caller = asked.caller;
        stack = asked.stack;
        asked.what = NULL;
    }
    if (p && LOAD(mapped->base)) {
        latest.start = (uintptr_t)p;
        latest.size = size * count;
        if (annotates_heap)
            put_allocation(what, caller, stack, (uintptr_t)p, size, count);
    }
    return p;
}

struct ended {
    bool block;
    uintptr_t typed;
    struct remove_record *records[2]; /* of its type, of its annotation; NULL: it has none */
};

/* Before the memory can be given to another thread. */
static struct ended note_delete(const void *p)
{
    struct ended e = {0};
    if (!p || !LOAD(mapped->base) || !sees_heap)
        return e;
    struct block *b = find_block((uintptr_t)p);
    if (b) {
        e.block = true;
        e.typed = b->typed;
        b->start = FREE_AGAIN;
    }
    if (e.typed)
        e.records[0] = put_remove(e.typed);
    if (annotates_heap)
        e.records[1] = put_remove((uintptr_t)p);
    return e;
}

/* It was not freed after all: records of address 0, as of free(NULL), remove nothing. */
static void undo_delete(struct ended e, void *p)
{
    struct block *b = e.block ? add_block((uintptr_t)p) : NULL;
    if (b)
        b->typed = e.typed;
    for (int i = 0; i < 2; i++)
        if (e.records[i])
            e.records[i]->address = 0;
}

/* --- the functions ------------------------------------------------------------------------------------------------- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t), *__libc_valloc(size_t), *__libc_pvalloc(size_t), __libc_free(void *);

#define ALLOCATE(name, static_one, parameters, arguments, size, count) \
    WEAK_HOOK void *name parameters \
    { \
        NEXT(name, #name, static_one); \
        return note_new(#name, CALLER, STACK, next arguments, size, count); \
    }
ALLOCATE(malloc, __libc_malloc, (size_t size), (size), size, 1)
ALLOCATE(calloc, __libc_calloc, (size_t count, size_t size), (count, size), size, count)
ALLOCATE(memalign, __libc_memalign, (size_t alignment, size_t size), (alignment, size), size, 1)
ALLOCATE(aligned_alloc, __libc_memalign, (size_t alignment, size_t size), (alignment, size), size, 1)
ALLOCATE(valloc, __libc_valloc, (size_t size), (size), size, 1)
ALLOCATE(pvalloc, __libc_pvalloc, (size_t size), (size), size, 1)

WEAK_HOOK int posix_memalign(void **p, size_t alignment, size_t size)
{
    NEXT(posix_memalign, "posix_memalign", NULL);
    if (!next && (alignment % sizeof(void *) || alignment & (alignment - 1) || !alignment))
        return EINVAL;
    void *q = next ? NULL : __libc_memalign(alignment, size);
    const int error = next ? next(p, alignment, size) : q ? 0 : ENOMEM;
    if (q)
        *p = q;
    if (error == 0)
        note_new("posix_memalign", CALLER, STACK, *p, size, 1);
    return error;
}

WEAK_HOOK void *realloc(void *p, size_t size)
{
    NEXT(realloc, "realloc", __libc_realloc);
    const struct ended before = note_delete(p);
    void *now = next(p, size);
    if (!now && size)
        undo_delete(before, p);
    return note_new("realloc", CALLER, STACK, now, size, 1);
}

WEAK_HOOK void free(void *p)
{
    NEXT(free, "free", __libc_free);
    note_delete(p);
    next(p);
}

/* Operators of C++: their names as they are linked, with the letter of size_t. Those that do not call malloc() are not
 * annotated, as it would not be seen when their memory is freed. Those without exceptions call these. */
#if __SIZEOF_SIZE_T__ == 8 || defined(__s390__)
#define Z "m"
#else
#define Z "j"
#endif
extern void _ZSt17__throw_bad_allocv(void) __attribute__((weak));
extern void (*_ZSt15get_new_handlerv(void))(void) __attribute__((weak));

/* With -static-libstdc++ there are no other ones: what they do there. */
static void *allocate_at_least(size_t size, size_t alignment)
{
    for (void *p;;) {
        p = alignment ? aligned_alloc(alignment, size ? size : 1) : malloc(size ? size : 1);
        void (*handler)(void) = !p && _ZSt15get_new_handlerv ? _ZSt15get_new_handlerv() : NULL;
        if (p)
            return p;
        if (handler)
            handler();
        else if (_ZSt17__throw_bad_allocv)
            _ZSt17__throw_bad_allocv();
        else
            abort(); /* without it: nothing that the program could catch */
    }
}

static void *note_operator(void *p, bool array)
{
    if (p && array && !asked.what && sees_heap && LOAD(mapped->base))
        add_block((uintptr_t)p);
    asked.what = NULL;
    return p;
}

static void ask(const char *what, uintptr_t caller, uintptr_t stack)
{
    if (is_asked(stack))
        return;
    asked.what = what;
    asked.caller = caller;
    asked.stack = stack;
}

#define OPERATOR_NEW(function, name, kind, parameters, arguments, otherwise) \
    WEAK_HOOK void *function parameters __asm__(name); \
    WEAK_HOOK void *function parameters \
    { \
        NEXT(function, name, NULL); \
        ask(kind, CALLER, STACK); \
        return note_operator(next ? next arguments : otherwise, kind[3] == '['); \
    }
OPERATOR_NEW(new_one, "_Znw" Z, "new", (size_t size), (size), allocate_at_least(size, 0))
OPERATOR_NEW(new_array, "_Zna" Z, "new[]", (size_t size), (size), new_one(size))
OPERATOR_NEW(new_aligned, "_Znw" Z "St11align_val_t", "new", (size_t size, size_t alignment), (size, alignment),
             allocate_at_least(size, alignment))
OPERATOR_NEW(new_aligned_array, "_Zna" Z "St11align_val_t", "new[]", (size_t size, size_t alignment), (size, alignment),
             new_aligned(size, alignment))

#endif
