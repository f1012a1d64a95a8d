/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Atomic operations, each between its records, so that the order of records is that of the operations.
 *
 * For so long, the thread owns the lock of the address. A thread may vanish there: it is cancelled, it jumps away, or a
 * handler of a signal interrupts it and needs the same lock. So a lock is only a request: it is taken over by its own thread
 * at once, from a thread that does not exist any more at once, and from any other after WAITS. The operation itself is
 * atomic without it: what can be wrong then is the order of two records, not what the program does. */
#ifndef WIRETRACE_ATOMICS_H
#define WIRETRACE_ATOMICS_H

#include <sched.h>
#include <time.h>

#include "cacheray-records.h"
#include "hooks.h"

enum { SPINS = 200, YIELDS = 20, WAITS = 400, WAIT_NS = 50000 };

static __thread uint32_t thread_id;

static uint32_t own_thread(void)
{
    if (!thread_id)
        thread_id = (uint32_t)syscall(SYS_gettid);
    return thread_id;
}

/* System calls, as nanosleep() is a cancellation point. */
static void wait_for_owner(unsigned tries)
{
    if (tries < SPINS)
        __asm__ volatile("" ::: "memory");
    else if (tries < SPINS + YIELDS)
        sched_yield();
    else
        syscall(SYS_nanosleep, &(struct timespec){0, WAIT_NS}, NULL);
}

static bool is_gone(uint32_t owner, unsigned tries)
{
    return tries >= SPINS + YIELDS && (tries > SPINS + YIELDS + WAITS || syscall(SYS_tgkill, getpid(), owner, 0) != 0);
}

static uint32_t *lock_of(const volatile void *address)
{
    return &mapped->locks[(uint32_t)((uintptr_t)address >> 4) * 2654435761u >> 24].owner;
}

static void take_lock(uint32_t *lock)
{
    const int error = errno;
    const uint32_t me = own_thread();
    uint32_t owner = 0;
    for (unsigned tries = 0; !CHANGE(*lock, &owner, me) && owner != me; tries++) {
        if (!is_gone(owner, tries))
            owner = 0;
        wait_for_owner(tries);
    }
    errno = error;
}

/* Unless another thread has taken it over. */
static void leave_lock(uint32_t *lock)
{
    uint32_t me = own_thread();
    CHANGE(*lock, &me, 0);
}

/* Whatever order of memory is asked for, it is the strictest. */
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
typedef unsigned __int128 uint128;

#ifdef __x86_64__
static bool swap_128(volatile uint128 *p, uint128 *old, uint128 now)
{
    uint64_t low = (uint64_t)*old, high = (uint64_t)(*old >> 64);
    bool same;
    __asm__ volatile("lock cmpxchg16b %1"
                     : "=@ccz"(same), "+m"(*p), "+a"(low), "+d"(high)
                     : "b"((uint64_t)now), "c"((uint64_t)(now >> 64))
                     : "memory");
    if (!same) /* what it points to may be gone by now */
        *old = (uint128)high << 64 | low;
    return same;
}
#elif defined __aarch64__
/* What is there has been read at once only if it could be stored again. In the order of memory, which may be big-endian. */
static bool swap_128(volatile uint128 *p, uint128 *old, uint128 now)
{
    union {
        uint128 whole;
        uint64_t parts[2];
    } was = {*old}, is, next = {now};
    uint64_t first, second;
    uint32_t failed;
    __asm__ volatile("1: ldaxp %0, %1, %5\n"
                     "cmp %0, %6\n"
                     "ccmp %1, %7, #0, eq\n"
                     "csel %2, %8, %0, eq\n"
                     "csel %3, %9, %1, eq\n"
                     "stlxp %w4, %2, %3, %5\n"
                     "cbnz %w4, 1b"
                     : "=&r"(is.parts[0]), "=&r"(is.parts[1]), "=&r"(first), "=&r"(second), "=&r"(failed), "+Q"(*p)
                     : "r"(was.parts[0]), "r"(was.parts[1]), "r"(next.parts[0]), "r"(next.parts[1])
                     : "cc", "memory");
    const bool same = is.whole == was.whole;
    if (!same)
        *old = is.whole;
    return same;
}
#else
/* Not every processor has instructions for these. All are made here, as all of the program is instrumented. */
static bool swap_128(volatile uint128 *p, uint128 *old, uint128 now)
{
    uint32_t *lock = lock_of(p);
    take_lock(lock);
    const uint128 there = *p;
    const bool same = there == *old;
    if (same)
        *p = now;
    else
        *old = there;
    leave_lock(lock);
    return same;
}
#endif

static uint128 load_128(const volatile uint128 *p)
{
    uint128 old = 0;
    swap_128((volatile uint128 *)p, &old, 0);
    return old;
}
#endif

/* Takes the lock, and records what the operation is going to do. NULL: nothing is recorded. */
static inline uint32_t *begin_atomic(const volatile void *p, unsigned size, bool reads, bool writes)
{
    if (!LOAD(mapped->base))
        return NULL;
    uint32_t *lock = lock_of(p);
    take_lock(lock);
    if (reads)
        put_access(READ | ATOMIC, (uintptr_t)p, size);
    if (writes)
        put_access(WRITE | ATOMIC, (uintptr_t)p, size);
    return lock;
}

static inline void end_atomic(uint32_t *lock)
{
    if (lock)
        leave_lock(lock);
}

#define MODIFY(bits, type, name, reads, now) \
    HOOK type __tsan_atomic##bits##_##name(volatile type *p, type value, int order) \
    { \
        (void)order; \
        uint32_t *lock = begin_atomic(p, bits / 8, reads, true); \
        type old = load_##bits(p); \
        while (!swap_##bits(p, &old, (type)(now))) { \
        } \
        end_atomic(lock); \
        return old; \
    }
/* That it writes is recorded before it does, and taken back if another thread without the lock was faster. */
#define COMPARE(bits, type, name) \
    HOOK int __tsan_atomic##bits##_compare_exchange_##name(volatile type *p, type *expected, type value, int order, \
                                                           int failure) \
    { \
        (void)order; \
        (void)failure; \
        uint32_t *lock = begin_atomic(p, bits / 8, true, false); \
        const bool writes = lock && load_##bits(p) == *expected; \
        struct access_record *r = writes ? put_access(WRITE | ATOMIC, (uintptr_t)p, bits / 8) : NULL; \
        const bool same = swap_##bits(p, expected, value); \
        if (r && !same) \
            r->size = 0; \
        if (lock && same && !r) \
            put_access(WRITE | ATOMIC, (uintptr_t)p, bits / 8); \
        end_atomic(lock); \
        return same; \
    }
#define ATOMICS(bits, type) \
    HOOK type __tsan_atomic##bits##_load(const volatile type *p, int order) \
    { \
        (void)order; \
        uint32_t *lock = begin_atomic(p, bits / 8, true, false); \
        const type value = load_##bits(p); \
        end_atomic(lock); \
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

#endif
