/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/session.h"

#include <string.h>

#include "core/trace_reader.h"
#include "util/math128.h"
#include "xray/layouts.h"
#include "xray/profile_self.h"

void xray_session_begin(xray_session *s, const record_context *first)
{
    s->frequency = xray_context_of(first)->frequency;
    s->base = xray_context_of(first)->base_tsc;
}

void xray_session_look_ahead(xray_session *s, trace *t, const char *path, bool part, bool waits)
{
    xray_look_ahead(&s->ahead, t, path, part);
    if (!s->ahead.none && path && !waits)
        s->ahead.unwound = xray_session_unwound(path, s->ahead.tails);
}

void xray_session_analyse(xray_session *s, unsigned flags)
{
    static const GArray none;
    s->calls = calls_new(CALLS_UNWIND | flags);
    if (s->ahead.tails)
        calls_switch(s->calls, s->ahead.tails->switching);
    if (s->ahead.none || s->ahead.unwound)
        calls_follow(s->calls, s->ahead.none ? &none : s->ahead.unwound);
}

void xray_session_end(xray_session *s)
{
    calls_free(s->calls);
    xray_ahead_clear(&s->ahead);
    *s = (xray_session){.frequency = s->frequency, .base = s->base, .report = s->report, .spanless = s->spanless};
}

/* --- a record ---------------------------------------------------------------------------------------------------------- */

void xray_session_read(xray_session *s, xray_tapped *r, const record_context *c, const cursor *bytes)
{
    const uint32_t type = xray_context_of(c)->type;
    r->context = c;
    r->bytes = *bytes;
    memset(r->value, 0, sizeof r->value);
    r->session = s;
    r->function = 0;
    r->has_call = false;
    r->call.begin = r->call.state = 0;
    r->within = 0;
    r->stack = xray_analysis_stack(c);
    xray_read(c, bytes, r->value);
    if (G_UNLIKELY(type == XRAY_TYPE_PROFILE)) {
        r->has_function = xray_path_functions(c, bytes) > 0;
        r->function = r->has_function ? xray_path_function(bytes, 0) : 0;
        return;
    }
    r->has_function = xray_is_function(c->kind) || (type == XRAY_TYPE_BASIC && c->kind == XRAY_CALL_ARGUMENT);
    if (r->has_function)
        r->function = xray_functions_same(s->names, (uint32_t)r->value[XRAY_FIELD_FUNCTION]);
}

void xray_session_visit(xray_tapped *r, uint32_t frame)
{
    xray_session *s = r->session;
    uint32_t unused;
    if (s->ahead.unwound)
        calls_unwind_to(s->calls, r->stack, frame);
    r->has_call = xray_analysis_visit(s->calls, frame, r->context, r->stack, r->function, s->ahead.tails, &r->call);
    r->within = r->has_call || xray_is_function(r->context->kind) ? xray_session_entry_around(r)
                                                                  : calls_open(s->calls, r->stack, &unused);
}

void xray_session_find(xray_tapped *r, uint32_t frame)
{
    r->has_call = calls_find(r->session->calls, frame, &r->call);
    r->within = xray_session_entry_around(r);
    if (r->has_call && r->call.state == CALL_AROUND)
        r->has_call = false;
}

void xray_session_look(xray_tapped *r, uint32_t frame, bool again)
{
    if (again && calls_kept(r->session->calls))
        xray_session_find(r, frame);
    else
        xray_session_visit(r, frame);
}

/* --- its calls --------------------------------------------------------------------------------------------------------- */

bool xray_session_ended(const xray_tapped *r, uint32_t i, span *ended)
{
    return r->has_call && xray_analysis_ended(r->session->calls, r->context->kind, &r->call, r->function, i, ended);
}

static void note_doubt(const xray_session *s, unsigned doubt)
{
    if (s->report)
        s->report(doubt);
}

static bool path_span(const xray_tapped *r, uint32_t i, span *sum)
{
    if (r->context->kind != XRAY_PROFILE_PATH || i > 0 ||
        !xray_profile_sum(r->session->ahead.self, r->context, &r->bytes, r->value, sum))
        return false;
    if (!(sum->call.state & CALL_SELF))
        note_doubt(r->session, XRAY_SELFLESS);
    return true;
}

