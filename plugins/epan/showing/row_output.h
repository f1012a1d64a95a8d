/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What statistics have in common whose rows are printed or kept as soon as they are found (rows_stream of rows_print.h):
 * where it goes, in which form, and the word that prints the types of the columns instead. */
#ifndef WIRETRACE_SHOWING_ROW_OUTPUT_H
#define WIRETRACE_SHOWING_ROW_OUTPUT_H

#include "showing/statistic_run.h"

/* The data of a run begin with it. */
typedef struct row_output {
    rows_stream *stream;
    const unsigned char *columns; /* of its cells */
    unsigned count;
    rows_words words; /* private, like the rest */
    char *usual;
    rows_heading heading;
    rows_page page;
    struct row_output *whole; /* of a thread: that of the run */
    bool threads;             /* have written the rows */
} row_output;

/* The type of a column in SQL, and the field that has the same; empty: none has. `hex`: addresses are hexadecimal. */
typedef struct row_type {
    const char *sql, *field;
} row_type;
typedef row_type (*row_typer)(const statistic *s, unsigned column, bool hex);

/* Its own words. */
#define ROW_OUTPUT_ORDER ", order:stream"
#define ROW_OUTPUT_WORDS "hex, types" ROW_OUTPUT_ORDER

/* Whether a column is not known to threads: they have numbers of records in their stream only. */
typedef bool (*row_ordered)(const statistic *s, unsigned column);

/* For statistic.check. If types are asked for, prints them and ends the program, which need not read the trace. */
bool row_output_check(const statistic_run *run, row_typer type, row_ordered ordered, GError **error);
/* The type of a column that no field has. */
row_type row_output_type(const rows_column *column, bool hex);
void row_output_begin(row_output *o, const statistic_run *run);
/* A time of Wireshark's in ns, less `ago`; no value if it does not fit. */
rows_cell row_output_time(const nstime_t *time, uint64_t ago);
/* For statistic.share and statistic.merge: threads write blocks of rows, each whole. */
void row_output_share(void *data, unsigned share);
void row_output_merge(void *data, const void *of_thread);
/* Writes what is left. */
void row_output_end(const statistic_run *run, const row_output *o);
void row_output_clear(row_output *o);

#endif
