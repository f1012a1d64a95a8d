/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/slowest.h"

#include <string.h>

#include "cacheray/members/members.h"
#include "cacheray/statistics/line_rows.h"
#include "cacheray/statistics/display.h"
#include "containers/hash.h"
#include "containers/hash_map.h"
#include "containers/number_set.h"
#include "util/math128.h"

static const char elements_word[] = "elements";

static const rows_column columns[CACHERAY_SLOWEST_COLUMNS] = {
    [CACHERAY_SLOWEST_SLOW] = {"Slow", ROWS_NUMBER, ROWS_EACH},
    [CACHERAY_SLOWEST_SHARE] = {"Share", ROWS_PERCENT, ROWS_EACH},
    [CACHERAY_SLOWEST_MISSED] = {"Missed", ROWS_NUMBER, ROWS_EACH},
    [CACHERAY_SLOWEST_CONTENDED] = {"Contended", ROWS_NUMBER, ROWS_EACH},
    [CACHERAY_SLOWEST_ACCESSES] = {"Accesses", ROWS_NUMBER, ROWS_EACH},
    [CACHERAY_SLOWEST_THREADS] = {"Threads", ROWS_COUNT, ROWS_EACH},
    [CACHERAY_SLOWEST_FIRST] = {"First", ROWS_ORDINAL, ROWS_EACH},
    [CACHERAY_SLOWEST_TYPE] = {"Type", ROWS_TEXT, ROWS_EACH},
    [CACHERAY_SLOWEST_ELEMENT] = {"Element", ROWS_ORDINAL, ROWS_EACH},
    [CACHERAY_SLOWEST_MEMBER] = {"Member", ROWS_TEXT, ROWS_EACH},
};

/* These columns are counting, but for the share. */
enum { COUNTED = CACHERAY_SLOWEST_ACCESSES + 1 };

/* What data is called. */
typedef struct data_name {
    char *type, *member;
    bool has_element;
    uint32_t element;
} data_name;

/* The accesses to some data. */
typedef struct sums {
    data_name name;           /* its key in `by_name` */
    uint64_t counts[COUNTED]; /* by column */
    uint32_t first;           /* record of the first slow one; 0: there is none */
    number_set threads;
} sums;

typedef struct slowest {
    bool elements, cached;
    line_table *lines;
    hash_map texts;      /* address of a name -> number */
    hash_map data;       /* numbers of type and member -> number */
    hash_map keys;       /* number of data, and element -> index in `known` + 1 */
    GPtrArray *known;    /* of sums; several keys may have the same */
    GHashTable *by_name; /* owns the sums */
    GPtrArray *all;      /* of sums, in the order of their first accesses */
    uint64_t slow;
    counting_limit limit;
    top_n_by by; /* which rows are wanted */
} slowest;

static void data_name_clear(data_name *n)
{
    g_free(n->type);
    g_free(n->member);
}

static guint data_name_hash(gconstpointer name)
{
    const data_name *n = name;
    return (hash_text(n->type) * 31 + hash_text(n->member)) * 31 + n->element;
}

static gboolean data_name_equal(gconstpointer a, gconstpointer b)
{
    const data_name *x = a, *y = b;
    return x->has_element == y->has_element && x->element == y->element && strcmp(x->type, y->type) == 0 &&
           strcmp(x->member, y->member) == 0;
}

static void cacheray_slowest_free_sums(gpointer data)
{
    sums *s = data;
    number_set_clear(&s->threads);
    data_name_clear(&s->name);
    g_free(s);
}

static void *slowest_begin(const statistic_words *words, const void *how)
{
    slowest *s = g_new0(slowest, 1);
    s->elements = statistic_words_has(words, elements_word);
    s->by = statistic_words_largest(words, CACHERAY_SLOWEST_SLOW);
    s->limit = LIMIT_OF_ROWS;
    s->lines = lines_new(((const cacheray_display *)how)->line_size);
    hash_map_init(&s->texts);
    hash_map_init(&s->data);
    hash_map_init(&s->keys);
    s->known = g_ptr_array_new();
    s->by_name = g_hash_table_new_full(data_name_hash, data_name_equal, NULL, cacheray_slowest_free_sums);
    s->all = g_ptr_array_new();
    return s;
}

static void slowest_free(void *data)
{
    slowest *s = data;
    lines_free(s->lines);
    hash_map_clear(&s->texts);
    hash_map_clear(&s->data);
    hash_map_clear(&s->keys);
    g_ptr_array_free(s->known, TRUE);
    g_ptr_array_free(s->all, TRUE);
    g_hash_table_destroy(s->by_name);
    g_free(s);
}

/* --- names ------------------------------------------------------------------------------------------------------------- */

/* What the name has is freed, or kept. */
static sums *cacheray_slowest_sums_named(slowest *s, data_name name)
{
    sums *one = g_hash_table_lookup(s->by_name, &name);
    const bool room = one || limit_allows_row(&s->limit, s->all->len);
    if (!one && !room) {
        data_name_clear(&name);
        name = (data_name){.type = g_strdup(TEXT_OTHERS), .member = g_strdup("")};
        one = g_hash_table_lookup(s->by_name, &name);
    }
    if (one) {
        data_name_clear(&name);
        return one;
    }
    one = g_new0(sums, 1);
    one->name = name;
    g_ptr_array_add(s->all, one);
    g_hash_table_insert(s->by_name, &one->name, one);
    return one;
}

