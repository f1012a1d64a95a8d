/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forms in which rows are printed: a table for people, CSV and JSON for programs. Knows nothing of what is counted. */
#ifndef WIRETRACE_STATISTICS_ROWS_PRINT_H
#define WIRETRACE_STATISTICS_ROWS_PRINT_H

#include "statistics/first_rows.h"

/* May write out the text so far, and then empties it. Called between lines, for each piece (text_is_piece()). */
typedef void (*rows_writer)(GString *text);

/* What the table has in addition to the rows. */
typedef struct rows_heading {
    const char *title, *filter; /* filter: NULL: none */
    const char *usual;    /* names of the columns that it has, in this order, separated by commas, the most important ones
                             first; NULL: all */
    const char *command;  /* that printed it */
    const char *note;     /* a sentence for people, below the table; NULL: none */
    const char *filtered; /* what the filter is called; NULL: "filter" */
} rows_heading;

/* How much room there is for a table. 0: as much as it needs. */
typedef struct rows_page {
    unsigned width, rows; /* width in characters */
    unsigned folded;      /* longer lines go on in further ones, if their last column is a text, which then is not cut */
} rows_page;

/* Prints rows in a form for programs. */
void rows_print(const rows *r, const rows_words *w, rows_writer write);

/* Appends rows as a table (rows_text.c): without a title if the heading has none. */
void rows_append_text(GString *text, const rows *r, const rows_words *w, const rows_heading *heading, const rows_page *page,
                      rows_writer write);

/* The name of a column with its unit, for programs; g_free() it. */
char *rows_column_unit_name(const rows_column *column, const rows_words *w);
/* Appends a cell as programs read it, without what a form adds. */
void rows_append_cell(GString *text, const rows_column *column, const rows_cell *c);

/* Rows that are printed one by one, as they are found, in their own order, so that none is kept. If the words sort them, the
 * first ones in that order are kept instead (as many as `top` says), and printed at the end; of equal ones those come first
 * that were found first. JSON is an object a line. As a table there are as many rows as fit on the page; then only their
 * number is known. `w`, heading and page must last. */
typedef struct rows_stream rows_stream;
rows_stream *rows_stream_new(const rows_column *columns, unsigned count, const rows_words *w, const rows_heading *heading,
                             const rows_page *page, rows_writer write);
/* The columns of its cells: their numbers, in order. Those that are printed; then the one that sorts, unless it is printed.
 */
const unsigned char *rows_stream_columns(const rows_stream *s, unsigned *count);
/* The next one is made there; it is added if it is wanted. */
first_rows *rows_stream_rows(const rows_stream *s);
void rows_stream_add(rows_stream *s);
/* Rows go on after those of another stream, without titles, and are written by another function. */
void rows_stream_continue(rows_stream *s, rows_writer write);
/* Prints what is left, and how many rows there were if not all are printed. */
void rows_stream_end(rows_stream *s);
void rows_stream_free(rows_stream *s); /* NULL is allowed */

/* The columns that a table begins with. Returns how many. */
unsigned rows_usual_columns(const rows *r, const char *usual, unsigned char columns[ROWS_COLUMNS_MAX]);

#endif
