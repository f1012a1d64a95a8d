/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,balance: the time that each rank or process was running outside MPI and in tasks (common/ovni/statistics/balance.h).
 */
#include "host/hidden_records.h"
#include "ovni_dissector/counting.h"

#include "ovni/statistics/balance.h"
#include "ovni/statistics/late_rank.h"

typedef struct counting {
    ovni_balance *balance;
    late_rank *late;
    ovni_window *window; /* NULL: all the time counts */
} counting;

static void *balance_begin(const statistic_run *run)
{
    counting *c = g_new0(counting, 1);
    *c = (counting){ovni_balance_new(statistic_has(run, "by:node") ? OVNI_BY_NODE : OVNI_BY_LOAD), late_rank_new(),
                    ovni_window_asked(run)};
    return c;
}

static void balance_free(void *data)
{
    counting *c = data;
    ovni_balance_free(c->balance);
    late_rank_free(c->late);
    ovni_window_free(c->window);
    g_free(c);
}

static void balance_each_record(void *data, const packet_info *pinfo, const void *tapped)
{
    ovni_window_see(((counting *)data)->window, pinfo, tapped);
}

static bool balance_count(const statistic_run *run, const packet_info *pinfo, const void *tapped)
{
    const ovni_tapped *r = tapped;
    const counting *c = run->data;
    const ovni_known *known = c->window ? ovni_window_known(c->window) : &r->known;
    if (!r->has_state || !r->event || !known ||
        !(known->has_task || r->event->channels & (OVNI_THREAD_STATE | OVNI_FUNCTION)))
        return false;
    late_rank_visit(c->late, r->context, r->event);
    ovni_announce(ovni_balance_groups(c->balance), pinfo, r);
    if (ovni_groups_unannounced(ovni_balance_groups(c->balance), r->context->stream))
        return false;
    if (c->window)
        ovni_balance_note(c->balance, r->context, known);
    return (!c->window || ovni_window_inside(c->window)) &&
           ovni_balance_add(c->balance, r->context, record_number(pinfo), known);
}

static void balance_fill(const statistic_run *run, rows *to)
{
    const counting *c = run->data;
    if (c->window)
        ovni_balance_end(c->balance, c->window);
    ovni_balance_fill(c->balance, hidden_streams_missing(), to);
}

static void append_ratio(GString *text, const char *what, const rows_cell *c)
{
    if (c->state == ROWS_UNKNOWN)
        g_string_append_printf(text,
                               hidden_streams_missing() ? "%s: unknown, as not all streams are read\n"
                                                        : "%s: unknown, as the times add up to more than fits\n",
                               what);
    else if (c->state == ROWS_IS_NUMBER)
        g_string_append_printf(text, "%s: %u.%03u\n", what, (unsigned)(c->number / 1000), (unsigned)(c->number % 1000));
}

static void append_late(GString *text, const late_rank *late)
{
    int32_t rank;
    uint32_t count;
    if (late_rank_find(late, &rank, &count))
        g_string_append_printf(text,
                               "Rank %d enters each of %u calls of MPI_Allreduce after all other ranks have left it: clocks "
                               "differ, or these calls do not belong together\n",
                               rank, count);
}

static void balance_after(const statistic_run *run, GString *text)
{
    rows *r = statistic_run_rows(run);
    if (rows_length(r)) {
        append_ratio(text, "balance", &rows_at(r, 0)[OVNI_BALANCE_RATIO]);
        append_ratio(text, "balance of tasks", &rows_at(r, 0)[OVNI_BALANCE_TASKS_RATIO]);
    }
    append_late(text, ((const counting *)run->data)->late);
    rows_free(r);
}

statistic ovni_balance_statistic = {
    .tap = "ovni",
    .command = "ovni,balance",
    .title = "ovni Balance of Load",
    .columns = ovni_balance_columns,
    .column_count = OVNI_BALANCE_COLUMNS,
    .usual = "rank,running,mpi,outside,tasks",
    .words = "by:node, " OVNI_WITHIN,
    .check = ovni_window_check,
    .begin = balance_begin,
    .each_record = balance_each_record,
    .every_for = OVNI_WITHIN,
    .context = ovni_tapped_context,
    .tapped = ovni_tapped_record,
    .count = balance_count,
    .fill = balance_fill,
    .after = balance_after,
    .free = balance_free,
};
