/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wireshark's times as nanoseconds. */
#ifndef WIRETRACE_HOST_TIMES_H
#define WIRETRACE_HOST_TIMES_H

#include "compat.h"

#include <epan/packet.h>

/* False: it does not fit, so *ns is not the time. */
static inline bool times_ns(const nstime_t *time, int64_t *ns)
{
    return !__builtin_mul_overflow((int64_t)time->secs, INT64_C(1000000000), ns) &&
           !__builtin_add_overflow(*ns, time->nsecs, ns);
}

/* The time of a record since the first one of the file; the nearest that fits. */
static inline int64_t record_time(const packet_info *pinfo)
{
    int64_t ns;
    return times_ns(&pinfo->rel_ts, &ns) ? ns : pinfo->rel_ts.secs < 0 ? INT64_MIN : INT64_MAX;
}

#endif
