/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/types.h"

#include <string.h>

#include "cacheray/cacheray.h"
#include "cacheray/members/members.h"
#include "cacheray/statistics/line_rows.h"
#include "containers/hash.h"
#include "containers/hash_map.h"
#include "containers/number_set.h"

static const char elements_word[] = "elements";

static const rows_column columns[CACHERAY_TYPES_COMPARED] = {
    {"Type", ROWS_TEXT, ROWS_EACH},
    {"Member", ROWS_TEXT, ROWS_EACH},
    {"Reads", ROWS_COUNT, ROWS_EACH},
    {"Writes", ROWS_COUNT, ROWS_EACH},
    {"Atomic", ROWS_COUNT, ROWS_EACH},
    {"Unaligned", ROWS_COUNT, ROWS_EACH},
    {"Threads", ROWS_COUNT, ROWS_EACH},
    CACHERAY_LEVEL_COLUMNS,
    {"Invalidations", ROWS_NUMBER, ROWS_EACH},
    {"Bytes", ROWS_NUMBER, ROWS_EACH},
    {"Contended", ROWS_NUMBER, ROWS_EACH},
    {"Slow", ROWS_NUMBER, ROWS_EACH},
};

typedef struct sums sums;
struct sums {
    char *data, *member; /* as shown */
    sums *whole, *top;   /* the sums over the type and over its member; NULL in a sum, and if there is none */
    unsigned parts;      /* of a sum: its rows */
    bool shown;          /* in a row so far */
    uint64_t counts[CACHERAY_TYPES_COMPARED];
    uint64_t twice[CACHERAY_TYPES_COMPARED]; /* of a sum: how often its rows count an access again */
    number_set threads;
};

typedef struct cacheray_types {
    bool elements, cached;
    line_table *lines;   /* NULL: what is contended is not counted */
    hash_map texts;      /* address of a name -> number */
    uint64_t data;       /* the last one of these that was looked up for a type or variable */
    uint32_t number;     /* 0: none was */
    hash_map keys;       /* numbers of data and member -> index in `known` + 1 */
    GPtrArray *known;    /* of sums; several keys may have the same */
    GHashTable *by_name; /* as of cacheray_types_name() */
    GPtrArray *all;      /* of sums, owned */
    GPtrArray *shown;    /* of sums, in the order of their rows */
    counting_limit limit;
} cacheray_types;

static void cacheray_types_free_sums(gpointer data)
{
    sums *s = data;
    number_set_clear(&s->threads);
    g_free(s->data);
    g_free(s->member);
    g_free(s);
}

static cacheray_types *types_new(bool elements)
{
    cacheray_types *t = g_new0(cacheray_types, 1);
    t->elements = elements;
    t->limit = LIMIT_OF_ROWS;
    hash_map_init(&t->texts);
    hash_map_init(&t->keys);
    t->known = g_ptr_array_new();
    t->by_name = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    t->all = g_ptr_array_new_with_free_func(cacheray_types_free_sums);
    t->shown = g_ptr_array_new();
    return t;
}

static void *types_begin(const statistic_words *words, const void *how)
{
    (void)how;
    return types_new(statistic_words_has(words, elements_word));
}

static void *compared_begin(const statistic_words *words, const void *how)
{
    (void)words;
    cacheray_types *t = types_new(false);
    t->lines = lines_new(((const cacheray_display *)how)->line_size);
    return t;
}

static void types_free(void *data)
{
    cacheray_types *t = data;
    lines_free(t->lines);
    hash_map_clear(&t->texts);
    hash_map_clear(&t->keys);
    g_ptr_array_free(t->known, TRUE);
    g_hash_table_destroy(t->by_name);
    g_ptr_array_free(t->all, TRUE);
    g_ptr_array_free(t->shown, TRUE);
    g_free(t);
}

/* --- names of rows ----------------------------------------------------------------------------------------------------- */

