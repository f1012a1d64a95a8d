/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cacheray,whatif: misses and contended accesses of each type as traced, and as they would be with cacheray.remap, side by
 * side; then which structs should change, as lines for such a file. Sharing and caches are computed here, from the accesses
 * that pass the filter. */
#include "cacheray/tables-cacheray.h"
#include "statistics/report.h"

#include <stdlib.h>
#include <string.h>

#include "cacheray/cacheray.h"
#include "cacheray/proposals.h"
#include "containers/hash.h"
#include "containers/hash_map.h"

enum { BEFORE, AFTER, SIDES };
enum { ROWS_MAX = 10000 };

typedef struct whatif_row {
    char *name;
    uint64_t accesses, first[SIDES], all[SIDES], contended[SIDES]; /* missed the first cache, and all of them */
} whatif_row;

typedef struct whatif {
    unsigned within;
    bool remaps, cached;
    line_table *lines[SIDES];
    caches *caches[SIDES]; /* NULL: none are described, or no record yet */
    hash_map rows_known;   /* pointer to a name -> index in `rows` + 1; each name is stored once per file */
    GPtrArray *rows;       /* of whatif_row; the last one possible is for all others */
    proposals *proposals;
    GHashTable *structs; /* name and size -> number in `proposals` + 1; 0: no proposal */
    GHashTable *layouts; /* cacheray_view.layout -> the same */
} whatif;

static void free_row(gpointer data)
{
    g_free(((whatif_row *)data)->name);
    g_free(data);
}

static void begin(whatif *w)
{
    for (unsigned side = 0; side < SIDES; side++) {
        w->lines[side] = lines_new(cacheray_analysis_line_size());
        w->caches[side] = NULL;
    }
    hash_map_init(&w->rows_known);
    w->rows = g_ptr_array_new_with_free_func(free_row);
    w->proposals = proposals_new(cacheray_analysis_line_size(), w->within);
    w->structs = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    w->layouts = g_hash_table_new(hash_pointer, NULL);
    w->remaps = w->cached = false;
}

static void end(whatif *w)
{
    for (unsigned side = 0; side < SIDES; side++) {
        lines_free(w->lines[side]);
        caches_free(w->caches[side]);
    }
    hash_map_clear(&w->rows_known);
    g_ptr_array_free(w->rows, TRUE);
    proposals_free(w->proposals);
    g_hash_table_destroy(w->structs);
    g_hash_table_destroy(w->layouts);
}

/* `within:N` */
static void take_within(whatif *w, const char **arguments)
{
    static const char word[] = "within:";
    char *rest = NULL;
    if (!g_str_has_prefix(*arguments, word))
        return;
    uint64_t within = g_ascii_strtoull(*arguments + strlen(word), &rest, 10);
    if (within < 1 || within > PROPOSALS_WITHIN_MAX || (*rest && *rest != ','))
        return; /* then it is a wrong filter, and reported as one */
    w->within = (unsigned)within;
    *arguments = rest + (*rest == ',');
}

static void *whatif_start(const void *unused, const char **arguments)
{
    (void)unused;
    whatif *w = g_new0(whatif, 1);
    w->within = PROPOSALS_WITHIN;
    take_within(w, arguments);
    begin(w);
    return w;
}

static void whatif_reset(void *data)
{
    end(data);
    begin(data);
}

