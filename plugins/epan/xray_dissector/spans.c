/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls as spans, whether they are a record's own (calls.c) or the sums of a profile (profile.c); and the tables with a row
 * for each call, or for those that took longest. */
#include "xray_dissector/spans.h"

#include "showing/record_list.h"
#include "showing/row_output.h"
#include "showing/span_rows.h"
#include "showing/stacks.h"
#include "util/math128.h"
#include "xray/statistics/display.h"
#include "xray_dissector/calls.h"
#include "xray_dissector/counting.h"
#include "xray_dissector/file.h"
#include "xray_dissector/names.h"
#include "xray_dissector/profile.h"

static struct xray_file *const file = &xray_file;

unsigned xray_spans_pieces(const xray_tapped *r, const call *k, uint32_t function, uint8_t *marks, unsigned most,
                           stack_piece *pieces)
{
    uint32_t functions[CALLS_STACK_MAX];
    stacks_stack s = {.functions = functions, .marks = marks};
    if (r->context->kind == XRAY_PROFILE_PATH)
        return xray_profile_stack(r, most, pieces);
    s.n = calls_stack(r->session->calls, r->stack, k, function, functions, marks, &s.left_out);
    return stacks_pieces(&s, most, pieces);
}

static unsigned xray_spans_stack(const void *tapped, const span *ended, unsigned most, stack_piece *pieces)
{
    uint8_t marks[CALLS_STACK_MAX];
    return xray_spans_pieces(tapped, &ended->call, ended->function, marks, most, pieces);
}

static shown_name xray_spans_title(wmem_allocator_t *pool, const span *ended)
{
    const shown_name label = xray_names_label(ended->function);
    xray_number number;
    const shown_name name = xray_name_words(label, ended->function, number);
    const char *mark = ended->call.begin && calls_is_unwound(file->session.calls, ended->call.begin) ? STACKS_UNWOUND : "";
    return (shown_name){.text = *mark || !label.text ? wmem_strdup_printf(pool, "%s%s", name.text, mark) : name.text,
                        .remark = (uint8_t)(name.remark + strlen(mark))};
}

static stack_piece xray_spans_thread(const void *tapped)
{
    return (stack_piece){STACKS_THREAD, xray_context_of(((const xray_tapped *)tapped)->context)->thread};
}

static unsigned xray_spans_name(const void *tapped _U_, const stack_piece *piece, GString *name)
{
    if (piece->kind != STACKS_THREAD)
        return xray_names_append_piece(name, piece, true);
    g_string_append_printf(name, "thread_%u", (unsigned)piece->id);
    return 0;
}

/* There are no threads in it. */
static unsigned xray_spans_label(const void *tapped _U_, const stack_piece *piece, GString *name)
{
    return xray_names_append_piece(name, piece, false);
}

static source_place xray_spans_place(const void *tapped _U_, const span *ended)
{
    return xray_names_source(ended->function);
}

static const span_kind xray_kinds[] = {{"Functions", "Function", "xray.function.id"}, {0}};

const span_source xray_spans = {
    .tap = "xray",
    .title = "XRay",
    .menu = COMPAT_TREES("XRay"),
    .tree = "Call Tree",
    .many = "calls",
    .unit = "ticks",
    .kinds = xray_kinds,
    .filtered = "XRay Functions to Filter",
    .span = xray_session_span,
    .left_out = xray_profile_remark,
    .unclocked = xray_file_unclocked,
    .nanoseconds = xray_file_nanoseconds,
    .thread = xray_spans_thread,
    .stack = xray_spans_stack,
    .name = xray_spans_name,
    .label = xray_spans_label,
    .caller = xray_session_caller,
    .called = xray_spans_title,
    .place = xray_spans_place,
};

xray_call_event xray_spans_event(const xray_display *shown, const counted_record *of)
{
    const xray_tapped *r = of->tapped;
    static xray_display known;
    static GArray *all; /* of span */
    span ended;
    known = (xray_display){.functions = file->names, .full = shown->full};
    if (!all)
        all = g_array_new(FALSE, FALSE, sizeof ended);
    g_array_set_size(all, 0);
    for (uint32_t i = 0; xray_session_span(r, i, &ended) && spans_is_single(&xray_spans, &ended); i++)
        g_array_append_val(all, ended);
    return (xray_call_event){.shown = &known,
                             .context = r->context,
                             .place = of->number,
                             .stack = r->stack,
                             .now = xray_session_ticks(r, xray_context_of(r->context)->tsc),
                             .has_call = r->has_call,
                             .call = r->call,
                             .function = r->function,
                             .event = (uint16_t)r->value[XRAY_FIELD_EVENT_TYPE],
                             .ended = (const span *)(void *)all->data,
                             .ended_count = all->len};
}

/* --- a row for each call ----------------------------------------------------------------------------------------------- */

/* Cells of calls; those of a row for each come first. */
enum { CELL_THREAD = SPAN_COLUMNS, CELL_PROCESS, CELL_CALLER_ID, EACH_COLUMNS, CELL_AT = EACH_COLUMNS, CELL_NOTE };
static const rows_column each_columns[EACH_COLUMNS] = {
    SPAN_ROWS_COLUMNS("Function", "Function id"), [CELL_THREAD] = {"Thread", ROWS_ORDINAL, ROWS_EACH},
    [CELL_PROCESS] = {"Process", ROWS_ORDINAL, ROWS_EACH}, [CELL_CALLER_ID] = {"Caller id", ROWS_ORDINAL, ROWS_EACH}};

