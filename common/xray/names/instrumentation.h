/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instrumentation map of an executable: which function has which id. Knows nothing of names.
 *
 * Section xray_instr_map is an array of sleds, the places in the code where calls are logged; those of one function are
 * adjacent. A sled is four words of 8 bytes (64-bit) or 4 bytes: its address, that of its function, and small fields, of
 * which byte 0 is the kind and byte 2 the version. From version 2 on both addresses are relative to their own field;
 * before, they are absolute, and in position-independent programs set by relocations. The section need not be aligned.
 *
 * Section xray_fn_idx, if there is one, has two words per id: the distance from the word itself to the first sled, and the
 * number of sleds; from older compilers the addresses of the first sled and after the last. One that omits
 * functions, which were added by a compiler that makes no index, is not used, as by llvm-xray. Without an index every change
 * of function starts a new id. Ids count from 1. */
#ifndef WIRETRACE_XRAY_NAMES_INSTRUMENTATION_H
#define WIRETRACE_XRAY_NAMES_INSTRUMENTATION_H

#include "program/executable.h"

/* Returns whether there is a non-empty map. */
bool instrumentation_present(const executable *e);

/* The addresses of the functions as linked, starting with id 1; free with g_free(). NULL if there is no map or any entry
 * is doubtful, as one wrong address would shift all later ids. */
uint64_t *instrumentation_read(const executable *e, size_t *count, GError **error);

#endif
