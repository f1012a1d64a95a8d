/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/type_layouts.h"

#include <stdlib.h>

#include "cacheray/cacheray.h"
#include "cacheray/remap/remap.h"
#include "cacheray/statistics/line_rows.h"
#include "cacheray/statistics/struct_uses.h"
#include "containers/binary_search.h"
#include "containers/hash.h"
#include "containers/number_set.h"
#include "util/math128.h"

static const rows_column columns[CACHERAY_TYPE_LAYOUTS_COLUMNS] = {
    [CACHERAY_TYPE_LAYOUTS_TYPE] = {"Type", ROWS_TEXT, ROWS_EACH},
    [CACHERAY_TYPE_LAYOUTS_OFFSET] = {"Offset", ROWS_NUMBER, ROWS_EACH},
    [CACHERAY_TYPE_LAYOUTS_BYTES] = {"Bytes", ROWS_NUMBER, ROWS_EACH},
    [CACHERAY_TYPE_LAYOUTS_LINE] = {"Line", ROWS_TEXT, ROWS_EACH},
    [CACHERAY_TYPE_LAYOUTS_BEGINS] = {"Begins", ROWS_NUMBER, ROWS_EACH},
    [CACHERAY_TYPE_LAYOUTS_MEMBER] = {"Member", ROWS_TEXT, ROWS_EACH},
    [CACHERAY_TYPE_LAYOUTS_HEAT] = {"Heat", ROWS_TEXT, ROWS_EACH},
    [CACHERAY_TYPE_LAYOUTS_SHARE] = {"Share", ROWS_PERCENT, ROWS_EACH},
    [CACHERAY_TYPE_LAYOUTS_READS] = {"Reads", ROWS_COUNT, ROWS_EACH},
    [CACHERAY_TYPE_LAYOUTS_WRITES] = {"Writes", ROWS_COUNT, ROWS_EACH},
    [CACHERAY_TYPE_LAYOUTS_THREADS] = {"Threads", ROWS_COUNT, ROWS_EACH},
    [CACHERAY_TYPE_LAYOUTS_MISSED_FIRST] = {"Missed level 1", ROWS_NUMBER, ROWS_EACH},
    [CACHERAY_TYPE_LAYOUTS_MISSED_ALL] = {"Missed all levels", ROWS_NUMBER, ROWS_EACH},
    [CACHERAY_TYPE_LAYOUTS_CONTENDED] = {"Contended", ROWS_NUMBER, ROWS_EACH},
    [CACHERAY_TYPE_LAYOUTS_NEW_OFFSET] = {"New offset", ROWS_NUMBER, ROWS_EACH},
};

#define HOT_PERCENT 90u         /* of the accesses to the members of a struct are to its hot members */
#define STRUCTS_MAX 1000u       /* any further ones have no rows */
#define NOT_KNOWN "(not known)" /* a member */

/* Accesses to a struct, or to a part of it. */
typedef struct heat {
    uint64_t reads, writes, missed_first, missed_all, contended;
    number_set threads;
} heat;

/* A member of a struct, those that share its bytes, or the bytes before the next one. */
typedef struct segment {
    uint32_t offset, size;
    const char *name; /* NULL: no member has these bytes */
    heat heat;
} segment;

typedef struct shape {
    char *name;
    const used_struct *of;           /* NULL: its members are not known */
    GArray *segments;                /* of segment, without gaps */
    heat heat;                       /* of all */
    uint32_t begins[LINES_SIZE_MAX]; /* by byte of a line: accesses to those that begin there */
} shape;

struct cacheray_type_layouts {
    const cacheray_analysis *(*analysis)(void);
    unsigned line_size;
    bool cached;
    line_table *lines;
    struct_uses *structs;
    GPtrArray *shapes;   /* of shape, by number of the struct - 1; NULL: there is no room */
    GHashTable *unknown; /* name of a type -> shape, owned */
    GPtrArray *all;      /* all shapes, in the order of their first accesses */
    unsigned rows;
    counting_limit limit;
};

/* --- structs ----------------------------------------------------------------------------------------------------------- */

static void clear_segment(gpointer data)
{
    number_set_clear(&((segment *)data)->heat.threads);
}

static void free_shape(gpointer data)
{
    shape *s = data;
    if (!s)
        return;
    g_array_free(s->segments, TRUE);
    number_set_clear(&s->heat.threads);
    g_free(s->name);
    g_free(s);
}

