/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/offsets.h"

#include <string.h>

#include "cacheray/cacheray.h"
#include "cacheray/remap/rivals.h"
#include "cacheray/statistics/display.h"
#include "containers/hash.h"
#include "statistics/top_n.h"

static const rows_column columns[CACHERAY_OFFSETS_COLUMNS] = {
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
    uint32_t number; /* in its line, from 0 */
    tally counts;
    const struct cell *rival; /* in most of its contended accesses; found at the end; NULL: none */
    uint32_t times;
} cell;

/* What is known of a line in addition to its counts, as long as there is room for it. */
typedef struct detail {
    rivals rivals;         /* numbers of cells + 1 */
    GPtrArray *cells;      /* of cell */
    GHashTable *conflicts; /* hash_pair of cell numbers, lower first -> uint32_t, contended accesses between them; or NULL */
} detail;

typedef struct offsets {
    line_table *lines;
    pool large;         /* see line_rows_tally() */
    GHashTable *cells;  /* cell_key -> cell, which contains the key */
    GPtrArray *details; /* of detail, by line; NULL: none */
    uint64_t accesses, conflicts;
    uint64_t kept; /* bytes, when there was no room for more */
} offsets;

static guint hash_cell(gconstpointer key)
{
    return hash_bytes(key, sizeof(cell_key));
}

static gboolean equal_cells(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(cell_key)) == 0;
}

static void free_detail(gpointer data)
{
    detail *d = data;
    if (!d)
        return;
    g_ptr_array_free(d->cells, TRUE);
    if (d->conflicts)
        g_hash_table_destroy(d->conflicts);
    g_free(d);
}

static void *offsets_begin(const statistic_words *words, const void *how)
{
    (void)words;
    offsets *o = g_new0(offsets, 1);
    o->lines = lines_new(((const cacheray_display *)how)->line_size);
    pool_init(&o->large, sizeof(tally));
    o->cells = g_hash_table_new_full(hash_cell, equal_cells, NULL, g_free);
    o->details = g_ptr_array_new_with_free_func(free_detail);
    return o;
}

static void offsets_free(void *data)
{
    offsets *o = data;
    lines_free(o->lines);
    pool_clear(&o->large);
    g_hash_table_destroy(o->cells);
    g_ptr_array_free(o->details, TRUE);
    g_free(o);
}

/* --- which lines come first -------------------------------------------------------------------------------------------- */

static uint64_t worth_of(const offsets *o, uint32_t line)
{
    const tally c = line_rows_tally(o->lines, &o->large, line);
    return (uint64_t)c.contended << 32 | MIN((uint64_t)c.reads + c.writes, UINT32_MAX);
}

static void append_line(void *to, const void *line)
{
    g_array_append_vals(to, line, 1);
}

/* The first `most` lines in order; only those with a detail, or all. */
static GArray *first_lines(const offsets *o, unsigned most, bool detailed)
{
    top_n *first = top_n_new(&(top_n_by){.most = most}, sizeof(uint32_t));
    for (uint32_t line = 0; line < lines_count(o->lines); line++) {
        const uint64_t worth = worth_of(o, line);
        if (!detailed || (line < o->details->len && g_ptr_array_index(o->details, line)))
            top_n_add(first, &worth, line, &line);
    }
    GArray *lines = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    top_n_each(first, append_line, lines);
    top_n_free(first);
    return lines;
}

/* --- room -------------------------------------------------------------------------------------------------------------- */

enum { CONFLICT_BYTES = 128 };

static uint64_t bytes_of(const offsets *o)
{
    /* each cell may need a row for its line, too */
    return (uint64_t)g_hash_table_size(o->cells) * 2 * LIMIT_ROW + o->conflicts * CONFLICT_BYTES;
}

static void drop_detail(offsets *o, uint32_t line)
{
    detail *d = g_ptr_array_index(o->details, line);
    for (guint i = 0; i < d->cells->len; i++)
        g_hash_table_remove(o->cells, &((cell *)g_ptr_array_index(d->cells, i))->key);
    o->conflicts -= d->conflicts ? g_hash_table_size(d->conflicts) : 0;
    free_detail(d);
    g_ptr_array_index(o->details, line) = NULL;
}

