/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of the open file. */
#include "xray_dissector/calls.h"

#include "xray_dissector/file.h"

static struct xray_file *const file = &xray_file;

bool xray_calls_find(uint32_t begin, call *k)
{
    return file->session.calls && calls_find(file->session.calls, begin, k); /* a profile has none */
}

bool xray_calls_unwound(const xray_tapped *r, span *ended)
{
    calls_unwound known;
    if (!r->has_call || !calls_find_unwound(file->session.calls, r->call.begin, &known))
        return false;
    *ended = (span){.call = {.begin = known.begin, .last = known.last, .sure = known.sure, .state = known.state},
                    .function = r->function,
                    .nests = true};
    ended->call.until = xray_session_ticks(r, known.until);
    ended->call.duration = xray_session_ticks(r, known.until - xray_context_of(r->context)->tsc);
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
    return (uint64_t)xray_nanoseconds_since(xray_file.session.base, ticks, xray_file.session.frequency);
}

static void each_visit(void *data, uint64_t stack, uint32_t function, const call *open)
{
    opening *o = data;
    record_context c = {0};
    const xray_tapped r = {.context = &c, .session = &file->session, .stack = stack};
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
    calls *all = tapped ? ((const xray_tapped *)tapped)->session->calls : xray_file.session.calls;
    if (all)
        calls_each_open(all, each_when, each_visit, &o);
}
