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

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

/* Registers that hold arguments of the program may be wider than those that XRay saves: nothing here may use them. */
#if defined __AVX__ && defined __clang__
#pragma clang attribute push(__attribute__((target("no-avx"))), apply_to = function)
#endif

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

PLAIN void begin_child(void);

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

/* --- records ----------------------------------------------------------------------------------------------------- */
/* A record that is being written. */
struct writing {
    struct buffer *buffer;
    char *at;
    uint64_t now;
};

PLAIN inline struct buffer *record_buffer(struct writing *w, int32_t *cpu)
{
    struct buffer *b;
    if (__builtin_expect(self.busy, 0))
        buffer_take(self.buffer, true);
    self.busy = true;
    do { /* what interrupts this comes before it in time */
        b = __atomic_load_n(&self.buffer, __ATOMIC_RELAXED);
        w->now = ticks(cpu);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } while (b != __atomic_load_n(&self.buffer, __ATOMIC_RELAXED));
    return b;
}

PLAIN void record_cpu(struct writing *w, int32_t cpu)
{
    put_metadata(w->at, NEW_CPU, (uint64_t)cpu, 2);
    put(w->at + 3, w->now, 8);
    w->at += METADATA;
    w->buffer->cpu = cpu, w->buffer->last = w->now, w->buffer->open = 0;
}

/* Returns whether there is room for a record of so many bytes in the buffer of the thread. */
PLAIN inline bool record_begin(struct writing *w, size_t size)
{
    int32_t cpu;
    struct buffer *b = record_buffer(w, &cpu);
    if (__builtin_expect(!b || b->used + METADATA + size > b->room, 0))
        b = PREAMBLE + METADATA + size > buffer_size ? NULL : buffer_take(b, false);
    if (__builtin_expect(!b, 0)) {
        __atomic_fetch_add(PREAMBLE + METADATA + size > buffer_size ? &recording->too_large : &recording->lost, 1,
                           __ATOMIC_RELAXED);
        self.busy = false;
        return false;
    }
    w->buffer = b;
    w->at = b->data + b->used;
    if (__builtin_expect(cpu != b->cpu || w->now - b->last > INT32_MAX, 0))
        record_cpu(w, cpu);
    return true;
}

PLAIN inline void record_end(struct writing *w)
{
    struct buffer *b = w->buffer;
    b->last = w->now;
    __atomic_store_n(&b->used, (uint32_t)(w->at - b->data), __ATOMIC_RELEASE);
    if (__builtin_expect(!b->begin, 0))
        __atomic_store_n(&b->begin, w->now, __ATOMIC_RELEASE);
    self.busy = false;
    if (__builtin_expect(b != __atomic_load_n(&self.buffer, __ATOMIC_RELAXED), 0))
        buffer_release(b);
}

/* Takes back the entry of a call that was too short. */
PLAIN void record_undo(struct writing *w)
{
    uint32_t since;
    w->at -= 8;
    __builtin_memcpy(&since, w->at + 4, sizeof since);
    w->buffer->open--;
    __atomic_store_n(&w->buffer->undone, w->buffer->undone + 1, __ATOMIC_RELEASE);
    w->now = w->buffer->last - since; /* of the record before it */
    record_end(w);
}

PLAIN inline void put_call(struct writing *w, int32_t function, unsigned kind)
{
    const uint32_t head = (uint32_t)function << 4 | kind << 1;
    put(w->at, head | (w->now - w->buffer->last) << 32, 8);
    w->at += 8;
}

PLAIN void library_seen(unsigned number, const void *at);

PLAIN inline void record_call(int32_t function, unsigned kind, const uint64_t *argument, const void *from)
{
    const unsigned library = (uint32_t)function >> 24;
    struct writing w;
    if (!record_begin(&w, argument ? 8 + METADATA : 8))
        return;
    if (__builtin_expect(library && !recording->seen[library], 0))
        library_seen(library, from);
    if (threshold && (kind == EXIT || kind == TAIL)) {
        if (w.buffer->open && w.now - w.buffer->last < threshold) {
            record_undo(&w);
            return;
        }
        w.buffer->open = 0;
    }
    put_call(&w, function, kind);
    if (argument) {
        put_metadata(w.at, ARGUMENT, *argument, 8);
        w.at += METADATA;
    }
    if (threshold && kind != EXIT && kind != TAIL)
        w.buffer->open = argument ? 0 : w.buffer->open + 1;
    record_end(&w);
}

PLAIN void record_event(int kind, unsigned type, const void *bytes, size_t size)
{
    struct writing w;
    if (size > buffer_size)
        size = buffer_size; /* does not fit either */
    if (!record_begin(&w, METADATA + size))
        return;
    put_metadata(w.at, kind, size, 4);
    put(w.at + 5, w.now - w.buffer->last, 4);
    put(w.at + 9, type, 2);
    copy(w.at + METADATA, (const char *)bytes, size);
    w.at += METADATA + size;
    w.buffer->open = 0;
    record_end(&w);
}

/* What XRay calls. */
PLAIN void on_call(int32_t function, int kind)
{
    record_call(function, kind == ENTER_ARGUMENT ? ENTER : (unsigned)kind, NULL, __builtin_return_address(0));
}

PLAIN void on_argument(int32_t function, int kind, uint64_t argument)
{
    const bool enters = kind == ENTER || kind == ENTER_ARGUMENT;
    record_call(function, enters ? ENTER_ARGUMENT : (unsigned)kind, enters ? &argument : NULL, __builtin_return_address(0));
}

