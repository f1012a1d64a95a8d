/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tables of Cacheray traces share. */
#ifndef WIRETRACE_TABLES_CACHERAY_H
#define WIRETRACE_TABLES_CACHERAY_H

#include "cacheray/analysis-cacheray.h"
#include "statistics/table.h"

/* Adds a row of empty texts and zeros. */
void cacheray_table_row(stat_tap_table *table, guint row, const stat_tap_table_item *columns, guint count);
void cacheray_table_number(stat_tap_table *table, guint row, guint column, unsigned value);
/* These names are freed by the caller. The data of an access: its type, or its variable. */
char *cacheray_data_name(const cacheray_view *v);
/* A member without the numbers of elements: `tag[]` of `tag[3]`. */
char *cacheray_fold(const char *member);
/* Notes an access in a table of lines; false if the record is not an access. */
bool cacheray_touch_lines(line_table *t, const cacheray_view *v, line_result *result);
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
