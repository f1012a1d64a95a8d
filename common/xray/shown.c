/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/shown.h"

#include <stdio.h>

#include "statistics/rows.h"
#include "util/math128.h"

const char *xray_shown_name(const xray_shown *s, uint32_t function, xray_number number)
{
    const xray_function *f = xray_functions_find(s->functions, function);
    if (function == XRAY_OTHER_FUNCTIONS)
        return ROWS_OTHERS;
    if (f && f->name)
        return f->name;
    snprintf(number, sizeof(xray_number), "#%u", function);
    return number;
}

uint64_t xray_nanoseconds(uint64_t ticks, uint64_t frequency)
{
    return frequency ? wide_scale(ticks, 1000000000, frequency) : ticks;
}

uint64_t xray_shown_time(const xray_shown *s, uint64_t ticks)
{
    return s->ticks ? ticks : xray_nanoseconds(ticks, s->frequency);
}
