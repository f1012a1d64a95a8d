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

bool ovni_ends_region(const ovni_record *r, const packet_info *pinfo)
{
    const call *k = &r->known.region;
    return r->has_state && r->known.has_region && k->end == record_number(pinfo) && k->state & CALL_TIMED;
}

/* A nested state ends with an event of its own; a value ends when the next one is set. */
bool ovni_ends_state(const ovni_record *r, const packet_info *pinfo, uint32_t *function, call *k)
{
    bool ends_value = r->has_state && r->known.has_left && r->known.left.state & CALL_TIMED;
    if (!ends_value && !ovni_ends_region(r, pinfo))
        return false;
    *function = ends_value ? r->known.previous_function : r->known.function;
    *k = ends_value ? r->known.left : r->known.region;
    return true;
}

bool ovni_ends_task(const ovni_record *r, const packet_info *pinfo)
{
    return r->has_state && r->known.has_task && r->known.task.ended == record_number(pinfo) && r->known.task.timed;
}

void ovni_emulate(ovni_emulator *e, const packet_info *pinfo, const ovni_record *r)
{
    const record_context *c = r->context;
    ovni_emulator_record(e, record_number(pinfo));
    if (c->kind == OVNI_METADATA)
        ovni_emulator_metadata(e, c, (const char *)r->bytes.data, r->bytes.length);
    else if (c->kind == OVNI_HEADER)
        ovni_emulator_header(e, c, pdu_stream_description(pinfo, c));
    else if (r->is_event && !c->fault)
        ovni_emulator_event(e, c, r->event, &r->bytes);
    else
        ovni_emulator_damage(e, c);
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

char *ovni_cpu_words(const ovni_emulated_cpu *cpu)
{
    return cpu->virtual ? g_strdup_printf("vCPU %u.*", cpu->loom) : g_strdup_printf("CPU %u.%d", cpu->loom, cpu->system);
}
