/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dissector of ovni traces (docs/formats/ovni.md). common/ovni/events/layout.h has the layout of the fixed fields, and
 * common/ovni/events/event_tables.c the meaning of the codes. This file has the names of the fields, the fields from the
 * context, and the Info column. */
#include "host/environment.h"
#include "dissector/part_preferences.h"
#include "host/notices.h"
#include "ovni_dissector/emulator_fields.h"
#include "ovni_dissector/fields.h"
#include "ovni_dissector/file.h"
#include "ovni_dissector/metadata_fields.h"
#include "ovni_dissector/names.h"
#include "ovni_dissector/problems.h"
#include "ovni_dissector/record.h"
#include "ovni_dissector/statistics.h"
#include "host/hidden_records.h"
#include "dissector/pdu.h"
#include "dissector/tree_layouts.h"

#include <epan/prefs.h>
#include <epan/tap.h>
#include <wiretap/wtap.h>

#include "ovni/clocks.h"
#include "ovni/events/describe.h"
#include "ovni/events/layout.h"

static int proto_ovni;
extern const protocol ovni_protocol;
static dissector_table_t codes; /* of events, for other dissectors */

static int hf_stream = -1;
static int hf_loom = -1;
static int hf_process = -1;
static int hf_thread = -1;
static int hf_rank = -1;
static int hf_app = -1;
static int hf_kind = -1;
static int hf_header_magic = -1;
static int hf_mcv = -1;
static int hf_clock_offset = -1;
static int hf_payload = -1;
static int hf_jumbo_data = -1;
static int hf_description = -1;
static int hf_bits = -1;

static int ett_thread = -1;

static int tap_ovni;
static int tap_records; /* for listeners that need no more than the record itself */

static expert_field ei_unknown = EI_INIT;
static expert_field ei_backwards = EI_INIT;
static expert_field ei_missing = EI_INIT;

static const value_string kinds[] = {
    {OVNI_HEADER, "Stream header"}, {OVNI_EVENT, "Event"},    {OVNI_JUMBO, "Jumbo event"}, {OVNI_METADATA, "Metadata"},
    {OVNI_MISSING, "Missing"},      {KIND_CUT, "Cut record"}, {KIND_UNKNOWN, "Unknown"},   {0, NULL},
};
static const value_string models[] = {
#define MODEL(id, letter, name) {letter, name},
    OVNI_MODELS(MODEL)
#undef MODEL
        {0, NULL},
};

/* In addition to the fields of the layouts: the size code of the payload, the lower bits of the first byte; and arguments.
 */
enum { FIELD_SIZE = OVNI_FIELD_COUNT, FIELD_ARGUMENTS, FIELDS = FIELD_ARGUMENTS + OVNI_ARGUMENT_COUNT };

/* The code as one text is between the bits of the first byte and the other fields. */
#define FIRST_BYTE_ROWS 2
static const layout first_byte = {.rows = ovni_event_rows, .count = FIRST_BYTE_ROWS, .length = 1};
static const layout event_rest = {.rows = ovni_event_rows + FIRST_BYTE_ROWS,
                                  .count = G_N_ELEMENTS(ovni_event_rows) - FIRST_BYTE_ROWS,
                                  .length = OVNI_EVENT_SIZE};
static const layout jumbo_rest = {.rows = ovni_jumbo_rows + FIRST_BYTE_ROWS,
                                  .count = G_N_ELEMENTS(ovni_jumbo_rows) - FIRST_BYTE_ROWS,
                                  .length = OVNI_JUMBO_SIZE};
static const layout_row size_rows[] = {{FIELD_SIZE, LAYOUT_UINT, 0, 1, 0, 0x0f}};
static const layout size_layout = LAYOUT(size_rows, 1);

static uint64_t decode_bits(unsigned field, uint64_t bits)
{
    return field == FIELD_SIZE ? ovni_payload_size((uint8_t)bits) : bits;
}

static int hf_fields[FIELDS]; /* of the layouts */
static unsigned protocol_number;

#define WORDS_SIZE 256u

