/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the statistics tables of all formats do alike, and cells that hold whole numbers of 64 bits. Wireshark's tables have
 * none: their integers have 32 bits, and its window shows all others with six decimals. A number is therefore a text of fixed
 * width, which sorts as the number does. */
#ifndef WIRETRACE_TABLE_H
#define WIRETRACE_TABLE_H

#include "../compat.h"

#include <epan/stat_tap_ui.h>

#define TABLE_NUMBER(title) \
    { \
        TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, title, "%s" \
    }

/* A statistic that is one table. */
typedef struct table_statistic {
    stat_tap_table_ui ui; /* first: title, tap, command and columns; table_register() adds the rest */
    const char *title;    /* of the table */
    /* Counts a record; false: there was nothing to count. */
    bool (*count)(stat_tap_table *table, const packet_info *pinfo, const void *tapped);
    void (*forget)(void); /* what has been counted */
    /* Takes its words off the front of the arguments, before a filter; NULL: it has none. Words of before are forgotten. */
    void (*words)(const char **arguments);
    /* Counts what is only known when all records have been counted; may be called again after more. NULL: there is nothing. */
    void (*finish)(stat_tap_table *table);
    bool finishing; /* it will be called */
    struct table_statistic *next;
} table_statistic;

void table_register(table_statistic *s);

/* Whether there is room for a new row, after so many records that count: a row takes a thousand bytes. What has none counts in
 * a row of its own, TABLE_OTHERS. */
#define TABLE_OTHERS "(others)"
bool table_has_room(guint rows, uint64_t counted);

/* A cell of a new row. The cell owns its text. */
stat_tap_table_item_type table_text(const char *text);
stat_tap_table_item_type table_number(void);
/* Lets two rows change what stands in them. The cells stay where they are: Wireshark's window draws now and then while records
 * are counted, and each of its rows keeps a pointer to the cells that were at its place then. */
void table_swap(stat_tap_table *table, guint a, guint b);
/* Changes a number in a table. */
void table_set(stat_tap_table *table, guint row, guint column, uint64_t value);
/* Changes a text in a table, and takes the new one over. */
void table_set_text(stat_tap_table *table, guint row, guint column, char *text);
/* For stat_tap_free_table_item_cb: all strings of the table come from here. */
void table_free_cell(stat_tap_table *table, guint row, guint column, stat_tap_table_item_type *cell);

#endif