/* `kind` keeps sums of rows apart from members of the same name. */
static char *cacheray_types_name(const char *data, const char *kind, const char *member)
{
    return g_strconcat(data, kind, member, NULL);
}

#define OF_PARTS "\n\n"
#define OF_MEMBER "\n"

static sums *cacheray_types_find(const cacheray_types *t, const char *data, const char *kind, const char *member)
{
    g_autofree char *name = cacheray_types_name(data, kind, member);
    return g_hash_table_lookup(t->by_name, name);
}

static sums *cacheray_types_make(cacheray_types *t, const char *data, const char *kind, const char *member)
{
    sums *s = g_new0(sums, 1);
    s->data = g_strdup(data);
    s->member = g_strdup(member);
    g_ptr_array_add(t->all, s);
    g_hash_table_insert(t->by_name, cacheray_types_name(data, kind, member), s);
    return s;
}

/* The sum to which a new row belongs. */
static sums *sums_of_parts(cacheray_types *t, const char *data, const char *member)
{
    sums *s = cacheray_types_find(t, data, OF_PARTS, member);
    if (!s)
        s = cacheray_types_make(t, data, OF_PARTS, member);
    s->parts++;
    return s;
}

/* `top`: the sum of rows that this one belongs to in addition to that of the type; NULL: none. */
static sums *cacheray_types_add_row(cacheray_types *t, const char *data, const char *member, const char *top)
{
    sums *s = cacheray_types_make(t, data, OF_MEMBER, member);
    s->whole = sums_of_parts(t, data, "*");
    s->top = top ? sums_of_parts(t, data, top) : NULL;
    return s;
}

/* A row without room. What is shown of its type, or of its member, is complete anyway: they have a row for the rest. */
static sums *cacheray_types_rest_of(cacheray_types *t, const char *data, const char *top)
{
    const bool known = cacheray_types_find(t, data, OF_PARTS, "*"),
               part = known && top && cacheray_types_find(t, data, OF_PARTS, top);
    g_autofree char *rest = g_strconcat(part ? top : "", part ? " " : "", known ? TEXT_OTHERS : "", NULL);
    const char *of = known ? data : TEXT_OTHERS;
    sums *s = cacheray_types_find(t, of, OF_MEMBER, rest);
    if (s)
        return s;
    return known ? cacheray_types_add_row(t, data, rest, part ? top : NULL) : cacheray_types_make(t, of, OF_MEMBER, rest);
}

/* The name of the sum over the member of the type itself that a name is in: `price.*` of `price.units`, also of
 * `price.a|price.b`. NULL: that is the row itself, or there are several. `own`: the name of the row. */
static char *name_of_top(const members_name *of, const char *own)
{
    const members_name *all = of->all;
    const uint32_t length = all->count ? all->paths[0].top : 0;
    for (uint32_t i = 1; i < all->count; i++)
        if (all->paths[i].top != length || memcmp(all->text + all->paths[i].at, all->text, length) != 0)
            return NULL;
    if (!length || (strncmp(all->text, own, length) == 0 && !own[length]))
        return NULL;
    return g_strdup_printf("%.*s%s", (int)length, all->text, all->text[length] ? ".*" : "");
}

/* `of`: the member, or NULL. */
static sums *sums_of_member(cacheray_types *t, const char *data, const members_name *of)
{
    const char *own = !of ? "" : t->elements ? of->text : of->all->text;
    sums *s = cacheray_types_find(t, data, OF_MEMBER, own);
    g_autofree char *top = s || !of ? NULL : name_of_top(of, own);
    if (s)
        return s;
    return limit_allows_row(&t->limit, t->all->len) ? cacheray_types_add_row(t, data, own, top)
                                                    : cacheray_types_rest_of(t, data, top);
}

/* There are as many names of members at most. Without room for a key, names are compared each time. */
enum { KEYS_MAX = 2 << 20 };