/* What the dissector knows about a record. */
typedef struct {
    ovni_tapped known; /* first (ovni_tapped_of) */
    tvbuff_t *tvb;
    const record_seen *seen;
    const record_context *context;
    const ovni_event *event; /* NULL: no event, or unknown */
    bool is_event;           /* or the beginning of a cut one */
    cursor bytes;
    char words[WORDS_SIZE];    /* the event in words; empty if not needed */
    char labelled[WORDS_SIZE]; /* the same with labels for its numbers; empty if not needed or there are none */
} ovni_dissection;

/* --- the Info column --------------------------------------------------------------------------------------------------- */

static wsbool preference_indent = FALSE;

static void info_add_mcv(info_text *t, const cursor *bytes)
{
    char text[] = "...";
    for (int i = 0; i < 3; i++)
        if (g_ascii_isgraph(ovni_mcv(bytes)[i]))
            text[i] = ovni_mcv(bytes)[i];
    info_add(t, text);
}

/* The code of an event, and the event in words: "VTx", `between`, "task 2 starts". */
static void ovni_packet_info_event(info_text *t, const ovni_dissection *d, const char *between)
{
    info_add_mcv(t, &d->bytes);
    info_add(t, between);
    info_add(t, *d->labelled ? d->labelled : d->event ? d->words : "unknown event");
}

static void ovni_packet_info_others(info_text *t, const ovni_dissection *d)
{
    const record_context *c = d->context;
    const char *name = pdu_stream_name(d->seen, c);
    if (c->kind == OVNI_HEADER) {
        info_add(t, "Stream header, version ");
        info_add_uint(t, cursor_u32(&d->bytes, 4));
    } else if (c->kind == OVNI_METADATA || c->kind == OVNI_MISSING) {
        info_add(t, c->kind == OVNI_METADATA ? "Metadata " : "Missing ");
        info_add(t, name ? name : "");
    } else {
        info_add(t, val_to_str_const(c->kind, kinds, "Unknown"));
        info_add(t, ", ");
        info_add_uint(t, c->length);
        info_add(t, " bytes");
    }
}

static void info_record(info_text *t, const ovni_dissection *d, const char *between)
{
    if (d->context->kind == OVNI_EVENT || d->context->kind == OVNI_JUMBO)
        ovni_packet_info_event(t, d, between);
    else
        ovni_packet_info_others(t, d);
    if (d->context->fault) {
        info_add(t, ": ");
        info_add_fault(t, &ovni_protocol.tree, d->context);
    }
}

/* Indents what begins or ends a state by the number of states around it. */
static void info_indent_state(info_text *t, const ovni_dissection *d)
{
    const ovni_known *k = &d->known.known;
    if (preference_indent && d->known.has_state && k->has_region && k->region.begin)
        info_indent(t, k->region.depth);
}

static void ovni_packet_inform(const dissection *of, info_text *t)
{
    info_indent_state(t, of->record);
    info_record(t, of->record, "  ");
}

static void ovni_packet_info_add_thread(info_text *t, const char *before, const ovni_dissection *d)
{
    const ovni_context *o = ovni_context_of(d->context);
    if (!(o->known & OVNI_KNOWN_THREAD))
        return;
    info_add(t, before);
    info_add_int(t, o->thread);
}

static bool has_cpu(const ovni_dissection *d)
{
    return d->known.has_state && d->known.known.thread.cpu_known && d->known.known.thread.cpu >= 0;
}

static void info_add_cpu(info_text *t, const char *before, const ovni_dissection *d)
{
    if (!has_cpu(d))
        return;
    info_add(t, before);
    info_add_int(t, d->known.known.thread.cpu);
}

/* "VTx: task 2 "stencil 3x3" starts, Thread 20743, CPU 1" */
static void ovni_packet_write_line_text(const dissection *of, info_text *t)
{
    const ovni_dissection *d = of->record;
    info_record(t, d, ": ");
    if (!d->is_event)
        return;
    ovni_packet_info_add_thread(t, ", Thread ", d);
    info_add_cpu(t, ", CPU ", d);
}

/* --- source and destination -------------------------------------------------------------------------------------------- */

