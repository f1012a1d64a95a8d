/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of the types that annotations name, from the DWARF of the traced program: which of them lies at an offset. Without
 * libelf or libdw nothing can be opened. Knows nothing of traces. */
#ifndef WIRETRACE_CACHERAY_MEMBERS_H
#define WIRETRACE_CACHERAY_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct members members;

/* Reads an executable, or a file of debug information. NULL when it is of no use: *reason says why, in words that outlive the
 * call. */
members *members_open(const char *path, const char **reason);
void members_close(members *m);

/* The struct, union or class that a type name of an annotation means (struct.NAME, class.ns::NAME.12, NAME), and the
 * bytes of an element: of several of that name the one with this size, else one whose size divides it. 0: none. */
uint32_t members_type(members *m, const char *name, uint32_t elem_size);

/* What lies at a byte of an element: price.units, qty[2]; all members of a union and all bit-fields that share the byte, with
 * '|' between them; <padding>. An element may itself be an array of the type. Lives as long as m. */
const char *members_at(members *m, uint32_t type, uint32_t offset);

#endif
