/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records the memory accesses of a program as a Cacheray trace. Compile the program with the instrumentation of
 * ThreadSanitizer, but link this file instead of its runtime:
 *
 *     clang -g -O1 -fsanitize=thread -c program.c            or clang++, gcc, g++
 *     clang -O2 -c cacheray.c
 *     clang -no-pie -rdynamic program.o cacheray.o -o program
 *     ./program                                              writes program.trace
 *     WIRETRACE_RECORD=help ./program                        prints the settings
 *
 * Threads are numbered from 0, the one that starts the program, in the order of their first records. Records are in the
 * order in which accesses were about to happen, atomic operations in that in which they did. What malloc() and operator new
 * return is annotated with the place of the call; cacheray-types.h gives it types.
 *
 * What it needs of its folder: recorder.h; mapped.h, how the trace is written; atomics.h; places.h, names of places;
 * locked-memory.h. */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>

#define SETTINGS \
    {"file", "the trace; if it is not set, the name of the program with .trace", "", WORD}, \
        {"limit", "how many million records there are at most; 0: as many as come", "0", DECIMAL}, \
        {"heap", "0: what malloc() and operator new return is not annotated", "1", WHOLE}, \
        {"frames", "how many callers of an allocation are named, 1 to 8", "3", WHOLE}, \
        {"quiet", "1: prints nothing unless something is missing", "0", WHOLE},
#include "recorder.h"
#include "mapped.h"

#if defined(__SANITIZE_THREAD__)
#define INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define INSTRUMENTED 1
#endif
#endif
#ifndef __OPTIMIZE__
#warning "Compile the recorder with -O2: otherwise compilers call memset() for what it does itself"
#endif
#ifdef INSTRUMENTED
#error "Compile the recorder without -fsanitize=thread"
#endif

enum { LIMIT = FILE_NAME + 1, HEAP, FRAMES, QUIET };
enum { READ = 0, WRITE = 1, ADD = 2, REMOVE = 3, ATOMIC = 0x40, UNALIGNED = 0x80 };

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

static unsigned frames_named = 1;
static bool sees_heap, annotates_heap;
static uint64_t threads, annotations, annotation_bytes;
static __thread uint64_t number; /* of the thread, from 1; 0: none yet */

/* A program that has functions of its own with these names keeps them. */
#define HOOK __attribute__((visibility("default"), used))
#define WEAK_HOOK __attribute__((visibility("default"), used, weak))
#define CALLER ((uintptr_t)__builtin_return_address(0))
#define STACK ((uintptr_t)__builtin_frame_address(0))

/* Without the names of functions that a compiler would find in a loop, and call. */
#define LOOP __asm__ volatile("" ::: "memory")

static void copy_bytes(char *to, const char *from, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        to[i] = from[i];
        LOOP;
    }
}

#include "places.h"

/* --- records ------------------------------------------------------------------------------------------------------- */

static uint64_t own_number(void)
{
    if (!number)
        number = ADD_TO(threads, 1) + 1;
    return number - 1;
}

/* The last store makes it a record: before that it has size 0, which is not an access. */
static inline struct access_record *put_access(uint8_t tag, uintptr_t address, unsigned size)
{
    struct access_record *r = (struct access_record *)place(sizeof *r);
    if (!r)
        return NULL;
    r->tag = tag;
    r->address = address;
    r->thread = number ? number - 1 : own_number();
    LOOP;
    r->size = (uint8_t)size;
    return r;
}

/* What a compiler takes to be aligned may not be, such as a cast pointer to bytes. */
static inline void note(uint8_t tag, const volatile void *address, unsigned size)
{
    put_access(tag | ((uintptr_t)address % (size < 8 ? size : 8) ? UNALIGNED : 0), (uintptr_t)address, size);
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
    if (size && size <= 16 && !(size & (size - 1)))
        put_access(tag | (piece((uintptr_t)address, size) < size ? UNALIGNED : 0), (uintptr_t)address, (unsigned)size);
    else
        put_range(tag, (uintptr_t)address, size);
}

