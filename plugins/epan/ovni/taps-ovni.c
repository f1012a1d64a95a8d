/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of ovni traces: ovni,tree (counts), ovni,srt (response times) and ovni,stacks (folded stacks). The tables
 * are in tables-ovni.c. They listen to the tap "ovni" and take a display filter as last argument, like those of
 * Wireshark. The event that ends a state or task is counted. */
#include "statistics/call_tree.h"
#include "host/hidden_records.h"
#include "statistics/count_tree.h"
#include "statistics/counts.h"
#include "ovni/statistics-ovni.h"
#include "dissector/pdu.h"
#include "statistics/responses.h"
#include "statistics/stacks.h"

#include <epan/stats_tree.h>
#include <epan/tap.h>

/* --- tree: events by model and code, and by stream -------------------------------------------------------------------------- */

static int node_models = -1, node_streams = -1;
static const char *const name_models = "Models and codes", *const name_streams = "Streams";
static counts tree_codes, tree_streams;

static void tree_init(stats_tree *tree)
{
    node_models = stats_tree_create_node(tree, name_models, 0, STAT_DT_INT, TRUE);
    node_streams = stats_tree_create_node(tree, name_streams, 0, STAT_DT_INT, TRUE);
    counts_begin(&tree_codes);
    counts_begin(&tree_streams);
}

static tap_packet_status tree_packet(stats_tree *tree, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                     tap_flags_t flags)
{
    (void)edt;
    (void)flags;
    const ovni_record *r = tapped;
    char code[4] = "...";
    if (!r->is_event)
        return TAP_PACKET_DONT_REDRAW;
    for (int i = 0; i < 3; i++)
        if (g_ascii_isgraph(r->mcv[i]))
            code[i] = r->mcv[i];
    bool bursts = counts_enter(pinfo);
    tick_stat_node(tree, name_models, 0, TRUE);
    int model = tick_stat_node(tree, ovni_model_words(r->mcv[0]), node_models, TRUE);
    counts_tick(&tree_codes, tree, model, code, false);
    tick_stat_node(tree, name_streams, 0, TRUE);
    counts_tick(&tree_streams, tree, node_streams, ovni_stream_words(r), false);
    counts_leave(bursts);
    return TAP_PACKET_REDRAW;
}

/* --- stacks: folded, one per line ------------------------------------------------------------------------------------------- */

static bool stacks_ended(const void *tapped, const packet_info *pinfo, uint32_t i, call *k)
{
    const ovni_record *r = tapped;
    *k = r->known.region;
    return i == 0 && ovni_ends_region(r, pinfo);
}

enum { STACKS_MODEL = STACKS_KINDS };

static stack_piece stacks_thread(const void *tapped)
{
    return (stack_piece){STACKS_THREAD, ((const ovni_record *)tapped)->context->stream};
}

static unsigned stacks_stack_of(const void *tapped, uint32_t i, unsigned most, stack_piece *pieces)
{
    (void)i;
    const ovni_record *r = tapped;
    uint32_t functions[CALLS_STACK_MAX], left_out;
    const unsigned n = ovni_region_stack(r, functions, &left_out);
    pieces[0] = (stack_piece){STACKS_MODEL, (unsigned char)r->mcv[0]};
    return 1 + stacks_pieces(&(stacks_stack){functions, NULL, n, left_out}, most, pieces + 1);
}

/* The thread is that of the record. */
static void stacks_name(const void *tapped, const stack_piece *piece, GString *name)
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
    .ended = stacks_ended,
    .thread = stacks_thread,
    .stack = stacks_stack_of,
    .name = stacks_name,
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

static bool response_ended(const void *tapped, const packet_info *pinfo, unsigned i, response *one)
{
    const ovni_record *r = tapped;
    const ovni_task *task = &r->known.task;
    char model;
    one->name = NULL;
    one->table = i;
    call k;
    if (i == RESPONSE_STATE && ovni_ends_state(r, pinfo, &one->number, &k)) {
        one->ns = k.duration;
        one->name = ovni_region_name(one->number, one->text, sizeof one->text, &model);
    } else if (i == RESPONSE_TASK && ovni_ends_task(r, pinfo) && task->has_type) {
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
    .ended = response_ended,
};

/* --- registration ----------------------------------------------------------------------------------------------------------- */

void ovni_taps_register(int proto)
{
    static report stacks_report;
    ovni_tables_register();
    responses_register(proto, &response_times);
    ovni_at_register();
    ovni_balance_register();
    ovni_lint_register();
    ovni_cpus_register();
    ovni_paraver_register();
    stacks_register(&stacks_report, &ovni_stacks);
    ovni_diff_register();
}

void ovni_taps_handoff(void)
{
    calltree_register(&states_tree);
    static const count_tree tree = {OVNI_EVENTS_TAP, "ovni", COMPAT_TREES("ovni") "Events", tree_packet, tree_init, NULL};
    count_tree_register(&tree);
}
