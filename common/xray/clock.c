/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock of an XRay log: from counter ticks to seconds (docs/xray.md, "Time"). */
#include "xray.h"

#include <stdlib.h>

#define NANOSECONDS 1000000000u

/* Frequency 10^9 and a counter in this span (2017 to 2039): the runtime had no counter and stored CLOCK_REALTIME. */
static bool is_realtime(const xray_log *log, uint64_t tsc)
{
    return log->frequency == NANOSECONDS && tsc >= UINT64_C(1500000000000000000) && tsc <= UINT64_C(2200000000000000000);
}

void xray_clock_set(xray_log *log, bool wall, uint64_t tsc, uint64_t seconds, uint32_t microseconds)
{
    const char *chosen = g_getenv("WIRETRACE_XRAY_FREQUENCY");
    uint64_t frequency = chosen ? strtoull(chosen, NULL, 10) : 0;
    if (frequency)
        log->frequency = frequency;
    log->first_tsc = tsc;
    log->base_tsc = 0;
    log->base_seconds = 0;
    log->base_nanoseconds = 0;
    if (!wall || is_realtime(log, tsc) || seconds > XRAY_WALL_MAX)
        return;
    log->base_tsc = tsc;
    log->base_seconds = (int64_t)(seconds + microseconds / 1000000);
    log->base_nanoseconds = (int32_t)(microseconds % 1000000) * 1000;
}

void xray_clock_time(const xray_log *log, uint64_t tsc, int64_t *seconds, int32_t *nanoseconds)
{
    bool before = tsc < log->base_tsc;
    uint64_t ticks = before ? log->base_tsc - tsc : tsc - log->base_tsc;
    uint64_t frequency = log->frequency ? log->frequency : NANOSECONDS;
    uint64_t whole = ticks / frequency, rest = ticks % frequency;
    int64_t part = (int64_t)(rest <= UINT64_MAX / NANOSECONDS
                                 ? rest * NANOSECONDS / frequency
                                 : (uint64_t)((unsigned __int128)rest * NANOSECONDS / frequency));
    int64_t s = (int64_t)MIN(whole, (uint64_t)INT64_MAX / 4);
    if (before) {
        s = -s;
        part = -part;
    }
    s += log->base_seconds;
    part += log->base_nanoseconds;
    if (part < 0) {
        part += NANOSECONDS;
        s--;
    } else if (part >= NANOSECONDS) {
        part -= NANOSECONDS;
        s++;
    }
    *seconds = s;
    *nanoseconds = (int32_t)part;
}

void xray_clock_comment(const xray_log *log, GString *comment)
{
    if (is_realtime(log, log->first_tsc))
        g_string_append(comment, "Times are calendar dates: the counter of this log is CLOCK_REALTIME in nanoseconds.");
    else if (log->base_tsc)
        g_string_append_printf(comment,
                               "Times are seconds since the machine was started (CLOCK_MONOTONIC of the first buffer, then the "
                               "counter at %" G_GUINT64_FORMAT " ticks per second); the log has no date.",
                               log->frequency);
    else if (log->frequency)
        g_string_append_printf(comment,
                               "Times are the counter at %" G_GUINT64_FORMAT
                               " ticks per second from an arbitrary zero; the log has no date.",
                               log->frequency);
    else
        g_string_append(comment, "Times are counter ticks shown as nanoseconds: the log does not say how fast it ran.");
    if (log->in_file_order)
        g_string_append(comment, " The input cannot seek: records stand in file order, not in time order.");
    if (log->missing)
        g_string_append_printf(comment, " The file ends before its last buffer: %" G_GUINT64_FORMAT " bytes are missing.",
                               log->missing);
    if (log->repeats)
        g_string_append_printf(comment, " Buffers that stand in the log twice, and count once: %u.",
                               g_hash_table_size(log->repeats));
    if (log->crowded)
        g_string_append(comment, " There are more threads than are kept apart: those of the rest are not in time order.");
}
