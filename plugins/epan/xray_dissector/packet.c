/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dissector of LLVM XRay logs (docs/formats/xray.md). common/xray/layouts.h has the layouts. This file has the names of
 * the fields, the fields from the context, and the Info column. */
#include "host/environment.h"
#include "dissector/part_preferences.h"
#include "dissector/protocol.h"
#include "dissector/tree_layouts.h"
#include "util/text.h"

#include "xray_dissector/calls.h"
#include "xray_dissector/fields.h"
#include "xray_dissector/file.h"
#include "xray_dissector/names.h"
#include "xray_dissector/parallel.h"
#include "xray_dissector/problems.h"
#include "xray_dissector/profile.h"
#include "xray_dissector/record.h"
#include "xray_dissector/statistics.h"
#include "xray/xray.h"
#include "xray/statistics/display.h"

static int proto_xray;
extern const protocol xray_protocol;

static int hf_kind = -1;
static int hf_argument_index = -1;
static int hf_event_data = -1;
static int hf_event_text = -1;
static int hf_buffer_repeats = -1;
static int hf_bits = -1;
static int hf_padding = -1;

static int ett_thread = -1;

static int tap_xray;
static int tap_records; /* for listeners that need no calls */

static dissector_table_t event_types; /* of typed events, by type */
static heur_dissector_list_t custom_events;

static expert_field ei_repeated = EI_INIT;
static expert_field ei_buffer_short = EI_INIT;

/* kinds by number; ends with {0, NULL} */
#define KIND_VALUE(kind, name) {kind, name},
static const value_string kinds[] = {XRAY_KINDS(KIND_VALUE){0, NULL}};
static const value_string types[] = {
    {XRAY_TYPE_BASIC, "Basic"},
    {XRAY_TYPE_FDR, "Flight data recorder"},
    {XRAY_TYPE_PROFILE, "Profile"},
    {0, NULL},
};
static const value_string discriminants[] = {
    {0, "Function"},
    {1, "Metadata"},
    {0, NULL},
};
static const value_string actions[] = {
    {0, "Entry"}, {1, "Exit"}, {2, "Tail exit"}, {3, "Entry with arguments"}, {0, NULL},
};
static const value_string metadata_kinds[] = {
    {0, "New buffer"},   {1, "End of buffer"}, {2, "New CPU id"},     {3, "TSC wrap"},    {4, "Wall-clock time"},
    {5, "Custom event"}, {6, "Call argument"}, {7, "Buffer extents"}, {8, "Typed event"}, {9, "Process id"},
    {0, NULL},
};

/* For a wrong order of records, names both of them. */
static bool explain(const record_context *c, char *text, size_t size)
{
    if (c->fault != FAULT_XRAY_ORDER)
        return false;
    const char *kind = xray_kind_name(c->kind), *previous = xray_kind_name((uint8_t)c->fault_value);
    if (c->fault_value == 0)
        snprintf(text, size, "a buffer may not begin with this record: %s", kind);
    else
        snprintf(text, size, "%s may not follow %s", kind, previous ? previous : "this record");
    return true;
}

static int hf_fields[XRAY_FIELD_COUNT]; /* of the layouts */
static unsigned protocol_number;

/* --- the Info column --------------------------------------------------------------------------------------------------- */

static wsbool preference_indent = FALSE;

static void xray_packet_info_add_thread(info_text *t, const char *before, const record_context *c)
{
    if (!(xray_context_of(c)->known & XRAY_KNOWN_THREAD))
        return;
    info_add(t, before);
    info_add_uint(t, xray_context_of(c)->thread);
}

static void info_add_number(info_text *t, const char *before, uint64_t value, const char *after)
{
    info_add(t, before);
    info_add_uint(t, value);
    info_add(t, after);
}

/* Indents a record; what happens inside a call is one level deeper than its entry and exit. */
static void info_indent_call(info_text *t, const xray_tapped *r)
{
    if (preference_indent && r->has_call && r->call.begin)
        info_indent(t, r->call.depth + xray_is_event(r->context->kind));
}

