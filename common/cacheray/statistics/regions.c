/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/regions.h"

#include "cacheray/cacheray.h"
#include "containers/hash.h"
#include "containers/number_set.h"

static const char by_type_word[] = "by:type";

static const rows_column columns[CACHERAY_REGIONS_COLUMNS] = {
    {"Type", ROWS_TEXT, ROWS_EACH},       {"Regions", ROWS_COUNT, ROWS_EACH},
    {"Added", ROWS_NUMBER, ROWS_EACH},    {"Added by", ROWS_NUMBER, ROWS_EACH},
    {"Address", ROWS_ADDRESS, ROWS_EACH}, {"Bytes", ROWS_NUMBER, ROWS_EACH},
    {"Reads", ROWS_COUNT, ROWS_EACH},     {"Writes", ROWS_COUNT, ROWS_EACH},
    {"Threads", ROWS_COUNT, ROWS_EACH},   CACHERAY_LEVEL_COLUMNS,
    {"Removed", ROWS_NUMBER, ROWS_EACH},  {"Lifetime", ROWS_NUMBER, ROWS_EACH},
};

enum { COUNTED = CACHERAY_REGIONS_MISSES + 1 - CACHERAY_REGIONS_READS };

typedef struct sums {
    const char *type; /* name; NULL: of accesses outside all regions */
    uint32_t number;  /* of its annotation; 0: of several, or of none */
    bool has_thread;
    uint64_t thread;          /* that added it */
    GArray *numbers;          /* uint32_t: its annotations, if they are several; NULL: it has only `number` */
    uint32_t counts[COUNTED]; /* reads, writes and levels, by column - CACHERAY_REGIONS_READS */
    number_set threads;
} sums;

typedef struct regions {
    bool by_type, cached;
    GPtrArray *known;  /* of sums, by annotation number; NULL: none yet */
    GHashTable *types; /* name, or NULL -> sums; each name is stored once per analysis */
    GPtrArray *all;    /* of sums, owned */
    sums *others;      /* when there is no room; NULL: not needed yet */
    counting_limit limit;
} regions;

static void cacheray_regions_free_sums(gpointer data)
{
    sums *s = data;
    number_set_clear(&s->threads);
    if (s->numbers)
        g_array_free(s->numbers, TRUE);
    g_free(s);
}

static void *regions_begin(const statistic_words *words, const void *how)
{
    (void)how;
    regions *r = g_new0(regions, 1);
    r->by_type = statistic_words_has(words, by_type_word);
    r->limit = LIMIT_OF_ROWS;
    r->known = g_ptr_array_new();
    r->types = g_hash_table_new(hash_pointer, NULL);
    r->all = g_ptr_array_new_with_free_func(cacheray_regions_free_sums);
    return r;
}

