/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tables of cache lines share: their first columns, and how an access counts for them. */
#ifndef WIRETRACE_CACHERAY_STATISTICS_LINE_ROWS_H
#define WIRETRACE_CACHERAY_STATISTICS_LINE_ROWS_H

#include "cacheray/statistics/display.h"
#include "cacheray/statistics/tallies.h"

enum {
    LINE_ROWS_LINE,
    LINE_ROWS_READS,
    LINE_ROWS_WRITES,
    LINE_ROWS_CONTENDED,
    LINE_ROWS_SHARING,
    LINE_ROWS_WHO,
    LINE_ROWS_USERS,
    LINE_ROWS_ATOMICS,
    LINE_ROWS_COLUMNS
};
#define LINE_ROWS_COLUMN_ITEMS(total) \
    {"Line", ROWS_ADDRESS, ROWS_EACH}, {"Reads", ROWS_COUNT, total}, {"Writes", ROWS_COUNT, total}, \
        {"Contended", ROWS_COUNT, total}, {"Sharing", ROWS_TEXT, ROWS_EACH}, {"Shared by", ROWS_TEXT, ROWS_EACH}, \
        {"Threads", ROWS_COUNT, ROWS_EACH}, \
    { \
        "Atomic", ROWS_COUNT, total \
    }

/* rows.missing of these tables. */
#define LINE_ROWS_MISSING \
    "There was no room for all rows: lines with the most contended accesses, and with the most accesses, have them. " \
    "(others) is the sum of the rest."

/* How many lines have rows. Only half of the room is for them, since lines without a row need memory, too. */
unsigned line_rows_room(const line_table *t, uint64_t accesses);

/* Notes an access in a table of lines. False: the record is not an access. */
bool line_rows_touch(line_table *t, const cacheray_tapped *v, line_result *result);
/* Counts an access, and adds counts `by` times. */
void line_rows_count(tally *counts, const cacheray_tapped *v, bool contended);
/* The counts of a line, which are in lines_note() and in `large` (tallies.h). */
void line_rows_count_touched(line_table *t, pool *large, const cacheray_tapped *v, const line_touched *touched);
tally line_rows_tally(const line_table *t, const pool *large, uint32_t number);
tally line_rows_sum(const line_table *t, const pool *large);
void line_rows_add(tally *sum, const tally *counts, uint32_t by);

/* Fills these columns: the numbers; all of a line; of what has no row of its own. */
void line_rows_fill_counts(rows_cell *cells, const tally *counts);
void line_rows_fill(rows *to, rows_cell *cells, const line_table *t, uint32_t number, const tally *counts);
void line_rows_fill_others(rows_cell *cells, const tally *counts);

#endif