/* Texts for the columns. Threads and CPUs are numbered per loom, so the text includes it. They are made once per thread,
 * and whenever it changes its CPU, and kept until the file is closed, as any packet may refer to them. */
typedef struct {
    const char *thread, *cpu; /* NULL: not made yet */
    int32_t cpu_number;
} thread_place;

#define PLACES_MAX 65536u

static struct ovni_file *const file = &ovni_file;

static thread_place *ovni_packet_place_of(uint32_t stream)
{
    if (stream >= PLACES_MAX)
        return NULL;
    if (!file->places) {
        file->places = g_array_new(FALSE, TRUE, sizeof(thread_place));
        file->texts = g_string_chunk_new(4096);
    }
    if (stream >= file->places->len)
        g_array_set_size(file->places, stream + 1);
    return &g_array_index(file->places, thread_place, stream);
}

static const char *ovni_packet_in_loom(const ovni_dissection *d, const char *what, int32_t number, bool keep)
{
    const char *loom = pdu_stream_description(d->seen, d->context);
    info_text t;
    info_begin(&t);
    info_add(&t, what);
    info_add_int(&t, number);
    if (loom) {
        info_add(&t, ", ");
        info_add_name(&t, loom);
    }
    return keep ? g_string_chunk_insert_const(file->texts, t.text) : info_keep(d->seen, &t);
}

static const char *thread_text(const ovni_dissection *d, thread_place *p)
{
    int32_t thread = ovni_context_of(d->context)->thread;
    if (!p)
        return ovni_packet_in_loom(d, "thread ", thread, false);
    if (!p->thread)
        p->thread = ovni_packet_in_loom(d, "thread ", thread, true);
    return p->thread;
}

static const char *cpu_text(const ovni_dissection *d, thread_place *p)
{
    int32_t cpu = d->known.known.thread.cpu;
    if (p && p->cpu && p->cpu_number == cpu)
        return p->cpu;
    if (!p || file->changes == PLACES_MAX)
        return ovni_packet_in_loom(d, "CPU ", cpu, false);
    file->changes++;
    p->cpu_number = cpu;
    return p->cpu = ovni_packet_in_loom(d, "CPU ", cpu, true);
}

/* A thread that is not bound to a CPU has no destination. */
static void address_thread(const dissection *of)
{
    const ovni_dissection *d = of->record;
    if (!d->is_event || !(ovni_context_of(d->context)->known & OVNI_KNOWN_THREAD))
        return;
    thread_place *p = ovni_packet_place_of(d->context->stream);
    tree_set_source(d->seen, shown_name_of(thread_text(d, p)));
    if (has_cpu(d))
        tree_set_destination(d->seen, shown_name_of(cpu_text(d, p)));
}

/* --- the tree ---------------------------------------------------------------------------------------------------------- */

static void add_argument(proto_tree *tree, const ovni_dissection *d, const ovni_value *v)
{
    const int hf = hf_fields[FIELD_ARGUMENTS + v->id], at = (int)v->offset, width = (int)v->width;
    if (!tree_field_needed(tree, hf))
        return;
    if (v->type == OVNI_STR)
        tree_add_text(tree, hf, d->seen, d->tvb, at, width);
    else
        tree_add_number(tree, hf, d->tvb, at, width, v->number);
}

/* Without a tree, adds only what is wrong with them. */
static void add_arguments(proto_tree *tree, proto_item *item, const ovni_dissection *d)
{
    ovni_arguments a;
    ovni_value v;
    char words[160];
    ovni_arguments_init(&a, d->event, &d->bytes);
    while (ovni_arguments_next(&a, &v))
        if (tree)
            add_argument(tree, d, &v);
    if (a.missing && d->context->kind != KIND_CUT)
        expert_add_info_format(
            d->seen->packet, item, tree_malformed(&ovni_protocol.tree), "%s",
            fault_text(&ovni_faults, FAULT_OVNI_PAYLOAD, ovni_declared_payload(&d->bytes), words, sizeof words));
}

