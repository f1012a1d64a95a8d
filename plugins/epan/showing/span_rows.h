/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables with a row for each span when it ends, `-z FORMAT,calls,each`: nothing is kept. And tables of those that took
 * longest, or are first by another column, `-z FORMAT,slowest`: only their rows are kept, with those of spans that are still
 * open. */
#ifndef WIRETRACE_SHOWING_SPAN_ROWS_H
#define WIRETRACE_SHOWING_SPAN_ROWS_H

#include "host/record_seen.h"
#include "showing/spans.h"
#include "showing/statistic.h"

/* The columns of all such tables; those of a format follow. */
enum {
    SPAN_NAME,
    SPAN_ID,
    SPAN_TIME,
    SPAN_EPOCH,
    SPAN_DURATION,
    SPAN_SELF,
    SPAN_ACTIVE,
    SPAN_ACTIVE_SELF,
    SPAN_DEPTH,
    SPAN_BEGIN,
    SPAN_END,
    SPAN_CALLER,
    SPAN_SOURCE,
    SPAN_UNWOUND,
    SPAN_UNSURE,
    SPAN_COLUMNS
};
#define SPAN_ROWS_COLUMNS(name, id) \
    [SPAN_NAME] = {name, ROWS_TEXT, ROWS_EACH}, [SPAN_ID] = {id, ROWS_ORDINAL, ROWS_EACH}, \
    [SPAN_TIME] = {"Time", ROWS_CLOCK, ROWS_EACH}, [SPAN_EPOCH] = {"Epoch", ROWS_CLOCK, ROWS_EACH}, \
    [SPAN_DURATION] = {"Duration", ROWS_TIME, ROWS_EACH}, [SPAN_SELF] = {"Self", ROWS_TIME, ROWS_EACH}, \
    [SPAN_ACTIVE] = {"Active", ROWS_TIME, ROWS_EACH}, [SPAN_ACTIVE_SELF] = {"Active self", ROWS_TIME, ROWS_EACH}, \
    [SPAN_DEPTH] = {"Depth", ROWS_ORDINAL, ROWS_EACH}, [SPAN_BEGIN] = {"Begin", ROWS_ORDINAL, ROWS_EACH}, \
    [SPAN_END] = {"End", ROWS_ORDINAL, ROWS_EACH}, [SPAN_CALLER] = {"Caller", ROWS_TEXT, ROWS_EACH}, \
    [SPAN_SOURCE] = {"Source", ROWS_TEXT, ROWS_EACH}, [SPAN_UNWOUND] = {"Unwound", ROWS_YES_NO, ROWS_EACH}, \
    [SPAN_UNSURE] = {"Unsure", ROWS_YES_NO, ROWS_EACH}

/* Called for a span that is open after the last record, with data like that of a record of its stack. If it is timed,
 * call.until is how many nanoseconds it began before `now`. */
typedef void (*span_opened)(void *data, const void *tapped, const span *s);

/* All spans of the source, not those of one kind only. */
#define SPAN_ALL_KINDS UINT8_MAX

/* All pointers have static storage. */
typedef struct span_table {
    const span_source *from;
    uint8_t kind; /* of spans, or SPAN_ALL_KINDS */
    const char *command, *title, *usual;
    const char *also;    /* another name of the command; NULL: none */
    const char *slowest; /* title of Wireshark's table of those that took longest; NULL: there is a row for each */
    const rows_column *columns;
    unsigned count;
    const unsigned char *cells; /* of those that took longest: which cell each column shows, SPAN_... or one of the format's
                                   own, from SPAN_COLUMNS on. A row for each has them in this order */
    /* One of the format's own cells, of the span and of its record. `ticks`: times are shown in ticks. */
    rows_cell (*cell)(unsigned which, const record_seen *seen, const void *tapped, const span *s, bool ticks);
    /* Name and caller, valid until the next one; without a text: it is not known. */
    shown_name (*name)(const record_seen *seen, const span *s, bool full);
    shown_name (*caller)(const record_seen *seen, const void *tapped, const span *s, bool full);
    bool (*is_background)(const span *s);                    /* counts only with the word `every`; NULL: there is no such */
    bool (*known)(const statistic_run *run, GError **error); /* of those that took longest: see statistic.h */
    void (*remark)(const statistic_run *run, rows *to);      /* and about their rows; NULL: nothing */
    /* The time of the record in the unit of its spans, for those that ended before it, and for open ones; NULL: there are
     * none. How many ns of Wireshark's times are between two such times; NULL: no span ended before its record. */
    uint64_t (*now)(const void *tapped);
    uint64_t (*between)(const void *tapped, uint64_t from, uint64_t to);
    /* Visits those that are open; NULL: they have no rows. `now`: of the latest record; 0: not known. `tapped`: of the
     * stream; NULL: of the file. */
    void (*each_open)(const void *tapped, uint64_t now, span_opened visit, void *data);
    /* Whether a record begins what may stay open: only what such a record began that has passed the filter has a row. Such
     * spans last until the trace ends, or their owner does. NULL: no open span passes a filter, or has a duration. */
    bool (*begins)(const void *tapped);
    bool (*depth_unknown)(const void *tapped); /* NULL: it never is */
    bool threads;                              /* may count */
} span_table;

/* For further entries of the menu. */
statistic *span_rows_register(const span_table *t);

#endif
