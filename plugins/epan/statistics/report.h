/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics that produce text for other programs: `tshark -z` prints it, Wireshark shows it in a window. From its
 * Statistics menu, a dialog asks for a display filter first. Knows nothing of what is counted. */
#ifndef WIRETRACE_REPORT_H
#define WIRETRACE_REPORT_H

#include "compat.h"

#include <epan/packet.h>

#include "host/dialog.h"
#include "host/parallel.h"
#include "util/cursor.h"
#include "core/record.h"
#include "statistics/rows_words.h"

/* A kind of report. All pointers have static storage. */
typedef struct report {
    const char *tap;          /* the tap that it uses */
    const char *command;      /* after -z; a display filter may follow */
    const char *title;        /* in the menu and of the window */
    const dialog_field *asks; /* in the dialog, for words before the filter; NULL: nothing */
    const void *protocol;     /* passed to start() */
    /* Makes the data of a new report. Takes its words off the front of *arguments. */
    void *(*start)(const void *protocol, const char **arguments);
    const char *(*unit)(const void *data); /* unit of its numbers, for the window title; NULL: the text has it */
    /* Counts a record; false: it does not count. */
    bool (*packet)(void *data, packet_info *pinfo, const void *tapped);
    /* Sees every record, whatever the filter, before packet() may count it; NULL: not needed. Those of a part's streams that are hidden
     * (hidden_records.h) as well, and without all streams nothing is written but that it is unknown, or `instead`. */
    void (*every)(void *data, packet_info *pinfo, const void *tapped);
    const record_context *(*context)(const void *tapped);                                     /* of a record; with `every` */
    const void *(*tapped)(packet_info *hidden, const record_context *c, const cursor *bytes); /* the data of a hidden one */
    const char *instead;
    /* If its text is a table: the columns. NULL: it is not. */
    const rows_column *fixed_columns;
    unsigned fixed_count;
    const rows_column *(*columns)(const char *arguments,
                                  unsigned *count); /* if they depend on the arguments; otherwise NULL */
    const char *usual; /* columns that people see first (rows_print.h), in the rows' own order */
    bool filtered;     /* the title of its rows names the filter */
    const char *own;   /* words of its own, for messages; NULL: none */
    void (*ask)(void *data, const rows_words *asked); /* called after start(), with all words; NULL: not needed */
    const char *(*fill)(const void *data, rows *to);  /* NULL, or why there are no rows */
    void (*after)(const void *data, GString *text); /* appends what follows rows that are not for programs; NULL: nothing */
    /* Writes any other text. Calls report_flush() after every line, as there may be millions. */
    void (*write)(const void *data, GString *text);
    void (*free)(void *data);
    const parallel_sums *parallel; /* how threads count; NULL: records must be in order */
} report;

void report_register(const report *r);

/* If the arguments begin with a word, removes it and the comma after it; false if they do not. */
bool report_take_word(const char **arguments, const char *word);

/* Lets the text so far be printed, unless it is for a window. */
void report_flush(GString *text);

#endif
