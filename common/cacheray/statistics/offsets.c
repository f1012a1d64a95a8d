/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/offsets.h"

#include <string.h>

#include "cacheray/cacheray.h"
#include "cacheray/remap/rivals.h"
#include "cacheray/statistics/display.h"
#include "containers/hash.h"

const rows_column cacheray_offsets_columns[CACHERAY_OFFSETS_COLUMNS] = {
    LINE_ROWS_COLUMN_ITEMS(ROWS_EACH), {"Offset", ROWS_NUMBER, ROWS_EACH}, {"Data", ROWS_TEXT, ROWS_EACH},
    {"Against", ROWS_TEXT, ROWS_EACH}, {"Times", ROWS_COUNT, ROWS_EACH},
};

/* What is distinguished; no padding. Each text is stored once per analysis, so pointers can be compared. */
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

typedef struct line_total {
    uint32_t number; /* of the line */
    tally counts;
    const cell *opponents[2];
    uint32_t times;
} line_total;

struct cacheray_offsets {
    line_table *lines;
    GHashTable *cells;     /* cell_key -> cell, which contains the key */
    GPtrArray *numbered;   /* of cell */
    GArray *rivals;        /* of rivals, by line: numbers of cells + 1 */
    GHashTable *conflicts; /* hash_pair of cell numbers, lower first -> uint32_t, contended accesses between them */
    tally others;          /* accesses without a cell */
    counting_limit cells_limit, conflicts_limit; /* both count accesses */
};

static guint hash_cell(gconstpointer key)
{
    return hash_bytes(key, sizeof(cell_key));
}

static gboolean equal_cells(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(cell_key)) == 0;
}

cacheray_offsets *cacheray_offsets_new(unsigned line_size)
{
    cacheray_offsets *o = g_new0(cacheray_offsets, 1);
    o->cells_limit = o->conflicts_limit = LIMIT_OF_ROWS;
    o->lines = lines_new(line_size);
    o->cells = g_hash_table_new_full(hash_cell, equal_cells, NULL, g_free);
    o->numbered = g_ptr_array_new();
    o->rivals = g_array_new(FALSE, TRUE, sizeof(rivals));
    o->conflicts = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, g_free);
    return o;
}

