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

/* All in one, as it is done for each record. */
__attribute__((flatten)) void xray_session_read(xray_session *s, xray_tapped *r, const record_context *c,
                                                const cursor *bytes)
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
    r->stack = xray_stack_of(c);
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

/* Returns whether an argument belongs to the innermost open call: it must directly follow the entry. Basic mode logs one
 * argument per call, even for calls that it drops. */
static bool belongs_to_open_call(const xray_tapped *r)
{
    const xray_context *x = xray_context_of(r->context);
    uint32_t open;
    if (x->previous != XRAY_ENTRY && x->previous != XRAY_ENTRY_ARGUMENTS)
        return false;
    if (x->type == XRAY_TYPE_FDR)
        return true;
    return x->argument_index == 0 && calls_open(r->session->calls, r->stack, &open) && open == r->function;
}

/* Where records of the thread are missing. */
static void note_losses(calls *c, uint64_t stack, const record_context *context)
{
    if (context->kind >= KIND_CUT)
        calls_lost(c, stack);
    else if (context->kind == XRAY_NEW_BUFFER && xray_context_of(context)->known & XRAY_REUSED)
        calls_forget(c, stack);
    else if (context->kind == XRAY_NEW_BUFFER)
        calls_reach_gap(c, stack);
    else if (xray_loses_end(context))
        calls_expect_gap(c, stack);
}

/* A record that begins and ends no call, but may be in one. */
static __attribute__((noinline)) void visit_between(xray_tapped *r, uint32_t frame, bool clocked)
{
    calls *c = r->session->calls;
    const uint8_t kind = r->context->kind;
    uint32_t unused;
    note_losses(c, r->stack, r->context);
    if (xray_is_event(kind) || (kind == XRAY_CALL_ARGUMENT && belongs_to_open_call(r)))
        r->has_call = calls_inside(c, r->stack, frame, xray_context_of(r->context)->time_tsc, clocked,
                                   kind == XRAY_CALL_ARGUMENT, &r->call);
    else
        calls_around(c, r->stack, frame);
    r->within = r->has_call ? xray_session_entry_around(r) : calls_open(c, r->stack, &unused);
}

void xray_session_visit(xray_tapped *r, uint32_t frame)
{
    const xray_session *s = r->session;
    const uint8_t kind = r->context->kind;
    const xray_context *x = xray_context_of(r->context);
    const bool clocked = x->known & XRAY_KNOWN_TSC;
    uint32_t unused;
    if (s->ahead.unwound)
        calls_unwind_to(s->calls, r->stack, frame);
    calls_record(s->calls, frame);
    if (G_UNLIKELY(x->known & XRAY_REPEATED)) { /* its calls were counted in the first copy */
        r->within = xray_is_function(kind) ? 0 : calls_open(s->calls, r->stack, &unused);
        return;
    }
    if (clocked && (xray_is_function(kind) || kind == XRAY_NEW_CPU || kind == XRAY_TSC_WRAP))
        calls_clock(s->calls, r->stack, x->tsc);
    if (!xray_is_function(kind)) {
        visit_between(r, frame, clocked);
        return;
    }
    r->has_call = true;
    if (kind == XRAY_ENTRY || kind == XRAY_ENTRY_ARGUMENTS)
        calls_begin(s->calls, r->stack, frame, r->function, x->tsc, clocked, &r->call);
    else if (kind == XRAY_TAIL_EXIT && s->ahead.tails &&
             g_hash_table_contains(s->ahead.tails->not_taken, &r->context->offset))
        r->has_call = calls_inside(s->calls, r->stack, frame, x->tsc, clocked, true, &r->call);
    else
        calls_end(s->calls, r->stack, frame, r->function, x->tsc, clocked, &r->call);
    r->within = xray_session_entry_around(r);
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

/* Asked for with every exit, twice. */
static inline __attribute__((always_inline)) bool call_ended(const xray_tapped *r, uint32_t i, span *ended)
{
    if (!r->has_call || (r->context->kind != XRAY_EXIT && r->context->kind != XRAY_TAIL_EXIT) || r->call.state & CALL_INSIDE)
        return false;
    ended->kind = 0;
    ended->many = 0;
    ended->nests = true;
    ended->detail = NULL;
    if (i > 0)
        return calls_closed(r->session->calls, r->call.end, i - 1, &ended->call, &ended->function);
    ended->call = r->call;
    ended->function = r->function;
    return true;
}

bool xray_session_ended(const xray_tapped *r, uint32_t i, span *ended)
{
    return call_ended(r, i, ended);
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
    if (r->session->spanless || (!call_ended(r, i, ended) && !path_span(r, i, ended)))
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
    xray_tapped r;
    uint32_t function;
    call k;
    xray_session_read(&x->session, &r, c, bytes);
    xray_session_visit(&r, frame);
    if (!r.has_call)
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