static void regions_free(void *data)
{
    regions *r = data;
    g_ptr_array_free(r->known, TRUE);
    g_hash_table_destroy(r->types);
    g_ptr_array_free(r->all, TRUE);
    g_free(r);
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static sums *cacheray_regions_add_sums(regions *r, const char *type, uint32_t number)
{
    sums *s = g_new0(sums, 1);
    s->type = type;
    s->number = number;
    s->numbers = number ? NULL : g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_ptr_array_add(r->all, s);
    return s;
}

static sums *others(regions *r)
{
    if (!r->others)
        r->others = cacheray_regions_add_sums(r, TEXT_OTHERS, 0);
    return r->others;
}

/* The sums of a type, or of what is outside all regions; NULL: there is no room for them. */
static sums *sums_of_type(regions *r, const char *type)
{
    sums *s = g_hash_table_lookup(r->types, type);
    if (s || !limit_allows_row(&r->limit, r->all->len))
        return s;
    s = cacheray_regions_add_sums(r, type, 0);
    g_hash_table_insert(r->types, (char *)(uintptr_t)type, s);
    return s;
}

/* `number`: of an annotation; 0: none. */
static sums *cacheray_regions_sums_of(regions *r, const char *type, uint32_t number)
{
    if (number >= r->known->len)
        g_ptr_array_set_size(r->known, (gint)number + 1);
    sums *s = g_ptr_array_index(r->known, number);
    if (s)
        return s;
    if (r->by_type || !number)
        s = sums_of_type(r, number ? type : NULL);
    else if (limit_allows_row(&r->limit, r->all->len))
        s = cacheray_regions_add_sums(r, type, number);
    if (s && number && r->by_type)
        g_array_append_val(s->numbers, number);
    g_ptr_array_index(r->known, number) = s;
    return s ? s : others(r);
}

static bool regions_count(void *data, const counted_record *of)
{
    regions *r = data;
    const cacheray_tapped *v = of->tapped;
    if (!v->is_access && (v->kind != CACHERAY_RTTA_ADD || !v->number))
        return false;
    r->limit.counted++;
    sums *s = cacheray_regions_sums_of(r, v->type, v->number);
    if (!v->is_access) {
        s->has_thread = true;
        s->thread = v->thread;
        return true;
    }
    number_set_add(&s->threads, v->thread);
    s->counts[v->kind == CACHERAY_WRITE ? CACHERAY_REGIONS_WRITES - CACHERAY_REGIONS_READS : 0]++;
    if (v->has_cache)
        s->counts[CACHERAY_REGIONS_LEVEL - CACHERAY_REGIONS_READS + cacheray_level_of(v)]++;
    r->cached |= v->has_cache;
    return true;
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

/* What is known about the regions of a row when all records have been seen. */
typedef struct lives {
    uint64_t bytes, lifetime; /* lifetime: sum over those that were removed */
    unsigned count, removed;
    annotation last;
} lives;

static void add_life(lives *all, const annotation *a)
{
    all->last = *a;
    all->count++;
    all->bytes += annotation_length(a);
    all->removed += a->removed != 0;
    all->lifetime += a->removed ? a->removed - a->added : 0;
}

static lives lives_of(const sums *s, const cacheray_analysis *a)
{
    lives all = {0};
    if (a && s->number)
        add_life(&all, cacheray_analysis_region(a, s->number));
    for (guint i = 0; a && s->numbers && i < s->numbers->len; i++)
        add_life(&all, cacheray_analysis_region(a, g_array_index(s->numbers, uint32_t, i)));
    return all;
}

static rows_cell number_if(bool known, uint64_t number)
{
    return known ? rows_number(number) : (rows_cell){0};
}

static void cacheray_regions_fill_row(const sums *s, const lives *all, bool cached, uint32_t (*frame)(uint32_t record),
                                      rows *to)
{
    const uint32_t added = s->number ? frame(all->last.added) : 0, removed = s->number ? frame(all->last.removed) : 0;
    rows_cell *cells = rows_add(to);
    cells[CACHERAY_REGIONS_TYPE] = rows_text(to, s->type ? s->type : CACHERAY_NOT_ANNOTATED);
    cells[CACHERAY_REGIONS_COUNT] = rows_number(all->count);
    cells[CACHERAY_REGIONS_ADDED] = number_if(added, added);
    cells[CACHERAY_REGIONS_THREAD] = number_if(s->number && s->has_thread, s->thread);
    cells[CACHERAY_REGIONS_ADDRESS] = number_if(s->number, all->last.start);
    cells[CACHERAY_REGIONS_BYTES] = number_if(all->count, all->bytes);
    for (unsigned i = CACHERAY_REGIONS_READS; i <= CACHERAY_REGIONS_MISSES; i++)
        cells[i] = number_if(cached || i < CACHERAY_REGIONS_LEVEL, s->counts[i - CACHERAY_REGIONS_READS]);
    cells[CACHERAY_REGIONS_THREADS] = rows_number(s->threads.count);
    cells[CACHERAY_REGIONS_REMOVED] = number_if(removed, removed);
    cells[CACHERAY_REGIONS_LIFETIME] = number_if(all->removed, all->removed ? all->lifetime / all->removed : 0);
}

static void regions_fill(void *data, const void *how, rows *to)
{
    const regions *r = data;
    const cacheray_display *shown = how;
    to->missing = r->limit.full ? ROWS_FIRST_COME : NULL;
    for (guint i = 0; i < r->all->len; i++) {
        const sums *s = g_ptr_array_index(r->all, i);
        const lives all = lives_of(s, shown->analysis());
        cacheray_regions_fill_row(s, &all, r->cached, shown->frame_of, to);
    }
}

const counted cacheray_regions_counted = {.columns = columns,
                                          .column_count = CACHERAY_REGIONS_COLUMNS,
                                          .words = by_type_word,
                                          .begin = regions_begin,
                                          .count = regions_count,
                                          .fill = regions_fill,
                                          .free = regions_free};
