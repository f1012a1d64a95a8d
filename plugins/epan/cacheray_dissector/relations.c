/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Relations between records of a Cacheray trace, for Wireshark's menus: the same cache line, region or thread. */
#include "cacheray_dissector/fields.h"
#include "cacheray_dissector/record.h"
#include "host/record_numbers.h"
#include "dissector/relations.h"

static void append_line(const dissection *d, wmem_strbuf_t *filter)
{
    const cacheray_tapped *v = cacheray_tapped_of(d);
    if (v->is_access)
        wmem_strbuf_append_printf(filter, "cacheray.line == 0x%" PRIx64, v->line.line);
}

/* The accesses to a region, and the add and remove of its annotation. */
static void append_region(const dissection *d, wmem_strbuf_t *filter)
{
    const cacheray_tapped *v = cacheray_tapped_of(d);
    uint32_t added = record_frame(v->region.added);
    if (v->number && added)
        wmem_strbuf_append_printf(filter, "cacheray.access.rtta == %u || cacheray.rtta.add == %u || frame.number == %u",
                                  added, added, added);
}

static void cacheray_relations_append_thread(const dissection *d, wmem_strbuf_t *filter)
{
    const cacheray_tapped *v = cacheray_tapped_of(d);
    if (v->kind < CACHERAY_KINDS)
        wmem_strbuf_append_printf(filter, "cacheray.thread == %" PRIu64, v->thread);
}

const protocol_filter cacheray_filters[] = {
    {"Cacheray Line", append_line},
    {"Cacheray Region", append_region},
    {"Cacheray Thread", cacheray_relations_append_thread},
    {NULL, NULL},
};