static void ovni_packet_add_payload(dissection *of)
{
    const ovni_dissection *d = of->record;
    uint8_t flags = d->bytes.data[0];
    unsigned at = ovni_payload_at(flags);
    int hf = flags & OVNI_FLAG_JUMBO ? hf_jumbo_data : hf_payload;
    if (d->bytes.length <= at)
        return;
    of->covered = (unsigned)d->bytes.length;
    if (tree_field_needed(of->fields, hf))
        tree_add_bytes(of->fields, hf, d->tvb, (int)at, (int)(d->bytes.length - at));
}

/* A code of printable characters is the same as in the record, so tree_add_text() would only repeat work. */
static void add_mcv(proto_tree *tree, const ovni_dissection *d)
{
    char text[4] = "";
    memcpy(text, ovni_mcv(&d->bytes), 3);
    if (tree_row_of(tree) && d->event && memcmp(d->event->mcv, text, sizeof text) == 0)
        tree_generated_lasting(tree, hf_mcv, d->tvb, d->event->mcv);
    else if (g_ascii_isgraph(text[0]) && g_ascii_isgraph(text[1]) && g_ascii_isgraph(text[2]))
        tree_add_string(tree, hf_mcv, d->tvb, 1, 3, text);
    else
        tree_add_text(tree, hf_mcv, d->seen, d->tvb, 1, 3);
}

/* The fields at fixed offsets, in order of offset. */
static void add_fixed(dissection *of)
{
    const ovni_dissection *d = of->record;
    bool jumbo = (d->bytes.data[0] & OVNI_FLAG_JUMBO) != 0;
    const tree_protocol *p = &ovni_protocol.tree;
    tree_add_layouts(p, of->fields, d->tvb, &first_byte, jumbo ? NULL : &size_layout, &d->bytes, &of->covered);
    if (d->bytes.length >= 4 && tree_field_needed(of->fields, hf_mcv))
        add_mcv(of->fields, d);
    tree_add_layouts(p, of->fields, d->tvb, NULL, jumbo ? &jumbo_rest : &event_rest, &d->bytes, &of->covered);
}

static void add_event(dissection *of)
{
    const ovni_dissection *d = of->record;
    add_fixed(of);
    ovni_packet_add_payload(of);
    if (!d->event)
        return;
    if (tree_fields_needed(of->fields, hf_fields[FIELD_ARGUMENTS + OVNI_CPU], hf_fields[FIELD_ARGUMENTS + OVNI_BODYID]))
        add_arguments(of->fields, of->item, d);
    if (!tree_field_needed(of->fields, hf_description))
        return;
    char words[WORDS_SIZE];
    if (tree_row_of(of->fields) && d->event->arguments[0].type == OVNI_NO_ARGUMENT) {
        tree_generated_lasting(of->fields, hf_description, d->tvb, d->event->text);
        return;
    }
    ovni_describe(d->event, &d->bytes, NULL, words, WORDS_SIZE);
    if (*words)
        tree_generated_string(of->fields, hf_description, d->tvb, words);
}

/* Adds where the event happened, from the context. Returns the subtree for more of that. */
static proto_tree *add_context(proto_tree *tree, const ovni_dissection *d)
{
    const ovni_context *o = ovni_context_of(d->context);
    tree = tree_branch(tree, d->tvb, ett_thread, "Thread");
    const char *name = tree_field_needed(tree, hf_stream) ? pdu_stream_name(d->seen, d->context) : NULL;
    const char *loom = tree_field_needed(tree, hf_loom) ? pdu_stream_description(d->seen, d->context) : NULL;
    if (name)
        tree_generated_lasting(tree, hf_stream, d->tvb, name);
    if (loom)
        tree_generated_lasting(tree, hf_loom, d->tvb, loom);
    if (!tree_fields_needed(tree, hf_process, hf_clock_offset))
        return tree;
    if (o->known & OVNI_KNOWN_PROCESS)
        tree_generated(tree, hf_process, d->tvb, (uint64_t)o->process);
    if (o->known & OVNI_KNOWN_THREAD)
        tree_generated(tree, hf_thread, d->tvb, (uint64_t)o->thread);
    if (o->known & OVNI_KNOWN_RANK)
        tree_generated(tree, hf_rank, d->tvb, (uint64_t)o->rank);
    if (o->known & OVNI_KNOWN_APP)
        tree_generated(tree, hf_app, d->tvb, (uint64_t)o->app);
    if (d->is_event && (o->known & OVNI_KNOWN_CLOCK_OFFSET))
        tree_generated(tree, hf_clock_offset, d->tvb, (uint64_t)o->clock_offset);
    return tree;
}