/* Without room for more, the lines that would come last lose their details, such that half of the room is free. The first
 * line never does. */
static void make_room(offsets *o)
{
    counting_limit l = LIMIT_OF_ROWS;
    l.counted = o->accesses;
    const uint64_t all = bytes_of(o);
    if (all < 2 * o->kept || limit_allows(&l, all))
        return;
    g_autoptr(GArray) lines = first_lines(o, UINT_MAX, true);
    for (guint i = lines->len; i-- > 1 && bytes_of(o) > all / 2;)
        drop_detail(o, g_array_index(lines, uint32_t, i));
    o->kept = bytes_of(o);
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static detail *detail_of(offsets *o, uint32_t line)
{
    if (line >= o->details->len)
        g_ptr_array_set_size(o->details, (gint)line + 1);
    detail **d = (detail **)&g_ptr_array_index(o->details, line);
    if (!*d) {
        *d = g_new0(detail, 1);
        (*d)->cells = g_ptr_array_new();
    }
    return *d;
}

static cell *cell_of(offsets *o, detail *d, const cell_key *key)
{
    cell *c = g_hash_table_lookup(o->cells, key);
    if (c)
        return c;
    c = g_new0(cell, 1);
    c->key = *key;
    c->number = d->cells->len;
    g_ptr_array_add(d->cells, c);
    g_hash_table_insert(o->cells, &c->key, c);
    return c;
}

static void count_conflict(offsets *o, detail *d, uint32_t a, uint32_t b)
{
    const hash_pair key = {MIN(a, b), MAX(a, b)};
    if (!d->conflicts)
        d->conflicts = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, g_free);
    uint32_t *times = g_hash_table_lookup(d->conflicts, &key);
    if (!times) {
        g_hash_table_insert(d->conflicts, g_memdup2(&key, sizeof key), times = g_new0(uint32_t, 1));
        o->conflicts++;
    }
    ++*times;
}

static void count_touched(offsets *o, const cacheray_tapped *v, uint32_t offset, const line_touched *touched)
{
    const cell_key key = {.thread = v->thread,
                          .type = (uintptr_t)v->type,
                          .variable = (uintptr_t)v->variable,
                          .member = (uintptr_t)v->member,
                          .line = touched->number,
                          .offset = offset,
                          .index = v->index,
                          .many = v->many};
    detail *d = detail_of(o, touched->number);
    const guint cells = d->cells->len;
    cell *c = cell_of(o, d, &key);
    const uint32_t rival = rivals_meet(&d->rivals, v->thread, v->kind == CACHERAY_WRITE, c->number + 1);
    line_rows_count_touched(o->lines, &o->large, v, touched);
    line_rows_count(&c->counts, v, touched->contended);
    if (touched->contended && rival)
        count_conflict(o, d, rival - 1, c->number);
    if (d->cells->len > cells)
        make_room(o);
}

static bool offsets_count(void *data, const counted_record *r)
{
    offsets *o = data;
    const cacheray_tapped *v = r->tapped;
    line_result result;
    if (!line_rows_touch(o->lines, v, &result))
        return false;
    o->accesses++;
    count_touched(o, v, (uint32_t)(v->placed - result.line), &result.touched[0]);
    if (result.split)
        count_touched(o, v, 0, &result.touched[1]);
    return true;
}

/* --- which data conflict ------------------------------------------------------------------------------------------- */

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

static void find_rivals(const detail *d)
{
    GHashTableIter all;
    gpointer key, times;
    for (guint i = 0; i < d->cells->len; i++) {
        cell *c = g_ptr_array_index(d->cells, i);
        c->rival = NULL;
        c->times = 0;
    }
    if (!d->conflicts)
        return;
    g_hash_table_iter_init(&all, d->conflicts);
    while (g_hash_table_iter_next(&all, &key, &times)) {
        const hash_pair *pair = key;
        cell *first = g_ptr_array_index(d->cells, pair->first), *second = g_ptr_array_index(d->cells, pair->second);
        set_rival(first, second, *(uint32_t *)times);
        set_rival(second, first, *(uint32_t *)times);
    }
}

