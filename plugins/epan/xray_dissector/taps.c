/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of XRay logs: xray,tree (counts), xray,stacks (folded stacks), xray,srt (response times), the trees of calls,
 * and those in files of their own. They use the tap "xray" and take a display filter as last argument, like Wireshark's own.
 */
#include "taps/call_tree.h"
#include "taps/count_tree.h"
#include "taps/counts.h"
#include "taps/responses.h"
#include "taps/span_rows.h"
#include "taps/stacks.h"
#include "xray_dissector/fields.h"

#include <epan/stats_tree.h>
#include <epan/tap.h>

#include "xray/statistics/counts.h"

/* --- tree: counts by kind, thread and function ------------------------------------------------------------------------- */

static void xray_taps_tree_init(stats_tree *tree)
{
    counts_batch_begin(tree, xray_counts_new(), xray_counts_first, XRAY_COUNTS_FIRST);
}

static tap_packet_status xray_taps_tree_packet(stats_tree *tree, packet_info *pinfo _U_, epan_dissect_t *edt _U_,
                                               const void *tapped, tap_flags_t flags _U_)
{
    const xray_tapped *r = tapped;
    xray_counts_add(counts_batch_enter(tree), r->context, r->function, xray_calls_label);
    return TAP_PACKET_REDRAW;
}

/* --- calls ----------------------------------------------------------------------------------------------------------- */

static stack_piece xray_spans_thread(const void *tapped)
{
    return (stack_piece){STACKS_THREAD, xray_context_of(((const xray_tapped *)tapped)->context)->thread};
}

static void xray_spans_name(const void *tapped _U_, const stack_piece *piece, GString *name)
{
    if (piece->kind == STACKS_THREAD)
        g_string_append_printf(name, "thread_%u", (unsigned)piece->id);
    else
        xray_calls_append_piece(name, piece, true);
}

/* There are no threads in it. */
static void xray_spans_label(const void *tapped _U_, const stack_piece *piece, GString *name)
{
    xray_calls_append_piece(name, piece, false);
}

static const char *xray_spans_place(const void *tapped _U_, const span *ended)
{
    return xray_calls_source(ended->function);
}

static const span_kind xray_kinds[] = {{"Functions", "Function", "xray.function.id"}, {0}};

const span_source xray_spans = {
    .tap = "xray",
    .title = "XRay",
    .menu = COMPAT_TREES("XRay"),
    .tree = "Call Tree",
    .many = "calls",
    .unit = "ticks",
    .kinds = xray_kinds,
    .filtered = "XRay Functions to Filter",
    .span = xray_calls_span,
    .left_out = xray_profile_remark,
    .unclocked = xray_calls_unclocked,
    .nanoseconds = xray_calls_sum_nanoseconds,
    .thread = xray_spans_thread,
    .stack = xray_calls_stack,
    .name = xray_spans_name,
    .label = xray_spans_label,
    .caller = xray_calls_caller,
    .called = xray_calls_title,
    .place = xray_spans_place,
};

/* --- a row for each call ----------------------------------------------------------------------------------------------- */

enum { EACH_THREAD = SPAN_COLUMNS, EACH_PROCESS, EACH_CALLER_ID, EACH_COLUMNS };
static const rows_column each_columns[EACH_COLUMNS] = {
    SPAN_ROWS_COLUMNS("Function", "Function id"), [EACH_THREAD] = {"Thread", ROWS_ORDINAL, ROWS_EACH},
    [EACH_PROCESS] = {"Process", ROWS_ORDINAL, ROWS_EACH}, [EACH_CALLER_ID] = {"Caller id", ROWS_ORDINAL, ROWS_EACH}};

/* Of an open call, its detail is the function around it. */
static bool each_around(const void *tapped, const span *s, uint32_t *caller)
{
    if (!s->detail)
        return xray_calls_caller(tapped, s, caller);
    *caller = *(const uint32_t *)s->detail;
    return s->call.depth > 0;
}

static void each_fill(const packet_info *pinfo _U_, const void *tapped, const span *s, bool full _U_, rows_cell *own)
{
    const xray_context *x = xray_context_of(((const xray_tapped *)tapped)->context);
    uint32_t caller;
    if (x->known & XRAY_KNOWN_THREAD)
        own[EACH_THREAD - SPAN_COLUMNS] = rows_number(x->thread);
    if (x->known & XRAY_KNOWN_PROCESS)
        own[EACH_PROCESS - SPAN_COLUMNS] = rows_number(x->process);
    if (each_around(tapped, s, &caller))
        own[EACH_CALLER_ID - SPAN_COLUMNS] = rows_number(caller);
}