/* At an entry the duration is known only if the exit has been seen before. So that the packet list is the same in all
 * passes, it has durations only at exits, unless a column has them. */
static void info_function(info_text *t, const record_seen *seen, const xray_tapped *r)
{
    static const char *const arrows[] = {"→ ", "← ", "← ", "→ "};
    uint8_t kind = r->context->kind;
    uint64_t ns;
    info_indent_call(t, r);
    info_add(t, arrows[kind - XRAY_ENTRY]);
    xray_names_inform(t, r->function);
    if ((kind == XRAY_EXIT || kind == XRAY_TAIL_EXIT) && xray_calls_duration(r, &ns) &&
        !info_has_column(seen, "xray.call.duration.us") && !info_has_column(seen, "xray.call.duration")) {
        info_add(t, "  ");
        info_add_duration(t, ns);
    }
    if (kind == XRAY_TAIL_EXIT)
        info_add(t, r->has_call && r->call.state & CALL_INSIDE ? "  (tail exit, not taken)" : "  (tail exit)");
}

static void info_wall_clock(info_text *t, uint64_t seconds, uint64_t microseconds)
{
    info_add_number(t, "Wall clock ", seconds, ".");
    for (uint64_t digit = 100000; digit > 1 && microseconds < digit; digit /= 10)
        info_add(t, "0");
    info_add_uint(t, microseconds);
    info_add(t, " s since the machine was started");
}

/* Returns whether the record begins a buffer that is incomplete in the file. */
static bool is_short(const record_context *c)
{
    return c->kind == XRAY_BUFFER_EXTENTS && !(xray_context_of(c)->known & XRAY_REPEATED) &&
           xray_context_of(c)->about_buffer;
}

/* The length of the payload without trailing NULs if it is printable text, else 0. *safe: it can be shown as it is
 * (text.h; tabs and line feeds are kept, as all of Wireshark's outputs handle them). */
static unsigned text_length(const uint8_t *data, unsigned length, bool *safe)
{
    while (length > 0 && data[length - 1] == '\0')
        length--;
    if (length == 0 || !g_utf8_validate((const char *)data, (gssize)length, NULL))
        return 0;
    *safe = true;
    for (unsigned i = 0, begin = 0; i <= length; i++) {
        if (i < length && (data[i] == 0x7f || (data[i] < ' ' && !strchr("\t\n\r", data[i]))))
            return 0;
        if (i < length && data[i] != '\t' && data[i] != '\n')
            continue;
        *safe = *safe && text_is_safe((const char *)data + begin, i - begin);
        begin = i + 1;
    }
    return length;
}

/* Adds the text of an event, or its size. */
static void info_add_payload(info_text *t, const dissection *d, const char *before, uint64_t size)
{
    bool safe;
    unsigned whole = d->bytes.length > XRAY_METADATA_LENGTH ? (unsigned)d->bytes.length - XRAY_METADATA_LENGTH : 0;
    unsigned length = whole ? text_length(d->bytes.data + XRAY_METADATA_LENGTH, whole, &safe) : 0;
    if (length == 0) {
        info_add_number(t, before, size, size == 1 ? " byte" : " bytes");
        return;
    }
    const char *text = (const char *)d->bytes.data + XRAY_METADATA_LENGTH;
    unsigned shown = (unsigned)text_fitting(text, length, INFO_NAME_MAX);
    char line[INFO_NAME_MAX + 1];
    memcpy(line, text, shown);
    line[shown] = '\0';
    info_add(t, " \"");
    info_add(t, text_sanitize(g_strdelimit(line, "\t\n\r", ' ')));
    info_add(t, shown < length ? "...\"" : "\"");
}

static void info_argument(info_text *t, const xray_tapped *r)
{
    uint32_t function = r->function;
    const bool known = r->has_function || xray_session_around(r, &function);
    if (known)
        xray_names_inform(t, function);
    info_add_number(t, known ? "  argument " : "Argument ", xray_context_of(r->context)->argument_index, " is ");
    info_add_hex(t, r->value[XRAY_FIELD_ARGUMENT]);
}

