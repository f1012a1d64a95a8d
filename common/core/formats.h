/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All formats by number. The reader and shared code reach a format only through its row. */
#ifndef WIRETRACE_CORE_FORMATS_H
#define WIRETRACE_CORE_FORMATS_H

#include "core/format.h"

#ifndef FORMATS_LIST /* tests have a list with one more */
#define FORMATS_LIST "formats.def"
#endif

/* FORMAT_NAME for every NAME in the list. */
typedef enum format_id {
#define FORMAT(name) FORMAT_##name,
#include FORMATS_LIST
#undef FORMAT
    FORMAT_COUNT
} format_id;

#define FORMAT(name) extern const format name##_format;
#include FORMATS_LIST
#undef FORMAT

extern const format *const formats[FORMAT_COUNT];

/* The number of a format; FORMAT_COUNT if it is not in the list. */
format_id formats_number(const format *f);

#endif
