/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of time between and inside calls that follow each other on a stack. Pieces of one kind, with the same words, are
 * one row. */
#ifndef WIRETRACE_XRAY_STATISTICS_INTERVALS_H
#define WIRETRACE_XRAY_STATISTICS_INTERVALS_H

#include "statistics/rows.h"
#include "xray/statistics/display.h"
#include "xray/statistics/call_event.h"

enum {
    XRAY_INTERVALS_WHAT,
    XRAY_INTERVALS_KIND,
    XRAY_INTERVALS_COUNT,
    XRAY_INTERVALS_SUM,
    XRAY_INTERVALS_LONGEST,
    XRAY_INTERVALS_PART, /* of the time in which it could be */
    XRAY_INTERVALS_AT,
    XRAY_INTERVALS_RECORD,
    XRAY_INTERVALS_COLUMNS,
    XRAY_INTERVALS_UNWOUND = XRAY_INTERVALS_COLUMNS, /* calls without an exit; only if there is such a column */
};
#define XRAY_INTERVALS_COLUMN_LIST(what, kind, total) \
    {what, ROWS_TEXT, ROWS_EACH}, {kind, ROWS_TEXT, ROWS_EACH}, {"Count", ROWS_COUNT, total}, {"Sum", ROWS_TIME, total}, \
        {"Longest", ROWS_TIME, ROWS_EACH}, {"Part (%)", ROWS_PERCENT, total}, {"At", ROWS_TIME, ROWS_EACH}, \
    { \
        "Record", ROWS_ORDINAL, ROWS_EACH \
    }

/* The calls at one depth of one stack, and the time between them. */
typedef struct xray_level {
    uint64_t stack;
    uint32_t depth;
    bool begun;           /* the rest is valid */
    uint64_t first, last; /* when this began, and the latest end of a call */
    uint32_t place;       /* of the record at the latter */
    uint32_t done;        /* place of the entry of the latest call that was counted there, as it has no exit */
    uint32_t function;    /* of the latest call */
    shown_name name;      /* the same; without a text: not known */
} xray_level;

/* Returns whether a record begins a call at this level; the call there that it ends, with or without a duration, or NULL. */
bool xray_level_begins(const xray_level *l, const xray_call_event *v);
const span *xray_level_ends(const xray_level *l, const xray_call_event *v);
/* A call has ended. */
void xray_level_note(xray_level *l, uint64_t now, uint32_t place, uint32_t function, shown_name name);
/* Between which functions there is a gap now; g_free() its text. Without a text: there is none. */
shown_name xray_level_gap(const xray_level *l, uint64_t now, uint32_t function, shown_name name);

/* What has been counted of one kind. */
typedef struct xray_piece {
    shown_name what; /* its text is owned */
    char *kind;
    unsigned count, unwound; /* the latter: calls without an exit */
    bool timed;
    uint64_t sum, longest;
    const xray_level *within; /* the sum is a part of this */
    uint64_t at;              /* when the longest began, or the first if there are no times */
    uint32_t place;           /* the record that begins it */
} xray_piece;

typedef struct xray_intervals xray_intervals;

xray_intervals *xray_intervals_new(void);
void xray_intervals_free(xray_intervals *p);
/* `place`: pieces of other records are other ones; 0: they are the same. Without room, that of TEXT_OTHERS. */
xray_piece *xray_intervals_of(xray_intervals *p, const char *kind, shown_name what, uint32_t place,
                              const xray_level *within);
/* Counts one that begins at a record, with its time or without one. */
void xray_piece_add(xray_piece *one, uint64_t at, uint32_t place);
void xray_piece_add_time(xray_piece *one, uint64_t ticks, uint64_t at, uint32_t place);
/* The gap before `now`. */
void xray_piece_add_gap(xray_piece *one, const xray_level *l, uint64_t now);
/* Adds rows, in the order in which they were first counted. `frame_of`: the number that people see of a record; 0: none. */
void xray_intervals_fill(const xray_intervals *p, const xray_display *shown, uint32_t (*frame_of)(uint32_t place), rows *to);

#endif