/* Calls a dissector that others have registered for the event's code, with the payload. Known events are passed only if
 * they have one. */
static void call_for_code(proto_tree *tree, const ovni_dissection *d)
{
    char code[4] = "";
    if (!d->is_event || d->context->kind == KIND_CUT || d->bytes.length < OVNI_EVENT_SIZE)
        return;
    const size_t at = MIN((size_t)ovni_payload_at(d->bytes.data[0]), d->bytes.length);
    if (d->event && at == d->bytes.length)
        return;
    memcpy(code, ovni_mcv(&d->bytes), 3);
    dissector_handle_t handle = dissector_get_string_handle(codes, code);
    if (handle)
        call_dissector_only(handle, tvb_new_subset_remaining(d->tvb, (compat_offset)at), d->seen->packet, tree, NULL);
}

static void ovni_packet_add_experts(proto_item *item, const ovni_dissection *d)
{
    if (d->context->kind == OVNI_METADATA && !d->context->fault)
        ovni_metadata_fields_add_experts(&ovni_protocol.tree, item, d->seen, &d->bytes);
    if (d->is_event && !d->event && d->bytes.length >= 4)
        expert_add_info(d->seen->packet, item, &ei_unknown);
    if (ovni_context_of(d->context)->known & OVNI_BACKWARDS)
        expert_add_info(d->seen->packet, item, &ei_backwards);
}

static void add_header(dissection *of)
{
    const layout_row *version = layout_row_of(&ovni_header_layout, OVNI_FIELD_VERSION);
    if (of->bytes.length >= version->offset) {
        tree_add_text(of->fields, hf_header_magic, of->seen, of->tvb, 0, version->offset);
        of->covered = version->offset;
    }
    tree_add_layouts(&ovni_protocol.tree, of->fields, of->tvb, NULL, &ovni_header_layout, &of->bytes, &of->covered);
}

static void ovni_packet_add_fields(dissection *of)
{
    const ovni_dissection *d = of->record;
    tree_generated(of->fields, hf_kind, d->tvb, d->context->kind);
    if (d->context->kind == OVNI_HEADER)
        add_header(of);
    else if (d->context->kind == OVNI_METADATA && !d->context->fault)
        ovni_metadata_fields_add(of);
    else if (d->is_event)
        add_event(of);
}

/* Determines the event. A cut record at the beginning of a file is a cut header, except in files without a header. */
static void look_at_event(ovni_dissection *d)
{
    const record_context *c = d->context;
    bool cut_event = c->kind == KIND_CUT && (c->offset || ovni_context_of(c)->era == OVNI_ERA_HEADERLESS);
    d->is_event = d->known.is_event ||
                  ((c->kind == OVNI_EVENT || c->kind == OVNI_JUMBO || cut_event) && d->bytes.length > 0);
    d->event = d->known.is_event ? d->known.event
               : d->is_event     ? ovni_event_of((ovni_era)ovni_context_of(c)->era, &d->bytes)
                                 : NULL;
}

static void ovni_packet_describe(ovni_dissection *d, const dissection *of)
{
    ovni_labels labels;
    bool line = of->listed || tree_visible(of->tree);
    bool labelled = line && ovni_names_labels(&d->known, &d->bytes, &labels);
    if (labelled)
        ovni_describe(d->event, &d->bytes, &labels, d->labelled, WORDS_SIZE);
    if (line && !labelled)
        ovni_describe(d->event, &d->bytes, NULL, d->words, WORDS_SIZE);
}

static bool analyses(void)
{
    return ovni_record_asked() || ovni_emulator_fields_asked();
}

