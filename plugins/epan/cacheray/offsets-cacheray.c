/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cacheray,lines,offsets: cache lines, and below each line a row for each offset in it, with the data that lies there, and
 * thread. The line with the most contended accesses comes first; likewise below it. Each row says against whom: the data
 * and thread whose access came right before or after most of its contended ones. */
#include "cacheray/tables-cacheray.h"
#include "host/menus.h"

#include <stdlib.h>
#include <string.h>

#include "cacheray/cacheray.h"
#include "containers/hash.h"

enum { OFFSETS_OFFSET = LINES_COLUMNS, OFFSETS_DATA, OFFSETS_AGAINST, OFFSETS_TIMES, OFFSETS_COLUMNS };

static stat_tap_table_item offsets_columns[OFFSETS_COLUMNS] = {
    LINES_COLUMN_ITEMS,
    {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Offset", "%6s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Data", "%-30s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Against", "%-30s"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Times", "%10u"},
};

/* What is distinguished; no padding. Each text is stored once per file, so pointers can be compared. */
typedef struct cell_key {
    uint64_t thread;
    uint64_t type, variable, member; /* pointers to names, or 0 */
    uint32_t line, offset;           /* number of the line; byte in it */
    uint32_t index, many;            /* element, and whether there are several */
} cell_key;

/* Accesses of a thread at an offset of a line. */
typedef struct cell {
    cell_key key;
    uint32_t number;
    tally counts;
    const struct cell *rival; /* in most of its contended accesses; found at the end; NULL: none */
    uint32_t times;
} cell;

typedef struct lined {
    uint32_t number; /* of the line */
    tally counts;
    const cell *fighters[2];
    uint32_t times;
} lined;

static line_table *lines_all;
static GHashTable *cells;   /* cell_key -> cell, which contains the key */
static GPtrArray *numbered; /* of cell */
static GPtrArray *last;     /* cell of the last access, by line; NULL: unknown */
static GHashTable *fights;  /* hash_pair of cell numbers, lower first -> uint32_t, contended accesses between them */
static tally others;        /* accesses without a cell */
static uint64_t accesses;
static bool cells_full, conflicts_full; /* see table_has_room() */

static guint hash_cell(gconstpointer key)
{
    return hash_bytes(key, sizeof(cell_key));
}

static gboolean equal_cells(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(cell_key)) == 0;
}

static void offsets_forget(void)
{
    lines_free(lines_all);
    if (cells) {
        g_hash_table_destroy(cells);
        g_hash_table_destroy(fights);
        g_ptr_array_free(numbered, TRUE);
        g_ptr_array_free(last, TRUE);
    }
    lines_all = lines_new(cacheray_analysis_line_size());
    cells = g_hash_table_new_full(hash_cell, equal_cells, NULL, g_free);
    fights = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, g_free);
    numbered = g_ptr_array_new();
    last = g_ptr_array_new();
    others = (tally){0};
    accesses = 0;
    cells_full = conflicts_full = false;
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

/* NULL: there is no room for it. */
static cell *cell_of(const cell_key *key)
{
    cell *c = g_hash_table_lookup(cells, key);
    if (c || !table_has_room(&cells_full, 2 * numbered->len, accesses)) /* each may need a row for its line, too */
        return c;
    c = g_new0(cell, 1);
    c->key = *key;
    c->number = numbered->len;
    g_ptr_array_add(numbered, c);
    g_hash_table_insert(cells, &c->key, c);
    return c;
}

static void count_conflict(const cell *a, const cell *b)
{
    const hash_pair key = {MIN(a->number, b->number), MAX(a->number, b->number)};
    uint32_t *times = g_hash_table_lookup(fights, &key);
    if (!times && table_has_room(&conflicts_full, g_hash_table_size(fights), accesses))
        g_hash_table_insert(fights, g_memdup2(&key, sizeof key), times = g_new0(uint32_t, 1));
    if (times)
        ++*times;
}

static void count_touched(const cacheray_view *v, uint32_t offset, const line_touched *touched)
{
    const cell_key key = {.thread = v->thread,
                          .type = (uintptr_t)v->type,
                          .variable = (uintptr_t)v->variable,
                          .member = (uintptr_t)v->member,
                          .line = touched->number,
                          .offset = offset,
                          .index = v->index,
                          .many = v->many};
    cell *c = cell_of(&key);
    if (touched->number >= last->len)
        g_ptr_array_set_size(last, (gint)touched->number + 1);
    const cell *before = g_ptr_array_index(last, touched->number);
    g_ptr_array_index(last, touched->number) = c;
    cacheray_count_access(c ? &c->counts : &others, v, touched->contended);
    if (touched->contended && c && before)
        count_conflict(before, c);
}

