/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wireshark's tables of service response times: its only tables of durations whose rows can be applied as a filter. Such a
 * filter is a field and a number. */
#ifndef WIRETRACE_RESPONSES_H
#define WIRETRACE_RESPONSES_H

#include "../compat.h"

#include <epan/packet.h>

typedef struct responses_table {
    const char *name, *column; /* title, and what its rows are */
    const char *field;         /* a row is FIELD == number */
} responses_table;

/* What took some time. */
typedef struct response {
    unsigned table;
    uint32_t number;
    const char *name; /* may be in `text` */
    uint64_t ns;
    char text[256];
} response;

/* All pointers have static storage. */
typedef struct responses {
    const char *tap, *title, *command;
    const responses_table *tables;
    unsigned count;
    /* Number `i` of what ended with a tapped record, from 0; false: there is no more. What has no duration: `name` NULL. */
    bool (*ended)(const void *tapped, const packet_info *pinfo, unsigned i, response *r);
} responses;

void responses_register(int proto, const responses *r);

#endif
