/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a statistic is shown, and one run of it: its words, what it has counted, and the rows of that. What is counted is
 * another row (statistics/counted.h). */
#ifndef WIRETRACE_SHOWING_STATISTIC_RUN_H
#define WIRETRACE_SHOWING_STATISTIC_RUN_H

#include "compat.h"

#include <epan/packet.h>
#include <epan/stat_tap_ui.h>
#include <epan/tap.h>

#include "host/record_seen.h"
#include "core/record.h"
#include "host/dialog.h"
#include "host/hidden_records.h"
#include "host/parallel.h"
#include "statistics/counted.h"
#include "statistics/rows_print.h"

typedef struct statistic statistic;

/* What a statistic gives out, and when. */
typedef enum statistic_kind {
    STATISTIC_ROWS,   /* at the end its rows */
    STATISTIC_TEXT,   /* at the end a text, by write() */
    STATISTIC_STREAM, /* rows while records are read, and by write() what is left: there is no window for it, and threads
                         count only with the word order:stream */
    STATISTIC_FILES,  /* files, which open() opens and write() ends: it does not begin again */
} statistic_kind;

/* One run: in a program it ends with it, otherwise with its window. */
typedef struct statistic_run {
    statistic *of;
    statistic_kind kind; /* with these words */
    statistic_words words;
    bool wrong;    /* its words cannot be used, so there are no rows */
    bool prepared; /* its rows are */
    const rows_column *columns;
    unsigned column_count;
    char *heading; /* the title, with its own words */
    char *filter;  /* may be empty */
    void *data;    /* of counted.begin() */
    char *title;   /* private, like the rest: of a text's window */
    struct _funnel_text_window_t *window;
    hidden_reader *hidden;      /* what `each_record` has seen of hidden records; NULL: nothing yet */
    struct statistic_run *self; /* its address identifies the listener to every record */
    bool counting; /* packets are being counted: nothing is shown yet, so that no window can be closed meanwhile */
} statistic_run;

/* What the statistics of a format have in common. */
typedef struct statistic_source {
    const void *(*how)(const statistic_run *run); /* what begin() and fill() get; valid until the next one */
    /* For `each_record`: the context of a record, and the data of a hidden one. NULL: none needs it. */
    const record_context *(*context)(const void *tapped);
    const void *(*tapped)(const record_seen *hidden, const record_context *c, const cursor *bytes);
} statistic_source;

/* Where it is shown; private (table.c, statistic.c). */
typedef struct statistic_state {
    stat_tap_table_ui ui;                  /* Wireshark's table */
    unsigned char shown[ROWS_COLUMNS_MAX]; /* columns of the table, after the first */
    statistic_run *run;                    /* that the table shows; NULL: none yet */
    bool listens;                          /* its listener is registered */
    bool finished;                         /* a program has filled its table */
    statistic *next;
} statistic_state;

