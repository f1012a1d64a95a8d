/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z cacheray,diff,BASELINE: types and members in two traces side by side; elements of an array count together. The preferences, so
 * also the program and the caches, are the same for both. */
#include "cacheray/record-cacheray.h"
#include "cacheray/tables-cacheray.h"
#include "statistics/diff.h"

static diff cacheray_diff;

enum { NUMBER_READS, NUMBER_WRITES, NUMBER_MISSES };

static bool cached[DIFF_SIDES]; /* caches were simulated */

static void add_access(diff_side side, const cacheray_view *v)
{
    g_autofree char *data = cacheray_data_name(v), *member = cacheray_member_of_all(v->member ? v->member : "");
    diff_counts *all = &diff_of(&cacheray_diff, side, (const char *[DIFF_NAMES]){data, member})->all;
    all->count++;
    all->numbers[v->kind == CACHERAY_WRITE ? NUMBER_WRITES : NUMBER_READS]++;
    all->numbers[NUMBER_MISSES] += v->has_cache && v->cache.level == 0;
    cached[side] |= v->has_cache;
}

static bool count(stat_tap_table *table, const packet_info *pinfo, const void *tapped)
{
    (void)table;
    (void)pinfo;
    const cacheray_view *v = tapped;
    if (!v->is_access)
        return false;
    diff_prepare(&cacheray_diff);
    add_access(DIFF_AFTER, v);
    return true;
}

/* --- the baseline ------------------------------------------------------------------------------------------------------- */

typedef struct baseline {
    cacheray_analysis *analysis; /* NULL before the first record */
    packet_info pinfo;           /* only its memory, for a type name */
    const cursor *bytes;
    int name_length;
} baseline;

static const char *read_name(void *data)
{
    baseline *b = data;
    tvbuff_t *tvb = tvb_new_real_data(b->bytes->data, (guint)b->bytes->length, (int)b->bytes->length);
    const char *name = tree_text(&b->pinfo, tvb, (int)b->bytes->length - b->name_length, b->name_length);
    tvb_free(tvb);
    return name;
}

static void visit(void *data, uint32_t frame, const record_context *c, const cursor *bytes, const stream *from, bool outside)
{
    (void)from;
    baseline *b = data;
    cacheray_view v;
    if (!b->analysis)
        b->analysis = cacheray_analysis_of(c, false);
    b->bytes = bytes;
    b->name_length = cacheray_read_view(c, bytes, &v);
    cacheray_analysis_visit(b->analysis, frame, &v, read_name, b);
    wmem_free_all(b->pinfo.pool);
    if (v.is_access && !outside)
        add_access(DIFF_BEFORE, &v);
}

static char *read_baseline(const char *path)
{
    baseline b = {.pinfo = {.pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE)}};
    char *problem = trace_reader_read(path, "cacheray", visit, &b);
    cacheray_analysis_free(b.analysis);
    wmem_destroy_allocator(b.pinfo.pool);
    return problem;
}

/* --- the statistic ------------------------------------------------------------------------------------------------------ */

static bool value(diff_side side, diff_sums *s, unsigned i, uint64_t *value)
{
    *value = i == 0 ? s->all.count : s->all.numbers[i - 1];
    return i != 1 + NUMBER_MISSES || cached[side];
}

static bool take_word(const char *word)
{
    if (!word)
        cached[DIFF_BEFORE] = false;
    return diff_word(&cacheray_diff, word);
}

static char *begin(void)
{
    return diff_begin(&cacheray_diff);
}

static void forget(void)
{
    cached[DIFF_AFTER] = false;
    diff_forget(&cacheray_diff);
}

static void finish(stat_tap_table *table)
{
    diff_finish(&cacheray_diff, table);
}

static diff cacheray_diff = {
    .statistic = {.ui = {.title = "Cacheray Comparison with an Earlier Trace",
                         .tap_name = "cacheray",
                         .cli_string = "cacheray,diff"},
                  .title = "Cacheray types before and after",
                  .count = count,
                  .forget = forget,
                  .word = take_word,
                  .words = "BASELINE",
                  .begin = begin,
                  .finish = finish},
    .names = {"Type", "Member"},
    .measures = {"Accesses", "Reads", "Writes", "Misses"},
    .main = 0,
    .protocol = "cacheray",
    .read = read_baseline,
    .value = value,
};

void cacheray_diff_register(void)
{
    diff_register(&cacheray_diff);
}