PLAIN void on_event(void *bytes, size_t size)
{
    record_event(CUSTOM, 0, bytes, size);
}

PLAIN void on_typed_event(size_t type, const void *bytes, size_t size)
{
    record_event(TYPED, (unsigned)type, bytes, size);
}

/* --- libraries --------------------------------------------------------------------------------------------------- */
#ifdef DLFO_EH_SEGMENT_TYPE
extern int _dl_find_object(void *, struct dl_find_object *) __attribute__((weak)); /* since glibc 2.35; it takes no lock */

/* The first record of a library, whose code is at `at`: its line, while it is loaded. */
PLAIN void library_seen(unsigned number, const void *at)
{
    static struct text t; /* too large for a stack */
    static bool used;
    struct dl_find_object found;
    if (!_dl_find_object || __atomic_test_and_set(&used, __ATOMIC_ACQUIRE))
        return;
    if (!recording->seen[number] && _dl_find_object((void *)at, &found) == 0) {
        const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)found.dlfo_map_start;
        char path[PATH_MAX + 1] = "";
        const char *name = found.dlfo_link_map->l_name;
        t.length = 0;
        name += strncmp(name, "./", 2) == 0 ? 2 : 0;
        if (*name != '/' && syscall(SYS_getcwd, path, sizeof path) > 0)
            path[strlen(path)] = '/';
        copy(path + strlen(path), name, strnlen(name, PATH_MAX - strlen(path)));
        text_object(&t, number, found.dlfo_link_map->l_addr, (const ElfW(Phdr) *)((const char *)head + head->e_phoff),
                    head->e_phnum, path);
        if (t.length < LINE_MAX_BYTES)
            copy(recording->lines[number], t.bytes, t.length + 1);
        recording->seen[number] = true;
    }
    __atomic_clear(&used, __ATOMIC_RELEASE);
}
#else
PLAIN void library_seen(unsigned number, const void *at)
{
    (void)number, (void)at;
}
#endif

/* --- the log ----------------------------------------------------------------------------------------------------- */
/* Buffers in the order of their beginnings; if some were overwritten, in that of the ring, which shows it. */
PLAIN size_t sort_buffers(void)
{
    const size_t taken = recording->next < buffer_max ? (size_t)recording->next : buffer_max;
    size_t count = 0;
    for (size_t i = 0; i < taken; i++) {
        size_t at = count;
        if (!__atomic_load_n(&buffers[i].begin, __ATOMIC_ACQUIRE))
            continue;
        for (; at > 0 && !recording->overwritten && buffers[sorted[at - 1]].begin > buffers[i].begin; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = (uint32_t)i;
        count++;
    }
    return count;
}

struct log {
    uint64_t bytes;
    size_t buffers;
    int error;
};

/* Writes a buffer without its extents. Returns its size, or -1. With a threshold, entries at its end may be taken back while
 * it is read: that end is copied until it has stayed the same. */
PLAIN int64_t write_records(struct output *o, off_t at, const struct buffer *b)
{
    enum { END = 256, TRIES = 1000 };
    char end[2 * END];
    uint32_t used = __atomic_load_n(&b->used, __ATOMIC_ACQUIRE), sure = 0;
    for (int i = 0; threshold && i < TRIES; i++) {
        const uint32_t undone = __atomic_load_n(&b->undone, __ATOMIC_ACQUIRE), from = used > END + sure ? used - END : sure;
        if (!output_write(o, at + sure, b->data + sure, from - sure))
            return -1;
        sure = from;
        used = __atomic_load_n(&b->used, __ATOMIC_ACQUIRE);
        const uint32_t rest = used > sure ? used - sure : 0;
        copy(end, b->data + sure, rest < sizeof end ? rest : sizeof end);
        if (undone == __atomic_load_n(&b->undone, __ATOMIC_ACQUIRE) && rest < sizeof end)
            return output_write(o, at + sure, end, rest) ? (int64_t)sure + rest : -1;
    }
    return output_write(o, at, b->data, used) ? (int64_t)used : -1;
}

PLAIN bool write_buffer(struct output *o, const struct buffer *b, struct log *l)
{
    char extents[METADATA];
    const uint64_t begin = __atomic_load_n(&b->begin, __ATOMIC_ACQUIRE);
    const int64_t size = write_records(o, (off_t)l->bytes + METADATA, b);
    put_metadata(extents, EXTENTS, (uint64_t)size, 8);
    if (size < 0 || !output_write(o, (off_t)l->bytes, extents, METADATA))
        return false;
    recording->progress++;
    if (begin && begin == __atomic_load_n(&b->begin, __ATOMIC_SEQ_CST)) /* else it is another one by now */
        l->bytes += METADATA + (uint64_t)size, l->buffers++;
    return true;
}

/* Writes what there is. What did not fit is not there in part. */
PLAIN struct log ring_write(struct output *o)
{
    enum { HEADER = 32 };
    char header[HEADER] = {5, 0, 1, 0, 3};
    struct log l = {HEADER, 0, 0};
    const size_t count = sort_buffers();
    put(header + 8, frequency(), 8);
    put(header + 16, buffer_size, 8);
    bool written = output_ready(o) && output_write(o, 0, header, HEADER);
    for (size_t i = 0; i < count && written; i++)
        written = write_buffer(o, buffers + sorted[i], &l);
    l.error = written ? 0 : errno;
    if (ftruncate(o->descriptor, (off_t)l.bytes) != 0 && written)
        l.error = errno;
    return l;
}

#if defined __AVX__ && defined __clang__
#pragma clang attribute pop
#endif

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
