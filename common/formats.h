/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of formats: the one place that names all of them. Everything else in the reader and the shared code goes
 * through the rows. */
#ifndef WIRETRACE_FORMATS_H
#define WIRETRACE_FORMATS_H

#include "format.h"

/* The numbers stand in exported records: new formats go to the end. */
typedef enum format_id {
    FORMAT_XRAY_FDR,
    FORMAT_XRAY_BASIC,
    FORMAT_CACHERAY,
    FORMAT_OVNI,
    FORMAT_OVNI_TRACE,
    FORMAT_COUNT
} format_id;

extern const format formats[FORMAT_COUNT];

#endif
