/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xray,account: a row per function, or per function and caller (common/xray/account.h). */
#include "statistics/statistic.h"
#include "xray/calls-xray.h"

static xray_account *begin_counting(const statistic_run *run)
{
    const xray_account_counts which = statistic_has(run, "recursive")   ? XRAY_COUNT_RECURSIVE
                                      : statistic_has(run, "outermost") ? XRAY_COUNT_OUTERMOST
                                                                        : XRAY_COUNT_ALL;
    return xray_account_new(statistic_has(run, "graph"), which);
}

static void *account_begin(const statistic_run *run)
{
    return begin_counting(run);
}

bool xray_account_record(xray_account *a, const xray_record *r)
{
    const bool callers = xray_account_has_callers(a);
    bool any = false;
    xray_ended ended;
    for (uint32_t i = 0; xray_calls_added(r, i, &ended); i++) {
        uint32_t caller;
        const bool called = callers && xray_calls_caller(r, &ended, &caller);
        any |= xray_account_add(a, r->stack, ended.function, called ? &caller : NULL, &ended.call);
    }
    return any;
}

static bool count_record(xray_account *a, const xray_record *r)
{
    if (r->context->kind != XRAY_ENTRY && r->context->kind != XRAY_ENTRY_ARGUMENTS)
        return xray_account_record(a, r);
    if (r->has_call)
        xray_account_enter(a, r->stack, r->function);
    return false;
}

static bool account_count(const statistic_run *run, const packet_info *pinfo _U_, const void *tapped)
{
    return count_record(run->data, tapped);
}

static void account_fill(const statistic_run *run, rows *to)
{
    const xray_shown shown = xray_calls_shown(run);
    xray_account_fill(run->data, &shown, to);
}

static void account_free(void *data)
{
    xray_account_free(data);
}

static void *sums_begin(const void *run, unsigned share)
{
    xray_account *a = begin_counting(run);
    xray_account_share(a, share);
    return a;
}

static bool sums_record(void *sums, const void *tapped)
{
    count_record(sums, tapped);
    return !xray_account_full(sums);
}

static void sums_take(void *run, const void *sums)
{
    xray_account_merge(((const statistic_run *)run)->data, sums);
}

static const parallel_sums account_sums = {sums_begin, sums_record, sums_take, account_free};

statistic xray_account_statistic = {
    .title = "XRay Functions",
    .table = "XRay functions",
    .tap = "xray",
    .command = "xray,account",
    .columns = xray_account_columns,
    .column_count = XRAY_ACCOUNT_COLUMNS,
    .usual = "self,calls,max,median,99_percent,sum,unwound,unsure,function,caller",
    .sorted_by = {XRAY_ACCOUNT_SELF},
    .words = "graph, recursive|outermost",
    .begin = account_begin,
    .count = account_count,
    .fill = account_fill,
    .free = account_free,
    .parallel = &account_sums,
};