static const void *ovni_packet_look(dissection *of)
{
    ovni_dissection *d = of->record;
    d->tvb = of->tvb;
    d->seen = of->seen;
    d->context = of->context;
    d->bytes = of->bytes;
    d->words[0] = d->labelled[0] = 0;
    ovni_record_read(&d->known, d->context, &d->bytes, d->seen);
    look_at_event(d);
    ovni_record_look(&d->known, d->seen, of->tree, of->asked && !of->unknown);
    if (!of->unknown && !hidden_streams_missing())
        ovni_emulator_fields_look(&d->known, d->seen, of->tree);
    if (d->event && !of->hidden)
        ovni_packet_describe(d, of);
    return &d->known;
}

static void ovni_packet_add_known(const dissection *of)
{
    const ovni_dissection *d = of->record;
    if (!of->tree && d->event && notices_counted())
        add_arguments(NULL, NULL, d);
    if (!tree_row_of(of->fields)) {
        ovni_packet_add_experts(of->item, d);
        ovni_problems_add(of->item, of->seen, of->context);
    }
    proto_tree *thread = of->fields ? add_context(of->fields, d) : NULL;
    ovni_fields_add(of->fields, thread, of->item, of->seen, of->tvb, &d->bytes, &d->known);
    ovni_emulator_fields_add(of->fields, of->item, of->seen, of->tvb, &d->known);
}