/* Without line feeds in the type, which may come from the trace: a row is a line. */
static data_name cacheray_slowest_name_of(const slowest *s, const cacheray_tapped *v, const members_name *of)
{
    const bool element = s->elements && v->many;
    data_name n = {.type = cacheray_data_name(v), .has_element = element, .element = element ? v->index : 0};
    n.member = !of ? g_strdup("") : g_strdup(s->elements ? of->text : of->all->text);
    g_strdelimit(n.type, "\n", ' ');
    return n;
}

/* There are as many names of members at most. Without room for a key, names are compared each time. */
enum { KEYS_MAX = 2 << 20 };

/* `of`: the member, or NULL. */
static sums *cacheray_slowest_sums_of(slowest *s, const cacheray_tapped *v, const members_name *of)
{
    const uint64_t type = hash_map_add(&s->texts, cacheray_data_key(v)),
                   member = of ? hash_map_add(&s->texts, (uintptr_t)of) : 0,
                   data = hash_map_add(&s->data, type << 32 | member),
                   key = data << 32 | (s->elements && v->many ? v->index : 0);
    const uint32_t known = hash_map_find(&s->keys, key);
    if (known)
        return g_ptr_array_index(s->known, known - 1);
    sums *one = cacheray_slowest_sums_named(s, cacheray_slowest_name_of(s, v, of));
    if (s->keys.count < KEYS_MAX) {
        hash_map_add(&s->keys, key);
        g_ptr_array_add(s->known, one);
    }
    return one;
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

typedef struct counting {
    bool missed, contended;
    uint32_t place;
} counting;

static void cacheray_slowest_count(sums *one, const cacheray_tapped *v, const counting *c)
{
    const bool slow = c->missed || c->contended;
    one->counts[CACHERAY_SLOWEST_ACCESSES]++;
    one->counts[CACHERAY_SLOWEST_MISSED] += c->missed;
    one->counts[CACHERAY_SLOWEST_CONTENDED] += c->contended;
    one->counts[CACHERAY_SLOWEST_SLOW] += slow;
    if (slow)
        number_set_add(&one->threads, v->thread);
    if (slow && !one->first)
        one->first = c->place;
}

enum { MEMBERS_MAX = 256 }; /* bytes of an access */

static bool slowest_count(void *data, const counted_record *r)
{
    slowest *s = data;
    const cacheray_tapped *v = r->tapped;
    line_result result;
    if (!line_rows_touch(s->lines, v, &result))
        return false;
    const counting c = {v->has_cache && v->cache.level == 0, lines_contended(&result), r->number};
    sums *seen[MEMBERS_MAX];
    s->limit.counted++;
    s->slow += c.missed || c.contended;
    s->cached |= v->has_cache;
    for (unsigned i = 0, n = 0; i < MAX(v->covered.count, 1); i++) {
        sums *one = cacheray_slowest_sums_of(s, v, v->covered.count ? v->covered.all[i].name : NULL);
        bool known = false;
        for (unsigned k = 0; k < n; k++)
            known |= seen[k] == one;
        seen[n++] = one;
        if (!known)
            cacheray_slowest_count(one, v, &c);
    }
    return true;
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

static uint64_t cacheray_slowest_value_of(const slowest *s, const sums *one, unsigned column)
{
    if (column == CACHERAY_SLOWEST_SHARE)
        return mul_div_nearest_u64(one->counts[CACHERAY_SLOWEST_SLOW], 1000, s->slow);
    if (column < COUNTED)
        return one->counts[column];
    return column == CACHERAY_SLOWEST_THREADS ? one->threads.count : column == CACHERAY_SLOWEST_FIRST ? one->first : 0;
}

typedef struct filling {
    const slowest *s;
    uint32_t (*frame_of)(uint32_t place);
    rows *to;
} filling;

static void cacheray_slowest_fill_row(void *data, const void *item)
{
    const filling *f = data;
    const sums *one = *(const sums *const *)item;
    rows_cell *cells = rows_add(f->to);
    for (unsigned i = CACHERAY_SLOWEST_SLOW; i <= CACHERAY_SLOWEST_THREADS; i++)
        if (i != CACHERAY_SLOWEST_MISSED || f->s->cached)
            cells[i] = rows_number(cacheray_slowest_value_of(f->s, one, i));
    cells[CACHERAY_SLOWEST_FIRST] = rows_number(one->first);
    rows_show_frame(&cells[CACHERAY_SLOWEST_FIRST], f->frame_of);
    cells[CACHERAY_SLOWEST_TYPE] = rows_text(f->to, one->name.type);
    if (one->name.has_element)
        cells[CACHERAY_SLOWEST_ELEMENT] = rows_number(one->name.element);
    cells[CACHERAY_SLOWEST_MEMBER] = rows_text(f->to, one->name.member);
}

static void slowest_fill(void *data, const void *how, rows *to)
{
    const slowest *s = data;
    top_n *items = top_n_new(&s->by, sizeof(sums *));
    for (guint i = 0; i < s->all->len; i++) {
        const sums *one = g_ptr_array_index(s->all, i);
        if (!one->counts[CACHERAY_SLOWEST_SLOW])
            continue;
        const uint64_t value = cacheray_slowest_value_of(s, one, s->by.column);
        top_n_add(items, &value, one->first, &one);
    }
    to->missing = s->limit.full ? ROWS_FIRST_COME : NULL;
    top_n_each(items, cacheray_slowest_fill_row, &(filling){s, ((const cacheray_display *)how)->frame_of, to});
    top_n_free(items);
}

const counted cacheray_slowest_counted = {.columns = columns,
                                          .column_count = CACHERAY_SLOWEST_COLUMNS,
                                          .words = elements_word,
                                          .begin = slowest_begin,
                                          .count = slowest_count,
                                          .fill = slowest_fill,
                                          .free = slowest_free};
