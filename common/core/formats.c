/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/formats.h"

const format *const formats[FORMAT_COUNT] = {
#define FORMAT(name) [FORMAT_##name] = &name##_format,
#include FORMATS_LIST
#undef FORMAT
};

format_id formats_number(const format *f)
{
    unsigned number = 0;
    while (number < FORMAT_COUNT && formats[number] != f)
        number++;
    return (format_id)number;
}
