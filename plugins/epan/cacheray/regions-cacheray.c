/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cacheray,regions: a row per annotated region, that is per allocation: where it was added, how it is used, and how long it
 * lives, in records. With `by:type`, a row per type: its regions together. */
#include "cacheray/tables-cacheray.h"

#include <string.h>

#include "cacheray/cacheray.h"
#include "host/hidden_records.h"
#include "containers/hash.h"
#include "containers/hash_map.h"

enum {
    REGIONS_TYPE,
    REGIONS_COUNT,
    REGIONS_ADDED,
    REGIONS_THREAD,
    REGIONS_ADDRESS,
    REGIONS_BYTES,
    REGIONS_READS,
    REGIONS_WRITES,
    REGIONS_THREADS,
    REGIONS_LEVEL,
    REGIONS_MISSES = REGIONS_LEVEL + CACHES_LEVELS,
    REGIONS_REMOVED,
    REGIONS_LIFETIME,
    REGIONS_COLUMNS
};

static stat_tap_table_item regions_columns[REGIONS_COLUMNS] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Type", "%-30s"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Regions", "%8u"},
    TABLE_NUMBER("Added"),
    TABLE_NUMBER("Added by"),
    {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Address", "%s"},
    TABLE_NUMBER("Bytes"),
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Reads", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Writes", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Threads", "%8u"},
    LEVELS_COLUMN_ITEMS,
    TABLE_NUMBER("Removed"),
    TABLE_NUMBER("Lifetime"),
};

typedef struct regions_row {
    guint row;        /* in the table; G_MAXUINT: not there yet */
    const char *type; /* name; NULL: of accesses outside all regions */
    uint32_t number;  /* of its annotation; 0: of several, or of none */
    bool has_thread;
    uint64_t thread; /* that added it */
    GArray *numbers; /* uint32_t: its annotations, if they are several; NULL: it has only `number` */
    unsigned reads, writes, levels[CACHES_LEVELS + 1];
    uint64_t user;    /* thread of the first access */
    hash_map threads; /* of all accesses, once there is a second thread */
} regions_row;

static GArray *regions_known;      /* by annotation number: index in regions_rows + 1; 0: none yet */
static GHashTable *regions_types;  /* name -> index + 1; each name is stored once per file */
static GPtrArray *regions_rows;    /* of regions_row */
static regions_row *regions_other; /* when there is no room; NULL: not needed yet */
static uint64_t regions_records;
static bool regions_full; /* see table_has_room() */
static bool regions_by_type, regions_cached;

static void free_row(gpointer data)
{
    regions_row *r = data;
    if (r->threads.slots)
        hash_map_clear(&r->threads);
    if (r->numbers)
        g_array_free(r->numbers, TRUE);
    g_free(r);
}

