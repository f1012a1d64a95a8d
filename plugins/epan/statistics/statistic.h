/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A statistic that has rows: programs print them, windows show them in Wireshark's table. Does not know what is counted.
 * Wireshark's tables have no 64-bit integers: their integers have 32 bits, and its window shows other
 * numbers with six decimals. So such a number is a text with a fixed width there, which sorts like the number. */
#ifndef WIRETRACE_STATISTIC_H
#define WIRETRACE_STATISTIC_H

#include "compat.h"
#include "host/parallel.h"

#include <epan/stat_tap_ui.h>

#include "statistics/largest.h"
#include "statistics/rows.h"
#include "statistics/rows_print.h"

/* All pointers have static storage. */
typedef struct statistic {
    const char *title;   /* in the menu and of the window */
    const char *table;   /* title of Wireshark's table */
    const char *tap;     /* that it listens to */
    const char *command; /* after -z */
    const rows_column *columns;
    unsigned column_count;
    const char *usual;                /* columns that people see first (rows_print.h); NULL: all, in their order */
    const char *seldom;               /* those of them that many traces have nothing for; NULL: none */
    unsigned first;                   /* a column by which rows are sorted before the others; 0: none */
    unsigned sorted_by[ROWS_LARGEST]; /* programs print rows with the largest sum of these columns first; 0: no column */
    /* Counts a record; false if there was nothing to count. */
    bool (*count)(const packet_info *pinfo, const void *tapped);
    /* Adds the rows for what has been counted so far, with what is known only after all records. Rows that were there before keep
     * their order. */
    void (*fill)(rows *to);
    void (*forget)(void);          /* frees everything counted; also called before the first record */
    const parallel_sums *parallel; /* how threads count, whose data is NULL; NULL: records must be in order */
    /* Takes a word of its own from before the filter; false if it is another one. NULL as word: earlier ones are forgotten. NULL: it
     * has none. */
    bool (*word)(struct statistic *s, const char *word);
    const char *words; /* its own words, for messages; NULL: none */
    /* A word that is there or not, for statistics that have no other: *flagged says whether it was given. NULL: none. */
    const char *flag;
    bool *flagged;
    const char *filtered; /* how the title of a table names a filter; NULL: "filter" */
    /* Called when all words have been taken. NULL, or what is wrong; g_free() it. NULL: not needed. */
    char *(*begin)(const struct statistic *s);
    /* For the entry in the menu, with this struct; NULL: it starts the statistic without words. */
    void (*start)(void *statistic);
    stat_tap_table_ui ui;                  /* private, like the rest */
    unsigned char shown[ROWS_COLUMNS_MAX]; /* columns of the table, after the first */
    rows_words asked;                      /* the words that were given */
    bool listens;                          /* its listener is registered */
    bool finished;                         /* a program has filled its table */
    struct statistic *next;
} statistic;

void statistic_register(statistic *s);
/* Adds another entry of the menu, which starts the statistic with words. All three last as long as the program. */
void statistic_add_entry(statistic *s, const char *title, const char *words);
/* Starts a statistic in a window, with words and a filter. NULL, or what is wrong; g_free() it. */
char *statistic_start(statistic *s, const char *words, const char *filter);
/* Ends the program with what is wrong, and says which words and columns there are, as Wireshark's own statistics do. `own`: words of the statistic,
 * or NULL. */
void statistic_refuse(const char *command, const rows_column *columns, unsigned count, const char *own, const char *error);
/* Whether times are wanted in ticks of the trace's clock. A statistic whose ticks are nanoseconds need not ask. */
bool statistic_in_ticks(const statistic *s);
/* Forgets what was counted, and the words. */
void statistic_forget(statistic *s);
/* Which rows are wanted of a statistic that cannot keep all. */
largest_by statistic_largest(const statistic *s, unsigned usual);
/* How much room there is where programs print. */
rows_page statistic_page(void);
/* Whether names are wanted in full. */
bool statistic_in_full(const statistic *s);

#endif