static void info_buffer(info_text *t, const xray_tapped *r)
{
    switch (r->context->kind) {
    case XRAY_NEW_BUFFER:
        info_add_number(t, "New buffer of thread ", r->value[XRAY_FIELD_THREAD], "");
        return;
    case XRAY_NEW_CPU:
        info_add_number(t, "CPU ", r->value[XRAY_FIELD_CPU], "");
        break;
    case XRAY_TSC_WRAP:
        info_add_number(t, "TSC set to ", r->value[XRAY_FIELD_TSC], "");
        break;
    case XRAY_WALL_CLOCK:
        info_wall_clock(t, r->value[XRAY_FIELD_WALL_SECONDS], r->value[XRAY_FIELD_WALL_MICROSECONDS]);
        return;
    case XRAY_BUFFER_EXTENTS:
        info_add_number(t, "Buffer of ", r->value[XRAY_FIELD_EXTENT], " bytes");
        if (is_short(r->context))
            info_add_number(t, ", ", xray_context_of(r->context)->about_buffer, " of them missing");
        break;
    case XRAY_PROCESS_ID:
        info_add_number(t, "Process ", r->value[XRAY_FIELD_PROCESS], "");
        return;
    default:
        info_add(t, xray_kind_name(r->context->kind));
        break;
    }
    xray_packet_info_add_thread(t, " in thread ", r->context);
}

static void xray_packet_info_unknown_bytes(info_text *t, const record_context *c)
{
    info_add(t, xray_kind_name(c->kind));
    info_add_number(t, ", ", c->length, " bytes");
    if (c->fault) {
        info_add(t, ": ");
        info_add_fault(t, &xray_protocol.tree, c);
    }
}

/* The Info column of all records but entries and exits. */
static void xray_packet_info_others(info_text *t, const dissection *d, const xray_tapped *r)
{
    const record_context *c = r->context;
    if (xray_context_of(c)->type == XRAY_TYPE_PROFILE && c->kind < KIND_PADDING) {
        xray_profile_inform(t, r);
    } else if (c->kind == XRAY_HEADER) {
        info_add_number(
            t, xray_context_of(c)->type == XRAY_TYPE_FDR ? "Flight data recorder log, version " : "Basic mode log, version ",
            xray_context_of(c)->version, "");
    } else if (c->kind == XRAY_CUSTOM_EVENT) {
        info_add(t, "Custom event");
        info_add_payload(t, d, " of ", r->value[XRAY_FIELD_EVENT_SIZE]);
    } else if (c->kind == XRAY_TYPED_EVENT) {
        info_add_number(t, "Event of type ", r->value[XRAY_FIELD_EVENT_TYPE], "");
        info_add_payload(t, d, ", ", r->value[XRAY_FIELD_EVENT_SIZE]);
    } else if (c->kind == XRAY_CALL_ARGUMENT) {
        info_argument(t, r);
    } else if (c->kind >= KIND_PADDING) {
        xray_packet_info_unknown_bytes(t, c);
    } else {
        info_buffer(t, r);
    }
}

static void xray_packet_inform(const dissection *d, info_text *t)
{
    const xray_tapped *r = d->record;
    if (xray_is_function(r->context->kind)) {
        info_function(t, d->seen, r);
    } else {
        info_indent_call(t, r);
        xray_packet_info_others(t, d, r);
    }
}

