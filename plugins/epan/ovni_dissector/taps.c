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

/* --- stacks: folded, one per line
 * ------------------------------------------------------------------------------------------- */

static bool ovni_taps_stacks_ended(const void *tapped, const packet_info *pinfo, uint32_t i, call *k)
{
    const ovni_tapped *r = tapped;
    *k = r->known.region;
    return i == 0 && ovni_known_region_ends(&r->known, record_number(pinfo));
}

enum { STACKS_MODEL = STACKS_KINDS };

static stack_piece ovni_taps_stacks_thread(const void *tapped)
{
    return (stack_piece){STACKS_THREAD, ((const ovni_tapped *)tapped)->context->stream};
}

static unsigned ovni_taps_stacks_stack_of(const void *tapped, uint32_t i _U_, unsigned most, stack_piece *pieces)
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
static void ovni_taps_stacks_name(const void *tapped, const stack_piece *piece, GString *name)
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

const stacks_protocol ovni_stacks = {
    .tap = "ovni",
    .command = "ovni,stacks",
    .title = "ovni Stacks",
    .unit = "ns",
    .calls = "states",
    .active = true,
    .ended = ovni_taps_stacks_ended,
    .thread = ovni_taps_stacks_thread,
    .stack = ovni_taps_stacks_stack_of,
    .name = ovni_taps_stacks_name,
};

static calltree states_tree = {
    .stacks = &ovni_stacks,
    .trees = {{"ovni.states", COMPAT_TREES("ovni") "State Tree"},
              {"ovni.time", COMPAT_TREES("ovni") "Time Tree"},
              {"ovni.self", COMPAT_TREES("ovni") "Self Time"}},
    .root = "All",
    .groups = 1, /* the model */
};

enum { RESPONSE_STATE, RESPONSE_TASK };
static const responses_table response_tables[] = {{"States", "State", "ovni.state.number"},
                                                  {"Task types", "Task type", "ovni.task.type"}};

static bool ovni_taps_response_ended(const void *tapped, const packet_info *pinfo, unsigned i, response *one)
{
    const ovni_tapped *r = tapped;
    const ovni_task *task = &r->known.task;
    char model;
    one->name = NULL;
    one->table = i;
    const call *k = i == RESPONSE_STATE ? ovni_known_state_ended(&r->known, record_number(pinfo), &one->number) : NULL;
    if (k) {
        one->ns = k->duration;
        one->name = ovni_region_name(one->number, one->text, sizeof one->text, &model);
    } else if (i == RESPONSE_TASK && ovni_known_task_ends(&r->known, record_number(pinfo)) && task->has_type) {
        one->number = task->type;
        one->name = task->label ? task->label : hidden_streams_missing() ? "(unknown)" : "(no label)";
        one->ns = task->running;
    }
    return i < G_N_ELEMENTS(response_tables);
}

static const responses response_times = {
    .tap = "ovni",
    .title = "ovni States and Tasks to Filter",
    .command = "ovni,srt",
    .tables = response_tables,
    .count = array_length(response_tables),
    .ended = ovni_taps_response_ended,
};

/* --- registration
 * ----------------------------------------------------------------------------------------------------------- */

void ovni_taps_register(int proto)
{
    static statistic stacks_statistic;
    ovni_tables_register();
    responses_register(proto, &response_times);
    statistic_register(&ovni_at_statistic);
    statistic_register(&ovni_balance_statistic);
    statistic_register(&ovni_lint_statistic);
    statistic_register(&ovni_cpus_statistic);
    ovni_paraver_register();
    stacks_register(&stacks_statistic, &ovni_stacks);
    diff_register(&ovni_diff);
}

void ovni_taps_handoff(void)
{
    calltree_register(&states_tree);
    static const count_tree tree = {
        OVNI_RECORDS_TAP,    "ovni",          COMPAT_TREES("ovni") "Events", ovni_taps_tree_packet,
        ovni_taps_tree_init, counts_batch_end};
    count_tree_register(&tree);
}
