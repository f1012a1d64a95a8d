/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock of an XRay log: from counter ticks to seconds (docs/formats/xray.md, "Time"). */
#include "xray/xray.h"

#include "util/math128.h"

#define NANOSECONDS 1000000000u

/* With a frequency of 10^9 and a counter from 2017 to 2039, the runtime had no counter and stored CLOCK_REALTIME in ns. */
static bool is_realtime(uint64_t frequency, uint64_t tsc)
{
    return frequency == NANOSECONDS && tsc >= UINT64_C(1500000000000000000) && tsc <= UINT64_C(2200000000000000000);
}

/* The counter of s390x is its time-of-day clock, with 4,096 ticks per microsecond since 1900, but runtimes (LLVM 23)
 * write a frequency of 10^9. The clock has been above TIME_OF_DAY_MIN since 2008. */
#define TIME_OF_DAY_FREQUENCY UINT64_C(4096000000)
#define TIME_OF_DAY_1970 UINT64_C(9048018124800000000)
#define TIME_OF_DAY_MIN UINT64_C(14000000000000000000)

static bool is_time_of_day(uint64_t frequency, bool big_endian, uint64_t tsc)
{
    return big_endian && (frequency == NANOSECONDS || frequency == TIME_OF_DAY_FREQUENCY) && tsc >= TIME_OF_DAY_MIN;
}

static bool is_frequency(const char *value)
{
    return g_ascii_string_to_unsigned(value, 10, 1, UINT64_MAX, NULL, NULL);
}

const setting xray_frequency_setting = {
    .variable = "WIRETRACE_XRAY_FREQUENCY",
    .preference = "xray.frequency",
    .is_usable = is_frequency,
    .usable = "a whole number of ticks per second above 0",
};

const setting xray_profile_frequency_setting = {
    .variable = "WIRETRACE_XRAY_PROFILE_FREQUENCY",
    .preference = "xray.profile_frequency",
    .is_usable = is_frequency,
    .usable = "a whole number of ticks per second above 0",
};

uint64_t xray_chosen_frequency(const setting *s)
{
    guint64 frequency = 0;
    const char *chosen = g_getenv(s->variable);
    return chosen && g_ascii_string_to_unsigned(chosen, 10, 1, UINT64_MAX, &frequency, NULL) ? frequency : 0;
}

uint64_t xray_frequency(uint64_t header, bool big_endian, uint64_t tsc)
{
    uint64_t chosen = xray_chosen_frequency(&xray_frequency_setting);
    return chosen ? chosen : is_time_of_day(header, big_endian, tsc) ? TIME_OF_DAY_FREQUENCY : header;
}

void xray_clock_recognise(xray_log *log, uint64_t tsc)
{
    log->time_of_day = !xray_chosen_frequency(&xray_frequency_setting) &&
                       is_time_of_day(log->frequency, log->big_endian, tsc);
    log->realtime = !log->time_of_day && is_realtime(log->frequency, tsc);
}

void xray_clock_set(xray_log *log, bool wall, uint64_t tsc, uint64_t seconds, uint32_t microseconds)
{
    log->frequency = xray_frequency(log->frequency, log->big_endian, tsc);
    xray_clock_recognise(log, tsc);
    log->first_tsc = tsc;
    log->base_tsc = log->time_of_day ? TIME_OF_DAY_1970 : 0;
    log->base_seconds = 0;
    log->base_nanoseconds = 0;
    if (!wall || seconds > XRAY_WALL_MAX)
        return;
    log->base_tsc = tsc;
    log->base_seconds = (int64_t)(seconds + microseconds / 1000000);
    log->base_nanoseconds = (int32_t)(microseconds % 1000000) * 1000;
}

/* Converts a counter, given the time of another one. */
static inline __attribute__((always_inline)) void convert(const xray_log *log, uint64_t tsc, uint64_t base_tsc,
                                                          int64_t base_seconds, int32_t base_nanoseconds, int64_t *seconds,
                                                          int32_t *nanoseconds)
{
    bool before = tsc < base_tsc;
    uint64_t ticks = before ? base_tsc - tsc : tsc - base_tsc;
    uint64_t frequency = log->frequency ? log->frequency : NANOSECONDS;
    uint64_t whole = ticks / frequency, rest = ticks % frequency;
    int64_t part = (int64_t)mul_div_u64(rest, NANOSECONDS, frequency);
    int64_t s = (int64_t)MIN(whole, (uint64_t)INT64_MAX / 4);
    if (before) {
        s = -s;
        part = -part;
    }
    s += base_seconds;
    part += base_nanoseconds;
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

void xray_clock_from_marker(const xray_log *log, uint64_t tsc, int64_t *seconds, int32_t *nanoseconds)
{
    convert(log, tsc, log->base_tsc, log->base_seconds, log->base_nanoseconds, seconds, nanoseconds);
}

void xray_clock_time(const xray_log *log, uint64_t tsc, int64_t *seconds, int32_t *nanoseconds)
{
    if (xray_clock_has_date(log))
        convert(log, tsc, log->time_of_day ? TIME_OF_DAY_1970 : 0, 0, 0, seconds, nanoseconds);
    else
        xray_clock_from_marker(log, tsc, seconds, nanoseconds);
}

uint64_t xray_nanoseconds(uint64_t ticks, uint64_t frequency)
{
    const uint64_t halves = frequency ? mul_div_u64(ticks, 2000000000, frequency) : UINT64_MAX;
    if (halves == UINT64_MAX)
        return frequency ? mul_div_u64(ticks, 1000000000, frequency) : ticks;
    return halves / 2 + (halves & 1);
}

int64_t xray_nanoseconds_since(uint64_t base, uint64_t ticks, uint64_t frequency)
{
    const uint64_t second = 1000000000, per_second = frequency ? frequency : second,
                   all = ticks < base ? base - ticks : ticks - base;
    const uint64_t ns = all / per_second * second + mul_div_u64(all % per_second, second, per_second);
    return (int64_t)(ticks < base ? -ns : ns);
}

void xray_time(walk *w)
{
    record *r = &w->record;
    xray_clock_time(w->trace->detail, xray_context_of(&r->context)->time_tsc, &r->seconds, &r->nanoseconds);
}

void xray_clock_comment(const xray_log *log, GString *comment)
{
    if (log->realtime)
        g_string_append(comment, "Times are calendar dates: the counter of this log is CLOCK_REALTIME in nanoseconds.");
    else if (log->time_of_day)
        g_string_append(comment,
                        "Times are calendar dates: the counter of this log is the time-of-day clock of s390x, 4,096 "
                        "ticks per microsecond, whatever its header says.");
    else if (log->base_tsc)
        g_string_append_printf(
            comment,
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
        g_string_append(comment, " The input is not seekable: records are in file order, not in time order.");
    if (log->missing)
        g_string_append_printf(comment, " The file ends before its last buffer: %" G_GUINT64_FORMAT " bytes are missing.",
                               log->missing);
    if (log->repeats)
        g_string_append_printf(comment, " Buffers that are in the log twice and counted once: %u.",
                               g_hash_table_size(log->repeats));
    if (log->too_many_threads)
        g_string_append(comment, " There are too many threads: the records of the last ones are not in time order.");
}
