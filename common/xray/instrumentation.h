/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instrumentation map of an executable: which function has which id. Knows nothing of names.
 *
 * Section xray_instr_map is an array of sleds, the places in the code where calls are logged; those of a function stand
 * together. A sled is four words of 8 bytes (64-bit) or 4 bytes: its address, that of its function, and small fields,
 * of which byte 0 is the kind and byte 2 the version. From version 2 on both addresses are distances from their own
 * field; before, they are addresses, which position-independent programs fill in by relocations. The section need not
 * be aligned.
 *
 * Section xray_fn_idx, where there is one, has two words for each id: the distance of the first sled from the word
 * itself, and the number of sleds; in older compilers the addresses of the first sled and behind the last. It leaves
 * out what compilers without an index have put into the map, and the runtime then knows nothing of these functions
 * either. Without an index a new id begins whenever the function changes. Ids count from 1. */
#ifndef WIRETRACE_XRAY_INSTRUMENTATION_H
#define WIRETRACE_XRAY_INSTRUMENTATION_H

#include "program/executable.h"

/* Whether there is a map at all. */
bool instrumentation_present(const executable *e);

/* The addresses of the functions as linked, the one of id 1 first; to be freed with g_free(). NULL when there is no
 * map, or when it cannot be trusted to the last entry - one wrong address would shift all later ids: *reason then says
 * why, in words that outlive the call. */
uint64_t *instrumentation_read(const executable *e, size_t *count, const char **reason);

#endif
