/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How statistics show the functions and ticks of a log: by names, and in nanoseconds. It is the `how` of counted.h. */
#ifndef WIRETRACE_XRAY_STATISTICS_DISPLAY_H
#define WIRETRACE_XRAY_STATISTICS_DISPLAY_H

#include "xray/names/functions.h"

/* In statistics, in place of functions for which there is no room. No function has this id: most logs have 28-bit ids,
 * though basic mode has 32. */
#define XRAY_OTHER_FUNCTIONS UINT32_MAX

typedef struct xray_display {
    xray_functions *functions;            /* NULL: names are not known */
    uint64_t frequency;                   /* ticks per second; 0: a tick is a nanosecond */
    bool ticks;                           /* times are shown in ticks */
    bool full;                            /* names are shown in full */
    bool sources;                         /* and where they are in the source */
    uint32_t (*frame_of)(uint32_t place); /* the number by which a record is shown; 0: not at all */
} xray_display;

/* Enough for any number. */
typedef char xray_number[16];
/* The name of a function, or without one #id, which is written to `number`: the only place where this is written. */
shown_name xray_name_words(shown_name name, uint32_t function, xray_number number);
/* In the columns of a record, which are sentences, its id follows these words instead. */
#define XRAY_FUNCTION_WORDS "function "
/* The name as it is shown; without a text: it is not known. */
shown_name xray_display_known(const xray_display *s, uint32_t function);
/* The same, or without a name #id, or TEXT_OTHERS. */
shown_name xray_display_name(const xray_display *s, uint32_t function, xray_number number);
/* A time, or a sum of them, as it is shown; at most UINT64_MAX, which is a sum that is not known. */
uint64_t xray_display_time(const xray_display *s, uint64_t ticks);

#endif
