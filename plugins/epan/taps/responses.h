/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wireshark's tables of service response times: its only tables of durations with rows that can be applied as filters, by
 * a field and a number. */
#ifndef WIRETRACE_TAPS_RESPONSES_H
#define WIRETRACE_TAPS_RESPONSES_H

#include "compat.h"

#include <epan/packet.h>

#include "util/text.h"

typedef struct responses_table {
    const char *name, *column; /* title, and heading of the first column */
    const char *field;         /* the filter of a row is FIELD == number */
} responses_table;

/* Something that took time. */
typedef struct response {
    unsigned table;
    uint32_t number;
    const char *name; /* may point to `text` */
    uint64_t ns;
    char text[TEXT_PAIR];
} response;

/* All pointers have static storage. */
typedef struct responses {
    const char *tap, *title, *command;
    const responses_table *tables;
    unsigned count;
    /* Item `i` that ended with a tapped record, from 0; false if there are no more. An item without a duration has `name`
     * NULL. */
    bool (*ended)(const void *tapped, const packet_info *pinfo, unsigned i, response *r);
} responses;

void responses_register(int proto, const responses *r);

#endif
