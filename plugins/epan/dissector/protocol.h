/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that the code shared by dissectors knows about a format: one row. It is defined in the format's folder and listed
 * in protocols.def. */
#ifndef WIRETRACE_DISSECTOR_PROTOCOL_H
#define WIRETRACE_DISSECTOR_PROTOCOL_H

#include "host/record_seen.h"
#include "picture/picture.h"
#include "host/parallel.h"
#include "core/layout.h"
#include "dissector/tree.h"

#include <epan/prefs.h>

/* A record being dissected. Valid during the dissection. */
typedef struct dissection {
    const record_seen *seen;
    tvbuff_t *tvb;      /* only the bytes of the record */
    proto_tree *tree;   /* of the packet; NULL: no fields are needed */
    proto_tree *fields; /* of the record; NULL if there is no tree */
    proto_item *item;   /* the record's line in the tree; NULL if there is no tree */
    const record_context *context;
    cursor bytes;
    bool listed;      /* the Info column is needed */
    bool asked;       /* somebody may ask what it means among others; the same for all records of a pass */
    bool hidden;      /* not shown: there are no bytes in a buffer, and `look` only learns from it (hidden_records.h) */
    bool unknown;     /* what came before the record cannot be known */
    void *record;     /* the protocol's own data: record_size bytes, uninitialised; with a tap valid as long as the packet */
    unsigned covered; /* how many bytes at the beginning are shown as fields */
    uint64_t present; /* ids of these fields, as returned by tree_add_layouts() */
} dissection;

/* A filter offered for the selected record: for all records that have something in common with it. */
typedef struct protocol_filter {
    const char *title; /* in the menu, after those of all other protocols */
    /* Appends the filter, or nothing if the record has none. */
    void (*append)(const dissection *d, wmem_strbuf_t *filter);
} protocol_filter;

/* A line of text in Follow Stream. */
typedef struct protocol_line {
    unsigned depth; /* levels of indentation */
    char *text;     /* g_malloc()ed */
    bool replaces;  /* replaces the previous line */
} protocol_line;

/* The text of a stream in Follow Stream. */
typedef struct protocol_follower {
    const int *stream; /* the field with the number of the stream, FT_UINT32, which the format adds */
    /* Line `i` of a tapped record, from 0; false if there are no more. `before`: the frame that wrote the previous line;
     * 0: none. */
    bool (*line)(const void *tapped, const record_seen *seen, unsigned i, uint32_t before, protocol_line *line);
} protocol_follower;

/* The table of dissectors for the contents of its records, which set_up() makes. */
typedef struct protocol_decode_as {
    const char *table, *label;
    /* The key of a record in the table: a number as a pointer, or a string valid as long as the packet. NULL: none. */
    void *(*value)(const dissection *d);
} protocol_decode_as;

/* A table with a row for each record (record_rows.h). */
typedef struct protocol_rows {
    const char *command, *title; /* as of a statistic */
    const char *usual;           /* the columns of the table for people */
    const char *records;         /* the tap of those who need no analysis */
    bool threads; /* threads may write its rows; fields that depend on other streams are marked (tree_fields.h) */
} protocol_rows;

/* Limit of record_size, in bytes. */
#define PROTOCOL_RECORD_MAX 1024

/* All pointers have static storage. For each record the functions are called in this order; for one that is
 * counted directly only `look`. Those that are marked must be there (protocol_check.h); all others may be NULL. */
typedef struct protocol {
    const char *name, *column, *filter; /* in lists, in the Protocol column, in filters; the last is also that of the
                                         * format's row */
    const char *line;                   /* first word of the record's line in the tree; NULL: `name` */
    tree_protocol tree;
    hf_register_info *hf;
    int hf_count;
    ei_register_info *ei;
    int ei_count;
    const layout *const *(*layouts)(unsigned *count); /* all layouts of its records */

    /* Called once each: registers preferences, statistics and everything else; and what needs other protocols. */
    void (*set_up)(int proto, module_t *preferences);
    void (*hand_off)(void);
    /* Called when a preference has changed. */
    void (*apply)(void);
    /* Called when a file is opened or closed: frees what is kept of it, which is one struct in the format's folder. */
    void (*forget_file)(void);

    size_t record_size;
    /* Returns whether `look` relates records to earlier ones, which preferences may disable. NULL: it always does. */
    bool (*analyses)(void);
    /* Must be there. Determines what the record is, and how it relates to earlier ones. Returns the data for the taps, of
     * the record's own; NULL: it is not for them. */
    const void *(*look)(dissection *d);
    /* Must be there. Writes the Info column, if somebody looks at it; `address` then sets source and destination. */
    void (*inform)(const dissection *d, info_text *info);
    void (*address)(const dissection *d);
    /* Writes what happened, for the record's line in the tree, if it is visible. NULL: the name of the kind. */
    void (*write_line_text)(const dissection *d, info_text *line);
    /* Must be there. Adds its own fields, in byte order, and sets `covered`. Called only with a tree. */
    void (*add)(dissection *d);
    /* Adds everything else known about it, as fields and expert infos. Also called without a tree. */
    void (*add_known)(const dissection *d);
    /* Passes its contents to other dissectors. */
    void (*call_others)(const dissection *d);
    int *tap; /* named like the protocol; set at registration */
    /* Another tap, with the same data; NULL: there is none. Who listens to it does not ask for what `look` relates to
     * earlier records. */
    const int *records_tap;

    const protocol_filter *filters;    /* ends with an empty row; the first is for Colorize Conversation */
    const protocol_follower *follower; /* needs a tap */
    const picture_source *picture;     /* pictures of its records, or NULL */
    const parallel_format *parallel;   /* how threads look at its streams; NULL: records must be in order */
    const protocol_decode_as *decode_as;
    const protocol_rows *record_rows; /* NULL: it has no such table */
} protocol;

#endif
