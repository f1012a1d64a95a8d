/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a format is to the code that all dissectors share: a row. Each stands in its own folder, protocols.def lists them. */
#ifndef WIRETRACE_PROTOCOL_H
#define WIRETRACE_PROTOCOL_H

#include "tree.h"

#include <epan/prefs.h>

/* One record on its way through the dissector. Lives as long as that. */
typedef struct dissection {
    packet_info *pinfo;
    tvbuff_t *tvb;      /* the bytes of the record alone */
    proto_tree *tree;   /* of the packet; NULL: nobody looks at fields */
    proto_tree *fields; /* of the record; NULL without a tree */
    proto_item *item;   /* the record's line; NULL without a tree */
    const record_context *context;
    cursor bytes;
    void *record;     /* the protocol's own, record_size bytes, not set */
    unsigned covered; /* bytes of the record, from the first on, that fields tell of */
    uint64_t present; /* ids of these fields, as tree_add_layouts() returns them */
} dissection;

/* Bytes of what a protocol keeps of a record. */
#define PROTOCOL_RECORD_MAX 1024

/* All pointers have static storage. The functions are called in this order for each record; all may be NULL, but `look`. */
typedef struct protocol {
    const char *name, *column, *filter; /* in lists, in its column, in filters; the last one is that of the format's row */
    const char *line;                   /* begins the record's line in the tree; NULL: its name in lists */
    tree_protocol tree;
    hf_register_info *hf;
    int hf_count;
    ei_register_info *ei;
    int ei_count;
    int *ett;                                         /* of the record's line */
    const layout *const *(*layouts)(unsigned *count); /* all that records are made of */

    /* Once: preferences, statistics, and what else is to be registered; and what needs other protocols. */
    void (*set_up)(int proto, module_t *preferences);
    void (*hand_off)(void);
    /* A preference has changed. */
    void (*apply)(void);

    size_t record_size;
    /* Settles what the record is, and what the records before it make of it. */
    void (*look)(dissection *d);
    /* Its Info column, where somebody looks at that, and then its source and destination. */
    void (*inform)(const dissection *d, info_text *info);
    void (*address)(const dissection *d);
    /* What happened, for the record's line in the tree; only where that is seen. NULL: the name of its kind. */
    void (*entitle)(const dissection *d, info_text *line);
    /* Its own fields, in the order of their bytes; sets `covered`. Only with a tree. */
    void (*add)(dissection *d);
    /* What is known of it beside its bytes, as fields and expert information; also without a tree. */
    void (*add_known)(const dissection *d);
    /* Its contents for the dissectors of others. */
    void (*call_others)(const dissection *d);
    /* The record for the statistics; NULL: not this one. */
    const void *(*tapped)(const dissection *d);
    size_t tapped_size; /* a copy of so many bytes lives as long as the packet */
    int *tap;           /* its tap, named as the protocol; set at registration */
} protocol;

/* Registers all protocols, and what they share. */
void protocols_register(void);
void protocols_hand_off(void);

#endif
