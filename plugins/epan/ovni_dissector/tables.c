/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,states and ovni,tasks: a row per name and model, optionally also by rank, process, thread, CPU, loom or node
 * (common/ovni/statistics/durations.h). */
#include "host/menus.h"
#include "ovni_dissector/counting.h"
#include "ovni_dissector/record.h"
#include "ovni_dissector/statistics.h"

#include "ovni/statistics/durations.h"

/* Wireshark's window shows the beginning of a group, which for a thread is where it is. */
static void show_groups(const statistic_run *run _U_, rows *to)
{
    for (unsigned row = 0; menus_windows() && row < rows_length(to); row++) {
        rows_cell *group = &rows_at(to, row)[OVNI_DURATIONS_GROUP];
        g_autofree char *text = ovni_groups_last_part_first(group->text);
        *group = rows_text(to, text);
    }
}

static bool tables_known(const statistic_run *run, GError **error)
{
    return ovni_within_known(run, ovni_durations_interval(run->data), error);
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

static statistic states_statistic = {
    .tap = "ovni",
    .records = OVNI_RECORDS_TAP,
    .plain = ovni_within_asked,
    .counts = &ovni_states_counted,
    .from = &ovni_statistics,
    .command = "ovni,states",
    .title = "ovni States",
    .table = "ovni states",
    .to_the_end = true,
    .usual = "active,count,average,max,sum,own_active,state,model,group",
    .sorted_by = {OVNI_DURATIONS_ACTIVE},
    .check = ovni_within_check,
    .known = tables_known,
    .filled = show_groups,
};
static statistic tasks_statistic = {
    .tap = "ovni",
    .records = OVNI_RECORDS_TAP,
    .plain = ovni_within_asked,
    .counts = &ovni_tasks_counted,
    .from = &ovni_statistics,
    .command = "ovni,tasks",
    .title = "ovni Tasks",
    .table = "ovni tasks",
    .to_the_end = true,
    .usual = "active,count,average,max,sum,own_active,on_a_cpu,label,model,group",
    .sorted_by = {OVNI_DURATIONS_ACTIVE},
    .check = ovni_within_check,
    .known = tables_known,
    .filled = show_groups,
};
static void add_grouped(statistic *s, const char *what, ovni_grouping by)
{
    char *title = g_strdup_printf("%s by %s", s->title, what); /* never freed */
    statistic_add_entry(s, title, ovni_grouping_words[by]);
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
