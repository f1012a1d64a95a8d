/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z xray,diff,BASELINE: functions, or with the word `graph` who calls whom, in two logs side by side. Functions are paired by their
 * names, as their ids change from build to build; if the names of only one log are known, or of none, by their ids. */
#include "statistics/diff.h"
#include "host/notices.h"
#include "xray/calls-xray.h"

#include "xray/analysis.h"
#include "xray/functions.h"

static diff xray_diff;

enum { NUMBER_SUM, NUMBER_UNWOUND }; /* ticks; calls without an exit */

static bool wants_graph;
static char
    *baseline_binary; /* the program that wrote the baseline, with its libraries; NULL: it is looked for beside the log */
static xray_functions *baseline_functions;
static uint64_t baseline_frequency; /* of the first record, ticks per second */

/* --- counting --------------------------------------------------------------------------------------------------------- */

/* The name of a function in a log, or #id. If only one of the programs is known, it names the functions of both. */
static const char *name_in(diff_side side, uint32_t function, char *text, size_t size)
{
    const xray_function *f = NULL;
    if (side == DIFF_BEFORE ? baseline_functions != NULL : !xray_calls_named())
        f = xray_functions_find(baseline_functions, function);
    const char *name = f ? f->name : side == DIFF_AFTER || !baseline_functions ? xray_calls_name(function) : NULL;
    snprintf(text, size, "#%u", function);
    return name ? name : text;
}

static void add_call(diff_side side, const xray_ended *ended, bool has_caller, uint32_t caller)
{
    char own[16], around[16];
    const char *names[DIFF_NAMES] = {name_in(side, ended->function, own, sizeof own)};
    if (wants_graph)
        names[1] = has_caller ? name_in(side, caller, around, sizeof around) : "(no caller)";
    diff_sums *s = diff_of(&xray_diff, side, names);
    diff_add(s, ended->call.duration);
    s->all.numbers[NUMBER_UNWOUND] += ended->call.state & CALL_CLOSED ? 1 : 0;
}

static bool count(stat_tap_table *table, const packet_info *pinfo, const void *tapped)
{
    (void)table;
    (void)pinfo;
    bool any = false;
    xray_ended ended;
    diff_prepare(&xray_diff);
    for (uint32_t i = 0; xray_calls_added(tapped, i, &ended); i++) {
        uint32_t caller = 0;
        if (!(ended.call.state & CALL_TIMED))
            continue;
        bool has_caller = wants_graph && xray_calls_caller(tapped, &ended, &caller);
        add_call(DIFF_AFTER, &ended, has_caller, caller);
        any = true;
    }
    return any;
}

/* --- the baseline ------------------------------------------------------------------------------------------------------ */

static void add_ended(calls *c, uint64_t stack, const call *k, uint32_t function)
{
    uint32_t caller = 0;
    const xray_ended ended = {*k, function, NULL};
    if (!(k->state & CALL_TIMED))
        return;
    bool has_caller = wants_graph && calls_caller(c, stack, k, &caller);
    add_call(DIFF_BEFORE, &ended, has_caller, caller);
}

static void visit(void *data, uint32_t frame, const record_context *c, const cursor *bytes, const stream *from, bool outside)
{
    (void)from;
    calls *all = data;
    uint64_t values[XRAY_FIELD_COUNT], stack = xray_analysis_stack(c);
    call own, k;
    uint32_t function;
    if (frame == 1)
        baseline_frequency = xray_context_of(c)->frequency;
    xray_read(c, bytes, values);
    uint32_t id = (uint32_t)values[XRAY_FIELD_FUNCTION];
    if (xray_analysis_visit(all, frame, c, stack, id, &own) && !outside)
        for (uint32_t i = 0; xray_analysis_ended(all, c->kind, &own, id, i, &k, &function); i++)
            add_ended(all, stack, &k, function);
}