/* Accesses in sequence are often to the same data. */
static uint64_t number_of_data(cacheray_types *t, uint64_t data)
{
    if (!t->number || t->data != data)
        t->number = hash_map_add(&t->texts, data);
    t->data = data;
    return t->number;
}

/* `of`: the member, or NULL. */
static sums *cacheray_types_sums_of(cacheray_types *t, const cacheray_tapped *v, const members_name *of)
{
    const uint64_t member = of ? hash_map_add(&t->texts, (uintptr_t)of) : 0,
                   key = number_of_data(t, cacheray_data_key(v)) << 32 | member;
    const uint32_t known = hash_map_find(&t->keys, key);
    if (known)
        return g_ptr_array_index(t->known, known - 1);
    g_autofree char *name = cacheray_data_name(v);
    sums *s = sums_of_member(t, name, of);
    if (t->keys.count < KEYS_MAX) {
        hash_map_add(&t->keys, key);
        g_ptr_array_add(t->known, s);
    }
    return s;
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static void cacheray_types_count(const cacheray_types *t, uint64_t *counts, const cacheray_tapped *v, bool contended)
{
    counts[v->kind == CACHERAY_WRITE ? CACHERAY_TYPES_WRITES : CACHERAY_TYPES_READS]++;
    counts[CACHERAY_TYPES_ATOMICS] += v->atomic;
    counts[CACHERAY_TYPES_UNALIGNED] += v->unaligned;
    if (v->has_cache)
        counts[CACHERAY_TYPES_LEVEL + cacheray_level_of(v)]++;
    counts[CACHERAY_TYPES_INVALIDATIONS] += v->cache.invalidated;
    counts[CACHERAY_TYPES_CONTENDED] += contended;
    counts[CACHERAY_TYPES_SLOW] += t->lines && (contended || (v->has_cache && v->cache.level == 0));
}

enum { MEMBERS_MAX = 256 }; /* bytes of an access */

/* The rows of further members that an access covers. In sums it counts once. */
static void cacheray_types_count_more(cacheray_types *t, const cacheray_tapped *v, sums *first, bool contended)
{
    sums *seen[MEMBERS_MAX] = {first};
    unsigned n = 1;
    for (unsigned i = 1; i < v->covered.count; i++) {
        const members_covered_one *one = &v->covered.all[i];
        sums *s = cacheray_types_sums_of(t, v, one->name);
        bool known = false, top = false;
        for (unsigned k = 0; k < n; k++) {
            known |= seen[k] == s;
            top |= seen[k]->top == s->top;
        }
        s->counts[CACHERAY_TYPES_BYTES] += one->bytes;
        if (known)
            continue;
        seen[n++] = s;
        cacheray_types_count(t, s->counts, v, contended);
        number_set_add(&s->threads, v->thread);
        if (s->whole)
            cacheray_types_count(t, s->whole->twice, v, contended);
        if (s->top && top)
            cacheray_types_count(t, s->top->twice, v, contended);
    }
}

static bool types_count(void *data, const counted_record *r)
{
    cacheray_types *t = data;
    const cacheray_tapped *v = r->tapped;
    line_result result;
    if (!v->is_access)
        return false;
    t->limit.counted++;
    t->cached |= v->has_cache;
    const bool contended = t->lines && line_rows_touch(t->lines, v, &result) && lines_contended(&result);
    sums *s = cacheray_types_sums_of(t, v, v->covered.count ? v->covered.all[0].name : NULL);
    cacheray_types_count(t, s->counts, v, contended);
    s->counts[CACHERAY_TYPES_BYTES] += v->covered.count ? v->covered.all[0].bytes : v->size;
    number_set_add(&s->threads, v->thread);
    if (v->covered.count > 1)
        cacheray_types_count_more(t, v, s, contended);
    return true;
}

static void cacheray_types_add_up(sums *to, const sums *part)
{
    for (unsigned i = CACHERAY_TYPES_READS; i < CACHERAY_TYPES_COMPARED; i++)
        to->counts[i] += part->counts[i];
    number_set_join(&to->threads, &part->threads);
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

/* A sum of a single row would only repeat it. */
static void cacheray_types_show(cacheray_types *t, sums *s)
{
    if (!s || s->shown || s->parts == 1)
        return;
    s->shown = true;
    g_ptr_array_add(t->shown, s);
}

static void add_up_parts(const cacheray_types *t)
{
    for (guint i = 0; i < t->all->len; i++) {
        sums *s = g_ptr_array_index(t->all, i);
        for (unsigned k = 0; s->parts && k < CACHERAY_TYPES_COMPARED; k++)
            s->counts[k] = -s->twice[k]; /* modulo 2^64 */
    }
    for (guint i = 0; i < t->all->len; i++) {
        const sums *s = g_ptr_array_index(t->all, i);
        if (s->whole)
            cacheray_types_add_up(s->whole, s);
        if (s->top)
            cacheray_types_add_up(s->top, s);
    }
}

static void cacheray_types_fill_row(const cacheray_types *t, const sums *s, bool coherent, rows *to)
{
    rows_cell *cells = rows_add(to);
    cells[CACHERAY_TYPES_TYPE] = rows_text(to, s->data);
    cells[CACHERAY_TYPES_MEMBER] = rows_text(to, s->member);
    for (unsigned i = CACHERAY_TYPES_READS; i < (t->cached ? CACHERAY_TYPES_INVALIDATIONS : CACHERAY_TYPES_LEVEL); i++)
        cells[i] = rows_number(s->counts[i]);
    cells[CACHERAY_TYPES_THREADS] = rows_number(s->threads.count);
    if (t->cached && coherent)
        cells[CACHERAY_TYPES_INVALIDATIONS] = rows_number(s->counts[CACHERAY_TYPES_INVALIDATIONS]);
    cells[CACHERAY_TYPES_BYTES] = rows_number(s->counts[CACHERAY_TYPES_BYTES]);
    for (unsigned i = CACHERAY_TYPES_CONTENDED; t->lines && i < CACHERAY_TYPES_COMPARED; i++)
        cells[i] = rows_number(s->counts[i]);
}

static void types_fill(void *data, const void *how, rows *to)
{
    cacheray_types *t = data;
    const bool coherent = ((const cacheray_display *)how)->coherent;
    add_up_parts(t);
    for (guint i = 0; i < t->all->len; i++) {
        sums *s = g_ptr_array_index(t->all, i);
        if (s->parts)
            continue;
        cacheray_types_show(t, s->whole);
        cacheray_types_show(t, s->top);
        cacheray_types_show(t, s);
    }
    to->missing = t->limit.full ? ROWS_FIRST_COME : NULL;
    for (guint i = 0; i < t->shown->len; i++)
        cacheray_types_fill_row(t, g_ptr_array_index(t->shown, i), coherent, to);
}

/* In the order in which they were first counted. */
static void compared_fill(void *data, const void *how, rows *to)
{
    (void)how;
    const cacheray_types *t = data;
    to->missing = t->limit.full ? ROWS_FIRST_COME : NULL;
    for (guint i = 0; i < t->all->len; i++) {
        const sums *s = g_ptr_array_index(t->all, i);
        if (!s->parts)
            cacheray_types_fill_row(t, s, false, to);
    }
}

const counted cacheray_types_counted = {.columns = columns,
                                        .column_count = CACHERAY_TYPES_COLUMNS,
                                        .words = elements_word,
                                        .begin = types_begin,
                                        .count = types_count,
                                        .fill = types_fill,
                                        .free = types_free},
              cacheray_types_compared = {.columns = columns,
                                         .column_count = CACHERAY_TYPES_COMPARED,
                                         .begin = compared_begin,
                                         .count = types_count,
                                         .fill = compared_fill,
                                         .free = types_free};