/* --- regions ------------------------------------------------------------------------------------------------------- */

static uint8_t *place_annotation(size_t bytes)
{
    uint8_t *at = place(bytes);
    if (at) {
        ADD_TO(annotations, 1);
        ADD_TO(annotation_bytes, bytes);
    }
    return at;
}

/* Records have 32 bits for each: a larger region has fewer, larger elements, and is rounded up. */
static void fit_elements(size_t *size, size_t *count)
{
    for (; *size > UINT32_MAX; *size = *size / 2 + *size % 2)
        *count *= 2;
    for (; *count > UINT32_MAX; *count = *count / 2 + *count % 2)
        *size *= 2;
}

struct part {
    const char *text;
    size_t length;
};

/* The name is all parts, one after the other. The tag is stored last. */
static void put_add(uintptr_t address, size_t size, size_t count, const struct part *parts, unsigned part_count)
{
    size_t length = 0;
    for (unsigned i = 0; i < part_count; i++)
        length += parts[i].length;
    struct add_record *r = (struct add_record *)place_annotation(sizeof *r + length);
    if (!r)
        return;
    fit_elements(&size, &count);
    char *at = r->name;
    for (unsigned i = 0; i < part_count; at += parts[i++].length)
        copy_bytes(at, parts[i].text, parts[i].length);
    r->address = address;
    r->thread = own_number();
    r->element_size = size ? (uint32_t)size : 1;
    r->element_count = (uint32_t)count;
    r->length = (uint32_t)length;
    LOOP;
    r->tag = ADD;
}

static struct remove_record *put_remove(uintptr_t address)
{
    struct remove_record *r = (struct remove_record *)place_annotation(sizeof *r);
    if (!r)
        return NULL;
    r->address = address;
    r->thread = own_number();
    LOOP;
    r->tag = REMOVE;
    return r;
}

/* "malloc in fill+0x1c < main+0x30" */
static void put_allocation(const char *what, uintptr_t caller, uintptr_t stack, uintptr_t address, size_t size, size_t count)
{
    const struct frame *frames[FRAMES_MOST];
    struct part parts[2 + 2 * FRAMES_MOST] = {{what, strlen(what)}, {" ", 1}};
    const unsigned named = find_callers(frames, frames_named, caller, stack);
    unsigned n = 2;
    for (unsigned i = 0; i < named; i++) {
        const size_t skipped = i > 0 && frames[i]->text[0] == 'i' ? 3 : 0; /* "in " is written once */
        if (i > 0)
            parts[n++] = (struct part){" < ", 3};
        parts[n++] = (struct part){frames[i]->text + skipped, frames[i]->length - skipped};
    }
    put_add(address, size, count, parts, named ? n : 1);
}

/* --- blocks: what is allocated for arrays of C++, which may begin with their number of elements, and what has a type ------
 */

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

/* --- the heap: what the program would call without the recorder does the work ------------------------------------------ */

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

/* The next function of a name, in `next`. With -static there is none, and some of the functions below are those of the C
 * library: there nothing is annotated. */
#define NEXT(type, name, static_one) \
    static __typeof__(type) *next; \
    if (!LOAD(next) && !(next = (__typeof__(type) *)next_function(name))) \
    next = static_one

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

/* A library that is loaded later may have its addresses. Not there with -static: no library is loaded. */
extern int __dlclose(void *library) __attribute__((weak));
WEAK_HOOK int dlclose(void *library)
{
    NEXT(dlclose, "dlclose", __dlclose);
    const int error = next ? next(library) : -1;
    if (LOAD(mapped->base))
        forget_objects();
    return error;
}

#define SET_LIMIT(set, set_of, type) \
    WEAK_HOOK int set_of(pid_t process, __rlimit_resource_t what, const struct type *limit, struct type *before) \
    { \
        const int error = (int)syscall(SYS_prlimit64, process, what, limit, before); \
        if (error == 0 && what == RLIMIT_AS && limit && (process == 0 || process == getpid())) \
            shrink_range((rlim_t)limit->rlim_cur); \
        return error; \
    } \
    WEAK_HOOK int set(__rlimit_resource_t what, const struct type *limit) \
    { \
        return set_of(0, what, limit, NULL); \
    }
