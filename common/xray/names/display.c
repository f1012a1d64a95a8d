/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/names/display.h"

#include "statistics/rows.h"
#include "util/math128.h"
#include "util/text.h"

shown_name xray_name_words(shown_name name, uint32_t function, xray_number number)
{
    if (name.text)
        return name;
    char *at = number + sizeof(xray_number) - 1; /* many records show a whole stack of these */
    *at = '\0';
    at = text_digits(at, function, 10);
    *--at = '#';
    return shown_name_of(at);
}

shown_name xray_display_known(const xray_display *s, uint32_t function)
{
    const xray_function *f = s->full ? xray_functions_find(s->functions, function) : NULL;
    return s->full ? shown_name_of(f ? f->name : NULL) : xray_functions_short(s->functions, function);
}

shown_name xray_display_name(const xray_display *s, uint32_t function, xray_number number)
{
    return function == XRAY_OTHER_FUNCTIONS ? shown_name_of(TEXT_OTHERS)
                                            : xray_name_words(xray_display_known(s, function), function, number);
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

uint64_t xray_display_time(const xray_display *s, uint64_t ticks)
{
    return s->ticks || ticks == UINT64_MAX ? ticks : xray_nanoseconds(ticks, s->frequency);
}
