/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/whatif.h"

#include <stdlib.h>
#include <string.h>

#include "cacheray/cacheray.h"
#include "containers/hash.h"
#include "containers/hash_map.h"

const rows_column cacheray_whatif_columns[CACHERAY_WHATIF_COLUMNS] = {
    {"Type", ROWS_TEXT, ROWS_EACH},
    {"Accesses", ROWS_NUMBER, ROWS_EACH},
    {"Contended before", ROWS_NUMBER, ROWS_EACH},
    {"Contended after", ROWS_NUMBER, ROWS_EACH},
    {"Missed level 1 before", ROWS_NUMBER, ROWS_EACH},
    {"Missed level 1 after", ROWS_NUMBER, ROWS_EACH},
    {"Missed all levels before", ROWS_NUMBER, ROWS_EACH},
    {"Missed all levels after", ROWS_NUMBER, ROWS_EACH},
};

enum { BEFORE, AFTER, SIDES };
enum { ROWS_MAX = 10000 };

typedef struct sums {
    char *name;
    uint64_t counts[CACHERAY_WHATIF_COLUMNS]; /* those of the first side are at the column, of the second at the next one */
} sums;

struct cacheray_whatif {
    bool remaps, cached;
    line_table *lines[SIDES];
    caches *caches[SIDES]; /* NULL: none are described, or no record yet */
    hash_map known;        /* cacheray_data_key() -> index in `all` + 1 */
    GPtrArray *all;        /* of sums; the last one possible is for all others */
    proposals *proposals;
    GHashTable *structs; /* name and size -> number in `proposals`; 0: no proposal */
    GArray *layouts;     /* uint32_t by cacheray_view.layout: the same + 1; 0: not known yet */
};

static void free_sums(gpointer data)
{
    g_free(((sums *)data)->name);
    g_free(data);
}

cacheray_whatif *cacheray_whatif_new(unsigned line_size, unsigned within)
{
    cacheray_whatif *w = g_new0(cacheray_whatif, 1);
    for (unsigned side = 0; side < SIDES; side++)
        w->lines[side] = lines_new(line_size);
    hash_map_init(&w->known);
    w->all = g_ptr_array_new_with_free_func(free_sums);
    w->proposals = proposals_new(line_size, within);
    w->structs = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    w->layouts = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    return w;
}

void cacheray_whatif_free(cacheray_whatif *w)
{
    if (!w)
        return;
    for (unsigned side = 0; side < SIDES; side++) {
        lines_free(w->lines[side]);
        caches_free(w->caches[side]);
    }
    hash_map_clear(&w->known);
    g_ptr_array_free(w->all, TRUE);
    proposals_free(w->proposals);
    g_hash_table_destroy(w->structs);
    g_array_free(w->layouts, TRUE);
    g_free(w);
}

