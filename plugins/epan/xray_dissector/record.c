/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record, and what it is in: calls that are its own (calls.c), or the sums of a profile (profile.c). */
#include "xray_dissector/record.h"

#include <epan/tap.h>

#include "core/opened_trace.h"
#include "host/notices.h"
#include "xray_dissector/file.h"
#include "xray_dissector/names.h"
#include "xray_dissector/problems.h"
#include "xray_dissector/profile.h"

static wsbool preference_calls = TRUE;

static struct xray_file *const file = &xray_file;

void xray_record_register(module_t *module)
{
    prefs_register_bool_preference(module, "calls", "Analyse calls",
                                   "Match entries with exits: depth, duration, caller, stack.", &preference_calls);
}

bool xray_record_asked(void)
{
    return preference_calls;
}

#define MIXED_TICKS \
    "Times of a counter of unknown speed are added to others, as nanoseconds: set xray.frequency or xray.profile_frequency, or open the traces separately."

static void report(unsigned doubt)
{
    if (!((unsigned)g_atomic_int_get(&file->reported) & doubt) && !(g_atomic_int_or(&file->reported, doubt) & doubt))
        notices_say(
            NOTICE_FAILURE, "%s",
            doubt == XRAY_MIXED_TICKS
                ? MIXED_TICKS
                : "Self times are not known: a profile from a pipe, and exported records, cannot be read in advance.");
}

/* The first record. */
static __attribute__((noinline)) void begin(const record_seen *seen, const record_context *first)
{
    file->session.report = report;
    file->session.spanless = !preference_calls;
    xray_names_load(seen, first);
}

/* Begins to analyse calls; what must be known in advance is found out from the file. Where records can be looked at again,
 * all is known after the first pass. */
static __attribute__((noinline)) void begin_calls(const record_context *c)
{
    const unsigned keep = c->flags & CONTEXT_RANDOM_ACCESS ? CALLS_KEEP : 0;
    const opened *o = c->flags & CONTEXT_EXPORTED ? NULL : opened_trace_find(c->trace);
    xray_session *s = &file->session;
    if (o && !o->exported)
        xray_session_look_ahead(s, o->trace, o->path, o->timed, keep);
    xray_session_analyse(s, keep);
    file->called = true;
    file->noted = s->ahead.none;
    if (s->ahead.tails && g_hash_table_size(s->ahead.tails->switching) && have_tap_listener(find_tap_id("xray")))
        notices_say(NOTICE_REMARK,
                    "A thread seems to switch stacks (fibers): only calls with an unmistakable exit count, and none has a "
                    "caller: xray.unsure.");
}

static __attribute__((noinline)) void note_unwound(void)
{
    file->noted = true;
    if (!have_tap_listener(find_tap_id("xray")))
        return;
    notices_say(
        NOTICE_REMARK,
        "Calls without an exit (exception, longjmp, coroutine) count up to the last record that is surely theirs: xray.call.unwound.");
    if (!file->session.ahead.unwound && !calls_kept(file->session.calls))
        notices_say(NOTICE_FAILURE, "%s", XRAY_FOUND_LATE);
}

/* The first typed event: see xray_loses_end(). */
static __attribute__((noinline)) void note_typed(const record_seen *seen)
{
    file->typed = seen->frame;
    if (have_tap_listener(find_tap_id("xray")) || have_tap_listener(find_tap_id(XRAY_RECORDS_TAP)))
        notices_say(NOTICE_REMARK, "%s", XRAY_UNCOUNTED);
}

/* Visits a record if it has not been, or finds what is known of it. */
static void look_at_calls(xray_tapped *r, const record_seen *seen)
{
    if (!file->session.calls)
        begin_calls(r->context);
    xray_session_look(r, seen->number, seen->again);
    if (!file->noted && !seen->again && xray_is_function(r->context->kind) &&
        calls_closed_count(file->session.calls, seen->number))
        note_unwound();
}

const void *xray_record_look(dissection *d)
{
    xray_tapped *r = d->record;
    const record_context *c = d->context;
    if (!file->names_loaded)
        begin(d->seen, c);
    if (!file->typed && xray_loses_end(c))
        note_typed(d->seen);
    xray_session_read(&file->session, r, c, &d->bytes);
    if (G_UNLIKELY(xray_context_of(c)->type == XRAY_TYPE_PROFILE)) {
        xray_profile_look(r, preference_calls && d->asked);
        return r;
    }
    if (G_UNLIKELY(r->function >> XRAY_LIBRARY_SHIFT))
        xray_names_note_library(r->function);
    if (preference_calls && d->asked && !d->unknown)
        look_at_calls(r, d->seen);
    if (xray_context_of(c)->known & XRAY_KNOWN_THREAD && !d->unknown)
        idle_field_look(&file->idle, c, d->seen, d->tree, r->stack);
    return xray_context_of(c)->known & XRAY_REPEATED ? NULL : r;
}

bool xray_record_prepare(const record_seen *seen, const record_context *first)
{
    if (!file->names_loaded)
        begin(seen, first);
    file->visited = have_tap_listener(find_tap_id("xray"));
    return preference_calls || !file->visited;
}