/* The cell with the most conflicts of one kind; NULL: there are none. */
static const cell *opponent_of(const detail *d)
{
    const cell *most = NULL;
    for (guint i = 0; d && i < d->cells->len; i++) {
        const cell *c = g_ptr_array_index(d->cells, i);
        if (c->rival && c->times > (most ? most->times : 0))
            most = c;
    }
    return most;
}

static gint compare_cells(gconstpointer a, gconstpointer b)
{
    const cell *x = *(const cell *const *)a, *y = *(const cell *const *)b;
    const uint64_t p = (uint64_t)x->counts.reads + x->counts.writes, q = (uint64_t)y->counts.reads + y->counts.writes;
    if (x->counts.contended != y->counts.contended)
        return x->counts.contended > y->counts.contended ? -1 : 1;
    return p != q ? (p < q) - (p > q) : (x->number > y->number) - (x->number < y->number);
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
    const gsize name = text->len;
    if (c && rival)
        g_string_append_printf(text, " (thread %" G_GUINT64_FORMAT ")", c->key.thread);
    return rows_name(to, &(shown_name){.text = text->str, .remark = (uint8_t)(text->len - name)});
}

static void fill_line(const offsets *o, uint32_t line, const tally *counts, const cell *opponent, rows *to)
{
    rows_cell *cells = rows_add(to);
    line_rows_fill(to, cells, o->lines, line, counts);
    cells[CACHERAY_OFFSETS_DATA] = data_of(to, opponent, true);
    cells[CACHERAY_OFFSETS_AGAINST] = data_of(to, opponent ? opponent->rival : NULL, true);
    cells[CACHERAY_OFFSETS_TIMES] = rows_number(opponent ? opponent->times : 0);
}

static void fill_cell(const offsets *o, const cell *c, rows *to)
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

static bool is_some(const tally *counts)
{
    return counts->reads || counts->writes;
}

/* What a line, or the table, has in addition to its rows. */
static void fill_rest(const tally *rest, rows_cell line, rows *to)
{
    rows_cell *cells = rows_add(to);
    line_rows_fill_others(cells, rest);
    cells[LINE_ROWS_LINE] = line;
    cells[CACHERAY_OFFSETS_DATA] = rows_lasting_text(line.state == ROWS_IS_NUMBER ? TEXT_OTHERS : "");
    cells[CACHERAY_OFFSETS_TIMES] = rows_number(0);
    to->missing = LINE_ROWS_MISSING;
}

static void fill_lines(const offsets *o, uint32_t line, const tally *counts, rows *to)
{
    const detail *d = line < o->details->len ? g_ptr_array_index(o->details, line) : NULL;
    tally rest = *counts;
    if (d)
        find_rivals(d);
    fill_line(o, line, counts, opponent_of(d), to);
    g_autoptr(GPtrArray) cells = d ? g_ptr_array_copy(d->cells, NULL, NULL) : g_ptr_array_new();
    g_ptr_array_sort(cells, compare_cells);
    for (guint i = 0; i < cells->len; i++) {
        const cell *c = g_ptr_array_index(cells, i);
        fill_cell(o, c, to);
        line_rows_add(&rest, &c->counts, UINT32_MAX); /* takes it away: adds -1 */
    }
    if (is_some(&rest))
        fill_rest(&rest, rows_number(lines_address(o->lines, line)), to);
}

static void offsets_fill(void *data, const void *how, rows *to)
{
    (void)how;
    const offsets *o = data;
    tally rest = line_rows_sum(o->lines, &o->large);
    g_autoptr(GArray) lines = first_lines(o, line_rows_room(o->lines, o->accesses), false);
    to->missing = NULL;
    for (guint i = 0; i < lines->len; i++) {
        const uint32_t line = g_array_index(lines, uint32_t, i);
        const tally counts = line_rows_tally(o->lines, &o->large, line);
        fill_lines(o, line, &counts, to);
        line_rows_add(&rest, &counts, UINT32_MAX);
    }
    if (is_some(&rest))
        fill_rest(&rest, rows_lasting_text(TEXT_OTHERS), to);
}

const counted cacheray_offsets_counted = {.columns = columns,
                                          .column_count = CACHERAY_OFFSETS_COLUMNS,
                                          .begin = offsets_begin,
                                          .count = offsets_count,
                                          .fill = offsets_fill,
                                          .free = offsets_free};
