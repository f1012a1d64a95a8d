/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a format is to the code that all dissectors share: a row. Each stands in its own folder, protocols.def lists them. */
#ifndef WIRETRACE_PROTOCOL_H
#define WIRETRACE_PROTOCOL_H

#include "picture/picture.h"
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
    bool listed;      /* somebody looks at the Info column */
    void *record;     /* the protocol's own, record_size bytes, not set */
    unsigned covered; /* bytes of the record, from the first on, that fields tell of */
    uint64_t present; /* ids of these fields, as tree_add_layouts() returns them */
} dissection;

/* A filter that Wireshark offers for the record that is selected: of all records that have something in common with it. */
typedef struct protocol_filter {
    const char *title; /* in the menu, after those of all other protocols */
    /* Appends the filter; nothing where the record has none. */
    void (*append)(const dissection *d, wmem_strbuf_t *filter);
} protocol_filter;

/* A line of the text of one stream. */
typedef struct protocol_line {
    unsigned depth; /* indented by so many levels */
    char text[512];
    bool replaces; /* the line before */
} protocol_line;

/* How Follow Stream tells of a stream. */
typedef struct protocol_follower {
    const int *stream; /* the field that has the number of the stream, FT_UINT32; it is added for the format */
    /* Line `i` of a tapped record, from 0; false: there are no more. `before`: the record that wrote the line before, 0: none. */
    bool (*line)(const void *tapped, const packet_info *pinfo, unsigned i, uint32_t before, protocol_line *line);
} protocol_follower;

/* The table of dissectors for the contents of its records, which set_up() makes. */
typedef struct protocol_decode_as {
    const char *table, *label;
    /* What a record is looked up by there, as the table has it: a number as pointer, or a text that lives as long as the packet.
     * NULL: nothing. */
    void *(*value)(const dissection *d);
} protocol_decode_as;

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

    const protocol_filter *filters;    /* ends with a row of nothing; the first one is that of Colorize Conversation */
    const protocol_follower *follower; /* needs a tap */
    const picture_source *picture;     /* what pictures show of it, or NULL */
    const protocol_decode_as *decode_as;
} protocol;

/* Registers all protocols, and what they share. */
void protocols_register(void);
void protocols_hand_off(void);

#endif
