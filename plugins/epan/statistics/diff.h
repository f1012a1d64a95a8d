/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of two traces side by side: the open one and a baseline, an earlier one that is read in addition. Rows are paired by their
 * names. A filter selects records of the open trace only. Knows nothing of formats, nor of what is measured. */
#ifndef WIRETRACE_DIFF_H
#define WIRETRACE_DIFF_H

#include "statistics/table.h"

#include "containers/quantile.h"
#include "core/trace_reader.h"

typedef enum diff_side { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES } diff_side;

#define DIFF_NAMES 3
#define DIFF_MEASURES 6
#define DIFF_NUMBERS 3

/* What has been counted for a row in one trace. A format says what the numbers are. */
typedef struct diff_counts {
    uint64_t count, numbers[DIFF_NUMBERS];
} diff_counts;

typedef struct diff_sums {
    diff_counts all;
    diff_counts
        open; /* in addition: what has not ended yet; counted again whenever the table is shown, see diff_forget_open() */
    quantiles spread; /* of what diff_add() got */
} diff_sums;

/* A comparison. The first members have static storage. */
typedef struct diff {
    table_statistic statistic;           /* count, forget, word, begin, finish: call the functions below */
    const char *names[DIFF_NAMES];       /* titles of the columns whose texts together name a row; may end with NULL */
    const char *measures[DIFF_MEASURES]; /* titles, those of times with " (ns)" at their end; may end with NULL */
    unsigned main;                       /* rows are sorted by how much this one has changed */
    const char *more;                    /* label in the dialog for further words; NULL: there are none */
    const char *protocol;                /* of the baseline */
    /* Takes a word before or after the baseline; NULL: none may be there. As table_statistic.word. */
    bool (*word)(const char *word);
    /* Reads the baseline with diff_add(). NULL, or what is wrong. */
    char *(*read)(const char *path);
    bool ends; /* what is open in a trace ends with it, so that in a part without all streams it is not known when */
    /* Value `i` of a side; false: there is none. */
    bool (*value)(diff_side side, diff_sums *s, unsigned i, uint64_t *value);

    char *baseline; /* private, like the rest: its path */
    bool was_read;
    GPtrArray *rows;   /* of diff_row, in order of discovery */
    GHashTable *known; /* name -> diff_row */
    uint64_t counted;
    bool full; /* see table_has_room() */
} diff;

/* Sets up columns and registers the statistic. Its menu entry asks for the baseline. */
void diff_register(diff *d);

/* Reads the baseline if that has not been done: to be called for each record that counts. */
void diff_prepare(diff *d);
/* The sums of a row; NULL names are empty. */
diff_sums *diff_of(diff *d, diff_side side, const char *const names[DIFF_NAMES]);
/* Counts something whose size is of interest: for the spread, and the sum in numbers[0]. */
void diff_add(diff_sums *s, uint64_t size);

/* Forgets what is open in the open trace. */
void diff_forget_open(diff *d);

/* For the functions of the statistic. */
bool diff_word(diff *d, const char *word);
char *diff_begin(diff *d);
void diff_forget(diff *d);
void diff_finish(diff *d, stat_tap_table *table);

#endif
