/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the statistics tables of all formats share, and cells with 64-bit integers. Wireshark's tables have none: their
 * integers have 32 bits, and its window shows other numbers with six decimals. So such a number is a text with a fixed
 * width, which sorts like the number. */
#ifndef WIRETRACE_TABLE_H
#define WIRETRACE_TABLE_H

#include "compat.h"

#include <epan/stat_tap_ui.h>

#include "statistics/table_words.h"

#define TABLE_NUMBER(title) \
    { \
        TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, title, "%s" \
    }

/* A statistic that consists of one table. */
typedef struct table_statistic {
    stat_tap_table_ui ui; /* first: title, tap, command and columns; table_register() sets the rest */
    const char *title;    /* of the table */
    guint sorted_by[2];   /* columns; programs print rows with the largest sum of these first; 0: no column */
    /* Counts a record; false if there was nothing to count. */
    bool (*count)(stat_tap_table *table, const packet_info *pinfo, const void *tapped);
    void (*forget)(void); /* frees everything counted */
    /* Takes a word of its own from before the filter; false if it is another one. NULL as word: earlier ones are forgotten. NULL: it
     * has none. */
    bool (*word)(const char *word);
    const char *words; /* its own words, for messages; NULL: none */
    /* A word that is there or not, for statistics that have no other: *flagged says whether it was given. NULL: none. */
    const char *flag;
    bool *flagged;
    /* Called when all words have been taken. NULL, or what is wrong; g_free() it. NULL: not needed. */
    char *(*begin)(void);
    /* Adds what is known only after all records; called again if more records follow. NULL: nothing. */
    void (*finish)(stat_tap_table *table);
    /* For the entry in the menu, with this struct; NULL: it starts the statistic without words. */
    void (*start)(void *statistic);
    table_words asked; /* private to table.c, like the rest: the words that were given */
    bool listens;      /* its listener is registered */
    bool finished;     /* its rows are complete and sorted */
    struct table_statistic *next;
} table_statistic;

void table_register(table_statistic *s);
/* Adds another entry of the menu, which starts the statistic with words. All three last as long as the program. */
void table_add_entry(table_statistic *s, const char *title, const char *words);
/* Starts a statistic in a window, with words and a filter. NULL, or what is wrong; g_free() it. */
char *table_start(table_statistic *s, const char *words, const char *filter);
/* For reports that can also be printed as tables: takes the words at the front of the arguments, or ends the program. */
void table_take(table_statistic *s, const char **arguments);
/* Prints a table that has been filled, as the words say, and frees it; the program has no windows. */
void table_print_filled(table_statistic *s, stat_tap_table *table);
/* Whether times are wanted in ticks of the trace's clock. A statistic whose ticks are nanoseconds need not ask. */
bool table_in_ticks(const table_statistic *s);

/* Whether there is room for a new row when this many records have counted: a row needs about a thousand bytes. Without
 * room, records count in the row TABLE_OTHERS. *full, false at first, says that there was none: then there never is again, as
 * some of what a later row would count is in TABLE_OTHERS. */
#define TABLE_OTHERS "(others)"
bool table_has_room(bool *full, guint rows, uint64_t counted);

/* Cells of a new row. A cell owns its text. */
stat_tap_table_item_type table_text(const char *text);
stat_tap_table_item_type table_number(void);
/* Changes a number in a table. */
void table_set(stat_tap_table *table, guint row, guint column, uint64_t value);
/* The same for how much a number has changed, and for the ratio of the second to the first, with three decimals (nothing if the first
 * is 0). Where the sign is shown, numbers sort by their size first. */
void table_set_change(stat_tap_table *table, guint row, guint column, uint64_t before, uint64_t after);
void table_set_ratio(stat_tap_table *table, guint row, guint column, uint64_t before, uint64_t after);
/* Empties a cell with a number: there is none. */
void table_set_none(stat_tap_table *table, guint row, guint column);
/* Writes `unknown` into a cell with a number: there is one, but not in the part of the trace that is open. */
void table_set_unknown(stat_tap_table *table, guint row, guint column);
/* Changes a text in a table; takes ownership of it. */
void table_set_text(stat_tap_table *table, guint row, guint column, char *text);
/* For stat_tap_free_table_item_cb; frees the strings of cells made here. */
void table_free_cell(stat_tap_table *table, guint row, guint column, stat_tap_table_item_type *cell);

#endif
