/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xray,calls: the calls that took longest (common/xray/statistics/slowest.h). */
#include "host/hidden_records.h"
#include "taps/record_list.h"
#include "xray_dissector/calls.h"
#include "xray_dissector/spans.h"
#include "xray_dissector/tables.h"

#include "xray/statistics/slowest.h"

static void *slowest_begin(const statistic_words *words, const void *how _U_)
{
    const top_n_by by = statistic_words_largest(words, XRAY_SLOWEST_DURATION);
    return top_n_new(&by, sizeof(xray_slow_call));
}

/* When a call began, in ns since the first record; UINT64_MAX: that does not fit. */
static uint64_t begin_of(int64_t time, const xray_tapped *r, const call *k)
{
    const uint64_t now = xray_session_now(r), end = k->state & CALL_CLOSED ? k->until : now,
                   ago = xray_session_between(r, end - k->duration, now), after = (uint64_t)time;
    return ago == UINT64_MAX || after == INT64_MAX ? UINT64_MAX : after > ago ? after - ago : 0;
}

static bool slowest_count(void *data, const counted_record *of)
{
    const xray_tapped *r = of->tapped;
    xray_slow_call c = {.thread = xray_context_of(r->context)->thread, .depth_unknown = xray_session_depth_unknown(r)};
    bool any = false;
    for (uint32_t i = 0; xray_session_span(r, i, &c.span) && spans_is_single(&xray_spans, &c.span); i++) {
        c.has_caller = xray_session_caller(r, &c.span, &c.caller);
        c.at = begin_of(of->time, r, &c.span.call);
        any |= xray_slowest_add(data, &c);
    }
    return any;
}

static void slowest_fill(void *data, const void *how, rows *to)
{
    xray_slowest_fill(data, how, record_frame, to);
}

static void slowest_free(void *data)
{
    top_n_free(data);
}

static const counted slowest_counted = {.columns = xray_slowest_columns,
                                        .column_count = XRAY_SLOWEST_COLUMNS,
                                        .begin = slowest_begin,
                                        .count = slowest_count,
                                        .fill = slowest_fill,
                                        .free = slowest_free};

static statistic slowest_statistic = {
    .tap = "xray",
    .counts = &slowest_counted,
    .from = &xray_statistics,
    .command = "xray,calls",
    .title = "XRay Slowest Calls",
    .table = "XRay slowest calls",
    .usual = "duration,self,entry,thread,end,at,depth,function,note",
    .known = xray_spans_single,
    .filled = xray_spans_note_none,
};

void xray_slowest_register(void)
{
    static const char by_self_title[] = "XRay Slowest Calls by Self Time", list_title[] = "XRay Slowest Calls in the List";
    statistic_register(&slowest_statistic);
    statistic_add_entry(&slowest_statistic, by_self_title, "sort:self");
    record_list_add(&slowest_statistic, list_title, XRAY_SLOWEST_ENTRY);
}
