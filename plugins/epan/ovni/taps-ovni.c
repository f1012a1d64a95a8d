/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of ovni traces: ovni,states and ovni,tasks (tables), ovni,tree (counts) and ovni,stacks (folded stacks).
 * They use the tap "ovni" and take a display filter as last argument, like Wireshark's own. The filter applies to the
 * event that ends a state or task. */
#include "calltree.h"
#include "counts.h"
#include "hash.h"
#include "ovni-states.h"
#include "responses.h"
#include "stacks.h"
#include "table.h"

#include <epan/stats_tree.h>
#include <epan/tap.h>

static const char *model_name(char model)
{
    const char *name = ovni_model_name(model);
    return name ? name : "(unknown)";
}

/* --- tables: durations by name and model ------------------------------------------------------------------------------- */

enum { COLUMN_NAME, COLUMN_MODEL, COLUMN_COUNT, COLUMN_MIN, COLUMN_AVERAGE, COLUMN_MAX, COLUMN_SUM, COLUMNS };

#define NUMBER_COLUMNS \
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Count", "%10u"}, TABLE_NUMBER("Min (ns)"), TABLE_NUMBER("Average (ns)"), \
        TABLE_NUMBER("Max (ns)"), TABLE_NUMBER("Sum (ns)")

static stat_tap_table_item state_columns[COLUMNS] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "State", "%-48s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Model", "%-8s"},
    NUMBER_COLUMNS,
};
static stat_tap_table_item task_columns[COLUMNS] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Task type", "%-48s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Model", "%-8s"},
    NUMBER_COLUMNS,
};

static const char state_title[] = "ovni states", task_title[] = "ovni tasks";

typedef struct sums {
    guint row;
    unsigned count;
    uint64_t min, max, sum; /* ns */
} sums;

/* "model name" -> sums */
static GHashTable *state_rows, *task_rows;

static GHashTable **rows_of(const stat_tap_table *table)
{
    return strcmp(table->title, state_title) == 0 ? &state_rows : &task_rows;
}

static void forget_rows(GHashTable **rows)
{
    if (*rows)
        g_hash_table_destroy(*rows);
    *rows = g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free);
}

static void states_forget(void)
{
    forget_rows(&state_rows);
}

static void tasks_forget(void)
{
    forget_rows(&task_rows);
}

static sums *add_row(stat_tap_table *table, GHashTable *rows, char *key, const char *name, char model)
{
    stat_tap_table_item_type cells[COLUMNS] = {0};
    sums *s = g_new0(sums, 1);
    s->row = g_hash_table_size(rows);
    s->min = UINT64_MAX;
    cells[COLUMN_NAME] = table_text(name);
    cells[COLUMN_MODEL] = table_text(model_name(model));
    cells[COLUMN_COUNT].type = TABLE_ITEM_UINT;
    for (int i = COLUMN_MIN; i < COLUMNS; i++)
        cells[i] = table_number();
    stat_tap_init_table_row(table, s->row, COLUMNS, cells);
    g_hash_table_insert(rows, key, s);
    return s;
}

static sums *sums_of(stat_tap_table *table, const char *name, char model)
{
    GHashTable *rows = *rows_of(table);
    char *key = g_strdup_printf("%c%s", model, name);
    sums *s = g_hash_table_lookup(rows, key);
    if (!s && strcmp(name, TABLE_OTHERS) != 0 && !table_has_room(g_hash_table_size(rows), 0))
        s = sums_of(table, TABLE_OTHERS, model);
    if (!s)
        return add_row(table, rows, key, name, model);
    g_free(key);
    return s;
}

static bool add_duration(stat_tap_table *table, const char *name, char model, uint64_t ns)
{
    sums *s = sums_of(table, name, model);
    s->count++;
    s->sum += ns;
    s->min = MIN(s->min, ns);
    s->max = MAX(s->max, ns);
    stat_tap_get_field_data(table, s->row, COLUMN_COUNT)->value.uint_value = s->count;
    table_set(table, s->row, COLUMN_MIN, s->min);
    table_set(table, s->row, COLUMN_AVERAGE, s->sum / s->count + (s->sum % s->count >= (s->count + 1) / 2));
    table_set(table, s->row, COLUMN_MAX, s->max);
    table_set(table, s->row, COLUMN_SUM, s->sum);
    return true;
}

static bool ends_region(const ovni_record *r, const packet_info *pinfo)
{
    const call *k = &r->known.region;
    return r->has_state && r->known.has_region && k->end == pinfo->num && k->state & CALL_TIMED;
}

/* A nested state ends with an event of its own; a value ends when the next one is set. */
static bool ends_state(const ovni_record *r, const packet_info *pinfo, uint32_t *function, uint64_t *duration)
{
    bool ends_value = r->has_state && r->known.has_left && r->known.left.state & CALL_TIMED;
    if (!ends_value && !ends_region(r, pinfo))
        return false;
    *function = ends_value ? r->known.left_function : r->known.function;
    *duration = ends_value ? r->known.left.duration : r->known.region.duration;
    return true;
}

