/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a statistic is, and one run of it: its words, what it has counted, and the rows of that. Does not know what is
 * counted. */
#ifndef WIRETRACE_TAPS_STATISTIC_RUN_H
#define WIRETRACE_TAPS_STATISTIC_RUN_H

#include "compat.h"

#include <epan/packet.h>
#include <epan/stat_tap_ui.h>

#include "core/record.h"
#include "host/dialog.h"
#include "host/hidden_records.h"
#include "host/parallel.h"
#include "statistics/top_n.h"
#include "statistics/rows.h"
#include "statistics/rows_print.h"

typedef struct statistic statistic;

/* One run: in a program it ends with it, otherwise with its window. */
typedef struct statistic_run {
    statistic *of;
    rows_words asked; /* the words that all with rows take */
    GHashTable *own;  /* its own words, see statistic_text() */
    bool wrong;       /* its words cannot be used, so there are no rows */
    const rows_column *columns;
    unsigned column_count;
    char *heading; /* the title, with its own words */
    char *filter;  /* may be empty */
    void *data;    /* of begin() */
    char *title;   /* private, like the rest: of a text's window */
    struct _funnel_text_window_t *window;
    hidden_reader *hidden;      /* what `each_record` has seen of hidden records; NULL: nothing yet */
    struct statistic_run *self; /* its address identifies the listener to every record */
    bool counting; /* packets are being counted; the window does not exist yet, so that it cannot be closed meanwhile */
} statistic_run;

/* All pointers have static storage. */
struct statistic {
    const char *title;                       /* in the menu and of the window */
    const char *table;                       /* title of Wireshark's table; NULL: a window shows the text */
    const char *tap;                         /* that it listens to; of the protocol */
    const char *records;                     /* a tap that it listens to instead, which needs no analysis; NULL: that one */
    bool (*plain)(const statistic_run *run); /* whether its words let it listen to that; NULL: they do */
    const char *command;                     /* after -z */
    const char *also;                        /* another name of the command; NULL: none */
    const void *protocol;                    /* what the functions below need in addition */
    /* Its rows; no columns: it writes a text of its own. */
    const rows_column *columns;
    unsigned column_count;
    const rows_column *(*columns_for)(const statistic *s, const char *words,
                                      unsigned *count); /* if they depend on its words, instead */
    const char *usual;                /* columns that people see first (rows_print.h); NULL: all, in their order */
    bool printed;                     /* while records are read: there is no window for it, and threads count only with the
                                         word order:stream */
    bool needs_tree;                  /* its records need fields, which a dissector adds only to a tree */
    const char *seldom;               /* those of them that many traces have nothing for; NULL: none */
    bool names_first;                 /* in windows, as two names in a row leave no room for numbers before them */
    unsigned first;                   /* a column by which rows are sorted before the others; 0: none */
    unsigned sorted_by[ROWS_LARGEST]; /* programs print rows with the largest sum of these columns first; 0: no column */
    bool folds;                       /* its last column, a text, is never cut: it goes on in further lines */
    const char *filtered;             /* how the title of rows names a filter; NULL: "filter" */
    /* Its own words before the filter: "graph, self|count, by:NAME, FILE". Of those with a bar between them there is one at
     * most; NAME stands for any text, and so does FILE, for what no other word is. NULL: none. */
    const char *words;
    /* Called when all words have been taken: returns whether they can be used. NULL: they can. */
    bool (*check)(const statistic_run *run, GError **error);
    void *(*begin)(const statistic_run *run); /* makes the data of a run, with nothing counted */
    /* Counts a record; false if there was nothing to count. */
    bool (*count)(const statistic_run *run, const packet_info *pinfo, const void *tapped);
    /* Sees every record, whatever the filter, before count() may count it; NULL: not needed. Those of a part's streams that
     * are hidden (hidden_records.h) as well, and without all streams nothing is written but that it is unknown, or
     * `instead`. */
    void (*each_record)(void *data, const packet_info *pinfo, const void *tapped);
    const char *every_for;                                /* only with this word; NULL: always */
    const record_context *(*context)(const void *tapped); /* of a record; with `each_record` */
    const void *(*tapped)(packet_info *hidden, const record_context *c, const cursor *bytes); /* the data of a hidden one */
    const char *verdict_if_unknown;
    /* Threads may count (parallel.h), each into data of its own: count() then gets no packet. These add the data of another
     * one, limit it to a `share`th of the usual size, and tell whether it has reached that (NULL: it has no size). NULL:
     * records must be in order. */
    void (*merge)(void *data, const void *other);
    void (*share)(void *data, unsigned share);
    bool (*full)(const void *data);
    void (*end_stream)(const statistic_run *run, const void *tapped); /* in a thread; NULL: nothing to do */
    bool (*known)(const statistic_run *run, GError **error);          /* whether there are rows; NULL: always */
    /* Adds the rows for what has been counted so far, with what is known only after all records. Rows that were there before
     * keep their order. */
    void (*fill)(const statistic_run *run, rows *to);
    /* Appends what follows rows that are not for programs; NULL: nothing. */
    void (*after)(const statistic_run *run, GString *text);
    /* Writes any other text. Calls statistic_flush() after every line, as there may be millions. */
    void (*write)(const statistic_run *run, GString *text);
    const char *written; /* with this word write() writes one in place of rows; NULL: there is none */
    const char *(*unit)(const statistic_run *run); /* unit of its numbers, for the window's title; NULL: the text has it */
    void (*free)(void *data);
    const dialog_field *asks; /* the dialog of a text, for words; NULL: only for the filter */
    /* For the entry in the menu, with this struct; NULL: it starts the statistic without words, or opens the dialog. */
    void (*start)(void *statistic);
    stat_tap_table_ui ui;                  /* private, like the rest: Wireshark's table (table.h) */
    unsigned char shown[ROWS_COLUMNS_MAX]; /* columns of the table, after the first */
    statistic_run *run;                    /* that the table shows; NULL: none yet */
    bool listens;                          /* its listener is registered */
    bool finished;                         /* a program has filled its table */
    struct statistic *next;
};

