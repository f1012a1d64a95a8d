/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record as our code is given it, whoever reads it: Wireshark, which has a packet for it; or we, when it is counted
 * directly, in a thread, or hidden (hidden_records.h). */
#ifndef WIRETRACE_HOST_RECORD_SEEN_H
#define WIRETRACE_HOST_RECORD_SEEN_H

#include "compat.h"

#include <epan/packet.h>

#include "statistics/counted.h"

#define RECORD_SEEN_NO_INTERFACE UINT32_MAX
#define NANOSECONDS_PER_SECOND 1000000000

typedef struct record_seen {
    uint32_t frame;  /* by which it is shown; of a hidden one its number */
    uint32_t number; /* in the whole trace; in threads: in its stream */
    nstime_t relative, absolute;
    uint32_t interface;     /* of its stream, or RECORD_SEEN_NO_INTERFACE */
    bool again;             /* it has been dissected before */
    wmem_allocator_t *pool; /* for what is needed as long as it is */
    packet_info *packet;    /* NULL: there is none */
} record_seen;

/* False: it does not fit, so *ns is not the time. */
static inline bool times_ns(const nstime_t *time, int64_t *ns)
{
    return !__builtin_mul_overflow((int64_t)time->secs, INT64_C(1000000000), ns) &&
           !__builtin_add_overflow(*ns, time->nsecs, ns);
}

/* The time since the first record of the file, in ns; the nearest that fits. */
static inline int64_t record_time(const record_seen *seen)
{
    int64_t ns;
    return times_ns(&seen->relative, &ns) ? ns : seen->relative.secs < 0 ? INT64_MIN : INT64_MAX;
}

/* A record that Wireshark dissects, or gives to a tap. */
record_seen record_seen_of(packet_info *pinfo);
/* As a statistic counts it. */
static inline counted_record record_counted(const record_seen *seen, const void *tapped)
{
    return (counted_record){tapped, seen, seen->number, record_time(seen)};
}
/* The times and number of a record that has no packet; times are relative to `first`. */
static inline void record_seen_set(record_seen *seen, uint32_t number, int64_t seconds, int32_t nanoseconds,
                                   const nstime_t *first)
{
    seen->frame = seen->number = number;
    seen->absolute = (nstime_t){.secs = (time_t)seconds, .nsecs = nanoseconds};
    seen->relative.secs = seen->absolute.secs - first->secs;
    seen->relative.nsecs = seen->absolute.nsecs - first->nsecs;
    if (seen->relative.nsecs < 0 && seen->relative.secs > 0) { /* both have the sign of the difference */
        seen->relative.secs--;
        seen->relative.nsecs += NANOSECONDS_PER_SECOND;
    } else if (seen->relative.nsecs > 0 && seen->relative.secs < 0) {
        seen->relative.secs++;
        seen->relative.nsecs -= NANOSECONDS_PER_SECOND;
    }
}
/* Frees what was needed of records that have no packet, of several at once: to be called after each. */
static inline void record_seen_free(const record_seen *seen)
{
    if (seen->number % 16 == 0)
        wmem_free_all(seen->pool);
}

#endif
