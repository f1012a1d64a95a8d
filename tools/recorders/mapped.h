/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace that is mapped. A record takes its place by one atomic addition and is written there: nobody waits for anybody,
 * so no thread can end while others wait for it, and what was written is in the file whatever happens next.
 *
 * The file is mapped once, over all the range that it may ever have, and grows by pieces of zeros at its end: that fails
 * where the disk is full (room that is only mapped would end the program with SIGBUS), and never overwrites what others
 * have recorded. Whoever needs room makes it, and one whose record is in the second
 * half of the last piece does so in advance.
 *
 * A child of fork() records nothing: it finds zeros in the page with the state. */
#ifndef WIRETRACE_MAPPED_H
#define WIRETRACE_MAPPED_H

#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/vfs.h>

#include "locked-memory.h"
#include "trace-file.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* since Linux 5.14; what an older one refuses is only slower */
#endif

enum {
    PIECE = 1 << 21,
    ZEROS = 1 << 16,
    LINE = 64,
    LOCKS = 256,
    KEPT_PIECES = 4,
    DROPPED_PIECES = 256,
    KEPT_FREE = 1 << 24
};

struct mapped {
    uint8_t *base;                                     /* NULL: nothing is recorded */
    size_t watch;                                      /* the record that ends after it makes room in advance */
    unsigned long long most, taken;                    /* records; most 0: no limit */
    bool open, full;                                   /* it is to be ended; nothing more is recorded */
    size_t end __attribute__((aligned(LINE)));         /* place of the next record */
    size_t ready __attribute__((aligned(LINE))), stop; /* bytes of the file; bytes that are records, if it is full */
    size_t claimed, range;                             /* the `ready` for which room is made in advance */
    unsigned long long left_out;
    uint64_t blocks_then; /* that were free when the file had `ready_then` bytes */
    size_t ready_then;
    int reason; /* errno: why it is full; 0: by `most` */
    struct {
        uint32_t owner __attribute__((aligned(LINE)));
    } locks[LOCKS]; /* for atomics.h */
};

static struct mapped nothing, *mapped = &nothing;
static struct {
    uint8_t *base;
    size_t range;
    pid_t process;
} first_mapped; /* as it was mapped, which a child of fork() does not forget */

#define LOAD(of) __atomic_load_n(&(of), __ATOMIC_RELAXED)
#define ADD_TO(of, n) __atomic_fetch_add(&(of), n, __ATOMIC_ACQ_REL)
#define EXCHANGE(of, now) __atomic_exchange_n(&(of), now, __ATOMIC_ACQ_REL)
#define CHANGE(of, old, now) __atomic_compare_exchange_n(&(of), old, now, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)

/* Without the names of functions that a compiler would find in a loop, and call. */
#define LOOP __asm__ volatile("" ::: "memory")

static void copy_bytes(char *to, const char *from, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        to[i] = from[i];
        LOOP;
    }
}

/* The descriptor of the trace, which is opened again if the program has closed it; -1: it is not there any more. */
static int own_file(void)
{
    struct stat now;
    if (output_is_open(&trace_output))
        return trace_output.descriptor;
    const int file = raise_descriptor((int)syscall(SYS_openat, AT_FDCWD, trace_output.path, O_RDWR | O_APPEND | O_CLOEXEC));
    if (file >= 0 && fstat(file, &now) == 0 && is_same_file(&now, &trace_output.is))
        return trace_output.descriptor = file;
    if (file >= 0)
        syscall(SYS_close, file);
    return -1;
}

/* Half of the time of appending zeros, where the file system can do it. */
static bool allocate_zeros(int file, size_t ready)
{
#if __SIZEOF_POINTER__ >= 8
    return syscall(SYS_fallocate, file, 0, (off_t)ready, (off_t)PIECE) == 0;
#else
    (void)file;
    (void)ready;
    errno = EOPNOTSUPP;
    return false;
#endif
}

/* btrfs writes to another place what is written again: pages that are not full yet may need room once more. What it says of
 * the room that is left is some seconds old: since then the trace has grown. */
