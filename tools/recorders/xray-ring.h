/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of calls: a flight data recorder in memory, as docs/formats/xray.md describes its log. LLVM's own has locks,
 * which a program that crashes may hold, gives no record of threads that wait when it ends, and copies its parent's into a
 * child of fork(). Here each thread has a buffer that nobody else writes; what is complete can be read at any moment, also
 * in a signal handler. Nothing waits.
 *
 * The memory is one mapping that a child of fork() sees as zeros (MADV_WIPEONFORK): there, recording begins again by itself.
 */
#ifndef WIRETRACE_XRAY_RING_H
#define WIRETRACE_XRAY_RING_H

#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#include "locked-memory.h"
#include "trace-file.h"

enum {
    METADATA = 16,
    PREAMBLE = 3 * METADATA,
    ENTER = 0,
    EXIT = 1,
    TAIL = 2,
    ENTER_ARGUMENT = 3,
    LIBRARIES = 256,
    LINE_MAX_BYTES = 2048
};
enum {
    EXTENTS = 0x0f,
    NEW_BUFFER = 0x01,
    WALL_CLOCK = 0x09,
    PROCESS = 0x13,
    NEW_CPU = 0x05,
    CUSTOM = 0x0b,
    ARGUMENT = 0x0d,
    TYPED = 0x11
};

/* Of a buffer. Its thread alone writes it; others read `begin` and `used`. */
struct buffer {
    char *data;
    uint64_t begin, last; /* counter of the first and the last record; 0: none yet */
    uint32_t used, room;
    uint32_t open, undone; /* entries at its end whose calls may yet be too short; how many were removed, with a threshold */
    int32_t cpu;
    bool held; /* by a thread */
};

/* At the beginning of the mapping. All zero: this process has recorded nothing. */
struct recording {
    pid_t process, writer;   /* writer: the thread that writes the log */
    bool exits, ended, full; /* exit() was called; the log has been written; all buffers are held */
    pid_t dying;             /* the thread that a signal ends */
    uint64_t next;           /* buffers that were taken */
    uint64_t lost, too_large, overwritten;
    uint64_t progress; /* of the writer */
    bool seen[LIBRARIES];
    char lines[LIBRARIES][LINE_MAX_BYTES]; /* of TRACE.objects */
};

static struct recording *recording;
static struct buffer *buffers;
static uint32_t *sorted; /* numbers of buffers, for the writer */
static char *data;
static size_t buffer_size, buffer_max;
static uint64_t threshold; /* in ticks */
static bool has_counter;   /* the processor's */
static pthread_key_t thread_ends;

static struct buffer no_buffer; /* without room */
/* What a thread records into. `busy`: it is in the middle of a record. A signal handler that records then takes another
 * buffer; whether the thread ever comes back to the first one does not matter. */
static __thread struct {
    struct buffer *buffer;
    void *stack; /* for signal handlers, if it is ours */
    bool busy, has_stack;
} self __attribute__((tls_model("initial-exec")));

/* --- clocks ------------------------------------------------------------------------------------------------------ */
PLAIN uint64_t nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

PLAIN inline uint64_t ticks(int32_t *cpu)
{
#ifdef __x86_64__
    if (__builtin_expect(has_counter, 1)) {
        unsigned which;
        const uint64_t now = __builtin_ia32_rdtscp(&which);
        *cpu = (int32_t)(which & 0xfff);
        return now;
    }
#endif
    *cpu = 0;
    return nanoseconds();
}

#ifdef __x86_64__
#include <cpuid.h>
/* It runs always and evenly, and can be read together with the number of the processor. */
PLAIN bool counter_is_invariant(void)
{
    unsigned a, b, c, d, extended = 0;
    return __get_cpuid(0x80000001, &a, &b, &c, &extended) && (extended & 1u << 27) &&
           __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
}
#else
PLAIN bool counter_is_invariant(void)
{
    return false;
}
#endif

static uint64_t first_ticks, first_nanoseconds;

/* Both clocks at nearly the same moment. */
PLAIN void read_clocks(uint64_t *counter, uint64_t *time)
{
    uint64_t best = UINT64_MAX;
    int32_t cpu;
    for (int i = 0; i < 5; i++) {
        const uint64_t before = nanoseconds(), now = ticks(&cpu), after = nanoseconds();
        if (after - before < best)
            best = after - before, *counter = now, *time = before + best / 2;
    }
}

/* Ticks of a second. The kernel does not say; a few milliseconds give it to six digits. */
PLAIN uint64_t frequency(void)
{
    enum { LEAST = 5000000 };
    uint64_t counter = 0, time = 0;
    if (!has_counter)
        return 1000000000;
    for (read_clocks(&counter, &time); time - first_nanoseconds < LEAST; read_clocks(&counter, &time)) {
        struct timespec rest = {.tv_sec = 0, .tv_nsec = (long)(LEAST - (time - first_nanoseconds))};
        syscall(SYS_nanosleep, &rest, NULL);
    }
    return (uint64_t)((double)(counter - first_ticks) * 1e9 / (double)(time - first_nanoseconds) + 0.5);
}

/* --- buffers ----------------------------------------------------------------------------------------------------- */
/* memcpy() may use wide registers, and be instrumented. */
PLAIN void copy(char *to, const char *from, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        to[i] = from[i];
        __asm__ volatile("" ::: "memory");
    }
}

