/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wireshark's tables of conversations and endpoints, used for things other than network addresses. Their rows can be
 * applied as filters. */
#ifndef WIRETRACE_DISSECTOR_ENDPOINTS_H
#define WIRETRACE_DISSECTOR_ENDPOINTS_H

#include "host/record_seen.h"
#include "dissector/tree.h"

#define ENDPOINTS_MAX 3u

/* The endpoints of a record. An endpoint is a text, since the menus of these tables make filters of the form
 * FIELD=="thread 9706". All kinds of endpoints share one field, since "A <-> B" filters both sides by one name. */
typedef struct endpoints_of {
    unsigned count;
    const char *names[ENDPOINTS_MAX]; /* the first two form a conversation; may be in `numbers` */
    info_text numbers[ENDPOINTS_MAX];
    bool back; /* direction: from the second to the first */
    int bytes;
    uint32_t stream; /* which Follow shows for the conversation; 0: none */
} endpoints_of;

/* A hidden field, FT_STRING. */
typedef struct endpoints_field {
    const char *name;
    const int *hf;
} endpoints_field;

/* The row of a protocol; all pointers have static storage. */
typedef struct endpoints {
    endpoints_field any;
    endpoints_field source, destination; /* of a conversation; without a direction NULL, then `any` is used for both */
    void (*find)(const record_seen *seen, const void *tapped, endpoints_of *of);
} endpoints;

void endpoints_register(int proto, const endpoints *e);

/* Appends an endpoint: `what` and a number. */
void endpoints_append(endpoints_of *of, const char *what, uint64_t number, bool hexadecimal);
/* Appends an endpoint: `what` and a name, in which ” and ∖ replace quotation marks and backslashes. In the memory of the
 * record. */
void endpoints_append_name(endpoints_of *of, const record_seen *seen, const char *what, const char *name);
/* Returns whether anybody asks for one of these fields. */
bool endpoints_wanted(proto_tree *tree, const endpoints *e);
/* Adds the fields for filters from these tables. They are hidden, as other fields show the same. */
void endpoints_add(proto_tree *tree, const endpoints *e, tvbuff_t *tvb, const endpoints_of *of);

#endif