#if __SIZEOF_POINTER__ >= 8 /* otherwise its numbers have 32 bits */
SET_LIMIT(setrlimit, prlimit, rlimit)
SET_LIMIT(setrlimit64, prlimit64, rlimit64)
#endif

/* --- what compilers call ------------------------------------------------------------------------------------------- */

static void start(void);
static bool is_called;

/* Each instrumented object calls it when it is loaded. */
HOOK void __tsan_init(void)
{
    is_called = true;
    start();
    if (LOAD(mapped->base))
        note_object(CALLER, true);
}

HOOK void __tsan_func_entry(void *caller)
{
    enter_function(CALLER, (uintptr_t)caller, STACK);
}

HOOK void __tsan_func_exit(void)
{
    leave_function(CALLER, STACK);
}

#define NOTHING(name) \
    HOOK void name(void) \
    { \
    }
NOTHING(__tsan_ignore_thread_begin)
NOTHING(__tsan_ignore_thread_end)

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

#include "atomics.h"

/* --- what programs call: tsan_interface.h, and annotations for data race detectors
 * ------------------------------------------- */

#define IGNORED(name) \
    WEAK_HOOK void *name(void) \
    { \
        return NULL; \
    }
IGNORED(__tsan_acquire)
IGNORED(__tsan_release)
IGNORED(__tsan_external_register_tag)
IGNORED(__tsan_external_register_header)
IGNORED(__tsan_external_assign_tag)
IGNORED(__tsan_external_read)
IGNORED(__tsan_external_write)
IGNORED(__tsan_mutex_create)
IGNORED(__tsan_mutex_destroy)
IGNORED(__tsan_mutex_pre_lock)
IGNORED(__tsan_mutex_post_lock)
IGNORED(__tsan_mutex_pre_unlock)
IGNORED(__tsan_mutex_post_unlock)
IGNORED(__tsan_mutex_pre_read_lock)
IGNORED(__tsan_mutex_post_read_lock)
IGNORED(__tsan_mutex_pre_read_unlock)
IGNORED(__tsan_mutex_post_read_unlock)
IGNORED(__tsan_mutex_pre_signal)
IGNORED(__tsan_mutex_post_signal)
IGNORED(__tsan_mutex_pre_divert)
IGNORED(__tsan_mutex_post_divert)
IGNORED(__tsan_get_current_fiber)
IGNORED(__tsan_create_fiber)
IGNORED(__tsan_destroy_fiber)
IGNORED(__tsan_switch_to_fiber)
IGNORED(__tsan_set_fiber_name)
IGNORED(__tsan_check_no_mutexes_held)
IGNORED(__tsan_flush_memory)
IGNORED(AnnotateRWLockCreate)
IGNORED(AnnotateRWLockCreateStatic)
IGNORED(AnnotateRWLockDestroy)
IGNORED(AnnotateRWLockAcquired)
IGNORED(AnnotateRWLockReleased)
IGNORED(AnnotateHappensBefore)
IGNORED(AnnotateHappensAfter)
IGNORED(AnnotateCondVarSignal)
IGNORED(AnnotateCondVarSignalAll)
IGNORED(AnnotateMutexIsNotPHB)
IGNORED(AnnotateCondVarWait)
IGNORED(AnnotateBarrierInit)
IGNORED(AnnotateBarrierWaitBefore)
IGNORED(AnnotateBarrierWaitAfter)
IGNORED(AnnotateBarrierDestroy)
IGNORED(AnnotatePCQCreate)
IGNORED(AnnotatePCQDestroy)
IGNORED(AnnotatePCQPut)
IGNORED(AnnotatePCQGet)
IGNORED(AnnotateNewMemory)
IGNORED(AnnotateMemoryIsInitialized)
IGNORED(AnnotateMemoryIsUninitialized)
IGNORED(AnnotatePublishMemoryRange)
IGNORED(AnnotateUnpublishMemoryRange)
IGNORED(AnnotateTraceMemory)
IGNORED(AnnotateFlushExpectedRaces)
IGNORED(AnnotateExpectRace)
IGNORED(AnnotateBenignRace)
IGNORED(AnnotateBenignRaceSized)
IGNORED(AnnotateMutexIsUsedAsCondVar)
IGNORED(AnnotateIgnoreReadsBegin)
IGNORED(AnnotateIgnoreReadsEnd)
IGNORED(AnnotateIgnoreWritesBegin)
IGNORED(AnnotateIgnoreWritesEnd)
IGNORED(AnnotateIgnoreSyncBegin)
IGNORED(AnnotateIgnoreSyncEnd)
IGNORED(AnnotateEnableRaceDetection)
IGNORED(AnnotateFlushState)
IGNORED(AnnotateThreadName)
IGNORED(AnnotateNoOp)
IGNORED(WTFAnnotateHappensBefore)
IGNORED(WTFAnnotateHappensAfter)
IGNORED(WTFAnnotateBenignRaceSized)
IGNORED(RunningOnValgrind)

