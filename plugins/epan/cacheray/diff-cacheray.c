/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z cacheray,diff,BASELINE: types and members in two traces side by side (common/cacheray/comparison.h). The preferences, so also the
 * program and the caches, are the same for both. */
#include "cacheray/analysis-cacheray.h"
#include "statistics/diff.h"

#include "cacheray/comparison.h"
#include "cacheray/record.h"
#include "core/trace_reader.h"

typedef struct compared {
    cacheray_types *before, *after;
    bool was_read;
} compared;

/* --- the baseline ------------------------------------------------------------------------------------------------------- */

typedef struct reading {
    cacheray_types *types;
    cacheray_analysis *analysis; /* NULL before the first record */
    packet_info pinfo;           /* only its memory, for a type name */
    const cursor *bytes;
    int name_length;
} reading;

static const char *read_name(void *data)
{
    reading *b = data;
    tvbuff_t *tvb = tvb_new_real_data(b->bytes->data, (guint)b->bytes->length, (int)b->bytes->length);
    const char *name = tree_text(&b->pinfo, tvb, (int)b->bytes->length - b->name_length, b->name_length);
    tvb_free(tvb);
    return name;
}

static void visit(void *data, uint32_t frame, const record_context *c, const cursor *bytes, const stream *from _U_,
                  bool outside)
{
    reading *b = data;
    cacheray_view v;
    if (!b->analysis)
        b->analysis = cacheray_analysis_of(c, false);
    b->bytes = bytes;
    b->name_length = cacheray_read_view(c, bytes, &v);
    cacheray_analysis_visit(b->analysis, frame, &v, read_name, b);
    wmem_free_all(b->pinfo.pool);
    if (!outside)
        cacheray_types_add(b->types, &v);
}

static char *read_baseline(const statistic_run *run, const char *path)
{
    reading b = {.types = ((const compared *)run->data)->before,
                 .pinfo = {.pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE)}};
    char *problem = trace_reader_read(path, "cacheray", visit, &b);
    cacheray_analysis_free(b.analysis);
    wmem_destroy_allocator(b.pinfo.pool);
    return problem;
}

/* --- the statistic ------------------------------------------------------------------------------------------------------ */

static void *begin(const statistic_run *run _U_)
{
    compared *c = g_new0(compared, 1);
    c->before = cacheray_types_new(false);
    c->after = cacheray_types_new(false);
    return c;
}

static bool count(const statistic_run *run, const packet_info *pinfo _U_, const void *tapped)
{
    return cacheray_types_add(((const compared *)run->data)->after, tapped);
}

static void fill(const statistic_run *run, rows *to)
{
    compared *c = run->data;
    diff_prepare(run, &c->was_read);
    cacheray_comparison_fill(c->before, c->after, to);
    cacheray_shorten_names(run, to, 0, COMPARISON_SEEN);
}

static void clear(void *data)
{
    const compared *c = data;
    cacheray_types_free(c->before);
    cacheray_types_free(c->after);
    g_free(data);
}

diff cacheray_diff = {
    .statistic =
        {.title = "Cacheray Comparison with an Earlier Trace",
         .table = "Cacheray types before and after",
         .tap = "cacheray",
         .command = "cacheray,diff",
         .columns = cacheray_comparison_columns,
         .column_count = CACHERAY_COMPARISON_COLUMNS,
         .usual =
             "accesses_difference,accesses_before,accesses_after,accesses_ratio,misses_difference,misses_ratio,type,member",
         .sorted_by = {COMPARISON_CHANGE_OF(CACHERAY_COMPARISON_ACCESSES)},
         .protocol = "cacheray",
         .words = "BASELINE",
         .begin = begin,
         .count = count,
         .fill = fill,
         .free = clear},
    .read = read_baseline,
};
