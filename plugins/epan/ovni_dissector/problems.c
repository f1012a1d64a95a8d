/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni_dissector/problems.h"

#include "host/notices.h"
#include "ovni/events/layout.h"
#include "ovni/ranks.h"

static expert_field ei_metadata = EI_INIT;
static expert_field ei_clocks = EI_INIT;
static expert_field ei_ranks = EI_INIT;
static expert_field ei_settings = EI_INIT;

static void add_fault(proto_item *item, const record_seen *seen, expert_field *field, uint8_t f, uint32_t value)
{
    char words[160];
    if (f)
        expert_add_info_format(seen->packet, item, field, "%s",
                               fault_text(&ovni_faults, (fault)f, value, words, sizeof words));
}

void ovni_problems_add(proto_item *item, const record_seen *seen, const record_context *c)
{
    const ovni_context *o = ovni_context_of(c);
    bool is_standalone = c->kind == OVNI_METADATA || c->kind == OVNI_MISSING;
    if (c->offset == 0 && !is_standalone)
        add_fault(item, seen, &ei_metadata, o->beside, o->metadata_value);
    if (!notices_due(seen))
        return;
    add_fault(item, seen, &ei_clocks, o->clocks, o->clocks_value);
    if (o->all_ranks)
        expert_add_info_format(seen->packet, item, &ei_ranks, OVNI_MISSING_RANKS, o->ranks, o->all_ranks);
    notices_add_settings(seen, item, &ei_settings, "ovni", c);
}

static ei_register_info ei[] = {
    {&ei_metadata, {"ovni.metadata.unusable", PI_UNDECODED, PI_WARN, "The writer of the stream is not known", EXPFILL}},
    {&ei_clocks, {"ovni.clock_offsets.unusable", PI_UNDECODED, PI_WARN, "Clock offsets are not known", EXPFILL}},
    {&ei_ranks, {"ovni.rank.missing", PI_UNDECODED, PI_WARN, "Ranks of MPI are missing", EXPFILL}},
    {&ei_settings, {"ovni.settings.unusable", PI_UNDECODED, PI_WARN, "A setting is not used", EXPFILL}},
};

void ovni_problems_register(int proto)
{
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
}