/* All pointers have static storage. */
struct statistic {
    const char *tap;                         /* that it listens to; of the protocol */
    const char *records;                     /* a tap that it listens to instead, which needs no analysis; NULL: that one */
    bool (*plain)(const statistic_run *run); /* whether its words let it listen to that; NULL: they do */
    const counted *counts;
    const statistic_source *from; /* NULL: `how` is the run itself */
    const char *command;          /* after -z */
    const char *also;             /* another name of the command; NULL: none */
    const char *given;            /* words that are always there, before all others; NULL: none */
    statistic_kind kind;
    const char *title;    /* in the menu and of the window */
    const char *table;    /* title of Wireshark's table; NULL: a window shows the text */
    const void *protocol; /* what its functions need in addition */
    bool needs_tree;      /* its records need fields, which a dissector adds only to a tree */
    bool to_the_end;      /* it needs what is hidden after the part (hidden_finish()), before it has rows */
    /* Its rows. */
    const char *usual;                /* columns that people see first (rows_print.h); NULL: all, in their order */
    const char *seldom;               /* those of them that many traces have nothing for; NULL: none */
    bool names_first;                 /* in windows, as two names in a row leave no room for numbers before them */
    unsigned first;                   /* a column by which rows are sorted before the others; 0: none */
    unsigned sorted_by[ROWS_LARGEST]; /* programs print rows with the largest sum of these columns first; 0: no column */
    bool folds;                       /* its last column, a text, is never cut: it goes on in further lines */
    const char *filtered;             /* how the title of rows names a filter; NULL: "filter" */
    const char *verdict_if_unknown;   /* for what is written where hidden streams would be needed */
    /* Opens files, when its filter is known to be valid. `answers`: of its dialog, NULL in programs. */
    bool (*open)(const statistic_run *run, char *const *answers, GError **error);
    /* Called when all words have been taken: returns whether they can be used. NULL: they can. */
    bool (*check)(const statistic_run *run, GError **error);
    bool (*known)(const statistic_run *run, GError **error); /* whether there are rows; NULL: always */
    void (*prepare)(const statistic_run *run);          /* called once before rows are filled first; NULL: nothing to do */
    void (*filled)(const statistic_run *run, rows *to); /* shortens names, reports what is missing; NULL: nothing to do */
    /* Appends what follows rows that are not for programs; NULL: nothing. */
    void (*after)(const statistic_run *run, GString *text);
    /* Writes anything but rows, by statistic_flush() piece by piece. Of files, the text is what the window says of them. */
    void (*write)(const statistic_run *run, GString *text);
    const char *written;                           /* with this word it is a text in place of rows; NULL: there is none */
    const char *(*unit)(const statistic_run *run); /* unit of its numbers, for the window's title; NULL: the text has it */
    const dialog_field *asks;                      /* the dialog of a text, for words; NULL: only for the filter */
    /* For the entry in the menu, with this struct; NULL: it starts the statistic without words, or opens the dialog. */
    void (*start)(void *statistic);
    statistic_state state;
};

static inline bool statistic_has(const statistic_run *run, const char *word)
{
    return statistic_words_has(&run->words, word);
}
static inline const char *statistic_text(const statistic_run *run, const char *word)
{
    return statistic_words_text(&run->words, word);
}
/* Returns whether it needs counted.each_record. */
static inline bool statistic_sees_every(const statistic_run *run)
{
    const counted *c = run->of->counts;
    return c->each_record && (!c->every_for || statistic_has(run, c->every_for));
}
/* Returns whether times are wanted in ticks of the trace's clock. A statistic whose ticks are nanoseconds need not ask. */
static inline bool statistic_in_ticks(const statistic_run *run)
{
    return run->words.asked.unit == ROWS_TICKS;
}
/* Shows times in ticks, as it is not known how long they are: to be called before rows are filled. */
static inline void statistic_show_ticks(const statistic_run *run)
{
    run->self->words.asked.unit = ROWS_TICKS;
}
/* Returns whether names are wanted in full. */
static inline bool statistic_in_full(const statistic_run *run)
{
    return rows_words_full(&run->words.asked);
}
/* A run that somebody else counts for. */
statistic_run *statistic_run_new(statistic *s);
/* Takes its words and its filter; to be called once. A run for which that has failed has no rows. */
bool statistic_run_take(statistic_run *run, const char *arguments, GError **error);
void statistic_run_free(statistic_run *run); /* NULL is allowed */
/* Begins again with nothing counted. */
void statistic_run_begin(statistic_run *run);
/* Data with nothing counted; free it with counted.free(). */
void *statistic_run_data(const statistic_run *run);
/* Counts a record that Wireshark gives to a tap. */
tap_packet_status statistic_run_packet(const statistic_run *run, packet_info *pinfo, const void *tapped);
rows *statistic_run_rows(const statistic_run *run);
rows_sorting statistic_run_sorting(const statistic_run *run);

#endif