/* Of an open call, its detail is the function around it. */
static bool each_around(const void *tapped, const span *s, uint32_t *caller)
{
    if (!s->detail)
        return xray_session_caller(tapped, s, caller);
    *caller = *(const uint32_t *)s->detail;
    return s->call.depth > 0;
}

/* When it began, from the first record on. */
static rows_cell at_cell(const record_seen *seen, const xray_tapped *r, const call *k, bool ticks)
{
    const uint64_t now = xray_session_now(r), end = k->state & CALL_CLOSED ? k->until : now;
    const rows_cell at = row_output_time(&seen->relative, xray_session_between(r, end - k->duration, now));
    if (at.state != ROWS_IS_NUMBER)
        return rows_unknown();
    const uint64_t ns = at.negative ? 0 : at.number, frequency = file->session.frequency;
    return rows_known(ticks && frequency ? mul_div_u64(ns, frequency, 1000000000) : ns);
}

static rows_cell cell_of_call(unsigned which, const record_seen *seen, const void *tapped, const span *s, bool ticks)
{
    static const char *const notes[] = {"", "unwound", "unsure", "unwound, unsure"};
    const rows_cell none = {0};
    const xray_context *x = xray_context_of(((const xray_tapped *)tapped)->context);
    const uint8_t state = s->call.state;
    uint32_t caller;
    switch (which) {
    case CELL_THREAD:
        return x->known & XRAY_KNOWN_THREAD ? rows_number(x->thread) : none;
    case CELL_PROCESS:
        return x->known & XRAY_KNOWN_PROCESS ? rows_number(x->process) : none;
    case CELL_CALLER_ID:
        return each_around(tapped, s, &caller) ? rows_number(caller) : none;
    case CELL_AT:
        return at_cell(seen, tapped, &s->call, ticks);
    default:
        return rows_lasting_text(notes[!!(state & CALL_CLOSED) + 2 * !!(state & CALL_UNATTRIBUTED)]);
    }
}

static shown_name name_of_function(uint32_t function, bool full, xray_number number)
{
    return xray_name_words(full ? shown_name_of(xray_names_of(function)) : xray_names_label(function), function, number);
}

/* Threads write rows. */
static shown_name each_name(const record_seen *seen _U_, const span *s, bool full)
{
    static _Thread_local xray_number number;
    return name_of_function(s->function, full, number);
}

static shown_name each_caller(const record_seen *seen _U_, const void *tapped, const span *s, bool full)
{
    static _Thread_local xray_number number;
    uint32_t caller;
    return each_around(tapped, s, &caller) ? name_of_function(caller, full, number) : (shown_name){0};
}

static bool each_depth_unknown(const void *tapped)
{
    return xray_session_depth_unknown(tapped);
}

static const span_table each_call = {
    .from = &xray_spans,
    .command = "xray,calls,each",
    .title = "XRay Calls",
    .usual = "time,duration,self,thread,depth,begin,end,function",
    .columns = each_columns,
    .count = EACH_COLUMNS,
    .cell = cell_of_call,
    .name = each_name,
    .caller = each_caller,
    .now = xray_session_now,
    .between = xray_session_between,
    .depth_unknown = each_depth_unknown,
    .each_open = xray_calls_each_open,
    .threads = true,
};

/* --- the calls that took longest --------------------------------------------------------------------------------------- */

enum { SLOW_ENTRY_COLUMN = 3, SLOW_COLUMNS = 10 };
static const rows_column slow_columns[SLOW_COLUMNS] = {
    {"Duration", ROWS_TIME, ROWS_EACH}, {"Self", ROWS_TIME, ROWS_EACH},     {"Thread", ROWS_ORDINAL, ROWS_EACH},
    {"Entry", ROWS_ORDINAL, ROWS_EACH}, {"End", ROWS_ORDINAL, ROWS_EACH},   {"Function", ROWS_TEXT, ROWS_EACH},
    {"Caller", ROWS_TEXT, ROWS_EACH},   {"Depth", ROWS_ORDINAL, ROWS_EACH}, {"At", ROWS_TIME, ROWS_EACH},
    {"Note", ROWS_TEXT, ROWS_EACH}};
static const unsigned char slow_cells[SLOW_COLUMNS] = {SPAN_DURATION, SPAN_SELF,   CELL_THREAD, SPAN_BEGIN, SPAN_END,
                                                       SPAN_NAME,     SPAN_CALLER, SPAN_DEPTH,  CELL_AT,    CELL_NOTE};

static const span_table slowest_calls = {
    .from = &xray_spans,
    .command = "xray,calls",
    .also = "xray,slowest",
    .title = "XRay Slowest Calls",
    .slowest = "XRay slowest calls",
    .usual = "duration,self,entry,thread,end,at,depth,function,note",
    .columns = slow_columns,
    .count = SLOW_COLUMNS,
    .cells = slow_cells,
    .cell = cell_of_call,
    .name = each_name,
    .caller = each_caller,
    .depth_unknown = each_depth_unknown,
    .known = xray_counting_single,
    .remark = xray_counting_note_none,
};

void xray_spans_register_rows(void)
{
    static const char by_self_title[] = "XRay Slowest Calls by Self Time", list_title[] = "XRay Slowest Calls in the List";
    statistic *slowest = span_rows_register(&slowest_calls);
    statistic_add_entry(slowest, by_self_title, "sort:self");
    record_list_add(slowest, list_title, SLOW_ENTRY_COLUMN);
    span_rows_register(&each_call);
}
