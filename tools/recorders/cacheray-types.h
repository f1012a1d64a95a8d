/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names the types of memory in a Cacheray trace, for programs in C and C++ that are linked with cacheray.c. In any other
 * program these do nothing.
 *
 *     struct order *all = malloc(100 * sizeof *all);
 *     WIRETRACE_ALLOCATED(all, struct order, 100);       what malloc() or new has returned: until it is freed
 *     WIRETRACE_REGION(&pool[7], struct order, 1);       any other memory: globals, stack, a piece of a pool
 *     WIRETRACE_FORGET(&pool[7]);                        until then */
#ifndef CACHERAY_TYPES_H
#define CACHERAY_TYPES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
void wiretrace_type(const void *p, size_t size, size_t count, const char *type, int instead) __attribute__((weak));
void wiretrace_forget(const void *p) __attribute__((weak));
#ifdef __cplusplus
}
#endif

/* The type is written without commas; in a template use its own name (typedef). */
#define WIRETRACE_ALLOCATED(pointer, type, count) WIRETRACE_TYPE(pointer, type, count, 1)
#define WIRETRACE_REGION(pointer, type, count) WIRETRACE_TYPE(pointer, type, count, 0)
#define WIRETRACE_FORGET(pointer) (wiretrace_forget ? wiretrace_forget(pointer) : (void)0)
#define WIRETRACE_TYPE(pointer, type, count, instead) \
    (wiretrace_type ? wiretrace_type(pointer, sizeof(type), count, #type, instead) : (void)0)

#endif
