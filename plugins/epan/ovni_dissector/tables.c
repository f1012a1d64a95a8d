/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,states and ovni,tasks: a row per name and model, optionally also by rank, process, thread, CPU, loom or node
 * (common/ovni/statistics/durations.h). ovni,slowest: single states and tasks (common/ovni/statistics/slowest.h). */
#include "host/menus.h"
#include "ovni_dissector/counting.h"
#include "taps/record_list.h"

#include "ovni/statistics/durations.h"
#include "ovni/statistics/slowest.h"

/* Wireshark's window shows the beginning of a group, which for a thread is where it is. */
static void show_groups(const statistic_run *run _U_, rows *to)
{
    for (unsigned row = 0; menus_windows() && row < rows_length(to); row++) {
        rows_cell *group = &rows_at(to, row)[OVNI_DURATIONS_GROUP];
        g_autofree char *text = ovni_groups_last_part_first(group->text);
        *group = rows_text(to, text);
    }
}

/* --- slowest ----------------------------------------------------------------------------------------------------------- */

static void *ovni_tables_slowest_begin(const statistic_words *words, const void *how _U_)
{
    const top_n_by by = statistic_words_largest(words, OVNI_SLOWEST_DURATION);
    return ovni_slowest_new(&by, statistic_words_has(words, "every"));
}

static bool ovni_tables_slowest_count(void *data, const counted_record *of)
{
    const ovni_tapped *r = of->tapped;
    return r->has_state && ovni_slowest_add(data, r->session->states, r->context, r->number, &r->known, r->mcv[0]);
}

static void ovni_tables_slowest_fill(void *data, const void *how, rows *to)
{
    const ovni_display *shown = how;
    ovni_slowest_fill(data, shown->end_missing() ? NULL : shown->session->states, shown->streams_missing(), shown->frame_of,
                      to);
}

static void ovni_tables_slowest_free(void *data)
{
    ovni_slowest_free(data);
}

static const counted slowest_counted = {.columns = ovni_slowest_columns,
                                        .column_count = OVNI_SLOWEST_COLUMNS,
                                        .words = "every",
                                        .begin = ovni_tables_slowest_begin,
                                        .count = ovni_tables_slowest_count,
                                        .fill = ovni_tables_slowest_fill,
                                        .free = ovni_tables_slowest_free};

/* --- registration ------------------------------------------------------------------------------------------------------ */

static statistic states_statistic = {
    .tap = "ovni",
    .counts = &ovni_states_counted,
    .from = &ovni_statistics,
    .command = "ovni,states",
    .title = "ovni States",
    .table = "ovni states",
    .to_the_end = true,
    .usual = "active,count,average,max,sum,own_active,state,model,group",
    .sorted_by = {OVNI_DURATIONS_ACTIVE},
    .check = ovni_within_check,
    .filled = show_groups,
};
static statistic tasks_statistic = {
    .tap = "ovni",
    .counts = &ovni_tasks_counted,
    .from = &ovni_statistics,
    .command = "ovni,tasks",
    .title = "ovni Tasks",
    .table = "ovni tasks",
    .to_the_end = true,
    .usual = "active,count,average,max,sum,own_active,on_a_cpu,label,model,group",
    .sorted_by = {OVNI_DURATIONS_ACTIVE},
    .check = ovni_within_check,
    .filled = show_groups,
};
static statistic slowest_statistic = {
    .tap = "ovni",
    .counts = &slowest_counted,
    .from = &ovni_statistics,
    .command = "ovni,slowest",
    .title = "ovni Slowest States and Tasks",
    .table = "ovni slowest states and tasks",
    .to_the_end = true,
    .usual = "duration,own_active,begin,rank,thread,end,active,name,kind,model",
};

static void add_grouped(statistic *s, const char *what, ovni_grouping by)
{
    char *title = g_strdup_printf("%s by %s", s->title, what); /* never freed */
    statistic_add_entry(s, title, ovni_grouping_words[by]);
}

void ovni_tables_register(void)
{
    static const char list_title[] = "ovni Slowest States and Tasks in the List";
    static const char *const words[OVNI_GROUPINGS] = {NULL, "Rank", "Process", "Thread", "CPU", "Loom", "Node"};
    statistic *const all[] = {&states_statistic, &tasks_statistic};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        statistic_register(all[i]);
        for (ovni_grouping by = OVNI_BY_RANK; by < OVNI_GROUPINGS; by++)
            add_grouped(all[i], words[by], by);
    }
    statistic_register(&slowest_statistic);
    record_list_add(&slowest_statistic, list_title, OVNI_SLOWEST_BEGIN);
}
