/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words before the filter that all tables of all formats take (docs/statistics.md, "Words before the filter"), and the forms in
 * which programs print a table. Knows nothing of what is counted. */
#ifndef WIRETRACE_TABLE_WORDS_H
#define WIRETRACE_TABLE_WORDS_H

#include "compat.h"

#include <epan/stat_tap_ui.h>

typedef enum table_form { TABLE_TEXT, TABLE_CSV, TABLE_JSON } table_form;
typedef enum table_unit { TABLE_NS, TABLE_US, TABLE_TICKS } table_unit;
typedef enum table_order { TABLE_OWN_ORDER, TABLE_USUAL, TABLE_RISING, TABLE_FALLING } table_order;

typedef struct table_words {
    table_form form;
    table_unit unit;
    unsigned top;      /* how many rows are printed; 0: all */
    table_order order; /* by `sorted_by`, unless it is TABLE_OWN_ORDER */
    guint sorted_by;   /* a column */
} table_words;

/* Takes one of these words. False if it is another one; *error, to be freed with g_free(), if it is one but cannot be used. */
bool table_words_take(table_words *w, const stat_tap_table_ui *ui, const char *word, char **error);
/* Says which words and columns there are. `own`: words of the statistic, or NULL. */
char *table_words_help(const stat_tap_table_ui *ui, const char *own);

/* Whether a column holds numbers, as uint or as text (table.h). */
bool table_holds_numbers(const stat_tap_table_item *column);
/* Compares two cells of a column: less than, equal to or greater than 0. Cells without a number come last in any order. */
int table_compare_cells(const stat_tap_table_item *column, const stat_tap_table_item_type *a,
                        const stat_tap_table_item_type *b, bool falling);

/* Prints a table, in the text form as Wireshark does. */
void table_print(const stat_tap_table_ui *ui, const stat_tap_table *table, const table_words *w, const char *filter);

#endif