/* "Entry of fib(int), Thread 9706, Depth 2, 460 ns" */
static void xray_packet_write_line_text(const dissection *d, info_text *t)
{
    static const char *const words[] = {"Entry of ", "Exit of ", "Tail exit of ", "Entry of "};
    const xray_tapped *r = d->record;
    uint8_t kind = r->context->kind;
    uint64_t ns;
    if (!xray_is_function(kind)) {
        xray_packet_info_others(t, d, r);
        if (xray_is_event(kind) || kind == XRAY_CALL_ARGUMENT)
            xray_packet_info_add_thread(t, ", Thread ", r->context);
        return;
    }
    info_add(t, words[kind - XRAY_ENTRY]);
    xray_names_inform(t, r->function);
    xray_packet_info_add_thread(t, ", Thread ", r->context);
    if (r->has_call && r->call.begin && !xray_session_depth_unknown(r))
        info_add_number(t, ", Depth ", r->call.depth, "");
    if (xray_calls_duration(r, &ns)) {
        info_add(t, ", ");
        info_add_duration(t, ns);
    }
}

/* --- source and destination -------------------------------------------------------------------------------------------- */

static shown_name xray_packet_address_of(const record_seen *seen, uint32_t function)
{
    const shown_name name = xray_names_label(function);
    static tree_numbers numbers = {.kind = XRAY_FUNCTION_WORDS};
    return name.text ? name : shown_name_of(tree_numbered(&numbers, seen, function));
}

/* An unknown caller is omitted. */
static void address_calls(const dissection *d)
{
    const xray_tapped *r = d->record;
    uint8_t kind = r->context->kind;
    if (!xray_is_function(kind) && kind != XRAY_PROFILE_PATH)
        return;
    const shown_name own = xray_packet_address_of(d->seen, r->function);
    uint32_t around;
    const shown_name caller = xray_session_around(r, &around) ? xray_packet_address_of(d->seen, around) : (shown_name){0};
    bool exits = kind == XRAY_EXIT || kind == XRAY_TAIL_EXIT;
    tree_set_source(d->seen, exits ? own : caller);
    tree_set_destination(d->seen, exits ? caller : own);
}

/* --- the tree ---------------------------------------------------------------------------------------------------------- */

/* Calls the dissector that an application has registered for its events. */
static void call_event_dissector(proto_tree *tree, const record_seen *seen, tvbuff_t *tvb, const xray_tapped *r)
{
    heur_dtbl_entry_t *found;
    tvbuff_t *payload = tvb_new_subset_remaining(tvb, XRAY_METADATA_LENGTH);
    if (r->context->kind == XRAY_CUSTOM_EVENT) {
        dissector_try_heuristic(custom_events, payload, seen->packet, tree, &found, NULL);
        return;
    }
    compat_try_uint(event_types, (uint32_t)r->value[XRAY_FIELD_EVENT_TYPE], payload, seen->packet, tree);
}

static bool is_missing(const dissection *d, unsigned known, enum xray_field field)
{
    return xray_context_of(d->context)->known & known && !(d->present & UINT64_C(1) << field);
}

/* Adds where the record comes from, from the context. */
static void xray_packet_add_thread(const dissection *d)
{
    const xray_context *x = xray_context_of(d->context);
    bool thread = is_missing(d, XRAY_KNOWN_THREAD, XRAY_FIELD_THREAD),
         process = is_missing(d, XRAY_KNOWN_PROCESS, XRAY_FIELD_PROCESS);
    bool cpu = is_missing(d, XRAY_KNOWN_CPU, XRAY_FIELD_CPU), tsc = is_missing(d, XRAY_KNOWN_TSC, XRAY_FIELD_TSC);
    proto_tree *tree = thread || process || cpu || tsc ? tree_branch(d->fields, d->tvb, ett_thread, "Thread") : d->fields;
    if (thread)
        tree_generated(tree, hf_fields[XRAY_FIELD_THREAD], d->tvb, x->thread);
    if (process)
        tree_generated(tree, hf_fields[XRAY_FIELD_PROCESS], d->tvb, x->process);
    if (cpu)
        tree_generated(tree, hf_fields[XRAY_FIELD_CPU], d->tvb, x->cpu);
    if (tsc)
        tree_generated(tree, hf_fields[XRAY_FIELD_TSC], d->tvb, x->tsc);
    xray_endpoints_add(tree, d->tvb, d->context);
}