static void whatif_free(void *data)
{
    end(data);
    g_free(data);
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static whatif_row *row_of(whatif *w, const cacheray_view *v)
{
    const uint64_t key = (uintptr_t)(v->variable ? v->variable : v->type);
    uint32_t number = hash_map_find(&w->rows_known, key);
    if (!number && w->rows->len < ROWS_MAX)
        number = hash_map_add(&w->rows_known, key);
    if (!number)
        number = ROWS_MAX + 1;
    if (number > w->rows->len) {
        whatif_row *r = g_new0(whatif_row, 1);
        r->name = number > ROWS_MAX ? g_strdup(TABLE_OTHERS) : cacheray_data_name(v);
        g_ptr_array_add(w->rows, r);
    }
    return g_ptr_array_index(w->rows, number - 1);
}

/* The number of the struct that is accessed in `proposals` + 1; 0: it gets no proposal. */
static uint32_t struct_of(whatif *w, const cacheray_view *v)
{
    gpointer known;
    if (g_hash_table_lookup_extended(w->layouts, GUINT_TO_POINTER(v->layout), NULL, &known))
        return GPOINTER_TO_UINT(known);
    if (g_hash_table_size(w->structs) >= PROPOSALS_STRUCTS_MAX)
        return 0;
    g_autofree char *name = v->number ? members_own_name(v->type) : g_strdup(v->type_name ? v->type_name : "");
    struct_parts *of = *name ? cacheray_analysis_parts(cacheray_analysis_of_file(), v->layout) : NULL;
    g_autofree char *key = g_strdup_printf("%u %s", of ? of->size : 0, name);
    if (g_hash_table_lookup_extended(w->structs, key, NULL, &known)) {
        parts_free(of);
    } else {
        known = GUINT_TO_POINTER(proposals_add(w->proposals, name, of));
        g_hash_table_insert(w->structs, g_steal_pointer(&key), known);
    }
    g_hash_table_insert(w->layouts, GUINT_TO_POINTER(v->layout), known);
    return GPOINTER_TO_UINT(known);
}

static void count_proposal(whatif *w, const cacheray_view *v, const line_touched *touched)
{
    proposals_access a = {.thread = v->thread, .line = touched->number, .contended = touched->contended};
    a.type = v->layout ? struct_of(w, v) : 0;
    if (a.type) {
        const struct_parts *of = proposals_parts(w->proposals, a.type);
        uint64_t within = (v->address - v->base) % of->size;
        a.item = v->address - within;
        a.part = parts_at(of, within);
        a.type = a.part == PARTS_NONE ? 0 : a.type;
    }
    proposals_count(w->proposals, &a);
}

static void count_side(whatif *w, unsigned side, const cacheray_view *v, whatif_row *r)
{
    const uint64_t address = side == BEFORE ? v->address : v->placed;
    const line_touch touch = {address, v->thread, 0, v->size, v->kind == CACHERAY_WRITE};
    line_result line;
    lines_touch(w->lines[side], &touch, &line);
    r->contended[side] += line.touched[0].contended;
    r->contended[side] += line.split && line.touched[1].contended;
    if (side == BEFORE)
        count_proposal(w, v, &line.touched[0]);
    if (!v->has_cache)
        return;
    if (!w->caches[side])
        w->caches[side] = caches_new(cacheray_analysis_caches(cacheray_analysis_of_file()));
    cache_result result;
    caches_access(w->caches[side], address, v->size, v->thread, touch.write, &result);
    r->first[side] += result.level != 1;
    r->all[side] += result.level == 0;
    w->cached = true;
}

static bool whatif_packet(void *data, packet_info *pinfo, const void *tapped)
{
    (void)pinfo;
    whatif *w = data;
    const cacheray_view *v = tapped;
    if (!v->is_access || !cacheray_analysis_of_file())
        return false;
    w->remaps |= cacheray_analysis_remaps(cacheray_analysis_of_file());
    whatif_row *r = row_of(w, v);
    r->accesses++;
    count_side(w, BEFORE, v, r);
    count_side(w, AFTER, v, r);
    return true;
}

/* --- writing ----------------------------------------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b)
{
    const whatif_row *x = *(whatif_row *const *)a, *y = *(whatif_row *const *)b;
    if (x->contended[BEFORE] != y->contended[BEFORE])
        return x->contended[BEFORE] > y->contended[BEFORE] ? -1 : 1;
    if (x->accesses != y->accesses)
        return x->accesses > y->accesses ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void append_pair(GString *text, const uint64_t sides[SIDES])
{
    g_string_append_printf(text, " %10" G_GUINT64_FORMAT " %10" G_GUINT64_FORMAT, sides[BEFORE], sides[AFTER]);
}

static void append_row(const whatif *w, GString *text, const whatif_row *r)
{
    g_string_append_printf(text, "%-28s %10" G_GUINT64_FORMAT, r->name, r->accesses);
    append_pair(text, r->contended);
    if (w->cached) {
        append_pair(text, r->first);
        append_pair(text, r->all);
    }
    g_string_append_c(text, '\n');
    report_flush(text);
}

static void add_up(whatif_row *sum, const whatif_row *r)
{
    sum->accesses += r->accesses;
    for (unsigned side = 0; side < SIDES; side++) {
        sum->contended[side] += r->contended[side];
        sum->first[side] += r->first[side];
        sum->all[side] += r->all[side];
    }
}

static void whatif_write(const void *data, GString *text)
{
    const whatif *w = data;
    if (!w->rows->len)
        return;
    whatif_row all = {.name = (char *)(uintptr_t) "(all)"};
    g_autofree whatif_row **rows = g_memdup2(w->rows->pdata, w->rows->len * sizeof *rows);
    qsort(rows, w->rows->len, sizeof *rows, compare_rows);
    static const char *const heads[] = {"Contended", "Missed level 1", "Missed all levels"};
    const unsigned count = w->cached ? G_N_ELEMENTS(heads) : 1;
    g_string_append_printf(text, "%-28s %10s", "", "");
    for (unsigned i = 0; i < count; i++)
        g_string_append_printf(text, " %21s", heads[i]);
    g_string_append_printf(text, "\n%-28s %10s", "Type", "Accesses");
    for (unsigned i = 0; i < count; i++)
        g_string_append_printf(text, " %10s %10s", "before", "after");
    g_string_append_c(text, '\n');
    for (guint i = 0; i < w->rows->len; i++) {
        add_up(&all, rows[i]);
        append_row(w, text, rows[i]);
    }
    append_row(w, text, &all);
    if (!w->remaps)
        g_string_append(text, "\n# Nothing is moved, since cacheray.remap is not set, or not usable.\n");
    g_string_append(text, "\n# Proposals, as a file for cacheray.remap:\n");
    if (!proposals_write(w->proposals, text))
        g_string_append(text, "# none\n");
}

static const report whatif_report = {
    .tap = "cacheray",
    .command = "cacheray,whatif",
    .title = "Cacheray What If",
    .words = "Used together (within:16 accesses):",
    .typed = "",
    .start = whatif_start,
    .reset = whatif_reset,
    .packet = whatif_packet,
    .write = whatif_write,
    .free = whatif_free,
};

void cacheray_whatif_register(void)
{
    report_register(&whatif_report);
}