PLAIN void put(char *to, uint64_t value, size_t size)
{
    __builtin_memcpy(to, &value, size == 2 ? 2 : size == 4 ? 4 : 8);
}

PLAIN void put_metadata(char *at, int kind, uint64_t value, size_t size)
{
    put(at, 0, 8);
    put(at + 8, 0, 8);
    at[0] = (char)kind;
    put(at + 1, value, size);
}

PLAIN void put_preamble(struct buffer *b)
{
    const uint64_t now = nanoseconds();
    put_metadata(b->data, NEW_BUFFER, (uint64_t)syscall(SYS_gettid), 4);
    put_metadata(b->data + METADATA, WALL_CLOCK, now / 1000000000u, 8);
    put(b->data + METADATA + 9, now % 1000000000u / 1000, 4);
    put_metadata(b->data + 2 * METADATA, PROCESS, (uint64_t)getpid(), 4);
}

PLAIN void begin_child(void); /* xray-files.h: this process has none yet */

PLAIN void buffer_release(struct buffer *b)
{
    __atomic_store_n(&b->held, false, __ATOMIC_RELEASE);
    if (recording->full)
        recording->full = false;
}

/* The oldest one that no thread holds. NULL: all are held. */
PLAIN struct buffer *buffer_free(void)
{
    for (size_t i = 0; i < buffer_max && !recording->full; i++) {
        struct buffer *b = buffers + __atomic_fetch_add(&recording->next, 1, __ATOMIC_RELAXED) % buffer_max;
        if (!__atomic_exchange_n(&b->held, true, __ATOMIC_ACQUIRE))
            return b;
    }
    recording->full = true;
    return NULL;
}

/* Once in a thread: its end gives back the buffer, and a handler of signals has a stack if that of the thread has
 * overflowed. */
PLAIN void thread_begin(void)
{
    enum { STACK = 65536 };
    stack_t stack;
    pthread_setspecific(thread_ends, &self);
    if (self.has_stack || sigaltstack(NULL, &stack) != 0 || !(stack.ss_flags & SS_DISABLE))
        return;
    self.has_stack = true;
    stack.ss_sp = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    stack.ss_size = STACK;
    stack.ss_flags = 0;
    if (stack.ss_sp != MAP_FAILED && sigaltstack(&stack, NULL) == 0)
        self.stack = stack.ss_sp;
}

PLAIN void thread_end(void *unused)
{
    stack_t stack;
    (void)unused;
    if (self.buffer && self.buffer->held)
        buffer_release(self.buffer);
    self.buffer = NULL;
    if (self.stack && sigaltstack(NULL, &stack) == 0 && stack.ss_sp == self.stack && !(stack.ss_flags & SS_ONSTACK)) {
        const size_t size = stack.ss_size;
        stack.ss_flags = SS_DISABLE;
        sigaltstack(&stack, NULL);
        munmap(self.stack, size);
    }
    self.stack = NULL;
}

/* Gives the thread an empty buffer. An interrupted one is released when its record is complete. */
__attribute__((noinline)) PLAIN struct buffer *buffer_take(struct buffer *old, bool interrupted)
{
    const int error = errno;
    if (!recording->process)
        begin_child();
    struct buffer *b = buffer_free();
    if (!self.buffer)
        thread_begin();
    if (!interrupted && old && old->held)
        buffer_release(old);
    if (b) {
        if (b->begin)
            __atomic_fetch_add(&recording->overwritten, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&b->begin, 0, __ATOMIC_SEQ_CST); /* a writer that reads it sees that it changes */
        b->data = data + (size_t)(b - buffers) * buffer_size;
        b->room = (uint32_t)buffer_size, b->last = 0, b->open = 0, b->cpu = -1;
        put_preamble(b);
        __atomic_store_n(&b->used, PREAMBLE, __ATOMIC_RELEASE);
    }
    /* A handler that has interrupted this has taken a newer one, which stays. */
    __atomic_compare_exchange_n(&self.buffer, &old, b ? b : &no_buffer, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    errno = error;
    return b;
}

/* Reserves the memory. Returns whether there is enough. */
PLAIN bool ring_begin(size_t size, size_t most, uint64_t microseconds)
{
    const size_t heads = (sizeof *recording + most * (sizeof *buffers + sizeof *sorted) + 0xffff) & ~(size_t)0xffff;
    char *all = (char *)mmap(NULL, heads + size * most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                             -1, 0);
    if (all == MAP_FAILED || madvise(all, heads + size * most, MADV_WIPEONFORK) != 0)
        return false;
    madvise(all, heads + size * most, MADV_DONTDUMP);
    keep_unlocked(0, all, heads + size * most);
    pthread_key_create(&thread_ends, thread_end);
    buffer_size = size, buffer_max = most;
    recording = (struct recording *)all;
    buffers = (struct buffer *)(all + sizeof *recording);
    sorted = (uint32_t *)(buffers + most);
    data = all + heads;
    recording->process = getpid();
    has_counter = counter_is_invariant();
    read_clocks(&first_ticks, &first_nanoseconds);
    threshold = microseconds ? microseconds * frequency() / 1000000 : 0;
    return true;
}

#endif
