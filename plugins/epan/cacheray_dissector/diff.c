/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z cacheray,diff,BASELINE: types and members in two traces side by side (common/cacheray/statistics/comparison.h). The
 * baseline may have a program of its own; all other preferences are the same for both. */
#include "cacheray_dissector/record.h"
#include "host/notices.h"
#include "taps/diff.h"

#include "cacheray/statistics/comparison.h"
#include "cacheray/record.h"
#include "core/trace_reader.h"

static const char binary_word[] = "binary:FILE", load_bias_word[] = "load_bias:HEX";

typedef struct compared {
    cacheray_types *before, *after;
    bool was_read;
} compared;

/* --- the baseline -------------------------------------------------------------------------------------------------- */

typedef struct reading {
    cacheray_types *types;
    const char *path, *binary, *load_bias;
    cacheray_analysis *analysis; /* NULL before the first record */
    bool has_members;            /* the program has given one */
    bool has_variables;
    char *unknown_struct; /* what is to be reported, if there is one; NULL: nothing */
    packet_info pinfo;    /* only its memory, for a type name */
    const cursor *bytes;
    int name_length;
} reading;

static const char *cacheray_diff_read_name(void *data)
{
    reading *b = data;
    tvbuff_t *tvb = tvb_new_real_data(b->bytes->data, (guint)b->bytes->length, (int)b->bytes->length);
    const char *name = tree_text(&b->pinfo, tvb, (int)b->bytes->length - b->name_length, b->name_length);
    tvb_free(tvb);
    return name;
}

static void note_used(reading *b, uint32_t frame, const cacheray_tapped *v)
{
    b->has_members |= v->is_access && v->member;
    b->has_variables |= v->is_access && v->variable;
    if (!b->unknown_struct && v->kind == CACHERAY_RTTA_ADD &&
        cacheray_analysis_problems(b->analysis).unknown_struct == frame)
        b->unknown_struct = cacheray_unknown_struct(b->binary, v->type);
}

static void cacheray_diff_visit(void *data, uint32_t frame, const record_context *c, const cursor *bytes,
                                const stream *from _U_, bool outside)
{
    reading *b = data;
    cacheray_tapped v;
    if (!b->analysis)
        b->analysis = cacheray_analysis_of(c, b->path, b->binary, b->load_bias, false);
    b->bytes = bytes;
    b->name_length = cacheray_read_view(c, bytes, &v);
    cacheray_analysis_visit(b->analysis, frame, &v, cacheray_diff_read_name, b);
    note_used(b, frame, &v);
    wmem_free_all(b->pinfo.pool);
    if (!outside)
        cacheray_types_add(b->types, &v);
}

/* Which of the baseline's names may be wrong, or are missing, because its program is not known. */
static void report_program(const statistic_run *run, const reading *b)
{
    const cacheray_problems p = cacheray_analysis_problems(b->analysis);
    const bool own = statistic_text(run, binary_word), own_bias = statistic_text(run, load_bias_word);
    if (own || !*b->binary)
        cacheray_report_problems(b->analysis);
    else if (b->has_members || b->has_variables)
        notices_say(
            NOTICE_WARNING,
            "cacheray.binary is used for both traces: if the program has changed, members and variables of the baseline are "
            "wrong (binary:FILE is its program).");
    if (own_bias && p.no_members)
        notices_say(NOTICE_WARNING, "load_bias:HEX is not used without a program of the baseline (binary:FILE)");
    if (!own_bias && b->has_variables && *b->load_bias)
        notices_say(
            NOTICE_WARNING,
            "cacheray.load_bias is used for both traces: if the program was at other addresses, variables of the baseline are "
            "wrong (load_bias:HEX).");
    if (own && p.no_bias)
        notices_say(
            NOTICE_WARNING,
            "The program of the baseline is position-independent: without load_bias:HEX its variables are not known.");
    if (b->unknown_struct && p.unknown_struct)
        notices_say(NOTICE_WARNING, "%s", b->unknown_struct);
}

/* A program has its own load bias. */
static bool cacheray_diff_read_baseline(const statistic_run *run, const char *path, GError **error)
{
    const char *binary = statistic_text(run, binary_word), *load_bias = statistic_text(run, load_bias_word);
    reading b = {.types = ((const compared *)run->data)->before,
                 .path = path,
                 .binary = binary ? binary : cacheray_binary(),
                 .load_bias = load_bias ? load_bias
                              : binary  ? ""
                                        : cacheray_load_bias(),
                 .pinfo = {.pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE)}};
    const bool read = trace_reader_read(path, "cacheray", cacheray_diff_visit, &b, error);
    if (b.analysis)
        report_program(run, &b);
    cacheray_analysis_free(b.analysis);
    g_free(b.unknown_struct);
    wmem_destroy_allocator(b.pinfo.pool);
    return read;
}

/* --- the statistic ------------------------------------------------------------------------------------------------- */

static void *cacheray_diff_begin(const statistic_run *run _U_)
{
    compared *c = g_new0(compared, 1);
    c->before = cacheray_types_new_compared(cacheray_analysis_line_size());
    c->after = cacheray_types_new_compared(cacheray_analysis_line_size());
    return c;
}

static bool cacheray_diff_count(const statistic_run *run, const packet_info *pinfo _U_, const void *tapped)
{
    return cacheray_types_add(((const compared *)run->data)->after, tapped);
}

static void cacheray_diff_fill(const statistic_run *run, rows *to)
{
    compared *c = run->data;
    diff_prepare(run, &c->was_read);
    cacheray_comparison_fill(c->before, c->after, to);
    cacheray_shorten_names(run, to, 0, COMPARISON_SEEN);
}

static void cacheray_diff_clear(void *data)
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
         .usual = "slow_difference,slow_before,slow_after,accesses_difference,accesses_ratio,misses_difference,type,member",
         .seldom = "misses_difference",
         .first = COMPARISON_CHANGE_OF(CACHERAY_COMPARISON_SLOW),
         .sorted_by = {COMPARISON_CHANGE_OF(CACHERAY_COMPARISON_ACCESSES)},
         .protocol = "cacheray",
         .words = "binary:FILE, load_bias:HEX, BASELINE",
         .begin = cacheray_diff_begin,
         .count = cacheray_diff_count,
         .fill = cacheray_diff_fill,
         .free = cacheray_diff_clear},
    .asks = (const dialog_field[]){{"Its program, if it is another one:", NULL, "binary:\"%s\""},
                                   {"The load bias of that program:", NULL, "load_bias:%s"},
                                   {0}},
    .read = cacheray_diff_read_baseline,
};
