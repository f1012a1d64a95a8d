/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/statistics-ovni.h"

#include "dissector/pdu.h"
#include "host/carried.h"

const char *ovni_model_words(char model)
{
    const char *name = ovni_model_name(model);
    return name ? name : "(unknown)";
}

const char *ovni_stream_words(const ovni_record *r)
{
    const char *name = pdu_stream_name(r->pinfo, r->context);
    return name ? name : "?";
}

bool ovni_ends_region(const ovni_record *r, const packet_info *pinfo)
{
    const call *k = &r->known.region;
    return r->has_state && r->known.has_region && k->end == carried_place(pinfo) && k->state & CALL_TIMED;
}

/* A nested state ends with an event of its own; a value ends when the next one is set. */
bool ovni_ends_state(const ovni_record *r, const packet_info *pinfo, uint32_t *function, call *k)
{
    bool ends_value = r->has_state && r->known.has_left && r->known.left.state & CALL_TIMED;
    if (!ends_value && !ovni_ends_region(r, pinfo))
        return false;
    *function = ends_value ? r->known.left_function : r->known.function;
    *k = ends_value ? r->known.left : r->known.region;
    return true;
}

bool ovni_ends_task(const ovni_record *r, const packet_info *pinfo)
{
    return r->has_state && r->known.has_task && r->known.task.ended == carried_place(pinfo) && r->known.task.timed;
}
