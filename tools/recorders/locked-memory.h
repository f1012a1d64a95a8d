/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mlockall() of the program without the memory of the recorder: that is more than may be locked, so the call would fail,
 * and otherwise take as much memory as the recorder has reserved. All other mappings are locked, one after the other.
 * Needs recorder.h. */
#ifndef WIRETRACE_LOCKED_MEMORY_H
#define WIRETRACE_LOCKED_MEMORY_H

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

enum { UNLOCKED = 2 };
static struct unlocked {
    uintptr_t start, end;
} unlocked[UNLOCKED];

/* What mmap() has returned. */
PLAIN void keep_unlocked(int i, const void *start, size_t size)
{
    unlocked[i].start = (uintptr_t)start;
    unlocked[i].end = (uintptr_t)start + size;
}

enum { COUNTED = -1 }; /* else flags of mlock2() */

/* Returns how many bytes of a mapping are not of the recorder, after its range `i`. A mapping that cannot be read is locked,
 * but cannot be filled: as with mlockall(), that is not an error. */
PLAIN size_t lock_mapping(uintptr_t start, uintptr_t end, int i, int how)
{
    while (i < UNLOCKED && (start >= unlocked[i].end || unlocked[i].start >= end))
        i++;
    if (i < UNLOCKED)
        return (start < unlocked[i].start ? lock_mapping(start, unlocked[i].start, i + 1, how) : 0) +
               (unlocked[i].end < end ? lock_mapping(unlocked[i].end, end, i + 1, how) : 0);
    if (how != COUNTED)
        syscall(SYS_mlock2, start, end - start, how);
    return end - start;
}

/* Lines of /proc/self/maps, "START-END ...", in whatever pieces they are read. */
struct maps_line {
    uintptr_t numbers[2];
    int field;
};

PLAIN size_t maps_byte(struct maps_line *l, char c, int how)
{
    if (c == '\n')
        *l = (struct maps_line){{0, 0}, 0};
    else if (c == ' ' && l->field == 1) {
        l->field = 2;
        return lock_mapping(l->numbers[0], l->numbers[1], 0, how);
    } else if (c == '-' && l->field == 0)
        l->field = 1;
    else if (l->field < 2)
        l->numbers[l->field] = l->numbers[l->field] * 16 + (uintptr_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    return 0;
}

PLAIN size_t lock_mappings(int how)
{
    char bytes[4096];
    struct maps_line line = {{0, 0}, 0};
    size_t all = 0;
    const int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    for (long n; file >= 0 && (n = syscall(SYS_read, file, bytes, sizeof bytes)) > 0;)
        for (long i = 0; i < n; i++)
            all += maps_byte(&line, bytes[i], how);
    if (file >= 0)
        syscall(SYS_close, file);
    return all;
}

PLAIN bool may_lock_anything(void)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
    return syscall(SYS_capget, &head, sets) == 0 && sets[0].effective & 1u << CAP_IPC_LOCK;
}

/* Returns 0 or an errno: what the kernel would answer without the recorder. */
PLAIN int why_not_locked(void)
{
    struct rlimit limit;
    if (may_lock_anything() || getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        return 0;
    return limit.rlim_cur == 0 ? EPERM : lock_mappings(COUNTED) > limit.rlim_cur ? ENOMEM : 0;
}

#ifdef __cplusplus
extern "C"
#endif
    __attribute__((weak, used, visibility("default"))) NOT_INSTRUMENTED int
    mlockall(int flags) NO_THROW
{
    const int future = flags & ~MCL_CURRENT, error = errno;
    if (!(flags & MCL_CURRENT) || future & ~(MCL_FUTURE | MCL_ONFAULT))
        return (int)syscall(SYS_mlockall, flags);
    const int reason = why_not_locked();
    if (reason) {
        errno = reason;
        return -1;
    }
    if (!(flags & MCL_FUTURE)) /* as without the recorder: what is mapped later is not locked any more */
        syscall(SYS_munlockall);
    lock_mappings(flags & MCL_ONFAULT ? (int)MLOCK_ONFAULT : 0);
    errno = error;
    return flags & MCL_FUTURE ? (int)syscall(SYS_mlockall, future) : 0;
}

#endif
