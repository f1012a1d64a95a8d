/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of ovni traces: ovni,tree (counts), ovni,srt (response times) and ovni,stacks (folded stacks). The tables
 * are in tables-ovni.c. They listen to the tap "ovni" and take a display filter as last argument, like those of
 * Wireshark. The event that ends a state or task is counted. */
#include "statistics/call_tree.h"
#include "host/hidden_records.h"
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
    return i == 0 && ovni_known_region_ends(&r->known, record_number(pinfo));
}

static void stacks_append_thread(wmem_strbuf_t *text, const void *tapped)
{
    wmem_strbuf_append(text, ovni_stream_words(tapped));
}

static const char *region_name(uint32_t function, char *text, size_t size)
{
    char model;
    const char *name = ovni_region_name(function, text, size, &model);
    return name ? name : "";
}

static void stacks_append_stack(wmem_strbuf_t *text, const void *tapped, uint32_t i, unsigned most)
{
    (void)i;
    const ovni_record *r = tapped;
    uint32_t functions[CALLS_STACK_MAX], left_out;
    const unsigned n = ovni_region_stack(r, functions, &left_out);
    wmem_strbuf_append_printf(text, "%s;", ovni_model_words(r->mcv[0]));
    stacks_append(text, &(stacks_stack){functions, NULL, n, left_out}, most, region_name);
}

const stacks_protocol ovni_stacks = {
    .tap = "ovni",
    .command = "ovni,stacks",
    .title = "ovni Stacks",
    .unit = "ns",
    .calls = "states",
    .active = true,
    .ended = stacks_ended,
    .append_thread = stacks_append_thread,
    .append_stack = stacks_append_stack,
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
    stats_tree_register_plugin(OVNI_EVENTS_TAP, "ovni", COMPAT_TREES("ovni") "Events", COUNTS_LARGEST_FIRST, tree_packet,
                               tree_init, NULL);
}