static bool offsets_record(stat_tap_table *table, const packet_info *pinfo, const void *tapped)
{
    (void)table;
    (void)pinfo;
    const cacheray_view *v = tapped;
    line_result result;
    if (!cacheray_touch_lines(lines_all, v, &result))
        return false;
    accesses++;
    count_touched(v, (uint32_t)(v->placed - result.line), &result.touched[0]);
    if (result.split)
        count_touched(v, 0, &result.touched[1]);
    return true;
}

/* --- which data conflict ------------------------------------------------------------------------------------------------- */

static const cell *cell_at(uint64_t number)
{
    return g_ptr_array_index(numbered, number);
}

/* Whether a number of times is more than the most so far; of equal ones the pair that was there first. */
static bool is_most(uint32_t times, uint32_t most, const cell *rival, const cell *so_far)
{
    return times > most || (times == most && so_far && rival->number < so_far->number);
}

static void set_rival(cell *c, const cell *rival, uint32_t times)
{
    if (!is_most(times, c->times, rival, c->rival))
        return;
    c->rival = rival;
    c->times = times;
}

static void find_rivals(void)
{
    GHashTableIter all;
    gpointer key, times;
    for (guint i = 0; i < numbered->len; i++) {
        cell *c = g_ptr_array_index(numbered, i);
        c->rival = NULL;
        c->times = 0;
    }
    g_hash_table_iter_init(&all, fights);
    while (g_hash_table_iter_next(&all, &key, &times)) {
        const hash_pair *pair = key;
        set_rival(g_ptr_array_index(numbered, pair->first), cell_at(pair->second), *(uint32_t *)times);
        set_rival(g_ptr_array_index(numbered, pair->second), cell_at(pair->first), *(uint32_t *)times);
    }
}

static void add_cell(lined *l, const cell *c)
{
    l->number = c->key.line;
    cacheray_add_tally(&l->counts, &c->counts, 1);
    if (c->rival && c->times > l->times) {
        l->fighters[0] = c;
        l->fighters[1] = c->rival;
        l->times = c->times;
    }
}

/* --- order ------------------------------------------------------------------------------------------------------------- */

/* Negative if `a` is before `b`. */
static int compare_sums(const tally *a, const tally *b)
{
    uint64_t x = (uint64_t)a->reads + a->writes, y = (uint64_t)b->reads + b->writes;
    if (a->contended != b->contended)
        return a->contended > b->contended ? -1 : 1;
    return (x < y) - (x > y);
}

