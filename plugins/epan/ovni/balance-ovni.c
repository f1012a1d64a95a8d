/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,balance: the time that each rank or process was running outside MPI (common/ovni/balance.h). */
#include "host/hidden_records.h"
#include "ovni/statistics-ovni.h"
#include "statistics/report.h"
#include "statistics/rows.h"

#include "ovni/balance.h"

static void *balance_start(const void *unused _U_, const char **arguments _U_)
{
    return ovni_balance_new();
}

static bool balance_packet(void *data, packet_info *pinfo, const void *tapped)
{
    const ovni_record *r = tapped;
    if (!r->has_state || !r->event || !(r->event->channels & (OVNI_THREAD_STATE | OVNI_FUNCTION)))
        return false;
    ovni_announce(ovni_balance_groups(data), pinfo, r);
    return ovni_balance_add(data, r->context, record_number(pinfo), r->event, &r->known);
}

static const char *balance_rows(const void *data, rows *to)
{
    double ratio;
    ovni_balance_fill(data, to, &ratio);
    return NULL;
}

static void balance_after(const void *data, GString *text)
{
    rows *r = rows_new(ovni_balance_columns, OVNI_BALANCE_COLUMNS);
    double ratio;
    if (ovni_balance_fill(data, r, &ratio))
        g_string_append_printf(text, "balance: %.4f\n", ratio);
    rows_free(r);
}

static void balance_free(void *data)
{
    ovni_balance_free(data);
}

const report ovni_balance_report = {
    .tap = "ovni",
    .command = "ovni,balance",
    .title = "ovni Balance of Load",
    .start = balance_start,
    .packet = balance_packet,
    .fixed_columns = ovni_balance_columns,
    .fixed_count = OVNI_BALANCE_COLUMNS,
    .fill = balance_rows,
    .after = balance_after,
    .free = balance_free,
};