void cacheray_offsets_free(cacheray_offsets *o)
{
    if (!o)
        return;
    lines_free(o->lines);
    g_hash_table_destroy(o->cells);
    g_ptr_array_free(o->numbered, TRUE);
    g_array_free(o->rivals, TRUE);
    g_hash_table_destroy(o->conflicts);
    g_free(o);
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

/* NULL: there is no room for it. */
static cell *cell_of(cacheray_offsets *o, const cell_key *key)
{
    cell *c = g_hash_table_lookup(o->cells, key);
    if (c || !limit_allows_row(&o->cells_limit, 2 * o->numbered->len)) /* each may need a row for its line, too */
        return c;
    c = g_new0(cell, 1);
    c->key = *key;
    c->number = o->numbered->len;
    g_ptr_array_add(o->numbered, c);
    g_hash_table_insert(o->cells, &c->key, c);
    return c;
}

static void count_conflict(cacheray_offsets *o, const cell *a, const cell *b)
{
    const hash_pair key = {MIN(a->number, b->number), MAX(a->number, b->number)};
    uint32_t *times = g_hash_table_lookup(o->conflicts, &key);
    if (!times && limit_allows_row(&o->conflicts_limit, g_hash_table_size(o->conflicts)))
        g_hash_table_insert(o->conflicts, g_memdup2(&key, sizeof key), times = g_new0(uint32_t, 1));
    if (times)
        ++*times;
}

static void count_touched(cacheray_offsets *o, const cacheray_tapped *v, uint32_t offset, const line_touched *touched)
{
    const cell_key key = {.thread = v->thread,
                          .type = (uintptr_t)v->type,
                          .variable = (uintptr_t)v->variable,
                          .member = (uintptr_t)v->member,
                          .line = touched->number,
                          .offset = offset,
                          .index = v->index,
                          .many = v->many};
    cell *c = cell_of(o, &key);
    if (touched->number >= o->rivals->len)
        g_array_set_size(o->rivals, touched->number + 1);
    const uint32_t rival = rivals_meet(&g_array_index(o->rivals, rivals, touched->number), v->thread,
                                       v->kind == CACHERAY_WRITE, c ? c->number + 1 : 0);
    line_rows_count(c ? &c->counts : &o->others, v, touched->contended);
    if (touched->contended && c && rival)
        count_conflict(o, g_ptr_array_index(o->numbered, rival - 1), c);
}

bool cacheray_offsets_add(cacheray_offsets *o, const cacheray_tapped *v)
{
    line_result result;
    if (!line_rows_touch(o->lines, v, &result))
        return false;
    o->cells_limit.counted++;
    o->conflicts_limit.counted++;
    count_touched(o, v, (uint32_t)(v->placed - result.line), &result.touched[0]);
    if (result.split)
        count_touched(o, v, 0, &result.touched[1]);
    return true;
}

/* --- which data conflict ------------------------------------------------------------------------------------------- */

static cell *cacheray_offsets_cell_at(const cacheray_offsets *o, uint64_t number)
{
    return g_ptr_array_index(o->numbered, number);
}

/* Returns whether a number of times is more than the most so far; of equal ones the pair that was there first. */
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

static void find_rivals(cacheray_offsets *o)
{
    GHashTableIter all;
    gpointer key, times;
    for (guint i = 0; i < o->numbered->len; i++) {
        cacheray_offsets_cell_at(o, i)->rival = NULL;
        cacheray_offsets_cell_at(o, i)->times = 0;
    }
    g_hash_table_iter_init(&all, o->conflicts);
    while (g_hash_table_iter_next(&all, &key, &times)) {
        const hash_pair *pair = key;
        set_rival(cacheray_offsets_cell_at(o, pair->first), cacheray_offsets_cell_at(o, pair->second), *(uint32_t *)times);
        set_rival(cacheray_offsets_cell_at(o, pair->second), cacheray_offsets_cell_at(o, pair->first), *(uint32_t *)times);
    }
}

static void cacheray_offsets_add_cell(line_total *l, const cell *c)
{
    l->number = c->key.line;
    line_rows_add(&l->counts, &c->counts, 1);
    if (c->rival && c->times > l->times) {
        l->opponents[0] = c;
        l->opponents[1] = c->rival;
        l->times = c->times;
    }
}

/* --- order ------------------------------------------------------------------------------------------------------------- */

/* Negative if `a` is before `b`. */
static int cacheray_offsets_compare_sums(const tally *a, const tally *b)
{
    uint64_t x = (uint64_t)a->reads + a->writes, y = (uint64_t)b->reads + b->writes;
    if (a->contended != b->contended)
        return a->contended > b->contended ? -1 : 1;
    return (x < y) - (x > y);
}

static int compare_lined(const void *a, const void *b)
{
    const line_total *x = a, *y = b;
    int order = cacheray_offsets_compare_sums(&x->counts, &y->counts);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* Sorts by the ranks of their lines, then within the line. */
static int cacheray_offsets_compare_cells(const void *a, const void *b, void *ranks)
{
    const cell *x = *(cell *const *)a, *y = *(cell *const *)b;
    const uint32_t p = ((const uint32_t *)ranks)[x->key.line], q = ((const uint32_t *)ranks)[y->key.line];
    int order = p != q ? (p > q) - (p < q) : cacheray_offsets_compare_sums(&x->counts, &y->counts);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* The lines with cells, in order, and for each line by number its rank + 1. */
static GArray *sorted_lines(const cacheray_offsets *o, uint32_t *ranks)
{
    GArray *all = g_array_new(FALSE, TRUE, sizeof(line_total));
    for (guint i = 0; i < o->numbered->len; i++) {
        uint32_t *rank = &ranks[cacheray_offsets_cell_at(o, i)->key.line];
        if (!*rank) {
            g_array_set_size(all, all->len + 1);
            *rank = all->len;
        }
        cacheray_offsets_add_cell(&g_array_index(all, line_total, *rank - 1), cacheray_offsets_cell_at(o, i));
    }
    g_array_sort(all, compare_lined);
    for (guint i = 0; i < all->len; i++)
        ranks[g_array_index(all, line_total, i).number] = i + 1;
    return all;
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

/* `struct.item[3].price`, `variable count` */
static void append_data(GString *text, const cell_key *k)
{
    const cacheray_tapped v = {.type = (const char *)(uintptr_t)k->type, .variable = (const char *)(uintptr_t)k->variable};
    g_autofree char *name = cacheray_data_name(&v);
    g_string_append(text, name);
    if (k->many)
        g_string_append_printf(text, "[%u]", k->index);
    if (k->member)
        g_string_append_printf(text, ".%s", (const char *)(uintptr_t)k->member);
}

/* The name of the data of a cell; for a `rival`, which may be NULL, also its thread. */
static rows_cell data_of(rows *to, const cell *c, bool rival)
{
    g_autoptr(GString) text = g_string_new(NULL);
    if (c)
        append_data(text, &c->key);
    if (c && rival)
        g_string_append_printf(text, " (thread %" G_GUINT64_FORMAT ")", c->key.thread);
    return rows_text(to, text->str);
}

static void fill_line(const cacheray_offsets *o, const line_total *l, rows *to)
{
    rows_cell *cells = rows_add(to);
    line_rows_fill(to, cells, o->lines, l->number, &l->counts);
    cells[CACHERAY_OFFSETS_DATA] = data_of(to, l->opponents[0], true);
    cells[CACHERAY_OFFSETS_AGAINST] = data_of(to, l->opponents[1], true);
    cells[CACHERAY_OFFSETS_TIMES] = rows_number(l->times);
}

static void fill_cell(const cacheray_offsets *o, const cell *c, rows *to)
{
    rows_cell *cells = rows_add(to);
    g_autofree char *thread = g_strdup_printf("%" G_GUINT64_FORMAT "%s", c->key.thread, c->counts.writes ? "*" : "");
    line_rows_fill_counts(cells, &c->counts);
    cells[LINE_ROWS_LINE] = rows_number(lines_address(o->lines, c->key.line));
    cells[LINE_ROWS_WHO] = rows_text(to, thread);
    cells[LINE_ROWS_USERS] = rows_number(1);
    cells[CACHERAY_OFFSETS_OFFSET] = rows_number(c->key.offset);
    cells[CACHERAY_OFFSETS_DATA] = data_of(to, c, false);
    cells[CACHERAY_OFFSETS_AGAINST] = data_of(to, c->rival, true);
    cells[CACHERAY_OFFSETS_TIMES] = rows_number(c->times);
}

static void fill_others(const cacheray_offsets *o, rows *to)
{
    rows_cell *cells = rows_add(to);
    line_rows_fill_others(cells, &o->others);
    cells[CACHERAY_OFFSETS_TIMES] = rows_number(0);
}

void cacheray_offsets_fill(cacheray_offsets *o, rows *to)
{
    find_rivals(o);
    g_autofree uint32_t *ranks = g_new0(uint32_t, lines_count(o->lines) + 1);
    g_autoptr(GArray) lines = sorted_lines(o, ranks);
    g_autoptr(GPtrArray) cells = g_ptr_array_copy(o->numbered, NULL, NULL);
    g_ptr_array_sort_with_data(cells, cacheray_offsets_compare_cells, ranks);
    for (guint i = 0, below = 0; i < lines->len; i++) {
        const line_total *l = &g_array_index(lines, line_total, i);
        fill_line(o, l, to);
        for (const cell *c; below < cells->len && (c = g_ptr_array_index(cells, below))->key.line == l->number; below++)
            fill_cell(o, c, to);
    }
    if (o->others.reads || o->others.writes)
        fill_others(o, to);
}