static void *type_layouts_begin(const statistic_words *words, const void *how)
{
    (void)words;
    const cacheray_display *shown = how;
    cacheray_type_layouts *l = g_new0(cacheray_type_layouts, 1);
    l->analysis = shown->analysis;
    l->line_size = shown->line_size;
    l->lines = lines_new(shown->line_size);
    l->structs = struct_uses_new(STRUCTS_MAX, shown->line_size, PROPOSALS_WITHIN);
    l->shapes = g_ptr_array_new();
    l->unknown = g_hash_table_new(hash_text, g_str_equal);
    l->all = g_ptr_array_new_with_free_func(free_shape);
    l->limit = LIMIT_OF_ROWS;
    return l;
}

static void type_layouts_free(void *data)
{
    cacheray_type_layouts *l = data;
    lines_free(l->lines);
    struct_uses_free(l->structs);
    g_ptr_array_free(l->shapes, TRUE);
    g_hash_table_destroy(l->unknown);
    g_ptr_array_free(l->all, TRUE);
    g_free(l);
}

static shape *new_shape(cacheray_type_layouts *l, const char *name, const used_struct *of)
{
    shape *s = g_new0(shape, 1);
    s->name = g_strdup(name);
    s->of = of;
    s->segments = g_array_new(FALSE, FALSE, sizeof(segment));
    g_array_set_clear_func(s->segments, clear_segment);
    g_ptr_array_add(l->all, s);
    return s;
}

static void add_segment(shape *s, uint32_t offset, uint32_t end, const char *name)
{
    const segment one = {.offset = offset, .size = end - offset, .name = name};
    if (end > offset)
        g_array_append_val(s->segments, one);
}

/* Where a member ends, with those bytes at its end in which it has no members itself. `d`: as it is declared. */
static uint32_t end_of(const struct_parts *pieces, uint32_t i, const struct_part *d)
{
    const struct_part *p = &pieces->all[i];
    const uint32_t most = i + 1 < pieces->count ? pieces->all[i + 1].offset : pieces->size, end = p->offset + p->size;
    return d->offset == p->offset && !d->implicit ? MAX(end, MIN(d->offset + d->size, most)) : end;
}

/* `declared`: NULL: it is not known how they are. */
static void add_segments(shape *s, const struct_parts *pieces, const struct_parts *declared)
{
    uint32_t at = 0, next = 0;
    for (uint32_t i = 0; i < pieces->count; i++) {
        const struct_part *p = &pieces->all[i];
        while (declared && next + 1 < declared->count && declared->all[next + 1].offset <= p->offset)
            next++;
        const uint32_t end = end_of(pieces, i, declared ? &declared->all[next] : p);
        add_segment(s, at, p->offset, NULL);
        add_segment(s, p->offset, end, p->shown);
        at = end;
    }
    add_segment(s, at, pieces->size, NULL);
}

/* NULL: there is no room. */
static shape *shape_of_struct(cacheray_type_layouts *l, const cacheray_analysis *a, uint32_t number)
{
    if (number <= l->shapes->len)
        return g_ptr_array_index(l->shapes, number - 1);
    const used_struct *of = struct_uses_at(l->structs, number);
    const unsigned most = l->rows + 2 * of->pieces->count + 1;
    shape *s = limit_allows_row(&l->limit, most) ? new_shape(l, of->name, of) : NULL;
    if (s) {
        struct_parts *declared = cacheray_analysis_declared(a, of->layout, of->pieces);
        add_segments(s, of->pieces, declared);
        parts_free(declared);
        l->rows += s->segments->len + 1;
    }
    g_ptr_array_add(l->shapes, s);
    return s;
}

/* Annotations name structs like this; whatever else has no members, as numbers. */
static bool is_named_as_struct(const char *name)
{
    return g_str_has_prefix(name, "struct.") || g_str_has_prefix(name, "class.") || g_str_has_prefix(name, "union.");
}