/* --- memory that is copied ----------------------------------------------------------------------------------------- */

static void *move_bytes(void *to, const void *from, size_t size)
{
    NEXT(memmove, "memmove", NULL);
    char *t = to;
    const char *f = from;
    if (next)
        return next(to, from, size);
    if ((uintptr_t)t - (uintptr_t)f >= size)
        copy_bytes(t, f, size);
    else
        while (size-- > 0) {
            t[size] = f[size];
            LOOP;
        }
    return to;
}

static void *fill_bytes(void *to, int value, size_t size)
{
    NEXT(memset, "memset", NULL);
    if (next)
        return next(to, value, size);
    for (size_t i = 0; i < size; i++) {
        ((char *)to)[i] = (char)value;
        LOOP;
    }
    return to;
}

static void *note_copy(bool noted, void *to, const void *from, size_t size)
{
    if (noted && LOAD(mapped->base)) {
        put_range(READ, (uintptr_t)from, size);
        put_range(WRITE, (uintptr_t)to, size);
    }
    return move_bytes(to, from, size);
}

static void *note_fill(bool noted, void *to, int value, size_t size)
{
    if (noted && LOAD(mapped->base))
        note_range(WRITE, to, size);
    return fill_bytes(to, value, size);
}

/* Newer compilers call __tsan_memcpy() and so on. Older ones call memcpy() itself, or with -D_FORTIFY_SOURCE __memcpy_chk(),
 * which libraries do as well: only what instrumented code calls is recorded. */
extern void __chk_fail(void) __attribute__((noreturn));

#define COPY(name) \
    HOOK void *__tsan_##name(void *to, const void *from, size_t size) \
    { \
        return note_copy(true, to, from, size); \
    } \
    WEAK_HOOK void *name(void *to, const void *from, size_t size) \
    { \
        return note_copy(is_instrumented(CALLER), to, from, size); \
    } \
    WEAK_HOOK void *__##name##_chk(void *to, const void *from, size_t size, size_t room) \
    { \
        if (room < size) \
            __chk_fail(); \
        return note_copy(is_instrumented(CALLER), to, from, size); \
    }
COPY(memcpy)
COPY(memmove)

HOOK void *__tsan_memset(void *to, int value, size_t size)
{
    return note_fill(true, to, value, size);
}

WEAK_HOOK void *memset(void *to, int value, size_t size)
{
    return note_fill(is_instrumented(CALLER), to, value, size);
}

WEAK_HOOK void *__memset_chk(void *to, int value, size_t size, size_t room)
{
    if (room < size)
        __chk_fail();
    return note_fill(is_instrumented(CALLER), to, value, size);
}

/* --- from the beginning to the end ------------------------------------------------------------------------------------- */