static const char *name_of_function(uint32_t function, bool full, xray_number number)
{
    return xray_name_words(full ? xray_calls_name(function) : xray_calls_label(function), function, number);
}

/* Threads write rows. */
static const char *each_name(const packet_info *pinfo _U_, const span *s, bool full)
{
    static _Thread_local xray_number number;
    return name_of_function(s->function, full, number);
}

static const char *each_caller(const packet_info *pinfo _U_, const void *tapped, const span *s, bool full)
{
    static _Thread_local xray_number number;
    uint32_t caller;
    return each_around(tapped, s, &caller) ? name_of_function(caller, full, number) : NULL;
}

static bool each_depth_unknown(const void *tapped)
{
    return xray_calls_depth_unknown(tapped);
}

uint64_t xray_calls_now(const void *tapped)
{
    const xray_tapped *r = tapped;
    return xray_calls_file_ticks(r, xray_context_of(r->context)->tsc);
}

uint64_t xray_calls_between(const void *tapped, uint64_t from, uint64_t to)
{
    const xray_context *x = xray_context_of(((const xray_tapped *)tapped)->context);
    if (x->frequency != xray_file.frequency) /* of merged logs, which have other ticks */
        return xray_calls_sum_nanoseconds(to - from);
    return (uint64_t)xray_nanoseconds_since(x->base_tsc, to, x->frequency) -
           (uint64_t)xray_nanoseconds_since(x->base_tsc, from, x->frequency);
}

typedef struct opening {
    uint64_t now;
    span_opened visit;
    void *data;
    uint32_t around; /* function of the latest call */
} opening;

/* Exported records have no thread in their key, and perhaps other clocks. */
static bool has_thread(uint64_t stack)
{
    return stack >> 32 != UINT32_MAX;
}

static bool each_when(void *data, uint64_t stack, uint32_t function _U_, calls_end_at *at)
{
    const opening *o = data;
    *at = (calls_end_at){.ticks = o->now};
    return o->now && has_thread(stack);
}

static uint64_t nanoseconds_of(uint64_t ticks)
{
    return (uint64_t)xray_nanoseconds_since(xray_file.base, ticks, xray_file.frequency);
}

static void each_visit(void *data, uint64_t stack, uint32_t function, const call *open)
{
    opening *o = data;
    record_context c = {0};
    const xray_tapped r = {.context = &c, .stack = stack};
    span s = {.call = *open, .function = function, .nests = true, .detail = &o->around};
    s.call.until = nanoseconds_of(o->now) - nanoseconds_of(o->now - open->duration);
    xray_context_of(&c)->thread = (uint32_t)stack;
    xray_context_of(&c)->process = (uint32_t)(stack >> 32);
    if (has_thread(stack))
        xray_context_of(&c)->known = XRAY_KNOWN_THREAD | (stack >> 32 ? XRAY_KNOWN_PROCESS : 0);
    o->visit(o->data, &r, &s);
    o->around = function;
}

void xray_calls_each_open(const void *tapped, uint64_t now, span_opened visit, void *data)
{
    opening o = {now, visit, data, 0};
    calls *all = tapped ? ((const xray_tapped *)tapped)->calls : xray_file.calls;
    if (all)
        calls_each_open(all, each_when, each_visit, &o);
}

static const span_table each_call = {
    .from = &xray_spans,
    .command = "xray,calls,each",
    .title = "XRay Calls",
    .usual = "time,duration,self,thread,depth,begin,end,function",
    .columns = each_columns,
    .count = EACH_COLUMNS,
    .fill = each_fill,
    .name = each_name,
    .caller = each_caller,
    .now = xray_calls_now,
    .between = xray_calls_between,
    .depth_unknown = each_depth_unknown,
    .each_open = xray_calls_each_open,
    .threads = true,
};

/* --- registration ------------------------------------------------------------------------------------------------------ */

void xray_taps_register(int proto)
{
    statistic_register(&xray_account_statistic);
    xray_slowest_register();
    span_rows_register(&each_call);
    responses_register(proto, &xray_spans);
    stacks_register(&xray_spans);
    statistic_register(&xray_graph_statistic);
    diff_register(&xray_diff);
    statistic_register(&xray_call_statistic);
    statistic_register(&xray_gaps_statistic);
}

void xray_taps_handoff(void)
{
    call_tree_register(&xray_spans);
    static const count_tree tree = {
        XRAY_RECORDS_TAP,    "xray",          COMPAT_TREES("XRay") "Records", xray_taps_tree_packet,
        xray_taps_tree_init, counts_batch_end};
    count_tree_register(&tree);
}
