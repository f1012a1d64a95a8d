/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of Cacheray traces: cacheray,tree (counts), cacheray,types (a row per type and member) and cacheray,lines (a row
 * per cache line). They listen to the tap "cacheray" and take a display filter as last argument; what a line is shared by is
 * judged by the accesses that pass it. */
#include "cacheray-analysis.h"

#include <epan/stat_tap_ui.h>
#include <epan/stats_tree.h>
#include <epan/tap.h>

#include "cacheray/cacheray.h"
#include "numbers.h"

void cacheray_taps_register(void);
void cacheray_taps_handoff(void);

/* --- what both tables do with their cells ------------------------------------------------------------------------------- */

static stat_tap_table *table_of(void *data)
{
    return g_array_index(((stat_data_t *)data)->stat_tap_data->tables, stat_tap_table *, 0);
}

static void set_number(stat_tap_table *table, guint row, guint column, unsigned value)
{
    stat_tap_table_item_type *cell = stat_tap_get_field_data(table, row, column);
    cell->value.uint_value = value;
    stat_tap_set_field_data(table, row, column, cell);
}

/* Takes the text over. */
static void set_text(stat_tap_table *table, guint row, guint column, char *text)
{
    stat_tap_table_item_type *cell = stat_tap_get_field_data(table, row, column);
    g_free((char *)(uintptr_t)cell->value.string_value);
    cell->value.string_value = text;
    stat_tap_set_field_data(table, row, column, cell);
}

/* A row of empty texts and zeros. */
static void add_row(stat_tap_table *table, guint row, const stat_tap_table_item *columns, guint count)
{
    stat_tap_table_item_type *cells = g_new0(stat_tap_table_item_type, count);
    for (guint i = 0; i < count; i++) {
        cells[i].type = columns[i].type;
        if (cells[i].type == TABLE_ITEM_STRING)
            cells[i].value.string_value = g_strdup("");
    }
    stat_tap_init_table_row(table, row, count, cells);
    g_free(cells);
}

static void free_cell(stat_tap_table *table, guint row, guint column, stat_tap_table_item_type *cell)
{
    (void)table;
    (void)row;
    (void)column;
    if (cell->type == TABLE_ITEM_STRING)
        g_free((char *)(uintptr_t)cell->value.string_value);
    cell->type = TABLE_ITEM_NONE;
}

/* The rows stay, without contents, until they are taken again. */
static void empty_table(stat_tap_table *table)
{
    for (guint row = 0; row < table->num_elements; row++)
        for (guint column = 0; column < table->num_fields; column++)
            free_cell(table, row, column, stat_tap_get_field_data(table, row, column));
}

static void make_table(stat_tap_table_ui *ui, const char *name, int columns)
{
    if (!stat_tap_find_table(ui, name))
        stat_tap_add_table(ui, stat_tap_init_table(name, columns, 0, NULL));
}

/* --- types: a row per type and member --------------------------------------------------------------------------------- */

enum { TYPES_TYPE, TYPES_MEMBER, TYPES_READS, TYPES_WRITES, TYPES_ATOMICS, TYPES_UNALIGNED, TYPES_THREADS,
       TYPES_FIRST, TYPES_SECOND, TYPES_FURTHER, TYPES_MISSES, TYPES_COLUMNS };

static stat_tap_table_item types_columns[TYPES_COLUMNS] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Type", "%-30s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Member", "%-30s"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Reads", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Writes", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Atomic", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Unaligned", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Threads", "%8u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Level 1", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Level 2", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Level 3, 4", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Misses", "%10u"},
};

static const unsigned column_of_level[] = {TYPES_MISSES, TYPES_FIRST, TYPES_SECOND, TYPES_FURTHER, TYPES_FURTHER};

/* Texts are stored once per file, so their addresses stand for them. */
typedef struct types_key {
    const char *type, *member;
} types_key;

typedef struct types_row {
    types_key key;
    guint row;
    unsigned counts[TYPES_COLUMNS];
    numbers threads;
} types_row;

static GHashTable *types_rows; /* types_key (of the row) -> types_row */

static guint types_hash(gconstpointer p)
{
    const types_key *k = p;
    return g_direct_hash(k->type) * 31 + g_direct_hash(k->member);
}

static gboolean types_equal(gconstpointer a, gconstpointer b)
{
    const types_key *x = a, *y = b;
    return x->type == y->type && x->member == y->member;
}

static void types_free_row(gpointer p)
{
    types_row *t = p;
    numbers_clear(&t->threads);
    g_free(t);
}

static void types_forget(void)
{
    if (types_rows)
        g_hash_table_destroy(types_rows);
    types_rows = g_hash_table_new_full(types_hash, types_equal, NULL, types_free_row);
}