static bool leaves_room(int file, size_t ready)
{
    struct statfs fs;
    if (fstatfs(file, &fs) != 0 || (unsigned)fs.f_type != BTRFS_SUPER_MAGIC)
        return true;
    if (mapped->blocks_then != fs.f_bavail) {
        mapped->blocks_then = fs.f_bavail;
        mapped->ready_then = ready;
    }
    return (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize >= ready - mapped->ready_then + PIECE + KEPT_FREE;
}

/* Not where the file system can do without, before anything is written. */
static void write_in_place(int file)
{
    int flags;
    if (ioctl(file, FS_IOC_GETFLAGS, &flags) == 0) {
        flags |= FS_NOCOW_FL;
        ioctl(file, FS_IOC_SETFLAGS, &flags);
    }
}

static bool extend(int file, size_t ready)
{
    static const char zeros[ZEROS];
    struct iovec pieces[PIECE / ZEROS];
    struct undisturbed u;
    for (size_t i = 0; i < PIECE / ZEROS; i++)
        pieces[i] = (struct iovec){(char *)zeros, ZEROS};
    undisturbed_begin(&u);
    bool done = allocate_zeros(file, ready);
    if (!done && errno != ENOSPC)
        done = syscall(SYS_writev, file, pieces, PIECE / ZEROS) > 0 || errno == EINTR;
    const int error = errno;
    undisturbed_end(&u);
    errno = error;
    return done;
}

/* False, with errno: they cannot be written, though they are in the file. Older kernels do not know. */
static bool populate(uint8_t *pages, size_t size)
{
    if (madvise(pages, size, MADV_POPULATE_WRITE) == 0 || errno != EFAULT)
        return true;
    errno = ENOSPC;
    return false;
}

/* Pages that are full are not needed in memory. Threads that are late get them again, so they are dropped more than once. */
static void drop_pages(uint8_t *base, size_t ready)
{
    const size_t pieces = ready / PIECE, until = pieces > KEPT_PIECES ? pieces - KEPT_PIECES : 0;
    const size_t from = until > DROPPED_PIECES ? until - DROPPED_PIECES : 0;
    if (until > from)
        madvise(base + from * PIECE, (until - from) * PIECE, MADV_DONTNEED);
}

static void raise_to(size_t *what, size_t to)
{
    for (size_t now = LOAD(*what); now < to && !CHANGE(*what, &now, to);) {
    }
}

/* False, with errno: the file has not become longer than `ready`. */
static bool grow(size_t ready)
{
    struct stat now;
    uint8_t *base = LOAD(mapped->base);
    const int file = own_file();
    errno = file < 0 ? EBADF : EFBIG;
    if (!base || file < 0 || ready + PIECE > mapped->range)
        return false;
    errno = ENOSPC;
    if (!leaves_room(file, ready) || !extend(file, ready) || fstat(file, &now) != 0)
        return false;
    const size_t size = (size_t)now.st_size < mapped->range ? (size_t)now.st_size : mapped->range;
    if (size > ready && !populate(base + ready, size - ready))
        return false;
    raise_to(&mapped->ready, size);
    raise_to(&mapped->watch, size > PIECE / 2 ? size - PIECE / 2 : 0);
    drop_pages(base, ready);
    return true;
}

/* The trace ends before the first record that finds no room, so that it ends between two. The reason is the first one, and
 * not that the program ends. */
static void stop_before(size_t at, int reason)
{
    if (LOAD(mapped->open) && !mapped->full) {
        mapped->reason = reason;
        mapped->full = true;
    }
    for (size_t stop = LOAD(mapped->stop); at < stop && !CHANGE(mapped->stop, &stop, at);) {
    }
    mapped->base = NULL;
}

static bool leave_out(void)
{
    if (mapped->full)
        ADD_TO(mapped->left_out, 1);
    return true;
}

/* For what is not called at each record. False: the record is left out. */
__attribute__((noinline)) static bool make_room(size_t at, size_t bytes)
{
    const int error = errno;
    size_t ready, claimed = LOAD(mapped->claimed);
    while (at + bytes > (ready = LOAD(mapped->ready)) && at + bytes <= LOAD(mapped->stop))
        if (!grow(ready))
            stop_before(at, errno);
    if (at + bytes <= ready && claimed != ready && CHANGE(mapped->claimed, &claimed, ready))
        grow(ready);
    errno = error;
    return at + bytes <= LOAD(mapped->stop) || !leave_out();
}

/* Where threads record by turns at each record, its line moves between their processors as often, which takes most of the
 * time. So processors with an odd and an even number take turns, by the counter that all of them share, while others record
 * as well. Nobody is waited for: whoever has waited for a turn's length goes on.
 * Measured with 2.1 ticks per nanosecond and two processors; clang 14, clang 19, gcc. The time is that of the recorder of
 * 0.4, which had a lock, times so much, with one to four threads. Moves are those of a line to which two threads write
 * 400,000 times: 8,000 to 40,000 with that lock, 12,000 to 29,000 without a recorder.
 *     turn    time            moves
 *     1024    0.96 to 1.78    102,000 to 229,000
 *     1260    0.90 to 1.52    79,000 to 170,000
 *     1600    0.80 to 1.26    47,000 to 115,000
 *     1800    0.80 to 1.05    38,000 to 97,000
 *     2100    0.75 to 1.08    29,000 to 73,000 */
#if defined __x86_64__ || defined __i386__
enum { TURN = 1800, RECENT = 4 * TURN, PATIENCE = 100 }; /* ticks, ticks, pauses of 40 to 140 ticks */

static __thread struct {
    size_t next; /* the place of this thread's next record, if no other thread records */
    uint64_t last;
    bool crowded;
} turns;

__attribute__((noinline)) static void wait_for_turn(void)
{
    unsigned processor;
    uint64_t now = __builtin_ia32_rdtscp(&processor);
    if (now - turns.last < RECENT)
        for (int i = 0; i < PATIENCE && ((now / TURN ^ processor) & 1) != 0; i++) {
            __builtin_ia32_pause();
            now = __builtin_ia32_rdtsc();
        }
    turns.last = now;
}

static inline size_t take_place(size_t bytes)
{
    if (turns.crowded)
        wait_for_turn();
    const size_t at = ADD_TO(mapped->end, bytes);
    turns.crowded = at != turns.next;
    turns.next = at + bytes;
    return at;
}
#else
static inline size_t take_place(size_t bytes)
{
    return ADD_TO(mapped->end, bytes);
}
#endif

/* The place of a record, which has zeros until it is written; NULL: it is not recorded. */
static inline uint8_t *place(size_t bytes)
{
    uint8_t *base = LOAD(mapped->base);
    if (!base && leave_out())
        return NULL;
    if (mapped->most && ADD_TO(mapped->taken, 1) >= mapped->most) {
        ADD_TO(mapped->left_out, 1);
        return NULL;
    }
    const size_t at = take_place(bytes);
    if (at + bytes > LOAD(mapped->watch) && !make_room(at, bytes))
        return NULL;
    return base + at;
}

/* Where memory for addresses is limited, most of it is left to the program. */
static size_t range_within(size_t range, rlim_t limit)
{
    while (range > PIECE && range > limit / 8)
        range /= 2;
    return range;
}

#if __SIZEOF_POINTER__ >= 8 /* otherwise programs set numbers of 32 bits, by other functions */
/* When the program sets that limit itself. A child of fork() needs none of it; one of vfork() is not asked. */
static void shrink_range(rlim_t limit)
{
    struct mapped *m = mapped;
    uint8_t *base = LOAD(m->base);
    const size_t before = LOAD(m->range), used = (LOAD(m->ready) / PIECE + 3) * PIECE;
    if (before == 0 && first_mapped.base)
        munmap(first_mapped.base, first_mapped.range);
    if (before == 0)
        first_mapped.base = NULL;
    if (before == 0 || getpid() != first_mapped.process)
        return;
    size_t range = range_within(before, limit);
    range = range > used ? range : used;
    if (!base || range >= before)
        return;
    m->range = range;
    munmap(base + range, before - range);
}
#endif

static size_t first_range(void)
{
    struct rlimit limit;
    size_t range = sizeof(void *) > 4 ? (size_t)1 << (sizeof(void *) > 4 ? 40 : 0) : (size_t)1 << 29;
    return getrlimit(RLIMIT_AS, &limit) == 0 ? range_within(range, limit.rlim_cur) : range;
}

/* Aligned to a piece, so that the kernel can map large pages. NULL, with errno. */
static uint8_t *map_range(size_t *range)
{
    for (*range = first_range(); *range >= PIECE; *range /= 2) {
        uint8_t *all = mmap(NULL, *range + PIECE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (all == MAP_FAILED)
            continue;
        uint8_t *base = (uint8_t *)(((uintptr_t)all + PIECE - 1) & ~(uintptr_t)(PIECE - 1));
        if (mmap(base, *range, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, trace_output.descriptor, 0) ==
            base) {
            keep_unlocked(0, all, *range + PIECE);
            return base;
        }
        const int error = errno;
        munmap(all, *range + PIECE);
        errno = error;
        if (error != EOVERFLOW) /* else files of this file system cannot become so large */
            return NULL;
    }
    return NULL;
}

/* Begins to record into the trace that was created. False, with errno. */
static bool begin_mapped(unsigned long long most)
{
    struct mapped *m = mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED || madvise(m, sizeof *m, MADV_WIPEONFORK) != 0)
        return false;
    uint8_t *base = map_range(&m->range);
    if (!base)
        return false;
    madvise(base, m->range, MADV_HUGEPAGE);
    madvise(base, m->range, MADV_DONTDUMP);
    write_in_place(trace_output.descriptor);
    m->stop = SIZE_MAX / 2;
    m->most = most;
    m->open = true;
    m->base = base;
    first_mapped.base = base;
    first_mapped.range = m->range;
    first_mapped.process = getpid();
    mapped = m;
    if (grow(0))
        return true;
    m->base = NULL;
    m->open = false;
    return false;
}

/* Ends the trace after its last record, and returns its bytes. Threads that still run find no place any more. */
static size_t end_mapped(void)
{
    struct mapped *m = mapped;
    m->base = NULL;
    const size_t end = EXCHANGE(m->end, SIZE_MAX / 2), bytes = end < LOAD(m->stop) ? end : LOAD(m->stop);
    if (!LOAD(m->range)) /* a handler has forked here: this is the child */
        return 0;
    m->stop = bytes;
    m->full = false;
    const int file = own_file();
    if (file >= 0)
        (void)!ftruncate(file, (off_t)bytes); /* else zeros are left, which readers know */
    return bytes;
}

#endif
