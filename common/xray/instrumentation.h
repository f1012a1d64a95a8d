/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instrumentation map of an executable (section xray_instr_map): which function has which id. docs/xray.md,
 * "Function ids", describes it. Knows nothing of names. */
#ifndef WIRETRACE_XRAY_INSTRUMENTATION_H
#define WIRETRACE_XRAY_INSTRUMENTATION_H
#ifdef HAVE_LIBELF

#include "executable.h"

/* Whether there is a map at all. */
bool instrumentation_present(const executable *e);

/* The addresses of the functions as linked, the one of id 1 first; to be freed with g_free(). NULL when there is no
 * map, or when it cannot be trusted to the last entry - one wrong address would shift all later ids: *reason then says
 * why, in words that outlive the call. */
uint64_t *instrumentation_read(const executable *e, size_t *count, const char **reason);

#endif
#endif