static void types_init(stat_tap_table_ui *ui)
{
    types_forget();
    make_table(ui, "Cacheray types", TYPES_COLUMNS);
}

static types_row *types_row_of(stat_tap_table *table, const cacheray_view *v)
{
    types_key key = {v->type, v->member};
    types_row *t = g_hash_table_lookup(types_rows, &key);
    if (t)
        return t;
    t = g_new0(types_row, 1);
    t->key = key;
    t->row = g_hash_table_size(types_rows);
    numbers_init(&t->threads);
    add_row(table, t->row, types_columns, TYPES_COLUMNS);
    set_text(table, t->row, TYPES_TYPE, g_strdup(v->type ? v->type : "(not annotated)"));
    set_text(table, t->row, TYPES_MEMBER, g_strdup(v->member ? v->member : ""));
    g_hash_table_insert(types_rows, &t->key, t);
    return t;
}

static tap_packet_status types_packet(void *data, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                      tap_flags_t flags)
{
    (void)pinfo;
    (void)edt;
    (void)flags;
    const cacheray_view *v = tapped;
    if (!v->is_access)
        return TAP_PACKET_DONT_REDRAW;
    stat_tap_table *table = table_of(data);
    types_row *t = types_row_of(table, v);
    t->counts[v->kind == CACHERAY_WRITE ? TYPES_WRITES : TYPES_READS]++;
    t->counts[TYPES_ATOMICS] += v->atomic;
    t->counts[TYPES_UNALIGNED] += v->unaligned;
    if (v->has_cache)
        t->counts[column_of_level[v->cache.level]]++;
    numbers_add(&t->threads, v->thread);
    t->counts[TYPES_THREADS] = t->threads.count;
    for (guint i = TYPES_READS; i < TYPES_COLUMNS; i++)
        set_number(table, t->row, i, t->counts[i]);
    return TAP_PACKET_REDRAW;
}

static void types_reset(stat_tap_table *table)
{
    empty_table(table);
    types_forget();
}

static stat_tap_table_ui types_ui = {
    .group = REGISTER_PACKET_STAT_GROUP_UNSORTED,
    .title = "Cacheray Types",
    .tap_name = "cacheray",
    .cli_string = "cacheray,types",
    .stat_tap_init_cb = types_init,
    .packet_func = types_packet,
    .stat_tap_reset_table_cb = types_reset,
    .stat_tap_free_table_item_cb = free_cell,
    .nfields = TYPES_COLUMNS,
    .fields = types_columns,
};

/* --- lines: a row per cache line ---------------------------------------------------------------------------------------- */

enum { LINES_LINE, LINES_READS, LINES_WRITES, LINES_ATOMICS, LINES_USERS, LINES_SHARING, LINES_WHO, LINES_COLUMNS };

#define WHO_MAX 8u /* threads that are listed */

static stat_tap_table_item lines_columns[LINES_COLUMNS] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Line", "%-18s"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Reads", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Writes", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Atomic", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Threads", "%8u"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Sharing", "%-14s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Shared by", "%-20s"},
};

typedef struct lines_row {
    unsigned reads, writes, atomics;
    line_summary shown; /* in the table */
} lines_row;

static line_table *lines_all;
static unsigned lines_size; /* of a line */
static GArray *lines_rows;  /* of lines_row, by number - 1 */

static void lines_forget(void)
{
    lines_free(lines_all);
    if (lines_rows)
        g_array_free(lines_rows, TRUE);
    lines_size = cacheray_analysis_line_size();
    lines_all = lines_new(lines_size);
    lines_rows = g_array_new(FALSE, TRUE, sizeof(lines_row));
}

static void lines_init(stat_tap_table_ui *ui)
{
    lines_forget();
    make_table(ui, "Cacheray lines", LINES_COLUMNS);
}