static void regions_forget(void)
{
    if (regions_rows) {
        g_ptr_array_free(regions_rows, TRUE);
        g_array_free(regions_known, TRUE);
        g_hash_table_destroy(regions_types);
    }
    regions_rows = g_ptr_array_new_with_free_func(free_row);
    regions_known = g_array_new(FALSE, TRUE, sizeof(guint));
    regions_types = g_hash_table_new(hash_pointer, NULL);
    regions_other = NULL;
    regions_records = 0;
    regions_full = false;
    regions_cached = false;
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static guint add_row(const char *type, uint32_t number)
{
    regions_row *r = g_new0(regions_row, 1);
    r->row = G_MAXUINT;
    r->type = type;
    r->number = number;
    r->numbers = number ? NULL : g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_ptr_array_add(regions_rows, r);
    return regions_rows->len;
}

static regions_row *others(void)
{
    if (!regions_other)
        regions_other = g_ptr_array_index(regions_rows, add_row(TABLE_OTHERS, 0) - 1);
    return regions_other;
}

/* The row of a type, or of what is outside all regions; 0: there is no room for it. */
static guint row_of_type(const char *type)
{
    guint row = GPOINTER_TO_UINT(g_hash_table_lookup(regions_types, type));
    if (row || !table_has_room(&regions_full, regions_rows->len, regions_records))
        return row;
    row = add_row(type, 0);
    g_hash_table_insert(regions_types, (char *)(uintptr_t)type, GUINT_TO_POINTER(row));
    return row;
}

static regions_row *row_of(const cacheray_view *v)
{
    if (v->number >= regions_known->len)
        g_array_set_size(regions_known, v->number + 1);
    guint row = g_array_index(regions_known, guint, v->number);
    if (!row) {
        if (regions_by_type || !v->number)
            row = row_of_type(v->number ? v->type : NULL);
        else if (table_has_room(&regions_full, regions_rows->len, regions_records))
            row = add_row(v->type, v->number);
        if (row && v->number && regions_by_type)
            g_array_append_val(((regions_row *)g_ptr_array_index(regions_rows, row - 1))->numbers, v->number);
        g_array_index(regions_known, guint, v->number) = row;
    }
    return row ? g_ptr_array_index(regions_rows, row - 1) : others();
}

/* A map for each of very many rows would take too much memory. */
static void count_thread(regions_row *r, uint64_t thread)
{
    if (r->reads == 0 && r->writes == 0)
        r->user = thread;
    if (!r->threads.slots && thread == r->user)
        return;
    if (!r->threads.slots) {
        hash_map_init(&r->threads);
        hash_map_add(&r->threads, r->user);
    }
    hash_map_add(&r->threads, thread);
}

static unsigned threads_of(const regions_row *r)
{
    return r->threads.slots ? r->threads.count : r->reads || r->writes;
}

static bool regions_record(stat_tap_table *table, const packet_info *pinfo, const void *tapped)
{
    (void)table;
    (void)pinfo;
    const cacheray_view *v = tapped;
    if (!v->is_access && (v->kind != CACHERAY_RTTA_ADD || !v->number))
        return false;
    regions_records++;
    regions_row *r = row_of(v);
    if (!v->is_access) {
        r->has_thread = true;
        r->thread = v->thread;
        return true;
    }
    count_thread(r, v->thread);
    r->reads += v->kind == CACHERAY_READ;
    r->writes += v->kind == CACHERAY_WRITE;
    if (v->has_cache)
        r->levels[v->cache.level ? v->cache.level - 1u : CACHES_LEVELS]++;
    regions_cached |= v->has_cache;
    return true;
}

/* --- showing ----------------------------------------------------------------------------------------------------------- */

/* What is known about the regions of a row when all records have been seen. */
typedef struct lives {
    uint64_t bytes, lifetime; /* lifetime: sum over those that were removed */
    unsigned count, removed;
    annotation last;
} lives;

static void add_life(lives *all, const annotation *a)
{
    all->last = *a;
    all->count++;
    all->bytes += annotation_length(a);
    all->removed += a->removed != 0;
    all->lifetime += a->removed ? a->removed - a->added : 0;
}

static lives lives_of(const regions_row *r)
{
    const cacheray_analysis *a = cacheray_analysis_of_file();
    lives all = {0};
    if (a && r->number)
        add_life(&all, cacheray_analysis_region(a, r->number));
    for (guint i = 0; a && r->numbers && i < r->numbers->len; i++)
        add_life(&all, cacheray_analysis_region(a, g_array_index(r->numbers, uint32_t, i)));
    return all;
}

static void show_number(stat_tap_table *table, guint row, guint column, bool known, uint64_t number)
{
    if (known)
        table_set(table, row, column, number);
    else
        table_set_none(table, row, column);
}

static void show_row(stat_tap_table *table, regions_row *r)
{
    const lives all = lives_of(r);
    if (r->row == G_MAXUINT) {
        r->row = table->num_elements;
        cacheray_table_row(table, r->row, regions_columns, REGIONS_COLUMNS);
        table_set_text(table, r->row, REGIONS_ADDRESS, r->number ? cacheray_line_name(all.last.start) : g_strdup(""));
        table_set_text(table, r->row, REGIONS_TYPE, g_strdup(r->type ? r->type : "(not annotated)"));
    }
    show_number(table, r->row, REGIONS_ADDED, r->number && record_frame(all.last.added), record_frame(all.last.added));
    show_number(table, r->row, REGIONS_THREAD, r->number && r->has_thread, r->thread);
    show_number(table, r->row, REGIONS_BYTES, all.count, all.bytes);
    show_number(table, r->row, REGIONS_REMOVED, r->number && record_frame(all.last.removed), record_frame(all.last.removed));
    show_number(table, r->row, REGIONS_LIFETIME, all.removed, all.removed ? all.lifetime / all.removed : 0);
    cacheray_table_number(table, r->row, REGIONS_COUNT, all.count);
    cacheray_table_number(table, r->row, REGIONS_READS, r->reads);
    cacheray_table_number(table, r->row, REGIONS_WRITES, r->writes);
    cacheray_table_number(table, r->row, REGIONS_THREADS, threads_of(r));
    for (guint i = 0; i <= CACHES_LEVELS; i++)
        show_number(table, r->row, REGIONS_LEVEL + i, regions_cached, r->levels[i]);
}

static void regions_finish(stat_tap_table *table)
{
    hidden_finish();
    for (guint i = 0; i < regions_rows->len; i++)
        show_row(table, g_ptr_array_index(regions_rows, i));
}

static table_statistic regions_statistic = {
    .ui = {.title = "Cacheray Regions",
           .tap_name = "cacheray",
           .cli_string = "cacheray,regions",
           .nfields = REGIONS_COLUMNS,
           .fields = regions_columns},
    .title = "Cacheray regions",
    .sorted_by = {REGIONS_READS, REGIONS_WRITES},
    .count = regions_record,
    .forget = regions_forget,
    .flag = "by:type",
    .flagged = &regions_by_type,
    .finish = regions_finish,
};

void cacheray_regions_register(void)
{
    static const char title[] = "Cacheray Regions by Type";
    table_register(&regions_statistic);
    table_add_entry(&regions_statistic, title, "by:type");
}
