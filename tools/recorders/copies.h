/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that is copied and filled: memcpy(), memmove(), memset(), by whatever name instrumented code calls them. */
#ifndef WIRETRACE_COPIES_H
#define WIRETRACE_COPIES_H

#include "cacheray-records.h"
#include "hooks.h"

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

#endif