static void ovni_packet_call_others(const dissection *of)
{
    const ovni_dissection *d = of->record;
    call_for_code(of->tree, d);
    if (of->tree && d->context->kind == OVNI_METADATA && !d->context->fault)
        ovni_metadata_fields_call_json(of);
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

static const char *preference_clock_offsets = "";
static part_preferences preferred_part = {.time = "", .streams = ""};

static void ovni_packet_apply_preferences(void)
{
    static bool set;
    environment_prefer(OVNI_CLOCKS_VARIABLE, preference_clock_offsets, !*preference_clock_offsets, &set);
    part_preferences_apply(&preferred_part, "ovni");
}

/* clang-format off */
static hf_register_info hf[] = {
    {&hf_stream, {"Stream", "ovni.stream", FT_STRING, BASE_NONE, NULL, 0,
        "Path of the stream below the root of the trace", TREE_PLAIN}},
    {&hf_loom, {"Loom", "ovni.loom", FT_STRING, BASE_NONE, NULL, 0, "Set of CPUs, normally one per node", TREE_PLAIN}},
    {&hf_process, {"Process", "ovni.process", FT_INT32, BASE_DEC, NULL, 0, NULL, TREE_PLAIN}},
    {&hf_thread, {"Thread", "ovni.thread", FT_INT32, BASE_DEC, NULL, 0, NULL, TREE_PLAIN}},
    {&hf_rank, {"MPI rank", "ovni.rank", FT_INT32, BASE_DEC, NULL, 0, NULL, TREE_PLAIN}},
    {&hf_app, {"Application", "ovni.app", FT_INT32, BASE_DEC, NULL, 0, NULL, TREE_PLAIN}},
    {&hf_kind, {"Kind", "ovni.kind", FT_UINT8, BASE_DEC, VALS(kinds), 0, "Kind of the record", TREE_PLAIN}},
    {&hf_header_magic, {"Magic", "ovni.header.magic", FT_STRING, BASE_NONE, NULL, 0, "What the file begins with", HFILL}},
    {&hf_fields[OVNI_FIELD_VERSION], {"Version", "ovni.header.version", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL}},
    {&hf_fields[OVNI_FIELD_FLAGS], {"Flags", "ovni.flags", FT_UINT8, BASE_HEX, NULL, 0,
        "The upper four bits of the first byte", HFILL}},
    {&hf_fields[OVNI_FIELD_IS_JUMBO], {"Jumbo", "ovni.jumbo", FT_BOOLEAN, BASE_NONE, TFS(&tfs_set_notset), 0,
        NULL, TREE_PLAIN}},
    {&hf_fields[FIELD_SIZE], {"Payload size (bytes)", "ovni.payload_size", FT_UINT8, BASE_DEC, NULL, 0,
        "Bytes that the size code in the lower four bits stands for", TREE_PLAIN}},
    {&hf_mcv, {"Code", "ovni.mcv", FT_STRING, BASE_NONE, NULL, 0, "Model, category and value", TREE_PLAIN}},
    {&hf_fields[OVNI_FIELD_MODEL], {"Model", "ovni.model", FT_CHAR, BASE_HEX, VALS(models), 0, NULL, TREE_PLAIN}},
    {&hf_fields[OVNI_FIELD_CATEGORY], {"Category", "ovni.category", FT_CHAR, BASE_HEX, NULL, 0, NULL, TREE_PLAIN}},
    {&hf_fields[OVNI_FIELD_CHARACTER], {"Value", "ovni.value", FT_CHAR, BASE_HEX, NULL, 0, NULL, TREE_PLAIN}},
    {&hf_fields[OVNI_FIELD_CLOCK], {"Clock (ns)", "ovni.clock", FT_UINT64, BASE_DEC, NULL, 0,
        "The clock as in the file", TREE_PLAIN}},
    {&hf_clock_offset, {"Clock offset (ns)", "ovni.clock.offset", FT_INT64, BASE_DEC, NULL, 0,
        "Added to the clock of this node for the time shown", TREE_PLAIN}},
    {&hf_payload, {"Payload", "ovni.payload", FT_BYTES, BASE_NONE, NULL, 0, NULL, TREE_PLAIN}},
    {&hf_fields[OVNI_FIELD_JUMBO_SIZE], {"Data size (bytes)", "ovni.jumbo.size", FT_UINT32, BASE_DEC, NULL, 0,
        NULL, TREE_PLAIN}},
    {&hf_jumbo_data, {"Data", "ovni.jumbo.data", FT_BYTES, BASE_NONE, NULL, 0, NULL, TREE_PLAIN}},
    {&hf_description, {"Description", "ovni.description", FT_STRING, BASE_NONE, NULL, 0, "The event in words", TREE_PLAIN}},
    {&hf_fields[FIELD_ARGUMENTS + OVNI_CPU], {"CPU", "ovni.arg.cpu", FT_INT32, BASE_DEC, NULL, 0,
        "Logical index of a CPU; -1: no binding", TREE_PLAIN}},
    {&hf_fields[FIELD_ARGUMENTS + OVNI_TID], {"Thread id", "ovni.arg.tid", FT_INT32, BASE_DEC, NULL, 0,
        "-1: unknown", TREE_PLAIN}},
    {&hf_fields[FIELD_ARGUMENTS + OVNI_TAG], {"Tag", "ovni.arg.tag", FT_UINT64, BASE_HEX, NULL, 0,
        "Pairs the creation of a thread with its start", TREE_PLAIN}},
    {&hf_fields[FIELD_ARGUMENTS + OVNI_VALUE], {"Value", "ovni.arg.value", FT_INT64, BASE_DEC, NULL, 0,
        NULL, TREE_PLAIN_SEVERAL}},
    {&hf_fields[FIELD_ARGUMENTS + OVNI_TYPE], {"Mark type", "ovni.arg.type", FT_INT32, BASE_DEC, NULL, 0, NULL, TREE_PLAIN}},
    {&hf_fields[FIELD_ARGUMENTS + OVNI_TASKID], {"Task id", "ovni.arg.taskid", FT_UINT32, BASE_DEC, NULL, 0,
        NULL, TREE_PLAIN}},
    {&hf_fields[FIELD_ARGUMENTS + OVNI_TYPEID], {"Type id", "ovni.arg.typeid", FT_UINT32, BASE_DEC, NULL, 0,
        NULL, TREE_PLAIN}},
    {&hf_fields[FIELD_ARGUMENTS + OVNI_LABEL], {"Label", "ovni.arg.label", FT_STRING, BASE_NONE, NULL, 0, NULL, TREE_PLAIN}},
    {&hf_fields[FIELD_ARGUMENTS + OVNI_BODYID], {"Body id", "ovni.arg.bodyid", FT_UINT32, BASE_DEC, NULL, 0,
        "0 unless the task is parallel", TREE_PLAIN}},
    {&hf_bits, {"Bit fields", "ovni.bits", FT_UINT8, BASE_HEX, NULL, 0, "The byte that contains the fields below", HFILL}},
};
/* clang-format on */
static ei_register_info ei[] = {
    {&ei_unknown, {"ovni.unknown", PI_UNDECODED, PI_NOTE, "Event that is not in the tables", EXPFILL}},
    {&ei_backwards,
     {"ovni.backwards", PI_SEQUENCE, PI_WARN, "Clock before the previous one of the stream, outside a sort region",
      EXPFILL}},
    {&ei_missing, {"ovni.missing", PI_MALFORMED, PI_ERROR, "A part of the trace cannot be read", EXPFILL}},
};

static const layout *const *ovni_packet_all_layouts(unsigned *count)
{
    static const layout *const layouts[] = {&ovni_header_layout, &ovni_event_layout, &ovni_jumbo_layout, &size_layout};
    *count = array_length(layouts);
    return layouts;
}

static void ovni_packet_set_up(int proto, module_t *module)
{
    static int *ett[] = {&ett_thread};
    proto_register_subtree_array(ett, array_length(ett));
    prefs_register_filename_preference(
        module, "clock_offsets", "Clock offsets",
        "File with the clock offsets between nodes, as ovnisync writes it. Empty: clock-offsets.txt in the "
        "root of the trace, if it is there. FALSE: none. Takes effect at the next open or reload.",
        &preference_clock_offsets, FALSE);
    prefs_register_bool_preference(module, "indent", "Indent states",
                                   "Indent the Info column by two spaces for each enclosing state.", &preference_indent);
    part_preferences_register(&preferred_part, module);
    ovni_relations_register(proto);
    tap_records = register_tap(OVNI_RECORDS_TAP);
    ovni_problems_register(proto);
    ovni_fields_register(proto);
    ovni_metadata_fields_register(proto);
    ovni_record_register(module);
    ovni_emulator_fields_register(proto, module);
    ovni_statistics_register(proto);
    codes = register_dissector_table("ovni.mcv", "ovni event", proto, FT_STRING, BASE_NONE);
}

static void hand_off(void)
{
    ovni_metadata_fields_hand_off();
    ovni_statistics_handoff();
}

static void *code_of(const dissection *of)
{
    const ovni_dissection *d = of->record;
    return d->is_event && d->bytes.length >= OVNI_EVENT_SIZE ? wmem_strndup(d->seen->pool, ovni_mcv(&d->bytes), 3) : NULL;
}

static const protocol_decode_as decode_as = {"ovni.mcv", "Payload of events with this code as", code_of};

static const protocol_rows record_rows = {
    .command = "ovni,events",
    .title = "ovni Events",
    .usual = "record,time,process,thread,mcv,description",
    .records = OVNI_RECORDS_TAP,
};

const protocol ovni_protocol = {
    .name = "ovni trace",
    .column = "ovni",
    .filter = "ovni",
    .line = "ovni",
    .tree =
        {
            .proto = &proto_ovni,
            .kinds = kinds,
            .number = &protocol_number,
            .fields = hf_fields,
            .field_count = FIELDS,
            .bits = &hf_bits,
            .decode_bits = decode_bits,
            .cuts_times = true,
            .missing = &ei_missing,
        },
    .hf = hf,
    .hf_count = array_length(hf),
    .ei = ei,
    .ei_count = array_length(ei),
    .layouts = ovni_packet_all_layouts,
    .set_up = ovni_packet_set_up,
    .hand_off = hand_off,
    .apply = ovni_packet_apply_preferences,
    .forget_file = ovni_file_forget,
    .record_size = sizeof(ovni_dissection),
    .analyses = analyses,
    .look = ovni_packet_look,
    .inform = ovni_packet_inform,
    .address = address_thread,
    .write_line_text = ovni_packet_write_line_text,
    .add = ovni_packet_add_fields,
    .add_known = ovni_packet_add_known,
    .call_others = ovni_packet_call_others,
    .picture = &ovni_picture,
    .tap = &tap_ovni,
    .records_tap = &tap_records,
    .filters = ovni_filters,
    .follower = &ovni_follower,
    .decode_as = &decode_as,
    .record_rows = &record_rows,
};