static int compare_lined(const void *a, const void *b)
{
    const lined *x = a, *y = b;
    int order = compare_sums(&x->counts, &y->counts);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static int compare_cells(const void *a, const void *b)
{
    const cell *x = *(cell *const *)a, *y = *(cell *const *)b;
    int order = compare_sums(&x->counts, &y->counts);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* --- showing ----------------------------------------------------------------------------------------------------------- */

/* `struct.item[3].price`, `variable count` */
static void append_data(GString *text, const cell_key *k)
{
    const cacheray_view v = {.type = (const char *)(uintptr_t)k->type, .variable = (const char *)(uintptr_t)k->variable};
    g_autofree char *name = cacheray_data_name(&v);
    g_string_append(text, name);
    if (k->many)
        g_string_append_printf(text, "[%u]", k->index);
    if (k->member)
        g_string_append_printf(text, ".%s", (const char *)(uintptr_t)k->member);
}

/* The same, and its thread; empty for NULL. */
static char *other_offset_name(const cell *c)
{
    GString *text = g_string_new(NULL);
    if (c) {
        append_data(text, &c->key);
        g_string_append_printf(text, " of %" PRIu64, c->key.thread);
    }
    return g_string_free(text, FALSE);
}

static char *data_name(const cell_key *k)
{
    GString *text = g_string_new(NULL);
    append_data(text, k);
    return g_string_free(text, FALSE);
}

static guint row_for(stat_tap_table *table, guint row)
{
    if (row == table->num_elements)
        cacheray_table_row(table, row, offsets_columns, OFFSETS_COLUMNS);
    return row;
}

static void show_line(stat_tap_table *table, guint row, const lined *l)
{
    uint64_t line = lines_address(lines_all, l->number);
    const line_summary now = lines_summary(lines_all, line);
    table_set_text(table, row, LINES_LINE, cacheray_line_name(line));
    table_set_text(table, row, LINES_SHARING, g_strdup(val_to_str_const(now.sharing, cacheray_sharings, "")));
    table_set_text(table, row, LINES_WHO, cacheray_line_users(lines_all, line));
    table_set_text(table, row, OFFSETS_OFFSET, g_strdup(""));
    table_set_text(table, row, OFFSETS_DATA, other_offset_name(l->fighters[0]));
    table_set_text(table, row, OFFSETS_AGAINST, other_offset_name(l->fighters[1]));
    cacheray_table_number(table, row, LINES_USERS, now.threads);
    cacheray_table_number(table, row, OFFSETS_TIMES, l->times);
    cacheray_table_tally(table, row, &l->counts);
}

static void show_cell(stat_tap_table *table, guint row, const cell *c)
{
    const char *star = c->counts.writes ? "*" : "";
    table_set_text(table, row, LINES_LINE, cacheray_line_name(lines_address(lines_all, c->key.line)));
    table_set_text(table, row, LINES_SHARING, g_strdup(""));
    table_set_text(table, row, LINES_WHO, g_strdup_printf("%" PRIu64 "%s", c->key.thread, star));
    table_set_text(table, row, OFFSETS_OFFSET, g_strdup_printf("%4u", c->key.offset));
    table_set_text(table, row, OFFSETS_DATA, data_name(&c->key));
    table_set_text(table, row, OFFSETS_AGAINST, other_offset_name(c->rival));
    cacheray_table_number(table, row, LINES_USERS, 1);
    cacheray_table_number(table, row, OFFSETS_TIMES, c->times);
    cacheray_table_tally(table, row, &c->counts);
}

static void show_others(stat_tap_table *table, guint row)
{
    for (guint i = LINES_LINE; i < OFFSETS_COLUMNS; i++)
        if (offsets_columns[i].type == TABLE_ITEM_STRING)
            table_set_text(table, row, i, g_strdup_printf("%18s", i == LINES_LINE ? TABLE_OTHERS : ""));
    cacheray_table_number(table, row, LINES_USERS, 0);
    cacheray_table_number(table, row, OFFSETS_TIMES, 0);
    cacheray_table_tally(table, row, &others);
}

/* The lines with cells, in order, and for each line by number its rank + 1. */
static GArray *sorted_lines(uint32_t *ranks)
{
    GArray *all = g_array_new(FALSE, TRUE, sizeof(lined));
    for (guint i = 0; i < numbered->len; i++) {
        uint32_t *rank = &ranks[cell_at(i)->key.line];
        if (!*rank) {
            g_array_set_size(all, all->len + 1);
            *rank = all->len;
        }
        add_cell(&g_array_index(all, lined, *rank - 1), cell_at(i));
    }
    g_array_sort(all, compare_lined);
    for (guint i = 0; i < all->len; i++)
        ranks[g_array_index(all, lined, i).number] = i + 1;
    return all;
}

/* Fills the rows again, as their order has changed. */
static void offsets_finish(stat_tap_table *table)
{
    find_rivals();
    g_autofree uint32_t *ranks = g_new0(uint32_t, lines_count(lines_all) + 1);
    g_autoptr(GArray) lines = sorted_lines(ranks);
    g_autofree GPtrArray **below = g_new(GPtrArray *, lines->len + 1);
    g_autofree cell **ordered = g_memdup2(numbered->pdata, numbered->len * sizeof(cell *));
    if (ordered)
        qsort(ordered, numbered->len, sizeof *ordered, compare_cells);
    for (guint i = 0; i < lines->len; i++)
        below[i] = g_ptr_array_new();
    for (guint i = 0; i < numbered->len; i++)
        g_ptr_array_add(below[ranks[ordered[i]->key.line] - 1], ordered[i]);
    guint row = 0;
    for (guint i = 0; i < lines->len; i++) {
        show_line(table, row_for(table, row), &g_array_index(lines, lined, i));
        row++;
        for (guint k = 0; k < below[i]->len; k++, row++)
            show_cell(table, row_for(table, row), g_ptr_array_index(below[i], k));
        g_ptr_array_free(below[i], TRUE);
    }
    if (others.reads || others.writes)
        show_others(table, row_for(table, row));
}

static table_statistic offsets_statistic = {
    .ui = {.title = "Cacheray Lines by Offset",
           .tap_name = "cacheray",
           .cli_string = "cacheray,lines,offsets",
           .nfields = OFFSETS_COLUMNS,
           .fields = offsets_columns},
    .title = "Cacheray lines by offset",
    .count = offsets_record,
    .forget = offsets_forget,
    .finish = offsets_finish,
};

void cacheray_offsets_register(void)
{
    if (menus_windows()) /* takes what follows the second comma for a filter */
        offsets_statistic.ui.cli_string = "cacheray,offsets";
    table_register(&offsets_statistic);
}
