/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z xray,call,FRAME: what happened inside one call (common/xray/statistics/one_call.h). */
#include "host/hidden_records.h"
#include "host/record_numbers.h"
#include "host/menus.h"
#include "host/notices.h"
#include "xray_dissector/calls.h"
#include "xray_dissector/counting.h"
#include "xray_dissector/problems.h"
#include "xray_dissector/spans.h"
#include "xray_dissector/statistics.h"

#include <epan/frame_data.h>
#include COMPAT_PLUGIN_IF

#include "util/fail.h"
#include "xray/statistics/one_call.h"

typedef struct call_run {
    xray_inside *inside;
    uint32_t wanted; /* the record that was asked for */
    uint32_t begin;  /* the entry of its call */
    bool looked;
    bool hidden; /* the entry is not in the open part */
    xray_display shown;
} call_run;

static const char frame_word[] = "FRAME"; /* of its words */

static bool frame_of(const statistic_words *words, guint64 *frame)
{
    const char *text = statistic_words_text(words, frame_word);
    return text && g_ascii_string_to_unsigned(text, 10, 1, UINT32_MAX, frame, NULL);
}

static bool call_check(const statistic_run *run, GError **error)
{
    guint64 frame;
    return frame_of(&run->words, &frame) || fail_with(error, "the number of a record is missing: xray,call,FRAME");
}

static void *call_begin(const statistic_words *words, const void *how)
{
    guint64 frame = 0;
    frame_of(words, &frame);
    call_run *c = g_new0(call_run, 1);
    c->shown = *(const xray_display *)how;
    c->inside = xray_inside_new(statistic_words_has(words, "each"));
    c->wanted = (uint32_t)frame;
    return c;
}

static void call_free(void *data)
{
    xray_inside_free(((call_run *)data)->inside);
    g_free(data);
}

/* After all records have been seen once, any record of the call will do. */
static void look_for_begin(call_run *c)
{
    call k;
    c->looked = true;
    c->begin = c->wanted;
    if (!xray_calls_find(record_number_at(c->wanted), &k) || !k.begin)
        return;
    c->begin = record_frame(k.begin);
    c->hidden = !c->begin;
}

static bool call_count(void *data, const counted_record *of)
{
    call_run *c = data;
    const xray_tapped *r = of->tapped;
    span unwound;
    if (!c->looked)
        look_for_begin(c);
    const bool enters = !c->hidden && record_frame(of->number) == c->begin;
    if (!enters && !xray_inside_wants(c->inside, r->stack))
        return false;
    xray_call_event v = xray_spans_event(&c->shown, of);
    v.unwound = xray_calls_unwound(r, &unwound) ? &unwound : NULL;
    if (enters)
        xray_inside_enter(c->inside, &v);
    return xray_inside_add(c->inside, &v);
}

/* NULL: the whole call is there. *none: nothing of it is. */
static char *call_problem(const call_run *c, bool *none)
{
    uint32_t begin;
    xray_inside_state state = xray_inside_state_of(c->inside, &begin);
    *none = c->hidden || state == XRAY_INSIDE_NOT_ENTERED || state == XRAY_INSIDE_NO_CALL || state == XRAY_INSIDE_NO_ENTRY;
    if (c->hidden || (state == XRAY_INSIDE_NO_ENTRY && !record_frame(begin)))
        return g_strdup_printf("The call of record %u begins before the open part.", c->wanted);
    switch (state) {
    case XRAY_INSIDE_NOT_ENTERED:
        return g_strdup_printf("There is no record %u, or the filter excludes it.", c->wanted);
    case XRAY_INSIDE_NO_CALL:
        return g_strdup_printf("Record %u belongs to no call.", c->wanted);
    case XRAY_INSIDE_NO_ENTRY:
        return g_strdup_printf("Record %u is not an entry: its call begins at record %u.", c->wanted, record_frame(begin));
    case XRAY_INSIDE_UNTIMED:
        return g_strdup("The call has no duration: the counter went back.");
    case XRAY_INSIDE_UNENDED:
        return g_strdup(hidden_rest_unread() ? "The call does not end in the open part of the log."
                                             : "The call does not end in this log, or the filter excludes its end.");
    case XRAY_INSIDE_LATE:
        return g_strdup(XRAY_FOUND_LATE);
    default:
        return NULL;
    }
}

static void call_fill(void *data, const void *how, rows *to)
{
    const call_run *c = data;
    bool none;
    g_autofree char *problem = call_problem(c, &none);
    if (problem && !menus_windows())
        notices_say(none ? NOTICE_FAILURE : NOTICE_WARNING, "%s", problem);
    xray_inside_fill(c->inside, how, record_frame, to);
}

/* --- the selected record ------------------------------------------------------------------------------------------- */

static void *xray_call_number_of(frame_data *selected, void *number)
{
    *(uint32_t *)number = selected ? selected->num : 0;
    return NULL;
}

static void start_with_selected(void *unused _U_)
{
    uint32_t selected = 0;
    call k;
    if (!menus_windows())
        return;
    plugin_if_get_frame_data(xray_call_number_of, &selected);
    if (selected && xray_calls_find(record_number_at(selected), &k) && record_frame(k.begin)) {
        g_autofree char *words = g_strdup_printf("%u", record_frame(k.begin));
        statistic_start(&xray_call_statistic, words, "");
        return;
    }
    dialog_say(xray_call_statistic.title,
               "Select a record of a call: an entry, an exit, an argument, or an event inside one.\n");
}

static const counted call_counted = {.columns = xray_inside_columns,
                                     .column_count = XRAY_INSIDE_COLUMNS,
                                     .words = "each, FRAME",
                                     .begin = call_begin,
                                     .count = call_count,
                                     .fill = call_fill,
                                     .free = call_free};

statistic xray_call_statistic = {
    .tap = "xray",
    .counts = &call_counted,
    .from = &xray_statistics,
    .command = "xray,call",
    .title = "XRay Call Breakdown",
    .table = "XRay inside the call",
    .usual = "sum,count,part_percent,longest,at,record,unwound,what,kind",
    .sorted_by = {XRAY_INTERVALS_SUM},
    .check = call_check,
    .known = xray_counting_single,
    .start = start_with_selected,
};
