/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/statistics-ovni.h"

#include "dissector/pdu.h"
#include "host/hidden_records.h"

#include "ovni/context.h"
#include "ovni/layout.h"

const char *ovni_stream_words(const ovni_record *r)
{
    const char *name = pdu_stream_name(r->pinfo, r->context);
    return name ? name : "?";
}

void ovni_announce(ovni_groups *g, const packet_info *pinfo, const ovni_record *r)
{
    if ((r->known.has_region || r->known.has_left || r->known.has_task) && ovni_groups_lacks(g, r->context->stream))
        ovni_groups_stream(g, r->context->stream, pdu_stream_description(pinfo, r->context), ovni_stream_words(r));
}

ovni_played ovni_played_of(const packet_info *pinfo, const ovni_record *r)
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
    return ((const ovni_record *)tapped)->context;
}

const void *ovni_tapped_record(packet_info *hidden, const record_context *c, const cursor *bytes)
{
    static ovni_record r;
    r = (ovni_record){.pinfo = hidden, .context = c, .bytes = *bytes};
    r.is_event = ovni_states_is_event(c, bytes);
    r.event = r.is_event ? ovni_event_of((ovni_era)ovni_context_of(c)->era, bytes) : NULL;
    return &r;
}