/* Returns whether a word of its own was given, as statistic.words has it; and the text it stands for, or NULL. */
bool statistic_has(const statistic_run *run, const char *word);
const char *statistic_text(const statistic_run *run, const char *word);
/* Returns whether it has rows, which write() does not write. */
static inline bool statistic_prints_rows(const statistic_run *run)
{
    return run->columns && !(run->of->written && statistic_has(run, run->of->written));
}
/* Returns whether it needs statistic.each_record. */
static inline bool statistic_sees_every(const statistic_run *run)
{
    return run->of->each_record && (!run->of->every_for || statistic_has(run, run->of->every_for));
}
/* Returns whether times are wanted in ticks of the trace's clock. A statistic whose ticks are nanoseconds need not ask. */
static inline bool statistic_in_ticks(const statistic_run *run)
{
    return run->asked.unit == ROWS_TICKS;
}
/* Shows times in ticks, as it is not known how long they are: to be called before rows are filled. */
static inline void statistic_show_ticks(const statistic_run *run)
{
    run->self->asked.unit = ROWS_TICKS;
}
/* Returns whether names are wanted in full. */
static inline bool statistic_in_full(const statistic_run *run)
{
    return rows_words_full(&run->asked);
}
/* Which rows are wanted of a statistic that cannot keep all. */
top_n_by statistic_largest(const statistic_run *run, unsigned usual);
/* A run that somebody else counts for. */
statistic_run *statistic_run_new(statistic *s);
/* Takes its words and its filter; to be called once. A run for which that has failed has no rows. */
bool statistic_run_take(statistic_run *run, const char *arguments, GError **error);
void statistic_run_free(statistic_run *run); /* NULL is allowed */
/* Begins again with nothing counted. */
void statistic_run_begin(statistic_run *run);
rows *statistic_run_rows(const statistic_run *run);
rows_sorting statistic_run_sorting(const statistic_run *run);

#endif