bool xray_session_span_of(const xray_tapped *r, uint32_t i, span *ended)
{
    if (r->session->spanless || (!xray_session_ended(r, i, ended) && !path_span(r, i, ended)))
        return false;
    if (G_UNLIKELY(xray_context_of(r->context)->frequency != r->session->frequency)) {
        ended->call.duration = xray_session_ticks(r, ended->call.duration);
        ended->call.self = xray_session_ticks(r, ended->call.self);
        ended->call.until = xray_session_ticks(r, ended->call.until);
    }
    return true;
}

bool xray_session_caller(const void *tapped, const span *ended, uint32_t *function)
{
    const xray_tapped *r = tapped;
    if (G_UNLIKELY(r->context->kind == XRAY_PROFILE_PATH))
        return xray_session_around(r, function);
    return calls_caller(r->session->calls, r->stack, &ended->call, function);
}

bool xray_session_around(const xray_tapped *r, uint32_t *function)
{
    calls *all = r->session->calls;
    if (r->context->kind == XRAY_PROFILE_PATH) {
        *function = xray_path_function(&r->bytes, 1);
        return xray_path_functions(r->context, &r->bytes) > 1;
    }
    const uint32_t entry = xray_session_entry_around(r);
    if (!entry)
        return false;
    if (!(r->call.state & CALL_INSIDE))
        return calls_caller(all, r->stack, &r->call, function);
    if (!calls_known(all))
        return calls_open(all, r->stack, function);
    *function = calls_function(all, entry);
    return true;
}

/* --- its clock --------------------------------------------------------------------------------------------------------- */

/* A frequency of 0 is that of ticks of a nanosecond. */
uint64_t xray_session_ticks(const xray_tapped *r, uint64_t ticks)
{
    const xray_session *s = r->session;
    const uint64_t frequency = xray_context_of(r->context)->frequency;
    if (G_LIKELY(frequency == s->frequency))
        return ticks;
    if (!frequency || !s->frequency)
        note_doubt(s, XRAY_MIXED_TICKS);
    return mul_div_u64(ticks, s->frequency ? s->frequency : 1000000000, frequency ? frequency : 1000000000);
}

uint64_t xray_session_now(const void *tapped)
{
    const xray_tapped *r = tapped;
    return xray_session_ticks(r, xray_context_of(r->context)->tsc);
}

uint64_t xray_session_between(const void *tapped, uint64_t from, uint64_t to)
{
    const xray_tapped *r = tapped;
    const xray_context *x = xray_context_of(r->context);
    if (x->frequency != r->session->frequency) /* of merged logs, which have other ticks */
        return xray_nanoseconds(to - from, r->session->frequency);
    return (uint64_t)xray_nanoseconds_since(x->base_tsc, to, x->frequency) -
           (uint64_t)xray_nanoseconds_since(x->base_tsc, from, x->frequency);
}

/* --- calls without an exit --------------------------------------------------------------------------------------------- */

typedef struct reading {
    xray_session session;
    GArray *found;
} reading;

static void visit_unwound(void *data, uint32_t frame, const record_context *c, const cursor *bytes, const stream *from,
                          bool outside)
{
    (void)from;
    (void)outside;
    reading *x = data;
    uint64_t values[XRAY_FIELD_COUNT]; /* of which only one counts, in a pass of which nobody sees a record */
    uint32_t function;
    call k;
    values[XRAY_FIELD_FUNCTION] = 0;
    xray_read(c, bytes, values);
    if (!xray_analysis_visit(x->session.calls, frame, c, xray_analysis_stack(c), (uint32_t)values[XRAY_FIELD_FUNCTION],
                             x->session.ahead.tails, &k))
        return;
    for (uint32_t i = 0; calls_closed(x->session.calls, frame, i, &k, &function); i++) {
        const calls_unwound one = {k.begin, k.last, k.sure, k.until, k.duration - k.self, k.state};
        g_array_append_val(x->found, one);
    }
}

static int compare_begins(gconstpointer a, gconstpointer b)
{
    const calls_unwound *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

GArray *xray_session_unwound(const char *path, xray_tails *tails)
{
    reading x = {.session.ahead.tails = tails, .found = g_array_new(FALSE, FALSE, sizeof(calls_unwound))};
    xray_session_analyse(&x.session, 0);
    const bool readable = trace_reader_read(path, "xray", visit_unwound, &x, NULL);
    x.session.ahead.tails = NULL; /* not owned */
    xray_session_end(&x.session);
    g_array_sort(x.found, compare_begins);
    if (!readable)
        g_array_free(x.found, TRUE);
    return readable ? x.found : NULL;
}
