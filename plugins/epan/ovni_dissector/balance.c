/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,balance: the time that each rank or process was running outside MPI and in tasks (common/ovni/statistics/balance.h).
 */
#include "host/hidden_records.h"
#include "ovni_dissector/counting.h"
#include "ovni_dissector/record.h"
#include "ovni_dissector/statistics.h"

#include "ovni/statistics/balance.h"

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

static void append_late(GString *text, const ovni_balance *b)
{
    int32_t rank;
    uint32_t count;
    if (ovni_balance_late(b, &rank, &count))
        g_string_append_printf(text,
                               "Rank %d enters each of %u calls of MPI_Allreduce after all other ranks have left it: clocks "
                               "differ, or these calls do not belong together\n",
                               rank, count);
}

static bool balance_known(const statistic_run *run, GError **error)
{
    return ovni_within_known(run, ovni_balance_interval(run->data), error);
}

static void balance_after(const statistic_run *run, GString *text)
{
    rows *r = statistic_run_rows(run);
    if (rows_length(r)) {
        append_ratio(text, "balance", &rows_at(r, 0)[OVNI_BALANCE_RATIO]);
        append_ratio(text, "balance of tasks", &rows_at(r, 0)[OVNI_BALANCE_TASKS_RATIO]);
    }
    append_late(text, run->data);
    rows_free(r);
}

statistic ovni_balance_statistic = {
    .tap = "ovni",
    .records = OVNI_RECORDS_TAP,
    .plain = ovni_within_asked,
    .counts = &ovni_balance_counted,
    .from = &ovni_statistics,
    .command = "ovni,balance",
    .title = "ovni Balance of Load",
    .usual = "rank,running,mpi,outside,tasks",
    .check = ovni_within_check,
    .known = balance_known,
    .after = balance_after,
};