/* NULL: it is not a struct, or there is no room. */
static shape *shape_without_members(cacheray_type_layouts *l, const cacheray_tapped *v)
{
    if (!v->type || v->layout || !is_named_as_struct(v->type))
        return NULL;
    g_autofree char *name = members_own_name(v->type);
    shape *s = g_hash_table_lookup(l->unknown, name);
    if (s || !limit_allows_row(&l->limit, ++l->rows))
        return s;
    s = new_shape(l, name, NULL);
    g_hash_table_insert(l->unknown, s->name, s);
    return s;
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static void count_heat(heat *h, const cacheray_tapped *v, bool contended)
{
    h->reads += v->kind == CACHERAY_READ;
    h->writes += v->kind == CACHERAY_WRITE;
    h->missed_first += v->has_cache && v->cache.level != 1;
    h->missed_all += v->has_cache && v->cache.level == 0;
    h->contended += contended;
    number_set_add(&h->threads, v->thread);
}

/* Each member that the access covers; what is between members only if it covers none. */
static void count_segments(shape *s, const cacheray_tapped *v, bool contended)
{
    segment *all = (segment *)(void *)s->segments->data;
    const uint32_t count = s->segments->len;
    const uint64_t begin = struct_uses_within(v, s->of->pieces->size), end = begin + MAX(v->size, 1);
    const uint32_t first = (uint32_t)BINARY_SEARCH(count, i, all[i].offset + all[i].size <= begin);
    bool any = false;
    for (uint32_t i = first; i < count && all[i].offset < end; i++)
        any |= all[i].name != NULL;
    for (uint32_t i = first; i < count && all[i].offset < end; i++)
        if (!any || all[i].name)
            count_heat(&all[i].heat, v, contended);
    s->begins[(v->address - begin) % LINES_SIZE_MAX]++;
}

static bool type_layouts_count(void *data, const counted_record *r)
{
    cacheray_type_layouts *l = data;
    const cacheray_tapped *v = r->tapped;
    const cacheray_analysis *a = l->analysis();
    line_result line;
    if (!a || !line_rows_touch(l->lines, v, &line))
        return false;
    const uint32_t number = struct_uses_number(l->structs, a, v);
    const bool contended = lines_contended(&line);
    l->limit.counted++;
    l->cached |= v->has_cache;
    struct_uses_count(l->structs, v, number, &line.touched[0]);
    shape *s = number ? shape_of_struct(l, a, number) : shape_without_members(l, v);
    if (!s)
        return false;
    count_heat(&s->heat, v, contended);
    if (number)
        count_segments(s, v, contended);
    return true;
}

bool cacheray_type_layouts_unknown(const cacheray_type_layouts *l)
{
    return l->all->len && l->all->len == g_hash_table_size(l->unknown);
}

/* --- an order with fewer lines ----------------------------------------------------------------------------------------- */

static uint64_t accesses_of(const heat *h)
{
    return h->reads + h->writes;
}

static const segment *segment_at(const shape *s, guint i)
{
    return &g_array_index(s->segments, segment, i);
}

static int compare_falling(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* Hot members are as few as have this part of all accesses to members. Returns how many accesses one of them has at least.
 */
static uint64_t hot_from(const shape *s)
{
    g_autofree uint64_t *accesses = g_new0(uint64_t, s->segments->len + 1);
    uint64_t sum = 0, part = 0;
    for (guint i = 0; i < s->segments->len; i++) {
        accesses[i] = segment_at(s, i)->name ? accesses_of(&segment_at(s, i)->heat) : 0;
        sum += accesses[i];
    }
    qsort(accesses, s->segments->len, sizeof *accesses, compare_falling);
    guint last = 0;
    for (; last < s->segments->len; last++)
        if ((part += accesses[last]) >= mul_div_u64(sum, HOT_PERCENT, 100))
            break;
    return MAX(accesses[last], 1);
}

/* Where in a line the struct begins, if it mostly begins at the same byte; else it is shown from the beginning of one. */
static uint32_t begin_of(const shape *s, unsigned line_size)
{
    uint64_t counts[LINES_SIZE_MAX] = {0};
    for (unsigned i = 0; i < LINES_SIZE_MAX; i++)
        counts[i % line_size] += s->begins[i];
    for (unsigned i = 0; i < line_size; i++)
        if (counts[i] * 2 > accesses_of(&s->heat))
            return i;
    return 0;
}

/* How many lines have members that are hot, or accessed at all, and the bytes of the struct. */
typedef struct needs {
    unsigned hot, touched, size;
} needs;

/* A struct as it is shown. */
typedef struct drawn {
    const shape *of;
    unsigned line_size;
    uint32_t begin; /* byte of a line where it begins */
    uint64_t hot;   /* accesses that a hot member has at least */
} drawn;

static drawn drawn_of(const shape *s, unsigned line_size)
{
    return (drawn){s, line_size, begin_of(s, line_size), hot_from(s)};
}

/* `moved`: by byte of the struct; NULL: where they are. */
static needs needs_of(const drawn *d, const uint32_t *moved, uint32_t size, uint32_t begin)
{
    const unsigned lines = (begin + size) / d->line_size + 1;
    g_autofree uint8_t *used = g_new0(uint8_t, lines); /* 1: touched, 3: also hot */
    needs n = {.size = size};
    for (guint i = 0; i < d->of->segments->len; i++) {
        const segment *one = segment_at(d->of, i);
        const uint64_t accesses = one->name ? accesses_of(&one->heat) : 0;
        for (uint32_t at = one->offset; accesses && at < one->offset + one->size; at++)
            used[MIN((begin + (moved ? moved[at] : at)) / d->line_size, lines - 1)] |= accesses >= d->hot ? 3 : 1;
    }
    for (unsigned i = 0; i < lines; i++) {
        n.touched += used[i] & 1;
        n.hot += used[i] >> 1;
    }
    return n;
}

/* Fewer hot lines are better, then fewer lines, then fewer bytes. */
static bool is_better(const needs *a, const needs *b)
{
    if (a->hot != b->hot)
        return a->hot < b->hot;
    return a->touched != b->touched ? a->touched < b->touched : a->size < b->size;
}

/* A proposal that is better than the struct is, and no larger. */
typedef struct better_order {
    const proposal *of; /* NULL: there is none */
    remap_layout *layout;
    needs before, after;
} better_order;

static remap_layout *layout_of(const proposal *p, const struct_parts *pieces)
{
    g_autofree char *text = g_strdup(p->line);
    g_autoptr(GPtrArray) wrong = g_ptr_array_new_with_free_func(g_free);
    remap *r = remap_parse(text, wrong);
    const remap_struct *s = remap_at(r, 0);
    remap_layout *l = s ? remap_apply(s, pieces, NULL) : NULL;
    remap_free(r);
    return l;
}

static better_order best_order(const drawn *d, const GPtrArray *made)
{
    const used_struct *of = d->of->of;
    better_order best = {.before = needs_of(d, NULL, of->pieces->size, d->begin)};
    best.after = best.before;
    for (guint i = 0; i < made->len; i++) {
        const proposal *p = g_ptr_array_index(made, i);
        remap_layout *l = p->type == of->proposed ? layout_of(p, of->pieces) : NULL;
        if (!l)
            continue;
        const needs n = needs_of(d, l->moved, l->new_size, l->align ? 0 : d->begin);
        if (n.size <= best.before.size && is_better(&n, &best.after)) {
            g_free(best.layout);
            best = (better_order){p, g_steal_pointer(&l), best.before, n};
        }
        g_free(l);
    }
    return best;
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

static gint compare_shapes(gconstpointer a, gconstpointer b)
{
    const shape *x = *(const shape *const *)a, *y = *(const shape *const *)b;
    const uint64_t p = accesses_of(&x->heat), q = accesses_of(&y->heat);
    return p != q ? (p < q) - (p > q) : strcmp(x->name, y->name);
}

/* Those with most accesses first; g_ptr_array_free() it. */
static GPtrArray *in_order(const cacheray_type_layouts *l)
{
    GPtrArray *all = g_ptr_array_copy(l->all, NULL, NULL);
    g_ptr_array_set_free_func(all, NULL);
    g_ptr_array_sort(all, compare_shapes);
    return all;
}

static rows_cell lines_cell(rows *to, uint32_t first_byte, uint32_t size, unsigned line_size)
{
    const uint32_t first = first_byte / line_size, last = (first_byte + size - 1) / line_size;
    g_autofree char *text = first == last ? g_strdup_printf("%u", first) : g_strdup_printf("%u-%u", first, last);
    return rows_text(to, text);
}

static void fill_heat(const cacheray_type_layouts *l, const heat *h, uint64_t all, rows_cell *cells)
{
    cells[CACHERAY_TYPE_LAYOUTS_SHARE] = rows_number(mul_div_nearest_u64(accesses_of(h), 1000, all));
    cells[CACHERAY_TYPE_LAYOUTS_READS] = rows_number(h->reads);
    cells[CACHERAY_TYPE_LAYOUTS_WRITES] = rows_number(h->writes);
    cells[CACHERAY_TYPE_LAYOUTS_THREADS] = rows_number(h->threads.count);
    cells[CACHERAY_TYPE_LAYOUTS_CONTENDED] = rows_number(h->contended);
    if (l->cached) {
        cells[CACHERAY_TYPE_LAYOUTS_MISSED_FIRST] = rows_number(h->missed_first);
        cells[CACHERAY_TYPE_LAYOUTS_MISSED_ALL] = rows_number(h->missed_all);
    }
}

static void fill_whole(const cacheray_type_layouts *l, const drawn *d, rows *to)
{
    const shape *s = d->of;
    rows_cell *cells = rows_add(to);
    cells[CACHERAY_TYPE_LAYOUTS_TYPE] = rows_text(to, s->name);
    cells[CACHERAY_TYPE_LAYOUTS_MEMBER] = rows_lasting_text(s->of ? "*" : NOT_KNOWN);
    fill_heat(l, &s->heat, accesses_of(&s->heat), cells);
    if (!s->of)
        return;
    cells[CACHERAY_TYPE_LAYOUTS_BYTES] = rows_number(s->of->pieces->size);
    cells[CACHERAY_TYPE_LAYOUTS_LINE] = lines_cell(to, d->begin, s->of->pieces->size, d->line_size);
    if (d->begin)
        cells[CACHERAY_TYPE_LAYOUTS_BEGINS] = rows_number(d->begin);
}

static const char *heat_name(const drawn *d, uint64_t accesses)
{
    return !accesses ? "never" : accesses >= d->hot ? "hot" : "cold";
}

static void fill_segment(const cacheray_type_layouts *l, const drawn *d, guint i, const better_order *o, rows *to)
{
    const segment *one = segment_at(d->of, i);
    const uint64_t accesses = accesses_of(&one->heat);
    const bool last = i + 1 == d->of->segments->len;
    rows_cell *cells = rows_add(to);
    cells[CACHERAY_TYPE_LAYOUTS_TYPE] = rows_text(to, d->of->name);
    cells[CACHERAY_TYPE_LAYOUTS_OFFSET] = rows_number(one->offset);
    cells[CACHERAY_TYPE_LAYOUTS_BYTES] = rows_number(one->size);
    cells[CACHERAY_TYPE_LAYOUTS_LINE] = lines_cell(to, d->begin + one->offset, one->size, d->line_size);
    cells[CACHERAY_TYPE_LAYOUTS_MEMBER] = rows_text(to, one->name ? one->name : last ? "(padding)" : "(hole)");
    if (one->name || accesses)
        fill_heat(l, &one->heat, accesses_of(&d->of->heat), cells);
    if (one->name)
        cells[CACHERAY_TYPE_LAYOUTS_HEAT] = rows_lasting_text(heat_name(d, accesses));
    if (one->name && o->layout)
        cells[CACHERAY_TYPE_LAYOUTS_NEW_OFFSET] = rows_number(o->layout->moved[one->offset]);
}

static void fill_shape(const cacheray_type_layouts *l, const shape *s, const GPtrArray *made, rows *to)
{
    const drawn d = drawn_of(s, l->line_size);
    const better_order o = s->of ? best_order(&d, made) : (better_order){0};
    fill_whole(l, &d, to);
    for (guint i = 0; i < s->segments->len; i++)
        fill_segment(l, &d, i, &o, to);
    g_free(o.layout);
}

static void type_layouts_fill(void *data, const void *how, rows *to)
{
    (void)how;
    const cacheray_type_layouts *l = data;
    g_autoptr(GPtrArray) all = in_order(l), made = struct_uses_proposals(l->structs);
    for (guint i = 0; i < all->len; i++)
        fill_shape(l, g_ptr_array_index(all, i), made, to);
    to->missing = l->limit.full ? "There was no room for all structs: those that were accessed first have rows." : NULL;
}

static void append_lines(const better_order *o, GString *text)
{
    if (o->after.hot != o->before.hot)
        g_string_append_printf(text, "# cache lines of hot members: %u instead of %u\n", o->after.hot, o->before.hot);
    if (o->after.touched != o->before.touched)
        g_string_append_printf(text, "# cache lines of accessed members: %u instead of %u\n", o->after.touched,
                               o->before.touched);
}

void cacheray_type_layouts_propose(const cacheray_type_layouts *l, GString *text)
{
    g_autoptr(GPtrArray) all = in_order(l), made = struct_uses_proposals(l->structs);
    for (guint i = 0; i < all->len; i++) {
        const shape *s = g_ptr_array_index(all, i);
        const drawn d = drawn_of(s, l->line_size);
        const better_order o = s->of ? best_order(&d, made) : (better_order){0};
        if (!o.of)
            continue;
        g_string_append_c(text, '\n');
        append_lines(&o, text);
        /* without its reasons: this order may leave what conflicts as it is */
        g_string_append_printf(text, "%s%s\n", o.of->order, o.of->line);
        g_free(o.layout);
    }
}

const counted cacheray_type_layouts_counted = {.columns = columns,
                                               .column_count = CACHERAY_TYPE_LAYOUTS_COLUMNS,
                                               .words = CACHERAY_TYPE_LAYOUTS_SVG,
                                               .begin = type_layouts_begin,
                                               .count = type_layouts_count,
                                               .fill = type_layouts_fill,
                                               .free = type_layouts_free};