static void xray_packet_add_payload(dissection *d)
{
    unsigned length = (unsigned)d->bytes.length - XRAY_METADATA_LENGTH;
    bool safe;
    if (length == 0)
        return;
    d->covered = (unsigned)d->bytes.length;
    if (tree_field_needed(d->fields, hf_event_data))
        tree_add_bytes(d->fields, hf_event_data, d->tvb, XRAY_METADATA_LENGTH, (int)length);
    if (!tree_field_needed(d->fields, hf_event_text))
        return;
    unsigned text = text_length(d->bytes.data + XRAY_METADATA_LENGTH, length, &safe);
    if (text && safe)
        tree_add_string(d->fields, hf_event_text, d->tvb, XRAY_METADATA_LENGTH, (int)text,
                        wmem_strndup(d->seen->pool, (const char *)d->bytes.data + XRAY_METADATA_LENGTH, text));
    else if (text)
        tree_add_text(d->fields, hf_event_text, d->seen, d->tvb, XRAY_METADATA_LENGTH, (int)text);
}

static void xray_packet_add_fields(dissection *d)
{
    const record_context *c = d->context;
    tree_generated(d->fields, hf_kind, d->tvb, c->kind);
    d->present = tree_add_layouts(&xray_protocol.tree, d->fields, d->tvb, xray_lead_layout(c), xray_body_layout(c),
                                  &d->bytes, &d->covered);
    if (xray_is_event(c->kind) && d->bytes.length >= XRAY_METADATA_LENGTH) {
        tree_add_undecoded(&xray_protocol.tree, d->fields, d->tvb, true, d->covered, XRAY_METADATA_LENGTH);
        xray_packet_add_payload(d);
    }
    if (c->kind == XRAY_PROFILE_PATH)
        xray_profile_add(&xray_protocol.tree, d);
}

/* Faults of a buffer are shown at its first record. */
static void xray_packet_add_experts(proto_item *item, const record_seen *seen, const xray_tapped *r)
{
    const record_context *c = r->context;
    const xray_context *x = xray_context_of(c);
    if (x->known & XRAY_REPEATED && c->offset == x->buffer)
        expert_add_info_format(seen->packet, item, &ei_repeated,
                               "this buffer is in the log twice: calls and statistics use only the first, at offset %" PRIu64
                               " of the file",
                               x->about_buffer);
    if (is_short(c))
        expert_add_info_format(seen->packet, item, &ei_buffer_short,
                               "the file ends before this buffer: %" PRIu64 " of its %" PRIu64 " bytes are missing",
                               x->about_buffer, r->value[XRAY_FIELD_EXTENT]);
}

static void xray_packet_add_known(const dissection *d)
{
    const xray_context *x = xray_context_of(d->context);
    if (!tree_row_of(d->fields)) {
        xray_packet_add_experts(d->item, d->seen, d->record);
        xray_profile_add_experts(d->item, d->seen, d->record);
    }
    if (d->fields && d->context->kind == XRAY_CALL_ARGUMENT)
        tree_generated(d->fields, hf_argument_index, d->tvb, x->argument_index);
    xray_fields_add(d->fields, d->item, d->seen, d->tvb, d->record);
    if (!d->fields)
        return;
    xray_packet_add_thread(d);
    if (x->known & XRAY_REPEATED)
        tree_generated(d->fields, hf_buffer_repeats, d->tvb, x->about_buffer);
}

