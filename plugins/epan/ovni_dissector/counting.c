/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni_dissector/counting.h"

#include "dissector/pdu.h"
#include "host/hidden_records.h"
#include "host/menus.h"
#include "picture/picture.h"

#include "ovni/context.h"
#include "ovni/events/layout.h"
#include "util/fail.h"

const char *ovni_stream_words(const ovni_tapped *r)
{
    const char *name = pdu_stream_name(r->pinfo, r->context);
    return name ? name : "?";
}

void ovni_announce_stream(ovni_groups *g, const packet_info *pinfo, const ovni_tapped *r)
{
    ovni_groups_stream(g, r->context->stream, pdu_stream_description(pinfo, r->context), ovni_stream_words(r));
}

/* --- a part of the time
 * ----------------------------------------------------------------------------------------------------- */

static bool ovni_counting_seconds_of(const char *text, char end, double *seconds, const char **rest)
{
    char *after;
    *seconds = g_ascii_strtod(text, &after);
    *rest = after + 1;
    return after != text && *after == end && *seconds >= 0 && *seconds <= 1e9;
}

static bool window_of(const statistic_run *run, int64_t *from, int64_t *to)
{
    const char *text = statistic_text(run, OVNI_WITHIN), *rest;
    double begin, end;
    if (!text || !ovni_counting_seconds_of(text, ',', &begin, &rest) || !ovni_counting_seconds_of(rest, '\0', &end, &rest) ||
        begin >= end)
        return false;
    *from = (int64_t)(begin * 1e9 + 0.5);
    *to = (int64_t)(end * 1e9 + 0.5);
    return *from < *to;
}

bool ovni_window_check(const statistic_run *run, GError **error)
{
    int64_t from, to;
    if (!statistic_has(run, OVNI_WITHIN))
        return true;
    if (menus_windows() && run->of->table)
        return fail_with(
            error,
            "within: is known to programs only; this table of a part of the time is the one of the trace opened with ovni.time_range");
    return window_of(run, &from, &to) ||
           fail_with(error, "two times in seconds since the first record are missing: within:0.5,1.25");
}

ovni_window *ovni_window_asked(const statistic_run *run)
{
    int64_t from, to;
    return window_of(run, &from, &to) ? ovni_window_new(from, to) : NULL;
}

void ovni_window_see(ovni_window *w, const packet_info *pinfo, const ovni_tapped *r)
{
    ovni_window_play(w, picture_time(pinfo), r->context, record_number(pinfo), r->event, &r->bytes,
                     pdu_stream_description(pinfo, r->context));
}

/* --- records
 * ---------------------------------------------------------------------------------------------------------------- */

ovni_played ovni_played_of(const packet_info *pinfo, const ovni_tapped *r)
{
    const record_context *c = r->context;
    return (ovni_played){.number = record_number(pinfo),
                         .context = c,
                         .bytes = &r->bytes,
                         .event = r->event,
                         .loom = c->kind == OVNI_HEADER ? pdu_stream_description(pinfo, c) : NULL};
}

const record_context *ovni_tapped_context(const void *tapped)
{
    return ((const ovni_tapped *)tapped)->context;
}

const void *ovni_tapped_record(packet_info *hidden, const record_context *c, const cursor *bytes)
{
    static ovni_tapped r;
    r = (ovni_tapped){.pinfo = hidden, .context = c, .bytes = *bytes};
    r.is_event = ovni_states_is_event(c, bytes);
    r.event = r.is_event ? ovni_event_of((ovni_era)ovni_context_of(c)->era, bytes) : NULL;
    return &r;
}
