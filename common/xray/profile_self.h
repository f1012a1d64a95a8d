/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Self times of the paths of a profile: the sums of a path have the time of those inside it, which follow it. */
#ifndef WIRETRACE_XRAY_PROFILE_SELF_H
#define WIRETRACE_XRAY_PROFILE_SELF_H

#include "analysis/span.h"
#include "xray/xray.h"

/* Reads the profile that is open, beside whoever reads it; it must be seekable. Memory: about 100 bytes for each path. Free
 * with g_hash_table_destroy(). A path has no self time if its own sum is not known, and none is subtracted below 0. */
GHashTable *xray_profile_self_read(trace *t);

/* When exceptions or longjmp leave functions, runtimes (LLVM 14 to 22) subtract the time of each from those around it more
 * than once. A sum that is below 0 for this reason is unknown; others may be too small. `values`: of xray_read(). */
static inline bool xray_profile_is_unsure(const uint64_t *values)
{
    return values[XRAY_FIELD_PROFILE_TICKS] > INT64_MAX;
}
/* The calls of a path as one span, in ticks: its self time is known if `self` has it, and 0 if not, as is an unknown sum.
 * False: it is not a path, or has no calls. */
bool xray_profile_sum(GHashTable *self, const record_context *c, const cursor *bytes, const uint64_t *values, span *s);

#endif
