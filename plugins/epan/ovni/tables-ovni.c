/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,states and ovni,tasks: a row per name and model, optionally also by rank, process, thread, CPU or loom
 * (common/ovni/durations.h). ovni,slowest: single states and tasks (common/ovni/slowest.h). */
#include "host/hidden_records.h"
#include "host/menus.h"
#include "ovni/statistics-ovni.h"
#include "statistics/record_list.h"

#include "ovni/durations.h"
#include "ovni/slowest.h"

static ovni_durations *states, *tasks;
static ovni_grouping states_by, tasks_by;
static statistic tasks_statistic;

/* --- words ------------------------------------------------------------------------------------------------------------- */

static const char *const grouping_words[OVNI_GROUPINGS] = {NULL, "by:rank", "by:process", "by:thread", "by:cpu", "by:loom"};

static bool take_grouping(statistic *s, const char *word)
{
    ovni_grouping *by = s == &tasks_statistic ? &tasks_by : &states_by;
    if (!word)
        *by = OVNI_BY_NOTHING;
    for (ovni_grouping g = OVNI_BY_RANK; word && g < OVNI_GROUPINGS; g++)
        if (strcmp(word, grouping_words[g]) == 0) {
            *by = g;
            return true;
        }
    return false;
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

/* --- states ------------------------------------------------------------------------------------------------------------ */

static void states_forget(void)
{
    ovni_durations_free(states);
    states = ovni_durations_new(states_by);
}

static bool states_record(const packet_info *pinfo, const void *tapped)
{
    const ovni_record *r = tapped;
    if (!r->has_state)
        return false;
    ovni_announce(ovni_durations_groups(states), pinfo, r);
    return ovni_durations_add_state(states, ovni_states_of_file(), r->context, record_number(pinfo), &r->known);
}

static void states_fill(rows *to)
{
    hidden_finish();
    if (ovni_states_of_file())
        ovni_durations_end_states(states, ovni_states_of_file());
    ovni_durations_fill(states, hidden_end_missing(), to);
    show_groups(to);
}

/* --- tasks ------------------------------------------------------------------------------------------------------------- */

static void tasks_forget(void)
{
    ovni_durations_free(tasks);
    tasks = ovni_durations_new(tasks_by);
}

static bool tasks_record(const packet_info *pinfo, const void *tapped)
{
    const ovni_record *r = tapped;
    if (!r->has_state || !r->known.has_task)
        return false;
    ovni_announce(ovni_durations_groups(tasks), pinfo, r);
    return ovni_durations_add_task(tasks, r->context, record_number(pinfo), &r->known, r->mcv[0], hidden_streams_missing());
}

static void tasks_fill(rows *to)
{
    hidden_finish();
    if (ovni_states_of_file())
        ovni_durations_end_tasks(tasks, ovni_states_of_file(), hidden_streams_missing());
    ovni_durations_fill(tasks, hidden_end_missing(), to);
    show_groups(to);
}

/* --- slowest ----------------------------------------------------------------------------------------------------------- */

static ovni_slowest *slowest;
static statistic slowest_statistic;
static bool slowest_every;

static void slowest_forget(void)
{
    const largest_by by = statistic_largest(&slowest_statistic, OVNI_SLOWEST_DURATION);
    ovni_slowest_free(slowest);
    slowest = ovni_slowest_new(&by, slowest_every);
}

static bool slowest_record(const packet_info *pinfo, const void *tapped)
{
    const ovni_record *r = tapped;
    return r->has_state &&
           ovni_slowest_add(slowest, ovni_states_of_file(), r->context, record_number(pinfo), &r->known, r->mcv[0]);
}

static void slowest_fill(rows *to)
{
    hidden_finish();
    ovni_slowest_fill(slowest, hidden_end_missing() ? NULL : ovni_states_of_file(), hidden_streams_missing(), record_frame,
                      to);
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
    .count = states_record,
    .fill = states_fill,
    .forget = states_forget,
    .word = take_grouping,
    .words = "by:rank, by:process, by:thread, by:cpu, by:loom",
};
static statistic tasks_statistic = {
    .title = "ovni Tasks",
    .table = "ovni tasks",
    .tap = "ovni",
    .command = "ovni,tasks",
    .columns = ovni_durations_tasks,
    .column_count = OVNI_DURATIONS_OF_TASKS,
    .usual = "active,count,average,max,sum,own_active,on_a_cpu,task_type,model,group",
    .sorted_by = {OVNI_DURATIONS_ACTIVE},
    .count = tasks_record,
    .fill = tasks_fill,
    .forget = tasks_forget,
    .word = take_grouping,
    .words = "by:rank, by:process, by:thread, by:cpu, by:loom",
};
static statistic slowest_statistic = {
    .title = "ovni Slowest States and Tasks",
    .table = "ovni slowest states and tasks",
    .tap = "ovni",
    .command = "ovni,slowest",
    .columns = ovni_slowest_columns,
    .column_count = OVNI_SLOWEST_COLUMNS,
    .usual = "duration,own_active,begin,rank,thread,end,active,name,kind,model",
    .count = slowest_record,
    .fill = slowest_fill,
    .forget = slowest_forget,
    .flag = "every",
    .flagged = &slowest_every,
};

static void add_grouped(statistic *s, const char *what, ovni_grouping by)
{
    char *title = g_strdup_printf("%s by %s", s->title, what); /* never freed */
    statistic_add_entry(s, title, grouping_words[by]);
}

void ovni_tables_register(void)
{
    static const char list_title[] = "ovni Slowest States and Tasks in the List";
    static const char *const words[OVNI_GROUPINGS] = {NULL, "Rank", "Process", "Thread", "CPU", "Loom"};
    statistic *const all[] = {&states_statistic, &tasks_statistic};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        statistic_register(all[i]);
        for (ovni_grouping by = OVNI_BY_RANK; by < OVNI_GROUPINGS; by++)
            add_grouped(all[i], words[by], by);
    }
    statistic_register(&slowest_statistic);
    record_list_add(&slowest_statistic, list_title, OVNI_SLOWEST_BEGIN);
}
