/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tables of Cacheray traces share. */
#ifndef WIRETRACE_TABLES_CACHERAY_H
#define WIRETRACE_TABLES_CACHERAY_H

#include "cacheray/analysis-cacheray.h"
#include "cacheray/data_names.h"
#include "cacheray/tallies.h"
#include "statistics/table.h"

/* The first columns of tables of lines. */
enum {
    LINES_LINE,
    LINES_READS,
    LINES_WRITES,
    LINES_CONTENDED,
    LINES_SHARING,
    LINES_WHO,
    LINES_USERS,
    LINES_ATOMICS,
    LINES_COLUMNS
};
#define LINES_COLUMN_ITEMS \
    {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Line", "%s"}, {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Reads", "%10u"}, \
        {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Writes", "%10u"}, {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Contended", "%10u"}, \
        {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Sharing", "%-14s"}, {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Shared by", "%-20s"}, \
        {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Threads", "%8u"}, \
    { \
        TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Atomic", "%10u" \
    }

/* The columns of the levels of caches: CACHES_LEVELS, and what missed them all. */
#define LEVELS_COLUMN_ITEMS \
    TABLE_NUMBER("Level 1"), TABLE_NUMBER("Level 2"), TABLE_NUMBER("Level 3"), TABLE_NUMBER("Level 4"), \
        TABLE_NUMBER("Misses")

/* Adds a row of empty texts and zeros. */
void cacheray_table_row(stat_tap_table *table, guint row, const stat_tap_table_item *columns, guint count);
void cacheray_table_number(stat_tap_table *table, guint row, guint column, unsigned value);
/* Notes an access in a table of lines; false if the record is not an access. */
bool cacheray_touch_lines(line_table *t, const cacheray_view *v, line_result *result);
/* Counts an access of a line, and adds counts, `by` times. */
void cacheray_count_access(tally *counts, const cacheray_view *v, bool contended);
void cacheray_add_tally(tally *sum, const tally *counts, uint32_t by);
/* Shows them in a table of lines. */
void cacheray_table_tally(stat_tap_table *table, guint row, const tally *counts);
/* The address of a line with a fixed width, so that it sorts like the address. */
char *cacheray_line_name(uint64_t address);
/* The threads of a line; those that write have a star. */
char *cacheray_line_users(const line_table *t, uint64_t line);

void cacheray_types_register(void);
void cacheray_diff_register(void);
void cacheray_lines_register(void);
void cacheray_offsets_register(void);
void cacheray_whatif_register(void);
void cacheray_regions_register(void);

#endif
