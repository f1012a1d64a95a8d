/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that programs and compilers call: how they are declared, and how one finds the function that it replaces. */
#ifndef WIRETRACE_HOOKS_H
#define WIRETRACE_HOOKS_H

#include "places.h"

/* A program that has functions of its own with these names keeps them. */
#define HOOK __attribute__((visibility("default"), used))
#define WEAK_HOOK __attribute__((visibility("default"), used, weak))
#define CALLER ((uintptr_t)__builtin_return_address(0))
#define STACK ((uintptr_t)__builtin_frame_address(0))

/* The next function of a name, in `next`. With -static there is none, and some of the functions below are those of the C
 * library: there nothing is annotated. */
#define NEXT(type, name, static_one) \
    static __typeof__(type) *next; \
    if (!LOAD(next) && !(next = (__typeof__(type) *)next_function(name))) \
    next = static_one

#endif
