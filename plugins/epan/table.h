/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the statistics tables of all formats share, and cells with 64-bit integers. Wireshark's tables have none: their
 * integers have 32 bits, and its window shows other numbers with six decimals. So such a number is a text with a fixed
 * width, which sorts like the number. */
#ifndef WIRETRACE_TABLE_H
#define WIRETRACE_TABLE_H

#include "../compat.h"

#include <epan/stat_tap_ui.h>

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
    /* Removes the words of this statistic from the arguments that precede the filter, and forgets earlier ones; NULL: it
     * has none. */
    void (*words)(const char **arguments);
    /* Adds what is known only after all records; called again if more records follow. NULL: nothing. */
    void (*finish)(stat_tap_table *table);
    bool listens; /* private to table.c: its listener is registered */
    struct table_statistic *next;
} table_statistic;

void table_register(table_statistic *s);

/* Whether there is room for a new row when this many records have counted: a row needs about a thousand bytes. Without
 * room, records count in the row TABLE_OTHERS. */
#define TABLE_OTHERS "(others)"
bool table_has_room(guint rows, uint64_t counted);

/* Cells of a new row. A cell owns its text. */
stat_tap_table_item_type table_text(const char *text);
stat_tap_table_item_type table_number(void);
/* Changes a number in a table. */
void table_set(stat_tap_table *table, guint row, guint column, uint64_t value);
/* Changes a text in a table; takes ownership of it. */
void table_set_text(stat_tap_table *table, guint row, guint column, char *text);
/* For stat_tap_free_table_item_cb; frees the strings of cells made here. */
void table_free_cell(stat_tap_table *table, guint row, guint column, stat_tap_table_item_type *cell);

#endif