static void xray_packet_call_others(const dissection *d)
{
    if (xray_is_event(d->context->kind) && d->bytes.length > XRAY_METADATA_LENGTH)
        call_event_dissector(d->tree, d->seen, d->tvb, d->record);
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

static const char *preference_frequency = "", *preference_profile_frequency = "";
static part_preferences preferred_part = {.time = "", .streams = ""};

static void xray_packet_forget_file(void)
{
    xray_names_end();
    xray_file_forget();
}

static void xray_packet_apply_preferences(void)
{
    static bool set, profile_set;
    environment_prefer(xray_frequency_setting.variable, preference_frequency, !*preference_frequency, &set);
    environment_prefer(xray_profile_frequency_setting.variable, preference_profile_frequency, !*preference_profile_frequency,
                       &profile_set);
    part_preferences_apply(&preferred_part, "xray");
}

/* clang-format off */
static hf_register_info hf[] = {
    {&hf_kind, {"Kind", "xray.kind", FT_UINT8, BASE_DEC, VALS(kinds), 0, "Kind of the record", TREE_PLAIN}},
    {&hf_fields[XRAY_FIELD_VERSION], {"Version", "xray.header.version", FT_UINT16, BASE_DEC, NULL, 0, NULL, HFILL}},
    {&hf_fields[XRAY_FIELD_TYPE], {"Type", "xray.header.type", FT_UINT16, BASE_DEC, VALS(types), 0, NULL, HFILL}},
    {&hf_fields[XRAY_FIELD_CONSTANT_TSC], {"Constant TSC", "xray.header.constant_tsc", FT_BOOLEAN, BASE_NONE, NULL, 0,
        NULL, HFILL}},
    {&hf_fields[XRAY_FIELD_NONSTOP_TSC], {"Nonstop TSC", "xray.header.nonstop_tsc", FT_BOOLEAN, BASE_NONE, NULL, 0,
        NULL, HFILL}},
    {&hf_fields[XRAY_FIELD_FREQUENCY], {"Cycle frequency (Hz)", "xray.header.cycle_frequency", FT_UINT64, BASE_DEC, NULL, 0,
        "Counter ticks per second", HFILL}},
    {&hf_fields[XRAY_FIELD_BUFFER_SIZE], {"Buffer size (bytes)", "xray.header.buffer_size", FT_UINT64, BASE_DEC, NULL, 0,
        "Configured size of one buffer", HFILL}},
    {&hf_fields[XRAY_FIELD_DISCRIMINANT], {"Discriminant", "xray.discriminant", FT_UINT8, BASE_DEC, VALS(discriminants), 0,
        NULL, HFILL}},
    {&hf_fields[XRAY_FIELD_ACTION], {"Action", "xray.function.action", FT_UINT8, BASE_DEC, VALS(actions), 0, NULL, HFILL}},
    {&hf_fields[XRAY_FIELD_FUNCTION], {"Function id", "xray.function.id", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL}},
    {&hf_fields[XRAY_FIELD_TSC_DELTA], {"TSC delta (ticks)", "xray.function.tsc_delta", FT_UINT32, BASE_DEC, NULL, 0,
        "Ticks since the running counter of the buffer", HFILL}},
    {&hf_fields[XRAY_FIELD_METADATA_KIND],
        {"Metadata kind", "xray.metadata.kind", FT_UINT8, BASE_DEC, VALS(metadata_kinds), 0, NULL, HFILL}},
    {&hf_fields[XRAY_FIELD_THREAD], {"Thread", "xray.thread", FT_UINT32, BASE_DEC, NULL, 0,
        "Thread that the record belongs to", TREE_PLAIN}},
    {&hf_fields[XRAY_FIELD_PROCESS], {"Process", "xray.process", FT_UINT32, BASE_DEC, NULL, 0,
        "Process that the record belongs to", TREE_PLAIN}},
    {&hf_fields[XRAY_FIELD_CPU], {"CPU", "xray.cpu", FT_UINT16, BASE_DEC, NULL, 0, NULL, TREE_PLAIN}},
    {&hf_fields[XRAY_FIELD_TSC], {"TSC (ticks)", "xray.tsc", FT_UINT64, BASE_DEC, NULL, 0,
        "Absolute counter after the record", TREE_PLAIN}},
    {&hf_fields[XRAY_FIELD_WALL_SECONDS], {"Seconds", "xray.wall_clock.seconds", FT_UINT64, BASE_DEC, NULL, 0,
        "CLOCK_MONOTONIC: seconds since the machine was started", HFILL}},
    {&hf_fields[XRAY_FIELD_WALL_MICROSECONDS], {"Microseconds", "xray.wall_clock.microseconds", FT_UINT32, BASE_DEC, NULL, 0,
        NULL, HFILL}},
    {&hf_fields[XRAY_FIELD_ARGUMENT], {"Argument", "xray.argument", FT_UINT64, BASE_HEX, NULL, 0,
        "The whole first integer register", HFILL}},
    {&hf_argument_index, {"Argument index", "xray.argument.index", FT_UINT32, BASE_DEC, NULL, 0,
        "0 for the first of a call", TREE_PLAIN}},
    {&hf_fields[XRAY_FIELD_EVENT_SIZE], {"Payload size (bytes)", "xray.event.size", FT_UINT32, BASE_DEC, NULL, 0,
        NULL, HFILL}},
    {&hf_fields[XRAY_FIELD_EVENT_TYPE], {"Event type", "xray.event.type", FT_UINT16, BASE_DEC, NULL, 0, NULL, HFILL}},
    {&hf_fields[XRAY_FIELD_EVENT_DELTA], {"TSC delta (ticks)", "xray.event.tsc_delta", FT_INT32, BASE_DEC, NULL, 0,
        NULL, HFILL}},
    {&hf_event_data, {"Payload", "xray.event.data", FT_BYTES, BASE_NONE, NULL, 0, NULL, TREE_PLAIN}},
    {&hf_event_text, {"Text", "xray.event.text", FT_STRING, BASE_NONE, NULL, 0,
        "The payload, where it is printable text", TREE_PLAIN}},
    {&hf_fields[XRAY_FIELD_EXTENT], {"Extent (bytes)", "xray.buffer.extent", FT_UINT64, BASE_DEC, NULL, 0,
        "Bytes of records in this buffer, without this one", HFILL}},
    {&hf_fields[XRAY_FIELD_PROFILE_MAGIC], {"Magic", "xray.profile.magic", FT_UINT64, BASE_HEX, NULL, 0,
        "The letters xrayprof as a number", HFILL}},
    {&hf_fields[XRAY_FIELD_PROFILE_VERSION], {"Profile version", "xray.profile.format_version", FT_UINT64, BASE_HEX, NULL, 0,
        NULL, HFILL}},
    {&hf_fields[XRAY_FIELD_PROFILE_STARTED], {"Started (ns)", "xray.profile.started", FT_UINT64, BASE_DEC, NULL, 0,
        "When profiling began, nanoseconds since 1970", HFILL}},
    {&hf_fields[XRAY_FIELD_PROFILE_SIZE], {"Block size (bytes)", "xray.profile.size", FT_UINT32, BASE_DEC, NULL, 0,
        "Bytes of this block with its header", HFILL}},
    {&hf_fields[XRAY_FIELD_PROFILE_BLOCK], {"Block", "xray.profile.block", FT_UINT32, BASE_DEC, NULL, 0,
        "Number of the block, from 0", HFILL}},
    {&hf_fields[XRAY_FIELD_PROFILE_CALLS], {"Calls", "xray.profile.calls", FT_UINT64, BASE_DEC, NULL, 0,
        "How many calls took this path and have ended", HFILL}},
    {&hf_fields[XRAY_FIELD_PROFILE_TICKS], {"Sum (ticks)", "xray.profile.sum", FT_UINT64, BASE_DEC, NULL, 0,
        "Sum of the durations of these calls, with their callees, in counter ticks", HFILL}},
    {&hf_buffer_repeats, {"Repeats buffer at", "xray.buffer.repeats", FT_UINT64, BASE_DEC, NULL, 0,
        "Offset of the same buffer earlier in the file", HFILL}},
    {&hf_bits, {"Bit fields", "xray.bits", FT_UINT32, BASE_HEX, NULL, 0,
        "The number that contains the fields below", HFILL}},
    {&hf_padding, {"Padding", "xray.padding", FT_BYTES, BASE_NONE, NULL, 0,
        "Bytes without meaning that fill a record", HFILL}},
};
/* clang-format on */
static ei_register_info ei[] = {
    {&ei_repeated, {"xray.repeated", PI_SEQUENCE, PI_WARN, "A buffer that is in the log twice", EXPFILL}},
    {&ei_buffer_short, {"xray.buffer.short", PI_MALFORMED, PI_WARN, "The file ends before the end of this buffer", EXPFILL}},
};

static void xray_packet_set_up(int proto, module_t *module)
{
    static int *ett[] = {&ett_thread};
    prefs_register_string_preference(
        module, "frequency", "Counter frequency (Hz)",
        "Ticks per second, if the file header is wrong; empty: those of the header. Takes effect at the next open or reload.",
        &preference_frequency);
    prefs_register_string_preference(
        module, "profile_frequency", "Counter frequency of profiles (Hz)",
        "Ticks per second in XRay profiles, which do not have it; empty: times are in ticks. Takes effect at the next open or "
        "reload.",
        &preference_profile_frequency);
    part_preferences_register(&preferred_part, module);
    prefs_register_bool_preference(module, "indent", "Indent calls",
                                   "Indent the Info column by two spaces for each enclosing call.", &preference_indent);
    proto_register_subtree_array(ett, array_length(ett));
    xray_fields_register(proto);
    xray_names_register(module);
    xray_record_register(module);
    xray_endpoints_register(proto);
    xray_relations_register(proto);
    xray_problems_register(proto);
    xray_profile_register(proto);
    tap_records = register_tap(XRAY_RECORDS_TAP);
    xray_statistics_register(proto);
    event_types = register_dissector_table("xray.event.type", "XRay event type", proto, FT_UINT16, BASE_DEC);
    custom_events = register_heur_dissector_list("xray.event.custom", proto);
}

static void *event_type_of(const dissection *d)
{
    const xray_tapped *r = d->record;
    return d->context->kind == XRAY_TYPED_EVENT ? GUINT_TO_POINTER((unsigned)r->value[XRAY_FIELD_EVENT_TYPE]) : NULL;
}

static const protocol_decode_as decode_as = {"xray.event.type", "Typed events of this type as", event_type_of};

static const protocol_rows record_rows = {
    .command = "xray,records",
    .title = "XRay Records",
    .usual = "record,time,thread,kind,function_name,depth,duration",
    .records = XRAY_RECORDS_TAP,
    .threads = true,
};

const protocol xray_protocol = {
    .name = "LLVM XRay",
    .column = "XRay",
    .filter = "xray",
    .tree =
        {
            .proto = &proto_xray,
            .kinds = kinds,
            .number = &protocol_number,
            .fields = hf_fields,
            .field_count = XRAY_FIELD_COUNT,
            .padding = &hf_padding,
            .bits = &hf_bits,
            .cuts_times = true,
            .explain = explain,
        },
    .hf = hf,
    .hf_count = array_length(hf),
    .ei = ei,
    .ei_count = array_length(ei),
    .layouts = xray_layouts,
    .set_up = xray_packet_set_up,
    .hand_off = xray_statistics_handoff,
    .apply = xray_packet_apply_preferences,
    .forget_file = xray_packet_forget_file,
    .record_size = sizeof(xray_tapped),
    .analyses = xray_record_asked,
    .look = xray_record_look,
    .inform = xray_packet_inform,
    .address = address_calls,
    .write_line_text = xray_packet_write_line_text,
    .add = xray_packet_add_fields,
    .add_known = xray_packet_add_known,
    .call_others = xray_packet_call_others,
    .picture = &xray_picture,
    .parallel = &xray_parallel,
    .tap = &tap_xray,
    .records_tap = &tap_records,
    .filters = xray_filters,
    .follower = &xray_follower,
    .decode_as = &decode_as,
    .record_rows = &record_rows,
};
