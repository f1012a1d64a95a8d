/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z cacheray,diff,BASELINE: types and members in two traces side by side (common/cacheray/statistics/comparison.h). The
 * baseline may have a program of its own; all other preferences are the same for both. */
#include "cacheray_dissector/counting.h"
#include "cacheray_dissector/names.h"
#include "cacheray_dissector/problems.h"
#include "cacheray_dissector/settings.h"
#include "cacheray_dissector/statistics.h"
#include "host/notices.h"

#include "cacheray/statistics/comparison.h"
#include "core/trace_reader.h"

static const char binary_word[] = "binary:FILE", load_bias_word[] = "load_bias:HEX";

/* --- the baseline -------------------------------------------------------------------------------------------------- */

typedef struct reading {
    cacheray_session session;
    cacheray_options options;
    void *types; /* of cacheray_types_compared */
} reading;

static void cacheray_diff_visit(void *data, uint32_t frame, const record_context *c, const cursor *bytes,
                                const stream *from _U_, bool outside)
{
    reading *b = data;
    cacheray_tapped v;
    if (!b->session.analysis)
        cacheray_session_begin(&b->session, &b->options, c);
    cacheray_session_read(&v, c, bytes);
    cacheray_session_visit(&b->session, frame, &v, true);
    if (!outside)
        cacheray_types_compared.count(b->types, &(counted_record){.tapped = &v, .number = frame});
}

/* Which of the baseline's names may be wrong, or are missing, because its program is not known. */
static void report_program(const statistic_run *run, const reading *b)
{
    const cacheray_session *session = &b->session;
    const cacheray_problems p = cacheray_analysis_problems(session->analysis);
    const bool own = statistic_text(run, binary_word), own_bias = statistic_text(run, load_bias_word);
    if (own || !*b->options.binary)
        cacheray_problems_print(session->analysis);
    else if (session->has_members || session->has_variables)
        notices_say(
            NOTICE_WARNING,
            "cacheray.binary is used for both traces: if the program has changed, members and variables of the baseline are "
            "wrong (binary:FILE is its program).");
    if (own_bias && p.no_members)
        notices_say(NOTICE_WARNING, "load_bias:HEX is not used without a program of the baseline (binary:FILE)");
    if (!own_bias && session->has_variables && *b->options.load_bias)
        notices_say(
            NOTICE_WARNING,
            "cacheray.load_bias is used for both traces: if the program was at other addresses, variables of the baseline are "
            "wrong (load_bias:HEX).");
    if (own && p.no_bias)
        notices_say(
            NOTICE_WARNING,
            "The program of the baseline is position-independent: without load_bias:HEX its variables are not known.");
    if (session->unknown_struct && p.unknown_struct) {
        g_autofree char *sentence = cacheray_problems_unknown_struct(b->options.binary, session->unknown_struct);
        notices_say(NOTICE_WARNING, "%s", sentence);
    }
}

/* A program has its own load bias. */
static bool cacheray_diff_read_baseline(const statistic_run *run, const char *path, GError **error)
{
    const char *binary = statistic_text(run, binary_word), *load_bias = statistic_text(run, load_bias_word);
    reading b = {.options = cacheray_settings_options(), .types = ((const cacheray_comparison *)run->data)->before};
    b.options.trace = path;
    if (load_bias || binary)
        b.options.load_bias = load_bias ? load_bias : "";
    if (binary)
        b.options.binary = binary;
    const bool read = trace_reader_read(path, "cacheray", cacheray_diff_visit, &b, error);
    if (b.session.analysis)
        report_program(run, &b);
    cacheray_session_end(&b.session);
    return read;
}

/* --- the statistic ------------------------------------------------------------------------------------------------- */

static void cacheray_diff_filled(const statistic_run *run, rows *to)
{
    cacheray_names_shorten(run, to, 0, COMPARISON_SEEN);
}

diff cacheray_diff = {
    .statistic =
        {.tap = "cacheray",
         .counts = &cacheray_comparison_counted,
         .from = &cacheray_statistics,
         .command = "cacheray,diff",
         .title = "Cacheray Comparison with an Earlier Trace",
         .table = "Cacheray types before and after",
         .protocol = "cacheray",
         .usual = "slow_before,slow_after,accesses_before,accesses_after,accesses_ratio,slow_difference,accesses_difference,"
                  "misses_difference,type,member",
         .seldom = "misses_difference",
         .first = COMPARISON_CHANGE_OF(CACHERAY_COMPARISON_SLOW),
         .sorted_by = {COMPARISON_CHANGE_OF(CACHERAY_COMPARISON_ACCESSES)},
         .filled = cacheray_diff_filled},
    .asks = (const dialog_field[]){{"Its program, if it is another one:", NULL, "binary:\"%s\""},
                                   {"The load bias of that program:", NULL, "load_bias:%s"},
                                   {0}},
    .read = cacheray_diff_read_baseline,
};
