/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/whatif.h"

#include <stdlib.h>
#include <string.h>

#include "cacheray/cacheray.h"
#include "cacheray/statistics/struct_uses.h"
#include "containers/hash_map.h"

static const char within_word[] = "within:N";

static const rows_column columns[CACHERAY_WHATIF_COLUMNS] = {
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
_Static_assert(LINES_SIZE_MAX <= PROPOSALS_LINE_MAX, "proposals know all sizes of lines");
#define REPLAYED_MAX (1u << 21) /* accesses with which proposals are tried: the first ones */
#define TRIED_MAX 8u            /* structs, those with most accesses */

/* An access to be counted again. */
typedef struct replayed {
    uint64_t address, thread;
    uint32_t region; /* number; 0: none */
    uint8_t size;
    bool write, cached, several; /* members, which may be moved apart */
} replayed;

/* What a layout costs. */
typedef struct costs {
    uint64_t contended, lines; /* contended accesses, and different cache lines */
    uint64_t missed[2];        /* the first level, and all levels */
} costs;

typedef struct sums {
    char *name;
    uint64_t counts[CACHERAY_WHATIF_COLUMNS]; /* those of the first side are at the column, of the second at the next one */
} sums;

struct cacheray_whatif {
    const cacheray_analysis *(*analysis)(void);
    unsigned line_size;
    bool remaps, cached;
    line_table *lines[SIDES];
    caches *caches[SIDES]; /* NULL: none are described, or no record yet */
    hash_map known;        /* cacheray_data_key() -> index in `all` + 1 */
    GPtrArray *all;        /* of sums; the last one possible is for all others */
    struct_uses *structs;
    GArray *replayed; /* of replayed */
    uint64_t accesses;
};

static void cacheray_whatif_free_sums(gpointer data)
{
    g_free(((sums *)data)->name);
    g_free(data);
}

unsigned cacheray_whatif_within(const statistic_words *words)
{
    const char *text = statistic_words_text(words, within_word);
    guint64 within;
    if (!text)
        return PROPOSALS_WITHIN;
    return g_ascii_string_to_unsigned(text, 10, 1, PROPOSALS_WITHIN_MAX, &within, NULL) ? (unsigned)within : 0;
}

static void *whatif_begin(const statistic_words *words, const void *how)
{
    const cacheray_display *shown = how;
    const unsigned line_size = shown->line_size;
    cacheray_whatif *w = g_new0(cacheray_whatif, 1);
    w->analysis = shown->analysis;
    w->line_size = line_size;
    for (unsigned side = 0; side < SIDES; side++)
        w->lines[side] = lines_new(line_size);
    hash_map_init(&w->known);
    w->all = g_ptr_array_new_with_free_func(cacheray_whatif_free_sums);
    w->structs = struct_uses_new(PROPOSALS_STRUCTS_MAX, line_size, cacheray_whatif_within(words));
    w->replayed = g_array_new(FALSE, FALSE, sizeof(replayed));
    return w;
}

static void whatif_free(void *data)
{
    cacheray_whatif *w = data;
    for (unsigned side = 0; side < SIDES; side++) {
        lines_free(w->lines[side]);
        caches_free(w->caches[side]);
    }
    hash_map_clear(&w->known);
    g_ptr_array_free(w->all, TRUE);
    struct_uses_free(w->structs);
    g_array_free(w->replayed, TRUE);
    g_free(w);
}

bool cacheray_whatif_remaps(const cacheray_whatif *w)
{
    return w->remaps;
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static sums *cacheray_whatif_sums_of(cacheray_whatif *w, const cacheray_tapped *v)
{
    const uint64_t key = cacheray_data_key(v);
    uint32_t number = hash_map_find(&w->known, key);
    if (!number && w->all->len < ROWS_MAX)
        number = hash_map_add(&w->known, key);
    if (!number)
        number = ROWS_MAX + 1;
    if (number > w->all->len) {
        sums *s = g_new0(sums, 1);
        s->name = number > ROWS_MAX ? g_strdup(TEXT_OTHERS) : cacheray_data_name(v);
        g_ptr_array_add(w->all, s);
    }
    return g_ptr_array_index(w->all, number - 1);
}

typedef struct memory {
    line_table *lines;
    caches *caches; /* NULL: not simulated */
} memory;

/* `line`: of the access. */
static void touch_piece(const memory *m, const line_touch *access, costs *c, line_result *line)
{
    cache_result result;
    lines_touch(m->lines, access, line);
    c->contended += line->touched[0].contended;
    c->contended += line->split && line->touched[1].contended;
    if (!m->caches)
        return;
    caches_access(m->caches, access->address, access->size, access->thread, access->write, &result);
    c->missed[0] += result.level != 1;
    c->missed[1] += result.level == 0;
}

/* Touches all bytes of an access where they are now, in pieces if its members were moved apart, as a compiler would then do.
 * `p`: as of cacheray_analysis_place(). */
static void touch_moved(const memory *m, const cacheray_analysis *a, placing *p, const replayed *r, costs *c)
{
    const unsigned size = MAX(r->size, 1);
    line_result line;
    for (unsigned done = 0, n; done < size; done += n) {
        line_touch piece = {cacheray_analysis_place(a, p, r->region, r->address + done), r->thread, 0, 0, r->write};
        for (n = r->several ? 1 : size; done + n < size; n++)
            if (cacheray_analysis_place(a, p, r->region, r->address + done + n) != piece.address + n)
                break;
        piece.size = (uint8_t)n;
        touch_piece(m, &piece, c, &line);
    }
}

static memory memory_of(cacheray_whatif *w, const cacheray_analysis *a, unsigned side, bool cached)
{
    if (cached && !w->caches[side])
        w->caches[side] = caches_new(cacheray_analysis_caches(a));
    w->cached |= cached;
    return (memory){w->lines[side], cached ? w->caches[side] : NULL};
}

static void add_costs(sums *s, unsigned side, const costs *c)
{
    s->counts[CACHERAY_WHATIF_CONTENDED + side] += c->contended;
    s->counts[CACHERAY_WHATIF_FIRST + side] += c->missed[0];
    s->counts[CACHERAY_WHATIF_ALL + side] += c->missed[1];
}

static bool whatif_count(void *data, const counted_record *of)
{
    cacheray_whatif *w = data;
    const cacheray_tapped *v = of->tapped;
    const cacheray_analysis *a = w->analysis();
    if (!a || !v->is_access)
        return false;
    const replayed r = {v->address,   v->thread,           v->number, v->size, v->kind == CACHERAY_WRITE,
                        v->has_cache, v->covered.count > 1};
    const line_touch access = {v->address, v->thread, 0, v->size, r.write};
    const memory before = memory_of(w, a, BEFORE, v->has_cache);
    costs c[SIDES] = {0};
    line_result line;
    sums *s = cacheray_whatif_sums_of(w, v);
    w->remaps = cacheray_analysis_remaps(a);
    if (w->accesses++ < REPLAYED_MAX)
        g_array_append_val(w->replayed, r);
    s->counts[CACHERAY_WHATIF_ACCESSES]++;
    touch_piece(&before, &access, &c[BEFORE], &line);
    add_costs(s, BEFORE, &c[BEFORE]);
    struct_uses_count(w->structs, v, struct_uses_number(w->structs, a, v), &line.touched[0]);
    if (!w->remaps)
        return true;
    const memory after = memory_of(w, a, AFTER, v->has_cache);
    touch_moved(&after, a, NULL, &r, &c[AFTER]);
    add_costs(s, AFTER, &c[AFTER]);
    return true;
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

static int cacheray_whatif_compare_sums(const void *a, const void *b)
{
    const sums *x = *(sums *const *)a, *y = *(sums *const *)b;
    static const unsigned by[] = {CACHERAY_WHATIF_CONTENDED, CACHERAY_WHATIF_ACCESSES};
    for (unsigned i = 0; i < G_N_ELEMENTS(by); i++)
        if (x->counts[by[i]] != y->counts[by[i]])
            return x->counts[by[i]] > y->counts[by[i]] ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void cacheray_whatif_add_up(sums *all, const sums *s)
{
    for (unsigned i = CACHERAY_WHATIF_ACCESSES; i < CACHERAY_WHATIF_COLUMNS; i++)
        all->counts[i] += s->counts[i];
}

/* If nothing is moved, it is the same afterwards. */
static void cacheray_whatif_fill_row(const cacheray_whatif *w, const sums *s, rows *to)
{
    rows_cell *cells = rows_add(to);
    cells[CACHERAY_WHATIF_TYPE] = rows_text(to, s->name);
    cells[CACHERAY_WHATIF_ACCESSES] = rows_number(s->counts[CACHERAY_WHATIF_ACCESSES]);
    for (unsigned i = CACHERAY_WHATIF_CONTENDED; i < (w->cached ? CACHERAY_WHATIF_COLUMNS : CACHERAY_WHATIF_FIRST); i++) {
        const bool after = (i - CACHERAY_WHATIF_CONTENDED) % SIDES == AFTER;
        cells[i] = rows_number(s->counts[after && !w->remaps ? i - 1 : i]);
    }
}

static void whatif_fill(void *data, const void *how, rows *to)
{
    (void)how;
    const cacheray_whatif *w = data;
    if (!w->all->len)
        return;
    sums all = {.name = (char *)(uintptr_t) "(all)"};
    to->missing = w->all->len > ROWS_MAX ? ROWS_FIRST_COME : NULL;
    g_autofree sums **ordered = g_memdup2(w->all->pdata, w->all->len * sizeof *ordered);
    qsort(ordered, w->all->len, sizeof *ordered, cacheray_whatif_compare_sums);
    for (guint i = 0; i < w->all->len; i++) {
        cacheray_whatif_add_up(&all, ordered[i]);
        cacheray_whatif_fill_row(w, ordered[i], to);
    }
    cacheray_whatif_fill_row(w, &all, to);
}

/* --- proposals --------------------------------------------------------------------------------------------------------- */

/* A proposal with what it changes. */
typedef struct tried {
    const proposal *of;
    costs costs;
    int64_t gain;
} tried;

/* `p`: where everything is; NULL: as traced. */
static costs cacheray_whatif_replay(const cacheray_whatif *w, const cacheray_analysis *a, placing *p)
{
    costs c = {0};
    const memory m = {lines_new(w->line_size), w->cached ? caches_new(cacheray_analysis_caches(a)) : NULL};
    for (guint i = 0; i < w->replayed->len; i++) {
        const replayed *r = &g_array_index(w->replayed, replayed, i);
        const memory here = {m.lines, r->cached ? m.caches : NULL};
        const line_touch access = {r->address, r->thread, 0, r->size, r->write};
        line_result line;
        if (p)
            touch_moved(&here, a, p, r, &c);
        else
            touch_piece(&here, &access, &c, &line);
    }
    c.lines = lines_count(m.lines);
    lines_free(m.lines);
    caches_free(m.caches);
    return c;
}

/* Without caches, the lines that must be loaded at least once stand for the misses. */
static int64_t gain_of(const cacheray_whatif *w, const costs *before, const costs *after)
{
    const int64_t contended = (int64_t)(before->contended - after->contended);
    if (!w->cached)
        return contended + (int64_t)(before->lines - after->lines);
    return contended + (int64_t)(before->missed[0] - after->missed[0]) + (int64_t)(before->missed[1] - after->missed[1]);
}

static uint32_t last_region(const cacheray_whatif *w)
{
    uint32_t last = 0;
    for (guint i = 0; i < w->replayed->len; i++)
        last = MAX(last, g_array_index(w->replayed, replayed, i).region);
    return last;
}

/* The best proposals for up to TRIED_MAX structs, one each. */
static GArray *try_all(const cacheray_whatif *w, const cacheray_analysis *a, const GPtrArray *made, const costs *before,
                       unsigned *not_tried)
{
    GArray *best = g_array_new(FALSE, FALSE, sizeof(tried));
    const uint32_t regions = last_region(w);
    unsigned structs = 0;
    *not_tried = 0;
    for (guint i = 0; i < made->len; i++) {
        tried t = {.of = g_ptr_array_index(made, i)};
        const bool is_first = i == 0 || ((const proposal *)g_ptr_array_index(made, i - 1))->type != t.of->type;
        structs += is_first;
        *not_tried += is_first && structs > TRIED_MAX;
        placing *p = structs > TRIED_MAX ? NULL : cacheray_analysis_try(a, t.of->line, regions);
        if (!p)
            continue;
        t.costs = cacheray_whatif_replay(w, a, p);
        t.gain = gain_of(w, before, &t.costs);
        placing_free(p);
        tried *last = best->len ? &g_array_index(best, tried, best->len - 1) : NULL;
        if (t.gain > 0 && last && last->of->type == t.of->type)
            *last = t.gain > last->gain ? t : *last;
        else if (t.gain > 0)
            g_array_append_val(best, t);
    }
    return best;
}

static gint compare_gains(gconstpointer a, gconstpointer b)
{
    const tried *x = a, *y = b;
    return x->gain != y->gain ? (x->gain < y->gain) - (x->gain > y->gain) : strcmp(x->of->line, y->of->line);
}

static void append_change(GString *text, const char *what, uint64_t before, uint64_t after)
{
    if (before != after)
        g_string_append_printf(text, "%s: %" G_GUINT64_FORMAT " instead of %" G_GUINT64_FORMAT "\n", what, after, before);
}

static void append_tried(const cacheray_whatif *w, const tried *t, const costs *before, GString *text)
{
    g_string_append_c(text, '\n');
    append_change(text, "# contended accesses", before->contended, t->costs.contended);
    append_change(text, "# missed level 1", before->missed[0], t->costs.missed[0]);
    append_change(text, "# missed all levels", before->missed[1], t->costs.missed[1]);
    if (!w->cached)
        append_change(text, "# cache lines", before->lines, t->costs.lines);
    g_string_append_printf(text, "%s%s%s\n", t->of->reasons, t->of->order, t->of->line);
}

static void append_left_out(const cacheray_whatif *w, unsigned not_tried, GString *text)
{
    if (w->accesses > w->replayed->len)
        g_string_append_printf(text, "# Tried with the first %u accesses.\n", w->replayed->len);
    if (not_tried)
        g_string_append_printf(text, "# Not tried: %u structs with fewer accesses.\n", not_tried);
    if (struct_uses_library(w->structs))
        g_string_append_printf(text, "# Left out: %u types of the C++ or C library.\n", struct_uses_library(w->structs));
    if (struct_uses_unordered(w->structs))
        g_string_append_printf(text,
                               "# Left out: %u types whose layout is not known to follow from the order of their members.\n",
                               struct_uses_unordered(w->structs));
}

unsigned cacheray_whatif_propose(const cacheray_whatif *w, GString *text)
{
    const cacheray_analysis *a = w->analysis();
    g_autoptr(GPtrArray) made = struct_uses_proposals(w->structs);
    const costs before = made->len ? cacheray_whatif_replay(w, a, NULL) : (costs){0};
    unsigned not_tried;
    g_autoptr(GArray) best = try_all(w, a, made, &before, &not_tried);
    g_array_sort(best, compare_gains);
    for (guint i = 0; i < best->len; i++)
        append_tried(w, &g_array_index(best, tried, i), &before, text);
    if (!best->len)
        g_string_append(text, "# none\n");
    append_left_out(w, not_tried, text);
    return best->len;
}

const counted cacheray_whatif_counted = {.columns = columns,
                                         .column_count = CACHERAY_WHATIF_COLUMNS,
                                         .words = within_word,
                                         .begin = whatif_begin,
                                         .count = whatif_count,
                                         .fill = whatif_fill,
                                         .free = whatif_free};
