/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forms in which rows are printed: a table for people, CSV and JSON for programs. Knows nothing of what is counted. */
#ifndef WIRETRACE_STATISTICS_ROWS_PRINT_H
#define WIRETRACE_STATISTICS_ROWS_PRINT_H

#include "statistics/rows_words.h"

/* Writes out a text, and empties it. Called between rows, as there may be millions. */
typedef void (*rows_writer)(GString *text);

/* What the table has in addition to the rows. */
typedef struct rows_heading {
    const char *title, *filter; /* filter: NULL: none */
    const char *usual;    /* names of the columns that it has, in this order, separated by commas, the most important ones
                             first; NULL: all */
    const char *command;  /* that printed it */
    const char *filtered; /* what the filter is called; NULL: "filter" */
} rows_heading;

/* How much room there is for a table. 0: as much as it needs. */
typedef struct rows_page {
    unsigned width, rows; /* width in characters */
    unsigned folded;      /* longer lines go on in further ones, if their last column is a text, which then is not cut */
} rows_page;

void rows_print(const rows *r, const rows_words *w, const rows_heading *heading, const rows_page *page, rows_writer write);

/* Appends rows as a table (rows_text.c): without a title if the heading has none. */
void rows_append_text(GString *text, const rows *r, const rows_words *w, const rows_heading *heading, const rows_page *page,
                      rows_writer write);

/* The columns that a table begins with. Returns how many. */
unsigned rows_usual_columns(const rows *r, const char *usual, unsigned char columns[ROWS_COLUMNS_MAX]);

#endif
