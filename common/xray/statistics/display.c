/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/statistics/display.h"

#include "util/text.h"
#include "xray/xray.h"

shown_name xray_name_words(shown_name name, uint32_t function, xray_number number)
{
    if (name.text)
        return name;
    char *at = number + sizeof(xray_number) - 1; /* many records show a whole stack of these */
    *at = '\0';
    at = text_digits(at, function, 10);
    *--at = '#';
    return (shown_name){.text = at, .plain = (uint16_t)(number + sizeof(xray_number) - 1 - at)};
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

uint64_t xray_display_time(const xray_display *s, uint64_t ticks)
{
    return s->ticks || ticks == UINT64_MAX ? ticks : xray_nanoseconds(ticks, s->frequency);
}