static bool states_record(stat_tap_table *table, const packet_info *pinfo, const void *tapped)
{
    const ovni_record *r = tapped;
    char text[256], model = 'O';
    uint32_t function;
    uint64_t duration;
    if (!ends_state(r, pinfo, &function, &duration))
        return false;
    const char *name = ovni_region_name(function, text, sizeof text, &model);
    return add_duration(table, name ? name : "", model, duration);
}

static bool ends_task(const ovni_record *r, const packet_info *pinfo)
{
    return r->has_state && r->known.has_task && r->known.task.ended == pinfo->num && r->known.task.timed;
}

static bool tasks_record(stat_tap_table *table, const packet_info *pinfo, const void *tapped)
{
    const ovni_record *r = tapped;
    const ovni_task *task = &r->known.task;
    char text[32];
    if (!ends_task(r, pinfo))
        return false;
    if (task->has_type)
        snprintf(text, sizeof text, "type %u", task->type);
    else
        g_strlcpy(text, "(type not known)", sizeof text);
    return add_duration(table, task->label ? task->label : text, r->mcv[0], task->running);
}

static table_statistic states_statistic = {
    .ui = {.title = "ovni States",
           .tap_name = "ovni",
           .cli_string = "ovni,states",
           .nfields = COLUMNS,
           .fields = state_columns},
    .title = state_title,
    .sorted_by = {COLUMN_SUM},
    .count = states_record,
    .forget = states_forget,
};
static table_statistic tasks_statistic = {
    .ui =
        {.title = "ovni Tasks", .tap_name = "ovni", .cli_string = "ovni,tasks", .nfields = COLUMNS, .fields = task_columns},
    .title = task_title,
    .sorted_by = {COLUMN_SUM},
    .count = tasks_record,
    .forget = tasks_forget,
};

/* --- tree: events by model and code, and by stream --------------------------------------------------------------------- */

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
    int model = tick_stat_node(tree, model_name(r->mcv[0]), node_models, TRUE);
    counts_tick(&tree_codes, tree, model, code, false);
    tick_stat_node(tree, name_streams, 0, TRUE);
    counts_tick(&tree_streams, tree, node_streams, r->stream ? r->stream : "?", false);
    counts_leave(bursts);
    return TAP_PACKET_REDRAW;
}

/* --- stacks: folded, one per line -------------------------------------------------------------------------------------- */

static bool stacks_ended(const void *tapped, const packet_info *pinfo, uint32_t i, call *k)
{
    const ovni_record *r = tapped;
    *k = r->known.region;
    return i == 0 && ends_region(r, pinfo);
}

static void stacks_append_thread(wmem_strbuf_t *text, const void *tapped)
{
    const ovni_record *r = tapped;
    wmem_strbuf_append(text, r->stream ? r->stream : "?");
}

static const char *region_name(uint32_t function, char *text, size_t size)
{
    char model;
    const char *name = ovni_region_name(function, text, size, &model);
    return name ? name : "";
}

static void stacks_append_stack(wmem_strbuf_t *text, const void *tapped, uint32_t i)
{
    (void)i;
    const ovni_record *r = tapped;
    uint32_t functions[CALLS_STACK_MAX], left_out;
    unsigned n = ovni_region_stack(r, functions, &left_out);
    wmem_strbuf_append_printf(text, "%s;", model_name(r->mcv[0]));
    stacks_append(text, functions, n, left_out, region_name);
}

const stacks_protocol ovni_stacks = {
    .tap = "ovni",
    .command = "ovni,stacks",
    .title = "ovni Stacks",
    .unit = "ns",
    .calls = "states",
    .ended = stacks_ended,
    .append_thread = stacks_append_thread,
    .append_stack = stacks_append_stack,
};

static calltree states_tree = {
    .stacks = &ovni_stacks,
    .trees = {{"ovni.states", COMPAT_TREES("ovni") "States from Outside In"},
              {"ovni.time", COMPAT_TREES("ovni") "Time from Outside In"},
              {"ovni.self", COMPAT_TREES("ovni") "Time of Their Own"}},
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
    if (i == RESPONSE_STATE && ends_state(r, pinfo, &one->number, &one->ns)) {
        one->name = ovni_region_name(one->number, one->text, sizeof one->text, &model);
    } else if (i == RESPONSE_TASK && ends_task(r, pinfo) && task->has_type) {
        one->number = task->type;
        one->name = task->label ? task->label : "(no label)";
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

/* --- registration ------------------------------------------------------------------------------------------------------ */

void ovni_taps_register(int proto)
{
    static report stacks_report;
    table_register(&states_statistic);
    table_register(&tasks_statistic);
    responses_register(proto, &response_times);
    stacks_register(&stacks_report, &ovni_stacks);
}

void ovni_taps_handoff(void)
{
    calltree_register(&states_tree);
    stats_tree_register_plugin("ovni", "ovni", COMPAT_TREES("ovni") "Events", COUNTS_LARGEST_FIRST, tree_packet, tree_init,
                               NULL);
}
