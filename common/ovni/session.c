/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/session.h"

#include <string.h>

#include "ovni/context.h"
#include "ovni/events/layout.h"

void ovni_session_read(ovni_session *s, ovni_tapped *r, const record_context *c, uint32_t number, const cursor *bytes)
{
    r->session = s;
    r->context = c;
    r->number = number;
    r->bytes = *bytes;
    r->has_state = false;
    r->is_event = ovni_states_is_event(c, bytes);
    r->event = r->is_event ? ovni_event_of((ovni_era)ovni_context_of(c)->era, bytes) : NULL;
    memset(r->mcv, 0, sizeof r->mcv);
    if (r->is_event)
        memcpy(r->mcv, ovni_mcv(bytes), 3);
}

void ovni_session_announce(const ovni_tapped *r)
{
    ovni_states *states = r->session->states;
    if (!ovni_states_stream_known(states, r->context))
        ovni_states_stream(states, r->context, ovni_session_loom(r));
}

void ovni_session_visit(ovni_tapped *r, bool keep)
{
    ovni_session *s = r->session;
    const record_context *c = r->context;
    if (!s->states)
        s->states = ovni_states_new(keep);
    if (c->kind == OVNI_METADATA) {
        if (!c->fault)
            ovni_states_metadata(s->states, c, ovni_session_loom(r), (const char *)r->bytes.data, r->bytes.length);
        return;
    }
    if (!r->is_event || !ovni_states_visit(s->states, c, r->number, r->event, &r->bytes, &r->known)) {
        ovni_session_announce(r);
        if (r->is_event)
            ovni_states_visit(s->states, c, r->number, r->event, &r->bytes, &r->known);
    }
    r->has_state = r->is_event;
}

void ovni_session_find(ovni_tapped *r)
{
    if (r->is_event)
        ovni_states_find(r->session->states, r->context, r->number, r->event, &r->bytes, &r->known);
    r->has_state = r->is_event;
}

void ovni_session_look(ovni_tapped *r, bool keep, bool again)
{
    if (again && r->session->states && ovni_states_kept(r->session->states))
        ovni_session_find(r);
    else
        ovni_session_visit(r, keep);
}

void ovni_session_end(ovni_session *s)
{
    ovni_states_free(s->states);
    s->states = NULL;
}

bool ovni_session_span(const void *tapped, uint32_t i, span *s)
{
    const ovni_tapped *r = tapped;
    return ovni_known_span(&r->known, r->number, i, s);
}

const char *ovni_session_stream(const ovni_tapped *r)
{
    const char *name = r->session->name_of ? r->session->name_of(r) : NULL;
    return name ? name : "?";
}

const char *ovni_session_loom(const ovni_tapped *r)
{
    return r->session->loom_of ? r->session->loom_of(r) : NULL;
}
