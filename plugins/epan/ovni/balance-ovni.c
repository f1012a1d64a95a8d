/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,balance: the time that each rank or process was running outside MPI (common/ovni/balance.h). */
#include "host/hidden_records.h"
#include "ovni/statistics-ovni.h"

#include "ovni/balance.h"

static void *balance_begin(const statistic_run *run _U_)
{
    return ovni_balance_new();
}

static bool balance_count(const statistic_run *run, const packet_info *pinfo, const void *tapped)
{
    const ovni_record *r = tapped;
    if (!r->has_state || !r->event || !(r->event->channels & (OVNI_THREAD_STATE | OVNI_FUNCTION)))
        return false;
    ovni_announce(ovni_balance_groups(run->data), pinfo, r);
    return ovni_balance_add(run->data, r->context, record_number(pinfo), r->event, &r->known);
}

static void balance_fill(const statistic_run *run, rows *to)
{
    double ratio;
    ovni_balance_fill(run->data, to, &ratio);
}

static void balance_after(const statistic_run *run, GString *text)
{
    rows *r = rows_new(ovni_balance_columns, OVNI_BALANCE_COLUMNS);
    double ratio;
    if (ovni_balance_fill(run->data, r, &ratio))
        g_string_append_printf(text, "balance: %.4f\n", ratio);
    rows_free(r);
}

static void balance_free(void *data)
{
    ovni_balance_free(data);
}

statistic ovni_balance_statistic = {
    .tap = "ovni",
    .command = "ovni,balance",
    .title = "ovni Balance of Load",
    .columns = ovni_balance_columns,
    .column_count = OVNI_BALANCE_COLUMNS,
    .begin = balance_begin,
    .count = balance_count,
    .fill = balance_fill,
    .after = balance_after,
    .free = balance_free,
};
