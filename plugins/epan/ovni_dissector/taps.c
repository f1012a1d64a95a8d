/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of ovni traces: ovni,tree (counts), ovni,srt (response times) and ovni,stacks (folded stacks). The tables
 * are in tables.c. They listen to the tap "ovni" and take a display filter as last argument, like those of
 * Wireshark. The event that ends a state or task is counted. */
#include "taps/call_tree.h"
#include "host/hidden_records.h"
#include "taps/count_tree.h"
#include "taps/counts.h"
#include "ovni_dissector/statistics.h"
#include "dissector/pdu.h"
#include "taps/responses.h"
#include "taps/stacks.h"

#include <epan/stats_tree.h>
#include <epan/tap.h>

#include "ovni/statistics/counts.h"

/* --- tree: events by model and code, and by stream
 * -------------------------------------------------------------------------- */

static void ovni_taps_tree_init(stats_tree *tree)
{
    counts_batch_begin(tree, ovni_counts_new(), ovni_counts_first, OVNI_COUNTS_FIRST);
}

static tap_packet_status ovni_taps_tree_packet(stats_tree *tree, packet_info *pinfo, epan_dissect_t *edt _U_,
                                               const void *tapped, tap_flags_t flags _U_)
{
    const ovni_tapped *r = tapped;
    if (!r->is_event)
        return TAP_PACKET_DONT_REDRAW;
    count_cells *c = counts_batch_enter(tree, pinfo);
    if (!ovni_counts_add(c, r->mcv, r->context->stream))
        ovni_counts_add_stream(c, r->context->stream, ovni_stream_words(r));
    return TAP_PACKET_REDRAW;
}

/* --- states and tasks ------------------------------------------------------------------------------------------------ */

static bool ovni_spans_span(const void *tapped, uint32_t i, span *s)
{
    const ovni_tapped *r = tapped;
    return ovni_known_span(&r->known, record_number(r->pinfo), i, s);
}

enum { STACKS_MODEL = STACKS_KINDS };

static stack_piece ovni_spans_thread(const void *tapped)
{
    return (stack_piece){STACKS_THREAD, ((const ovni_tapped *)tapped)->context->stream};
}

static unsigned ovni_spans_stack(const void *tapped, const span *s _U_, unsigned most, stack_piece *pieces)
{
    const ovni_tapped *r = tapped;
    uint32_t functions[CALLS_STACK_MAX], left_out;
    const unsigned n = ovni_region_stack(r, functions, &left_out);
    pieces[0] = (stack_piece){STACKS_MODEL, (unsigned char)r->mcv[0]};
    const unsigned count = 1 + stacks_pieces(&(stacks_stack){functions, NULL, n, left_out}, most, pieces + 1);
    for (unsigned piece = 1; piece < count; piece++) /* a label that becomes known is another name */
        if (pieces[piece].kind == STACKS_FUNCTION)
            pieces[piece].id |= (uint64_t)ovni_states_naming(ovni_states_of_file(), (uint32_t)pieces[piece].id) << 32;
    return count;
}

/* The thread is that of the record. */
static void ovni_spans_name(const void *tapped, const stack_piece *piece, GString *name)
{
    char model, text[TEXT_PAIR];
    const char *state = ovni_region_name((uint32_t)piece->id, text, sizeof text, &model);
    if (piece->kind == STACKS_THREAD)
        g_string_append(name, ovni_stream_words(tapped));
    else if (piece->kind == STACKS_MODEL)
        g_string_append(name, ovni_model_words((char)piece->id));
    else
        stacks_append_piece(name, piece, state ? state : "");
}

static bool ovni_spans_caller(const void *tapped, const span *s _U_, uint32_t *function)
{
    uint32_t functions[CALLS_STACK_MAX], left_out;
    const unsigned n = ovni_region_stack(tapped, functions, &left_out);
    if (n > 1)
        *function = functions[n - 2];
    return n > 1;
}

static const char *ovni_spans_called(const packet_info *pinfo, const span *s)
{
    char model, text[TEXT_PAIR];
    if (s->kind == OVNI_SPAN_STATE) {
        const char *name = ovni_region_name(s->function, text, sizeof text, &model);
        return name == text ? wmem_strdup(pinfo->pool, text) : name;
    }
    const ovni_task *task = s->detail;
    if (!task->has_type)
        return NULL;
    return task->label ? task->label : hidden_streams_missing() ? "(unknown)" : "(no label)";
}

static const char *ovni_spans_place(const void *tapped, const span *s _U_)
{
    return ovni_model_words(((const ovni_tapped *)tapped)->mcv[0]);
}

static const span_kind ovni_kinds[] = {[OVNI_SPAN_STATE] = {"States", "State", "ovni.state.number"},
                                       [OVNI_SPAN_TASK] = {"Task types", "Task type", "ovni.task.type"},
                                       {0}};

const span_source ovni_spans = {
    .tap = "ovni",
    .title = "ovni",
    .menu = COMPAT_TREES("ovni"),
    .tree = "State Tree",
    .many = "states",
    .unit = "ns",
    .pauses = true,
    .groups = 1, /* the model */
    .kinds = ovni_kinds,
    .filtered = "ovni States and Tasks to Filter",
    .span = ovni_spans_span,
    .thread = ovni_spans_thread,
    .stack = ovni_spans_stack,
    .name = ovni_spans_name,
    .caller = ovni_spans_caller,
    .called = ovni_spans_called,
    .place = ovni_spans_place,
};

/* --- registration
 * ----------------------------------------------------------------------------------------------------------- */

void ovni_taps_register(int proto)
{
    ovni_tables_register();
    responses_register(proto, &ovni_spans);
    statistic_register(&ovni_at_statistic);
    statistic_register(&ovni_balance_statistic);
    statistic_register(&ovni_lint_statistic);
    statistic_register(&ovni_cpus_statistic);
    ovni_paraver_register();
    stacks_register(&ovni_spans);
    diff_register(&ovni_diff);
}

void ovni_taps_handoff(void)
{
    call_tree_register(&ovni_spans);
    static const count_tree tree = {
        OVNI_RECORDS_TAP,    "ovni",          COMPAT_TREES("ovni") "Events", ovni_taps_tree_packet,
        ovni_taps_tree_init, counts_batch_end};
    count_tree_register(&tree);
}