static int compare_threads(gconstpointer a, gconstpointer b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static char *who(uint32_t number)
{
    uint64_t threads[LINES_THREADS + 1];
    unsigned n = lines_threads(lines_all, number, threads, LINES_THREADS + 1);
    GString *text = g_string_new(NULL);
    qsort(threads, n, sizeof *threads, compare_threads);
    for (unsigned i = 0; i < MIN(n, WHO_MAX); i++)
        g_string_append_printf(text, "%s%" PRIu64, i ? "," : "", threads[i]);
    if (n > WHO_MAX)
        g_string_append(text, ",...");
    return g_string_free(text, FALSE);
}

static void lines_show(stat_tap_table *table, uint32_t number, lines_row *l)
{
    guint row = number - 1;
    line_summary now = lines_summary(lines_all, number);
    bool is_new = l->shown.threads == 0;
    if (is_new) {
        add_row(table, row, lines_columns, LINES_COLUMNS);
        set_text(table, row, LINES_LINE, g_strdup_printf("0x%" PRIx64, now.line));
    }
    if (now.threads != l->shown.threads) {
        set_number(table, row, LINES_USERS, now.threads);
        set_text(table, row, LINES_WHO, who(number));
    }
    if (is_new || now.sharing != l->shown.sharing)
        set_text(table, row, LINES_SHARING, g_strdup(val_to_str_const(now.sharing, cacheray_sharings, "")));
    set_number(table, row, LINES_READS, l->reads);
    set_number(table, row, LINES_WRITES, l->writes);
    set_number(table, row, LINES_ATOMICS, l->atomics);
    l->shown = now;
}

static void lines_count_access(stat_tap_table *table, const cacheray_view *v, uint64_t line)
{
    uint32_t number = lines_number(lines_all, line);
    if (number > lines_rows->len)
        g_array_set_size(lines_rows, number);
    lines_row *l = &g_array_index(lines_rows, lines_row, number - 1);
    l->reads += v->kind == CACHERAY_READ;
    l->writes += v->kind == CACHERAY_WRITE;
    l->atomics += v->atomic;
    lines_show(table, number, l);
}

static tap_packet_status lines_packet(void *data, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                      tap_flags_t flags)
{
    (void)edt;
    (void)flags;
    const cacheray_view *v = tapped;
    if (!v->is_access)
        return TAP_PACKET_DONT_REDRAW;
    line_touch access = {v->address, v->thread, pinfo->num, v->size, v->kind == CACHERAY_WRITE};
    line_result result;
    lines_touch(lines_all, &access, &result);
    lines_count_access(table_of(data), v, result.line);
    if (result.split)
        lines_count_access(table_of(data), v, result.line + lines_size);
    return TAP_PACKET_REDRAW;
}

static void lines_reset(stat_tap_table *table)
{
    empty_table(table);
    lines_forget();
}

static stat_tap_table_ui lines_ui = {
    .group = REGISTER_PACKET_STAT_GROUP_UNSORTED,
    .title = "Cacheray Lines",
    .tap_name = "cacheray",
    .cli_string = "cacheray,lines",
    .stat_tap_init_cb = lines_init,
    .packet_func = lines_packet,
    .stat_tap_reset_table_cb = lines_reset,
    .stat_tap_free_table_item_cb = free_cell,
    .nfields = LINES_COLUMNS,
    .fields = lines_columns,
};

/* --- tree: counts by kind, thread, type and member ---------------------------------------------------------------------- */

static int node_kinds = -1, node_threads = -1, node_types = -1;
static const char *const name_kinds = "Kinds", *const name_threads = "Threads", *const name_types = "Accesses by type";

static void tree_init(stats_tree *tree)
{
    node_kinds = stats_tree_create_node(tree, name_kinds, 0, STAT_DT_INT, TRUE);
    node_threads = stats_tree_create_node(tree, name_threads, 0, STAT_DT_INT, TRUE);
    node_types = stats_tree_create_node(tree, name_types, 0, STAT_DT_INT, TRUE);
}

static tap_packet_status tree_packet(stats_tree *tree, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                     tap_flags_t flags)
{
    (void)pinfo;
    (void)edt;
    (void)flags;
    const cacheray_view *v = tapped;
    tick_stat_node(tree, name_kinds, 0, TRUE);
    tick_stat_node(tree, val_to_str_const(v->context->kind, cacheray_events, "Unknown"), node_kinds, FALSE);
    if (v->kind < CACHERAY_KINDS) {
        char text[24];
        snprintf(text, sizeof text, "%" PRIu64, v->thread);
        tick_stat_node(tree, name_threads, 0, TRUE);
        tick_stat_node(tree, text, node_threads, FALSE);
    }
    if (v->is_access) {
        const char *type = v->type ? v->type : "(not annotated)";
        tick_stat_node(tree, name_types, 0, TRUE);
        int node = tick_stat_node(tree, type, node_types, v->member != NULL);
        if (v->member)
            tick_stat_node(tree, v->member, node, FALSE);
    }
    return TAP_PACKET_REDRAW;
}

/* --- registration -------------------------------------------------------------------------------------------------------- */

void cacheray_taps_register(void)
{
    register_stat_tap_table_ui(&types_ui);
    register_stat_tap_table_ui(&lines_ui);
}

void cacheray_taps_handoff(void)
{
    stats_tree_register_plugin("cacheray", "cacheray", "Cacheray Records", 0, tree_packet, tree_init, NULL);
}