static struct text message; /* of the thread that starts or ends */

static void begin_message(const char *before)
{
    message.length = 0;
    TEXT(&message, before);
}

static void message_number(unsigned long long number, const char *after)
{
    text_number(&message, number, 10);
    text_add(&message, after);
}

/* What is missing from the trace: on the terminal, and for the reader. */
static void end_loss(void)
{
    text_add(&message, "\n");
    list_line(&message);
    static struct text shown;
    shown.length = 0;
    TEXT(&shown, trace_name.bytes, ": ", message.bytes + 2);
    say(&shown);
}

static void report_left_out(unsigned long long records)
{
    const unsigned long long left_out = LOAD(mapped->left_out);
    begin_message("# the trace has the first ");
    message_number(records, " records: ");
    message_number(left_out, " more were left out");
    if (mapped->reason)
        TEXT(&message, ": ", error_text(mapped->reason));
    else
        TEXT(&message, " (limit=", settings[LIMIT].value, " in WIRETRACE_RECORD)");
    if (left_out)
        end_loss();
}

static void report_losses(unsigned long long records)
{
    report_left_out(records);
    begin_message("# ");
    message_number(blocks_forgotten, " types of allocated memory may be shown after it was freed");
    if (blocks_forgotten)
        end_loss();
    begin_message("# ");
    message_number(frames_forgotten, " callers of allocations have no name: there are too many");
    if (frames_forgotten)
        end_loss();
    begin_message("# ");
    message_number(objects_forgotten, " libraries are not listed: there are too many");
    if (objects_forgotten)
        end_loss();
    begin_message("# no access was recorded: compile with -fsanitize=thread, with -flto and gcc link with it, too");
    if (!is_called)
        end_loss();
    begin_message("# allocations are not recorded: the program is linked statically");
    if (!sees_heap)
        end_loss();
}

/* Only once, and not in a child of fork(), which finds no trace. */
static void end_recording(void)
{
    if (!EXCHANGE(mapped->open, false))
        return;
    const uint64_t bytes = end_mapped();
    const unsigned long long records = (bytes - annotation_bytes) / sizeof(struct access_record) + annotations;
    report_losses(records);
    begin_message(trace_name.bytes);
    TEXT(&message, ": ");
    message_number(records, " records of ");
    message_number(threads, " threads");
    text_command(&message, ". To open it: wireshark");
    TEXT(&message, "\n");
    if (!number_of(QUIET))
        say(&message);
}

/* After all other destructors of the program. */
__attribute__((destructor(101))) static void end_of_program(void)
{
    end_recording();
}

/* When the first instrumented object is initialised, of the program or of a library. No signal needs a handler: what was
 * recorded is in the file. */
static void start(void)
{
    static bool started;
    const int error = errno;
    if (EXCHANGE(started, true))
        return;
    read_settings();
    sees_heap = first_object() != NULL;
    annotates_heap = sees_heap && number_of(HEAP) != 0;
    frames_named = number_of(FRAMES) < 1 ? 1 : number_of(FRAMES) > FRAMES_MOST ? FRAMES_MOST : (unsigned)number_of(FRAMES);
    trace_begin("", ".trace");
    begin_names();
    const bool created = trace_create(false, O_RDWR | O_APPEND);
    if (created) { /* before other threads record */
        output_close(&objects_output);
        begin_message(OBJECTS_FIRST);
        list_line(&message);
        note_object((uintptr_t)__executable_start, true);
    }
    if (!created || !begin_mapped((unsigned long long)(strtod(settings[LIMIT].value, NULL) * 1e6 + 0.5))) {
        begin_message(trace_name.bytes);
        TEXT(&message, ": nothing is recorded: ", error_text(errno), "\n");
        say(&message);
        errno = error;
        return;
    }
    number = ADD_TO(threads, 1) + 1;
    (void)at_quick_exit(end_recording);
    errno = error;
}

__attribute__((constructor(101))) static void start_program(void)
{
    start();
}
