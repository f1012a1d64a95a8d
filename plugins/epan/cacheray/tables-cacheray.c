/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/tables-cacheray.h"

#define WHO_MAX 8u /* at most this many threads are listed */

void cacheray_table_number(stat_tap_table *table, guint row, guint column, unsigned value)
{
    stat_tap_get_field_data(table, row, column)->value.uint_value = value;
}

void cacheray_table_row(stat_tap_table *table, guint row, const stat_tap_table_item *columns, guint count)
{
    stat_tap_table_item_type *cells = g_new0(stat_tap_table_item_type, count);
    for (guint i = 0; i < count; i++) {
        if (columns[i].type == TABLE_ITEM_STRING && columns[i].align == TAP_ALIGN_RIGHT)
            cells[i] = table_number();
        else if (columns[i].type == TABLE_ITEM_STRING)
            cells[i] = table_text("");
        else
            cells[i].type = columns[i].type;
    }
    stat_tap_init_table_row(table, row, count, cells);
    g_free(cells);
}

bool cacheray_touch_lines(line_table *t, const cacheray_view *v, line_result *result)
{
    const line_touch access = {v->placed, v->thread, 0, v->size, v->kind == CACHERAY_WRITE};
    if (v->is_access)
        lines_touch(t, &access, result);
    return v->is_access;
}

void cacheray_count_access(tally *counts, const cacheray_view *v, bool contended)
{
    counts->reads += v->kind == CACHERAY_READ;
    counts->writes += v->kind == CACHERAY_WRITE;
    counts->atomics += v->atomic;
    counts->contended += contended;
}

void cacheray_add_tally(tally *sum, const tally *counts, uint32_t by)
{
    sum->reads += counts->reads * by;
    sum->writes += counts->writes * by;
    sum->atomics += counts->atomics * by;
    sum->contended += counts->contended * by;
}

void cacheray_table_tally(stat_tap_table *table, guint row, const tally *counts)
{
    cacheray_table_number(table, row, LINES_READS, counts->reads);
    cacheray_table_number(table, row, LINES_WRITES, counts->writes);
    cacheray_table_number(table, row, LINES_ATOMICS, counts->atomics);
    cacheray_table_number(table, row, LINES_CONTENDED, counts->contended);
}

static int compare_threads(const void *a, const void *b)
{
    const line_thread *x = a, *y = b;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

char *cacheray_line_users(const line_table *t, uint64_t line)
{
    line_thread threads[LINES_THREADS + 1];
    unsigned n = lines_threads(t, line, threads, LINES_THREADS + 1);
    info_text text;
    info_begin(&text);
    qsort(threads, n, sizeof *threads, compare_threads);
    for (unsigned i = 0; i < MIN(n, WHO_MAX); i++) {
        info_add(&text, i ? "," : "");
        info_add_uint(&text, threads[i].thread);
        info_add(&text, threads[i].writes ? "*" : "");
    }
    if (n > WHO_MAX)
        info_add(&text, ",...");
    return g_strdup(text.text);
}

char *cacheray_line_name(uint64_t address)
{
    info_text hex;
    info_begin(&hex);
    info_add_hex(&hex, address);
    return g_strdup_printf("%18s", hex.text);
}
