/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wireshark's tables of conversations and endpoints, for what is no network: who has to do with whom, and how often. Rows can be
 * applied as a filter. */
#ifndef WIRETRACE_ENDPOINTS_H
#define WIRETRACE_ENDPOINTS_H

#include "tree.h"

#define ENDPOINTS_MAX 3u

/* Those of one record. An endpoint is a text, as the menu of these windows makes filters of it: FIELD=="thread 9706". One field has
 * all, since the two sides of "A <-> B" go by one name. */
typedef struct endpoints_of {
    unsigned count;
    info_text names[ENDPOINTS_MAX]; /* the first two make a conversation */
    bool back;                      /* from the second to the first */
    int bytes;
} endpoints_of;

/* A hidden field, FT_STRING. */
typedef struct endpoints_field {
    const char *name;
    const int *hf;
} endpoints_field;

/* A protocol's own; all pointers have static storage. */
typedef struct endpoints {
    endpoints_field any;
    endpoints_field source, destination; /* of a conversation; nothing where it has no direction: then `any` is for both */
    void (*find)(const packet_info *pinfo, const void *tapped, endpoints_of *of);
} endpoints;

void endpoints_register(int proto, const endpoints *e);

/* An endpoint of a record: `what` and a number. */
void endpoints_append(endpoints_of *of, const char *what, uint64_t number, bool hexadecimal);
/* `what` and a name, in which ” and ∖ stand for quotation marks and backslashes. */
void endpoints_append_name(endpoints_of *of, const char *what, const char *name);
/* Whether somebody asks for a field of these. */
bool endpoints_wanted(proto_tree *tree, const endpoints *e);
/* Adds the fields that the filters of these tables name. Hidden, as others show the same. */
void endpoints_add(proto_tree *tree, const endpoints *e, tvbuff_t *tvb, const endpoints_of *of);

#endif
