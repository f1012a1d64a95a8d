/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xray,account: a row per function, or per function and caller (common/xray/account.h). */
#include "statistics/statistic.h"
#include "xray/calls-xray.h"

static xray_account *account;
/* Words. */
static bool account_by_caller;
static xray_account_counts account_counts;

static void account_forget(void)
{
    xray_account_free(account);
    account = xray_account_new(account_by_caller, account_counts);
}

bool xray_account_record(xray_account *a, bool callers, const xray_record *r)
{
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
        return xray_account_record(a, account_by_caller, r);
    if (r->has_call)
        xray_account_enter(a, r->stack, r->function);
    return false;
}

static bool account_record(const packet_info *pinfo _U_, const void *tapped)
{
    return count_record(account, tapped);
}

static void account_fill(rows *to)
{
    const xray_shown shown = xray_calls_shown(&xray_account_statistic);
    xray_account_fill(account, &shown, to);
}

static void *sums_begin(const void *data _U_, unsigned share)
{
    xray_account *a = xray_account_new(account_by_caller, account_counts);
    xray_account_share(a, share);
    return a;
}

static bool sums_record(void *sums, const void *tapped)
{
    count_record(sums, tapped);
    return !xray_account_full(sums);
}

static void sums_take(void *data _U_, const void *sums)
{
    xray_account_merge(account, sums);
}

static void sums_free(void *sums)
{
    xray_account_free(sums);
}

static const parallel_sums account_sums = {sums_begin, sums_record, sums_take, sums_free};

static bool account_word(statistic *s _U_, const char *word)
{
    bool forget = !word;
    if (forget) {
        account_by_caller = false;
        account_counts = XRAY_COUNT_ALL;
        return false;
    }
    bool graph = strcmp(word, "graph") == 0, recursive = strcmp(word, "recursive") == 0,
         outermost = strcmp(word, "outermost") == 0;
    account_by_caller = account_by_caller || graph;
    if (recursive || outermost)
        account_counts = recursive ? XRAY_COUNT_RECURSIVE : XRAY_COUNT_OUTERMOST;
    return graph || recursive || outermost;
}

statistic xray_account_statistic = {
    .title = "XRay Functions",
    .table = "XRay functions",
    .tap = "xray",
    .command = "xray,account",
    .columns = xray_account_columns,
    .column_count = XRAY_ACCOUNT_COLUMNS,
    .usual = "self,calls,max,median,99_percent,sum,unwound,unsure,function,caller",
    .sorted_by = {XRAY_ACCOUNT_SELF},
    .count = account_record,
    .fill = account_fill,
    .forget = account_forget,
    .parallel = &account_sums,
    .word = account_word,
    .words = "graph, recursive, outermost",
};
