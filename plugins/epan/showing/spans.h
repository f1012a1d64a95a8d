/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where statistics and pictures get the spans of a format from: what a record ended, on which stack, and what it is called.
 * The format registers each of them with its source (stacks.h, call_tree.h, responses.h, picture.h). */
#ifndef WIRETRACE_SHOWING_SPANS_H
#define WIRETRACE_SHOWING_SPANS_H

#include "compat.h"

#include <epan/packet.h>
#include <epan/stats_tree.h> /* for COMPAT_TREES() */

#include "analysis/span.h"
#include "statistics/stack_tree.h"
#include "util/source_place.h"

/* A table of response times. */
typedef struct span_kind {
    const char *name, *column; /* title, and heading of the first column */
    const char *field;         /* the filter of a row is FIELD == function */
} span_kind;

/* All pointers have static storage. `tapped` is the data of the tap. */
typedef struct span_source {
    const char *tap;   /* its tap; also the first part of its commands */
    const char *title; /* the first part of titles */
    const char *menu;  /* the first part of titles of trees, see COMPAT_TREES() */
    const char *tree;  /* title of the tree that counts them */
    const char *many;  /* what is counted, in words */
    const char *unit;  /* of times */
    bool pauses;       /* owners may be away: the word `active` is accepted, which leaves out the time in which they were */
    unsigned groups;   /* this many names at the start of a stack are not spans */
    const span_kind *kinds; /* end with a name of NULL */
    const char *filtered;   /* title of their entry in the menu */
    /* Span `i` that ended with a record, from 0; false if there are no more. Times are in a unit that can be added up. A
     * record may have the sum of many (span.many) instead. */
    bool (*span)(const void *tapped, uint32_t i, span *s);
    uint64_t (*nanoseconds)(uint64_t time); /* NULL: the unit is a nanosecond */
    void (*left_out)(void);                 /* reports that sums of many were left out; NULL: there are none */
    bool (*unclocked)(void);                /* whether it is not known how many nanoseconds the unit is; NULL: it is */
    stack_piece (*thread)(const void *tapped);
    /* The stack of one that nests, outermost first: at most STACKS_PIECES. Returns how many; see stacks_pieces(). */
    unsigned (*stack)(const void *tapped, const span *s, unsigned most, stack_piece *pieces);
    stack_piece_name name;  /* of a piece of a record, without `;` */
    stack_piece_name label; /* the same, as people read it; NULL: its name */
    /* The function around one that nests; false: there is none, or it is not known. */
    bool (*caller)(const void *tapped, const span *s, uint32_t *function);
    /* What people call it, valid as long as the record; without a text: unknown. */
    shown_name (*called)(wmem_allocator_t *pool, const span *s);
    source_place (*place)(const void *tapped, const span *s);
} span_source;

/* Whether it is not the sum of many; where only single ones are shown. */
static inline bool spans_is_single(const span_source *from, const span *s)
{
    if (s->many)
        from->left_out();
    return s->many == 0;
}

/* Whether times can only be shown in their unit. */
static inline bool spans_unclocked(const span_source *from)
{
    return from->unclocked && from->unclocked();
}

/* A time of its spans in ns. */
static inline uint64_t spans_nanoseconds(const span_source *from, uint64_t time)
{
    return from->nanoseconds ? from->nanoseconds(time) : time;
}

#endif
