/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of the open file. */
#include "xray_dissector/calls.h"

#include <epan/tap.h>

#include "core/opened_trace.h"
#include "host/hidden_records.h"
#include "host/notices.h"
#include "xray/analysis.h"
#include "xray/missing_exits.h"

static struct xray_file *const file = &xray_file;

/* --- looking at a record ----------------------------------------------------------------------------------------------- */

static void find_call(xray_tapped *r, uint32_t frame)
{
    r->has_call = calls_find(file->calls, frame, &r->call);
    r->within = xray_record_entry_around(r);
    if (r->has_call && r->call.state == CALL_AROUND)
        r->has_call = false;
}

static void visit_call(xray_tapped *r, uint32_t frame)
{
    uint32_t unused;
    calls_unwind_to(file->calls, r->stack, frame);
    r->has_call = xray_analysis_visit(file->calls, frame, r->context, r->stack, r->function, file->tails, &r->call);
    r->within = r->has_call || xray_is_function(r->context->kind) ? xray_record_entry_around(r)
                                                                  : calls_open(file->calls, r->stack, &unused);
}

/* Threads that switch between stacks: reported once. */
static void note_switching(GHashTable *stacks)
{
    calls_switch(file->calls, stacks);
    if (g_hash_table_size(stacks) && have_tap_listener(find_tap_id("xray")))
        notices_remark(
            "A thread seems to switch stacks (fibers): only calls with an unmistakable exit count, and none has a "
            "caller: xray.unsure.");
}

/* Finds out about calls without an exit in advance: that there are none, so that it need not be learnt who calls whom; or
 * where they ended, unless records can be looked at again, since then all is known after the first pass. And about tail
 * exits that were not taken. */
static void look_ahead(const record_context *c)
{
    const opened *o = c->flags & CONTEXT_EXPORTED ? NULL : opened_trace_find(c->trace);
    if (!o || o->exported)
        return;
    const bool none = o->trace && !xray_missing_exits_any(o->trace);
    if (o->timed && o->path) /* the trace leaves out what is before the part */
        file->tails = xray_tails_read_path(o->path);
    else if (o->trace && !none)
        file->tails = xray_tails_read(o->trace);
    if (file->tails)
        note_switching(file->tails->switching);
    file->noted = none && !o->timed;
    if (file->noted)
        file->unwound = g_array_new(FALSE, FALSE, sizeof(calls_unwound));
    else if (o->path && !calls_kept(file->calls))
        file->unwound = xray_missing_exits_read(o->path, file->tails);
    if (file->unwound)
        calls_follow(file->calls, file->unwound);
}

static void note_unwound(void)
{
    file->noted = true;
    if (!have_tap_listener(find_tap_id("xray")))
        return;
    notices_remark(
        "Calls without an exit (exception, longjmp, coroutine) count up to the last record that is surely theirs: xray.call.unwound.");
    if (!file->unwound && !calls_kept(file->calls))
        notices_fail(XRAY_FOUND_LATE);
}

void xray_calls_look(xray_tapped *r, const packet_info *pinfo)
{
    bool known = PINFO_FD_VISITED(pinfo) && file->calls && calls_kept(file->calls);
    if (!file->calls) {
        file->calls = calls_new(CALLS_UNWIND | (r->context->flags & CONTEXT_RANDOM_ACCESS ? CALLS_KEEP : 0));
        look_ahead(r->context);
        file->called = true;
    }
    if (known)
        find_call(r, record_number(pinfo));
    else
        visit_call(r, record_number(pinfo));
    r->calls = file->calls;
    if (!file->noted && xray_is_function(r->context->kind) && calls_closed_count(file->calls, record_number(pinfo)))
        note_unwound();
}

bool xray_calls_find(uint32_t begin, call *k)
{
    return file->calls && calls_find(file->calls, begin, k); /* a profile has none */
}

bool xray_calls_ended(const xray_tapped *r, uint32_t i, span *ended)
{
    return r->has_call && xray_analysis_ended(r->calls, r->context->kind, &r->call, r->function, i, ended);
}

bool xray_calls_unwound(const xray_tapped *r, span *ended)
{
    calls_unwound known;
    if (!r->has_call || !calls_find_unwound(file->calls, r->call.begin, &known))
        return false;
    *ended = (span){.call = {.begin = known.begin, .last = known.last, .sure = known.sure, .state = known.state},
                    .function = r->function,
                    .nests = true};
    ended->call.until = xray_record_ticks(r, known.until);
    ended->call.duration = xray_record_ticks(r, known.until - xray_context_of(r->context)->tsc);
    return true;
}

bool xray_calls_duration(const xray_tapped *r, uint64_t *ns)
{
    if (!r->has_call || !(r->call.state & CALL_TIMED))
        return false;
    *ns = xray_nanoseconds(r->call.duration, xray_context_of(r->context)->frequency);
    return true;
}

/* --- calls that are open ----------------------------------------------------------------------------------------------- */

typedef struct opening {
    uint64_t now;
    span_opened visit;
    void *data;
    uint32_t around; /* function of the latest call */
} opening;

/* Exported records have no thread in their key, and perhaps other clocks. */
static bool has_thread(uint64_t stack)
{
    return stack >> 32 != UINT32_MAX;
}

static bool each_when(void *data, uint64_t stack, uint32_t function _U_, calls_end_at *at)
{
    const opening *o = data;
    *at = (calls_end_at){.ticks = o->now};
    return o->now && has_thread(stack);
}

static uint64_t nanoseconds_of(uint64_t ticks)
{
    return (uint64_t)xray_nanoseconds_since(xray_file.base, ticks, xray_file.frequency);
}

static void each_visit(void *data, uint64_t stack, uint32_t function, const call *open)
{
    opening *o = data;
    record_context c = {0};
    const xray_tapped r = {.context = &c, .stack = stack};
    span s = {.call = *open, .function = function, .nests = true, .detail = &o->around};
    s.call.until = nanoseconds_of(o->now) - nanoseconds_of(o->now - open->duration);
    xray_context_of(&c)->thread = (uint32_t)stack;
    xray_context_of(&c)->process = (uint32_t)(stack >> 32);
    if (has_thread(stack))
        xray_context_of(&c)->known = XRAY_KNOWN_THREAD | (stack >> 32 ? XRAY_KNOWN_PROCESS : 0);
    o->visit(o->data, &r, &s);
    o->around = function;
}

void xray_calls_each_open(const void *tapped, uint64_t now, span_opened visit, void *data)
{
    opening o = {now, visit, data, 0};
    calls *all = tapped ? ((const xray_tapped *)tapped)->calls : xray_file.calls;
    if (all)
        calls_each_open(all, each_when, each_visit, &o);
}
