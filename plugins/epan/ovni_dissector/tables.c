/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,states and ovni,tasks: a row per name and model, optionally also by rank, process, thread, CPU, loom or node
 * (common/ovni/statistics/durations.h). */
#include "host/hidden_records.h"
#include "host/menus.h"
#include "ovni_dissector/counting.h"

#include "ovni/statistics/durations.h"

#define WORDS "by:rank|by:process|by:thread|by:cpu|by:loom|by:node, " OVNI_WITHIN

static const char *const grouping_words[OVNI_GROUPINGS] = {NULL,     "by:rank", "by:process", "by:thread",
                                                           "by:cpu", "by:loom", "by:node"};

typedef struct counting {
    ovni_span_kind kind;
    ovni_durations *durations;
    ovni_window *window; /* NULL: all the time counts */
} counting;

static void *durations_begin(const statistic_run *run)
{
    ovni_grouping by = OVNI_GROUPINGS - 1;
    counting *c = g_new0(counting, 1);
    while (by > OVNI_BY_NOTHING && !statistic_has(run, grouping_words[by]))
        by--;
    c->kind = run->of->columns == ovni_durations_tasks ? OVNI_SPAN_TASK : OVNI_SPAN_STATE;
    c->durations = ovni_durations_new(c->kind, by, hidden_streams_missing);
    c->window = ovni_window_asked(run);
    return c;
}

static void durations_free(void *data)
{
    counting *c = data;
    ovni_durations_free(c->durations);
    ovni_window_free(c->window);
    g_free(c);
}

static void durations_each_record(void *data, const packet_info *pinfo, const void *tapped)
{
    ovni_window_see(((counting *)data)->window, pinfo, tapped);
}

/* Wireshark's window shows the beginning of a group, which for a thread is where it is. */
static void show_groups(rows *to)
{
    for (unsigned row = 0; menus_windows() && row < rows_length(to); row++) {
        rows_cell *group = &rows_at(to, row)[OVNI_DURATIONS_GROUP];
        g_autofree char *text = ovni_groups_last_part_first(group->text);
        *group = rows_text(to, text);
    }
}

/* --- states and tasks -------------------------------------------------------------------------------------------------- */

/* What counts of an event, which begins or ends something. NULL: nothing, but what it begins may. */
static const ovni_known *counted(const counting *c, const packet_info *pinfo, const ovni_tapped *r)
{
    const ovni_known *known = c->window ? ovni_window_known(c->window) : &r->known;
    if (known)
        ovni_announce(ovni_durations_groups(c->durations), pinfo, r);
    if (!known || !c->window || ovni_window_inside(c->window))
        return known;
    if (!ovni_groups_unannounced(ovni_durations_groups(c->durations), r->context->stream))
        ovni_durations_note(c->durations, r->context, record_number(pinfo), known);
    return NULL;
}

static const ovni_states *states_of(const counting *c)
{
    return c->window ? ovni_window_states(c->window) : ovni_states_of_file();
}

static bool durations_count(const statistic_run *run, const packet_info *pinfo, const void *tapped)
{
    const ovni_tapped *r = tapped;
    const counting *c = run->data;
    const bool wanted = r->has_state && (c->kind == OVNI_SPAN_STATE || r->known.has_task);
    const ovni_known *known = wanted ? counted(c, pinfo, r) : NULL;
    return known && ovni_durations_add(c->durations, states_of(c), r->context, record_number(pinfo), known, r->mcv[0]);
}

static void durations_fill(const statistic_run *run, rows *to)
{
    const counting *c = run->data;
    hidden_finish();
    if (states_of(c))
        ovni_durations_end(c->durations, states_of(c), c->window);
    ovni_durations_fill(c->durations, hidden_end_missing() && !(c->window && ovni_window_over(c->window)), to);
    show_groups(to);
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

static statistic states_statistic = {
    .title = "ovni States",
    .table = "ovni states",
    .tap = "ovni",
    .command = "ovni,states",
    .columns = ovni_durations_states,
    .column_count = OVNI_DURATIONS_OF_STATES,
    .usual = "active,count,average,max,sum,own_active,state,model,group",
    .sorted_by = {OVNI_DURATIONS_ACTIVE},
    .words = WORDS,
    .check = ovni_window_check,
    .begin = durations_begin,
    .each_record = durations_each_record,
    .every_for = OVNI_WITHIN,
    .context = ovni_tapped_context,
    .tapped = ovni_tapped_record,
    .count = durations_count,
    .fill = durations_fill,
    .free = durations_free,
};
static statistic tasks_statistic = {
    .title = "ovni Tasks",
    .table = "ovni tasks",
    .tap = "ovni",
    .command = "ovni,tasks",
    .columns = ovni_durations_tasks,
    .column_count = OVNI_DURATIONS_OF_TASKS,
    .usual = "active,count,average,max,sum,own_active,on_a_cpu,label,model,group",
    .sorted_by = {OVNI_DURATIONS_ACTIVE},
    .words = WORDS,
    .check = ovni_window_check,
    .begin = durations_begin,
    .each_record = durations_each_record,
    .every_for = OVNI_WITHIN,
    .context = ovni_tapped_context,
    .tapped = ovni_tapped_record,
    .count = durations_count,
    .fill = durations_fill,
    .free = durations_free,
};
static void add_grouped(statistic *s, const char *what, ovni_grouping by)
{
    char *title = g_strdup_printf("%s by %s", s->title, what); /* never freed */
    statistic_add_entry(s, title, grouping_words[by]);
}

void ovni_tables_register(void)
{
    static const char *const words[OVNI_GROUPINGS] = {NULL, "Rank", "Process", "Thread", "CPU", "Loom", "Node"};
    statistic *const all[] = {&states_statistic, &tasks_statistic};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        statistic_register(all[i]);
        for (ovni_grouping by = OVNI_BY_RANK; by < OVNI_GROUPINGS; by++)
            add_grouped(all[i], words[by], by);
    }
}