bool cacheray_whatif_remaps(const cacheray_whatif *w)
{
    return w->remaps;
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static sums *sums_of(cacheray_whatif *w, const cacheray_view *v)
{
    const uint64_t key = cacheray_data_key(v);
    uint32_t number = hash_map_find(&w->known, key);
    if (!number && w->all->len < ROWS_MAX)
        number = hash_map_add(&w->known, key);
    if (!number)
        number = ROWS_MAX + 1;
    if (number > w->all->len) {
        sums *s = g_new0(sums, 1);
        s->name = number > ROWS_MAX ? g_strdup(ROWS_OTHERS) : cacheray_data_name(v);
        g_ptr_array_add(w->all, s);
    }
    return g_ptr_array_index(w->all, number - 1);
}

/* The number in `proposals` of the struct that is accessed; 0: it gets no proposal. */
static uint32_t add_struct(cacheray_whatif *w, const cacheray_analysis *a, const cacheray_view *v)
{
    gpointer known;
    g_autofree char *name = v->number ? members_own_name(v->type) : g_strdup(v->type_name ? v->type_name : "");
    struct_parts *of = *name ? cacheray_analysis_parts(a, v->layout) : NULL;
    g_autofree char *key = g_strdup_printf("%u %s", of ? of->size : 0, name);
    if (g_hash_table_lookup_extended(w->structs, key, NULL, &known)) {
        parts_free(of);
    } else {
        known = GUINT_TO_POINTER(proposals_add(w->proposals, name, of));
        g_hash_table_insert(w->structs, g_steal_pointer(&key), known);
    }
    return GPOINTER_TO_UINT(known);
}

static uint32_t struct_of(cacheray_whatif *w, const cacheray_analysis *a, const cacheray_view *v)
{
    if (v->layout >= w->layouts->len)
        g_array_set_size(w->layouts, v->layout + 1);
    uint32_t *known = &g_array_index(w->layouts, uint32_t, v->layout);
    if (!*known && g_hash_table_size(w->structs) >= PROPOSALS_STRUCTS_MAX)
        return 0;
    if (!*known)
        *known = add_struct(w, a, v) + 1;
    return *known - 1;
}

static void count_proposal(cacheray_whatif *w, const cacheray_analysis *a, const cacheray_view *v,
                           const line_touched *touched)
{
    proposals_access access = {.thread = v->thread, .line = touched->number, .contended = touched->contended};
    access.type = v->layout ? struct_of(w, a, v) : 0;
    if (access.type) {
        const struct_parts *of = proposals_parts(w->proposals, access.type);
        uint64_t within = (v->address - v->base) % of->size;
        access.item = v->address - within;
        access.part = parts_at(of, within);
        access.type = access.part == PARTS_NONE ? 0 : access.type;
    }
    proposals_count(w->proposals, &access);
}

static void count_misses(cacheray_whatif *w, const cacheray_analysis *a, unsigned side, const line_touch *access, sums *s)
{
    if (!w->caches[side])
        w->caches[side] = caches_new(cacheray_analysis_caches(a));
    cache_result result;
    caches_access(w->caches[side], access->address, access->size, access->thread, access->write, &result);
    s->counts[CACHERAY_WHATIF_FIRST + side] += result.level != 1;
    s->counts[CACHERAY_WHATIF_ALL + side] += result.level == 0;
    w->cached = true;
}

static void count_side(cacheray_whatif *w, const cacheray_analysis *a, unsigned side, const cacheray_view *v, sums *s)
{
    const uint64_t address = side == BEFORE ? v->address : v->placed;
    const line_touch access = {address, v->thread, 0, v->size, v->kind == CACHERAY_WRITE};
    line_result line;
    lines_touch(w->lines[side], &access, &line);
    s->counts[CACHERAY_WHATIF_CONTENDED + side] += line.touched[0].contended;
    s->counts[CACHERAY_WHATIF_CONTENDED + side] += line.split && line.touched[1].contended;
    if (side == BEFORE)
        count_proposal(w, a, v, &line.touched[0]);
    if (v->has_cache)
        count_misses(w, a, side, &access, s);
}

bool cacheray_whatif_add(cacheray_whatif *w, const cacheray_analysis *a, const cacheray_view *v)
{
    if (!v->is_access)
        return false;
    w->remaps = cacheray_analysis_remaps(a);
    sums *s = sums_of(w, v);
    s->counts[CACHERAY_WHATIF_ACCESSES]++;
    count_side(w, a, BEFORE, v, s);
    if (w->remaps)
        count_side(w, a, AFTER, v, s);
    return true;
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

static int compare_sums(const void *a, const void *b)
{
    const sums *x = *(sums *const *)a, *y = *(sums *const *)b;
    static const unsigned columns[] = {CACHERAY_WHATIF_CONTENDED, CACHERAY_WHATIF_ACCESSES};
    for (unsigned i = 0; i < G_N_ELEMENTS(columns); i++)
        if (x->counts[columns[i]] != y->counts[columns[i]])
            return x->counts[columns[i]] > y->counts[columns[i]] ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void add_up(sums *all, const sums *s)
{
    for (unsigned i = CACHERAY_WHATIF_ACCESSES; i < CACHERAY_WHATIF_COLUMNS; i++)
        all->counts[i] += s->counts[i];
}

/* If nothing is moved, it is the same afterwards. */
static void fill_row(const cacheray_whatif *w, const sums *s, rows *to)
{
    rows_cell *cells = rows_add(to);
    cells[CACHERAY_WHATIF_TYPE] = rows_text(to, s->name);
    cells[CACHERAY_WHATIF_ACCESSES] = rows_number(s->counts[CACHERAY_WHATIF_ACCESSES]);
    for (unsigned i = CACHERAY_WHATIF_CONTENDED; i < (w->cached ? CACHERAY_WHATIF_COLUMNS : CACHERAY_WHATIF_FIRST); i++) {
        const bool after = (i - CACHERAY_WHATIF_CONTENDED) % SIDES == AFTER;
        cells[i] = rows_number(s->counts[after && !w->remaps ? i - 1 : i]);
    }
}

void cacheray_whatif_fill(const cacheray_whatif *w, rows *to)
{
    if (!w->all->len)
        return;
    sums all = {.name = (char *)(uintptr_t) "(all)"};
    g_autofree sums **ordered = g_memdup2(w->all->pdata, w->all->len * sizeof *ordered);
    qsort(ordered, w->all->len, sizeof *ordered, compare_sums);
    for (guint i = 0; i < w->all->len; i++) {
        add_up(&all, ordered[i]);
        fill_row(w, ordered[i], to);
    }
    fill_row(w, &all, to);
}

unsigned cacheray_whatif_propose(const cacheray_whatif *w, GString *text)
{
    return proposals_write(w->proposals, text);
}
