/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray_dissector/problems.h"

#include "core/opened_trace.h"
#include "host/notices.h"
#include "xray_dissector/file.h"

static expert_field ei_binary = EI_INIT;
static expert_field ei_nameless = EI_INIT;
static expert_field ei_unnamed = EI_INIT;
static expert_field ei_writers = EI_INIT;
static expert_field ei_setting = EI_INIT;
static expert_field ei_unused = EI_INIT;
static expert_field ei_overwritten = EI_INIT;
static expert_field ei_limited = EI_INIT;
static expert_field ei_uncounted = EI_INIT;

const char *xray_problems_unused_frequency(const record_context *c)
{
    const bool profile = xray_context_of(c)->type == XRAY_TYPE_PROFILE;
    if (!xray_chosen_frequency(profile ? &xray_frequency_setting : &xray_profile_frequency_setting))
        return NULL;
    return profile ? "xray.frequency is not used: for a profile there is xray.profile_frequency"
                   : "xray.profile_frequency is not used: this log has its frequency in its header";
}

/* Problems with the binaries, at the first record, and at the first function that should have a name. */
static void add_binary_experts(proto_item *item, const record_seen *seen, const xray_tapped *r)
{
    if (seen->frame == xray_file.first && xray_file.problems && xray_file.problems->len)
        expert_add_info_format(seen->packet, item, &ei_binary, "%s", xray_file.problems->str);
    if (seen->frame == xray_file.first && xray_file.nameless)
        expert_add_info_format(seen->packet, item, &ei_nameless, "%s", XRAY_NAMELESS);
    if (!xray_file.names || !r->has_function || xray_functions_find(xray_file.names, r->function))
        return;
    if (!xray_file.unnamed)
        xray_file.unnamed = seen->frame;
    if (seen->frame == xray_file.unnamed)
        expert_add_info_format(
            seen->packet, item, &ei_unnamed,
            xray_functions_ambiguous(xray_file.names, r->function) ? "function %u has no name: several libraries may have it"
            : r->function >> XRAY_LIBRARY_SHIFT
                ? "function %u has no name: xray.binary does not list its library after the program"
                : "function %u has no name: xray.binary does not contain it, and may not be the traced program",
            r->function);
}

/* An invalid setting, at the first record. A changed one is used when the file is opened again. */
static void add_frequency_experts(proto_item *item, const record_seen *seen, const xray_tapped *r)
{
    const record_context *c = r->context;
    notices_add_settings(seen, item, &ei_setting, "xray", c);
    const bool profile = xray_context_of(c)->type == XRAY_TYPE_PROFILE;
    uint64_t used = xray_context_of(c)->frequency, now = used;
    if (c->kind == XRAY_HEADER && !(c->flags & CONTEXT_EXPORTED))
        now = profile ? xray_chosen_frequency(&xray_profile_frequency_setting)
                      : xray_frequency(r->value[XRAY_FIELD_FREQUENCY], c->flags & CONTEXT_BIG_ENDIAN,
                                       xray_context_of(c)->time_tsc);
    const char *unused = c->kind == XRAY_HEADER ? xray_problems_unused_frequency(c) : NULL;
    if (unused)
        expert_add_info_format(seen->packet, item, &ei_unused, "%s", unused);
    if (now != used)
        expert_add_info_format(seen->packet, item, &ei_setting,
                               "times and durations are those of %" PRIu64 " ticks per second; the %" PRIu64
                               " of %s are used when the file is loaded again (View > Reload)",
                               used, now, (profile ? &xray_profile_frequency_setting : &xray_frequency_setting)->preference);
}

/* That it has what another process has recorded, at the first record. */
static void add_writers(proto_item *item, const record_seen *seen, const record_context *c)
{
    const opened *o = c->flags & CONTEXT_EXPORTED ? NULL : opened_trace_find(c->trace);
    g_autoptr(GString) text = g_string_new(NULL);
    if (o && o->trace)
        xray_writers_append(o->trace->detail, text);
    if (text->len)
        expert_add_info_format(seen->packet, item, &ei_writers, "%s", text->str + 1);
}

/* That the log begins in the middle, or calls may be missing from the profile, at the first record. */
static void add_missing(proto_item *item, const record_seen *seen, const record_context *c)
{
    const opened *o = c->flags & CONTEXT_EXPORTED ? NULL : opened_trace_find(c->trace);
    g_autoptr(GString) text = g_string_new(NULL);
    if (o && o->trace)
        xray_missing_append(o->trace->detail, text);
    else if (xray_depth_unknown(c))
        g_string_append(
            text, " The log begins in the middle: its oldest records were overwritten. Depths, and calls from before, are "
                  "unknown.");
    if (text->len)
        expert_add_info_format(seen->packet, item,
                               xray_context_of(c)->type == XRAY_TYPE_PROFILE ? &ei_limited : &ei_overwritten, "%s",
                               text->str + 1);
}

void xray_problems_add(proto_item *item, const record_seen *seen, const xray_tapped *r)
{
    add_binary_experts(item, seen, r);
    if (seen->frame == xray_file.first) {
        add_frequency_experts(item, seen, r);
        add_missing(item, seen, r->context);
        add_writers(item, seen, r->context);
    }
    if (seen->frame == xray_file.typed)
        expert_add_info_format(seen->packet, item, &ei_uncounted, "%s", XRAY_UNCOUNTED);
}

static ei_register_info ei[] = {
    {&ei_binary, {"xray.binary.unusable", PI_UNDECODED, PI_WARN, "No function names", EXPFILL}},
    {&ei_nameless, {"xray.binary.unknown", PI_UNDECODED, PI_NOTE, "The traced program is not known", EXPFILL}},
    {&ei_unnamed, {"xray.function.unnamed", PI_UNDECODED, PI_NOTE, "The binary does not contain this function", EXPFILL}},
    {&ei_writers, {"xray.process.other", PI_SEQUENCE, PI_NOTE, "Buffers of another process or thread", EXPFILL}},
    {&ei_setting, {"xray.settings.unusable", PI_UNDECODED, PI_WARN, "A setting is not used", EXPFILL}},
    {&ei_unused, {"xray.settings.unused", PI_UNDECODED, PI_NOTE, "A setting is not for this kind of log", EXPFILL}},
    {&ei_overwritten, {"xray.overwritten", PI_SEQUENCE, PI_WARN, "The log begins in the middle", EXPFILL}},
    {&ei_limited, {"xray.profile.limited", PI_SEQUENCE, PI_WARN, "Calls may be missing from the profile", EXPFILL}},
    {&ei_uncounted, {"xray.buffer.uncounted", PI_SEQUENCE, PI_WARN, "The ends of buffers are missing", EXPFILL}},
};

void xray_problems_register(int proto)
{
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
}