static xray_functions *functions_of(const char *path)
{
    g_autofree char *found = baseline_binary ? NULL : xray_functions_discover(path);
    const char *paths = baseline_binary ? baseline_binary : found;
    GString *problems = g_string_new(NULL);
    xray_functions *f = paths ? xray_functions_load(paths, xray_calls_demangled(), problems) : NULL;
    if (problems->len)
        notices_print(g_strchomp(problems->str));
    g_string_free(problems, TRUE);
    return f;
}

static void report_matching(void)
{
    if (!baseline_functions == !xray_calls_named())
        return;
    notices_print(baseline_functions
                      ? "Functions are matched by their ids: the program of this log is not known (xray.binary)."
                      : "Functions are matched by their ids: the program of the baseline is not known (binary:FILE).");
}

static char *read_baseline(const char *path)
{
    calls *all = calls_new(CALLS_UNWIND);
    xray_functions_free(baseline_functions);
    baseline_functions = functions_of(path);
    report_matching();
    char *problem = trace_reader_read(path, "xray", visit, all);
    calls_free(all);
    return problem;
}

/* --- the statistic ---------------------------------------------------------------------------------------------------- */

enum { MEASURE_CALLS, MEASURE_SUM, MEASURE_MEAN, MEASURE_MEDIAN, MEASURE_99, MEASURE_UNWOUND };

/* The mean is that of the sum as it is shown: ticks may be much longer than a nanosecond. */
static bool value(diff_side side, diff_sums *s, unsigned i, uint64_t *value)
{
    uint64_t count = MAX(s->all.count, 1), ticks = i == MEASURE_MEDIAN ? quantiles_value(&s->spread, 50)
                                                   : i == MEASURE_99   ? quantiles_value(&s->spread, 99)
                                                                       : s->all.numbers[NUMBER_SUM];
    if (i == MEASURE_CALLS || i == MEASURE_UNWOUND)
        *value = i == MEASURE_CALLS ? s->all.count : s->all.numbers[NUMBER_UNWOUND];
    else if (table_in_ticks(&xray_diff.statistic))
        *value = ticks;
    else
        *value = side == DIFF_AFTER ? xray_calls_sum_nanoseconds(ticks) : xray_nanoseconds(ticks, baseline_frequency);
    if (i == MEASURE_MEAN)
        *value = *value / count + (*value % count >= (count + 1) / 2);
    return i <= MEASURE_SUM || i == MEASURE_UNWOUND || s->all.count;
}

static bool word(const char *word)
{
    if (!word) {
        wants_graph = false;
        g_clear_pointer(&baseline_binary, g_free);
        return false;
    }
    bool graph = strcmp(word, "graph") == 0, binary = g_str_has_prefix(word, "binary:");
    if (graph)
        wants_graph = true;
    if (binary) {
        g_free(baseline_binary);
        baseline_binary = g_strdup(word + strlen("binary:"));
    }
    return graph || binary;
}

static bool take_word(const char *word)
{
    return diff_word(&xray_diff, word);
}

static char *begin(void)
{
    return diff_begin(&xray_diff);
}

static void forget(void)
{
    diff_forget(&xray_diff);
}

static void finish(stat_tap_table *table)
{
    diff_finish(&xray_diff, table);
}

static diff xray_diff = {
    .statistic = {.ui = {.title = "XRay Comparison with an Earlier Log", .tap_name = "xray", .cli_string = "xray,diff"},
                  .title = "XRay functions before and after",
                  .count = count,
                  .forget = forget,
                  .word = take_word,
                  .words = "graph, binary:FILE, BASELINE",
                  .begin = begin,
                  .finish = finish},
    .names = {"Function", "Caller"},
    .measures = {"Calls", "Sum (ns)", "Mean (ns)", "Median (ns)", "99 % (ns)", "Unwound"},
    .main = MEASURE_SUM,
    .more = "graph; binary:FILE (its program):",
    .protocol = "xray",
    .word = word,
    .read = read_baseline,
    .value = value,
};

void xray_diff_register(void)
{
    diff_register(&xray_diff);
}
