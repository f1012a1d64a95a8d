/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dissector of Cacheray traces (docs/formats/cacheray.md): accesses to memory and annotations of it, one record per
 * frame. The layouts are in common/cacheray. This file looks at single records; record.h relates them to
 * earlier ones. */
#include "cacheray_dissector/fields.h"
#include "cacheray_dissector/file.h"
#include "cacheray_dissector/names.h"
#include "cacheray_dissector/problems.h"
#include "cacheray_dissector/record.h"
#include "cacheray_dissector/settings.h"
#include "cacheray_dissector/statistics.h"
#include "host/environment.h"
#include "dissector/part_preferences.h"

#include "cacheray/cacheray.h"
#include "cacheray/contents.h"
#include "dissector/protocol.h"
#include "dissector/tree_layouts.h"
#include "util/text.h"

static int proto_cacheray = -1;
extern const protocol cacheray_protocol;

static int hf_cacheray_layout = -1;
static int hf_cacheray_rtta_typename = -1;

static int tap_cacheray;
static int tap_records; /* for listeners that need no more than the record itself */

const value_string cacheray_events[] = {
    {CACHERAY_READ, "Read"},         {CACHERAY_WRITE, "Write"},
    {CACHERAY_RTTA_ADD, "RTTA add"}, {CACHERAY_RTTA_REMOVE, "RTTA remove"},
    {KIND_PADDING, "Padding"},       {KIND_CUT, "Cut record"},
    {KIND_UNKNOWN, "Unknown"},       {0, NULL},
};

/* Preference: the layout of traces opened from now on. */
static const enum_val_t layout_choices[] = {
    {"auto", "Recognise", 0},
    {"le64", "Little-endian, 64-bit addresses", 0},
    {"be64", "Big-endian, 64-bit addresses", 0},
    {"le32", "Little-endian, 32-bit addresses", 0},
    {"be32", "Big-endian, 32-bit addresses", 0},
    {NULL, NULL, 0},
};
static const char *preference_layout = "auto";

/* These fields, in the tag byte, are in addition to those of the layouts. */
enum { FIELD_ATOMIC = CACHERAY_FIELDS, FIELD_UNALIGNED, FIELD_EVENT, FIELDS };
static int hf_fields[FIELDS]; /* of the layouts */
static unsigned protocol_number;

/* What the dissector knows about a record. */
typedef struct shown {
    cacheray_tapped view; /* first (cacheray_tapped_of) */
    cacheray_contents record;
} shown;

static const char *read_typename(const dissection *d)
{
    const shown *of = d->record;
    tvbuff_t *tvb = d->tvb ? d->tvb : tvb_new_real_data(d->bytes.data, (guint)d->bytes.length, (int)d->bytes.length);
    const char *name = tree_text(d->seen, tvb, of->record.layout->length, cacheray_contents_name(&of->record));
    if (!d->tvb)
        tvb_free(tvb);
    return name;
}

/* --- the Info column --------------------------------------------------------------------------------------------------- */

static wsbool preference_brief = FALSE;

/* Appends words after a separator. */
static void info_add_next(info_text *info, const char *words)
{
    if (info->length)
        info_add(info, ", ");
    info_add(info, words);
}

static void info_next_number(info_text *info, const char *before, uint64_t value, const char *after)
{
    info_add_next(info, before);
    info_add_uint(info, value);
    info_add(info, after);
}

static const char *cacheray_packet_type_of(const dissection *d)
{
    const shown *of = d->record;
    return of->view.type || of->view.kind != CACHERAY_RTTA_ADD ? of->view.type : read_typename(d);
}

/* What an access reads or writes, or what an annotation describes: "struct.order.price.units". False if unknown. */
static bool info_data(info_text *info, const dissection *d)
{
    const cacheray_tapped *v = &((const shown *)d->record)->view;
    const char *type = cacheray_packet_type_of(d), *name = type ? type : v->variable;
    if (!name)
        return false;
    info_add_name(info, cacheray_names_label(d->seen, name));
    if (v->member) {
        info_add(info, ".");
        info_add_name(info, cacheray_names_label(d->seen, v->member));
    }
    return true;
}

static void info_size(info_text *info, uint64_t bytes)
{
    info_add_uint(info, bytes);
    info_add(info, bytes == 1 ? " byte" : " bytes");
}

static void info_elements(info_text *info, const annotation *region)
{
    info_next_number(info, "", region->elem_count, region->elem_count == 1 ? " element of " : " elements of ");
    info_size(info, region->elem_size);
}

/* The position of an access in its region or variable; a member implies the byte. */
static void info_element(info_text *info, const cacheray_tapped *v)
{
    if (!v->number && !v->variable)
        return;
    if (v->index || v->region.elem_count > 1)
        info_next_number(info, "element ", v->index, "");
    if (!v->member && v->offset)
        info_next_number(info, "byte ", v->offset, "");
}

static void info_caches(info_text *info, const cacheray_tapped *v)
{
    uint64_t line = cacheray_settings_line_size();
    if (v->address % line + v->size > line)
        info_add_next(info, "two cache lines");
    if (v->has_cache && v->cache.level)
        info_next_number(info, "in cache level ", v->cache.level, "");
    else if (v->has_cache)
        info_add_next(info, "from memory");
}

static void info_flags(info_text *info, uint64_t tag)
{
    if (tag & CACHERAY_ATOMIC)
        info_add_next(info, "atomic");
    if (tag & CACHERAY_UNALIGNED)
        info_add_next(info, "unaligned");
}

/* Whatever is not in the columns for kind, address, size and thread, nor the data itself. */
static void info_rest(info_text *info, const shown *of)
{
    const cacheray_tapped *v = &of->view;
    if (v->kind == CACHERAY_RTTA_ADD) {
        info_elements(info, &v->region);
    } else if (v->kind == CACHERAY_RTTA_REMOVE) {
        if (v->number)
            info_elements(info, &v->region);
    } else if (v->kind == KIND_PADDING) {
        info_add_next(info, "did not happen");
    } else {
        info_element(info, v);
        info_caches(info, v);
    }
    info_flags(info, of->record.value[CACHERAY_FIELD_TYPE]);
}

/* "Write 8 bytes" */
static void cacheray_packet_info_event(info_text *info, const shown *of)
{
    uint8_t kind = of->record.context->kind;
    info_add(info, val_to_str_const(kind, cacheray_events, "Unknown"));
    if (kind == CACHERAY_READ || kind == CACHERAY_WRITE) {
        info_add(info, " ");
        info_size(info, of->record.value[CACHERAY_FIELD_SIZE]);
    }
}

static bool is_record(const shown *of)
{
    return of->record.context->kind < CACHERAY_KINDS && of->record.layout;
}

static void cacheray_packet_info_unknown_bytes(info_text *info, const shown *of)
{
    cacheray_packet_info_event(info, of);
    info_add(info, ": ");
    if (of->record.context->kind == KIND_PADDING)
        info_size(info, of->record.context->length);
    else
        info_add_fault(info, &cacheray_protocol.tree, of->record.context);
}

static void cacheray_packet_inform(const dissection *d, info_text *info)
{
    const shown *of = d->record;
    if (!is_record(of)) {
        cacheray_packet_info_unknown_bytes(info, of);
    } else if (!preference_brief) {
        cacheray_packet_info_event(info, of);
        info_add(info, " at ");
        info_add_hex(info, of->record.value[CACHERAY_FIELD_ADDRESS]);
        info_rest(info, of);
    } else {
        info_data(info, d);
        info_rest(info, of);
    }
}

/* "Write 8 bytes, packed_ctr.hits, Thread 4" */
static void cacheray_packet_write_line_text(const dissection *d, info_text *line)
{
    const shown *of = d->record;
    if (!is_record(of)) {
        cacheray_packet_info_unknown_bytes(line, of);
        return;
    }
    cacheray_packet_info_event(line, of);
    info_add(line, ", ");
    if (!info_data(line, d))
        info_add_hex(line, of->record.value[CACHERAY_FIELD_ADDRESS]);
    info_next_number(line, "Thread ", of->record.value[CACHERAY_FIELD_THREAD], "");
}

/* --- source and destination -------------------------------------------------------------------------------------------- */

/* The data that is accessed; if it has no name, the cache line. */
static const char *destination_of(const record_seen *seen, const dissection *d)
{
    const cacheray_tapped *v = &((const shown *)d->record)->view;
    info_text t;
    if (v->type && !v->member && strnlen(v->type, INFO_NAME_MAX + 1) <= INFO_NAME_MAX)
        return cacheray_names_label(seen, v->type);
    info_begin(&t);
    if (info_data(&t, d))
        return info_keep(seen, &t);
    if (!v->is_access)
        return NULL;
    info_add(&t, "line ");
    info_add_hex(&t, v->address - v->address % cacheray_settings_line_size());
    return info_keep(seen, &t);
}

static void address_access(const dissection *d)
{
    static tree_numbers threads = {.kind = "thread "};
    const shown *of = d->record;
    if (of->view.kind >= CACHERAY_KINDS)
        return;
    tree_set_source(d->seen, shown_name_of(tree_numbered(&threads, d->seen, of->view.thread)));
    tree_set_destination(d->seen, shown_name_of(destination_of(d->seen, d)));
}

/* --- the tree ---------------------------------------------------------------------------------------------------------- */

static const layout_row tag_rows[] = {
    {FIELD_UNALIGNED, LAYOUT_UINT, 0, 1, 7, 1},
    {FIELD_ATOMIC, LAYOUT_UINT, 0, 1, 6, 1},
    {FIELD_EVENT, LAYOUT_UINT, 0, 1, 0, CACHERAY_KIND_MASK},
};
static const layout tag_layout = LAYOUT(tag_rows, 1);
static const layout flags_layout = {.rows = tag_rows, .count = 2, .length = 1};
static const layout event_layout = {.rows = &tag_rows[2], .count = 1, .length = 1};

/* The flags of an annotation are shown only if they are set, which is wrong; a cut record has no event. */
static const layout *tag_layout_of(const cacheray_contents *r, bool has_flags)
{
    bool is_event = r->context->kind < CACHERAY_KINDS;
    return has_flags && is_event ? &tag_layout : has_flags ? &flags_layout : is_event ? &event_layout : NULL;
}

/* A hidden flag, so that filters find it in every record. */
static void add_hidden_flag(proto_tree *tree, int hf, tvbuff_t *tvb)
{
    if (tree_field_needed(tree, hf))
        proto_item_set_hidden(tree_add_number(tree, hf, tvb, 0, 1, 0));
}

static void cacheray_packet_add_fields(dissection *d)
{
    const shown *of = d->record;
    const cacheray_contents *r = &of->record;
    if (!r->layout || r->context->kind >= CACHERAY_KINDS)
        tree_generated(d->fields, hf_fields[FIELD_EVENT], d->tvb, r->context->kind);
    if (!r->layout)
        return;
    uint8_t tag = (uint8_t)r->value[CACHERAY_FIELD_TYPE], kind = tag & CACHERAY_KIND_MASK;
    bool has_flags = kind == CACHERAY_READ || kind == CACHERAY_WRITE || tag != kind;
    tree_add_layouts(&cacheray_protocol.tree, d->fields, d->tvb, tag_layout_of(r, has_flags), r->layout, &r->bytes,
                     &d->covered);
    if (!has_flags) {
        add_hidden_flag(d->fields, hf_fields[FIELD_ATOMIC], d->tvb);
        add_hidden_flag(d->fields, hf_fields[FIELD_UNALIGNED], d->tvb);
    }
    if (kind == CACHERAY_RTTA_ADD && cacheray_contents_whole(r)) {
        tree_add_text(d->fields, hf_cacheray_rtta_typename, d->seen, d->tvb, r->layout->length, cacheray_contents_name(r));
        d->covered += (unsigned)cacheray_contents_name(r);
    }
}

static const void *cacheray_packet_look(dissection *d)
{
    shown *of = d->record;
    cacheray_contents_read(d->context, d->bytes, &of->record);
    cacheray_contents_view(&of->record, &of->view);
    if (d->asked)
        cacheray_record_look(&of->view, d, of->view.is_access && cacheray_fields_want_lines(d->tree));
    return &of->view;
}

static void cacheray_packet_add_known(const dissection *d)
{
    const shown *of = d->record;
    tree_generated_string(d->fields, hf_cacheray_layout, d->tvb,
                          cacheray_layout_names[cacheray_context_of(d->context)->layout]);
    if (d->fields && of->view.kind < CACHERAY_KINDS)
        cacheray_endpoints_add(d->fields, d->tvb, d->seen, &of->view);
    if (d->asked) /* else it has not been looked at */
        cacheray_fields_add(d->fields, d->item, d->seen, d->tvb, &of->view);
}

static part_preferences preferred_part = {.time = "", .streams = ""};

static void cacheray_packet_apply_preferences(void)
{
    static bool set;
    const enum_val_t *choice = cacheray_settings_choice(layout_choices, preference_layout);
    bool usual = !*preference_layout || choice == &layout_choices[0];
    environment_prefer(CACHERAY_LAYOUT_VARIABLE, choice ? choice->name : preference_layout, usual, &set);
    part_preferences_apply(&preferred_part, "cacheray");
    cacheray_settings_apply();
}

/* clang-format off */
static hf_register_info hf_cacheray[] = {
    {&hf_cacheray_layout, {"Layout", "cacheray.layout", FT_STRING, BASE_NONE, NULL, 0,
        "Byte order and bits of an address", TREE_PLAIN}},
    {&hf_fields[FIELD_EVENT], {"Event", "cacheray.event", FT_UINT8, BASE_DEC, VALS(cacheray_events), 0,
        "Kind of the record", TREE_PLAIN}},
    {&hf_fields[CACHERAY_FIELD_TYPE], {"Type", "cacheray.type", FT_UINT8, BASE_HEX, NULL, 0,
        "The tag byte as stored", HFILL}},
    {&hf_fields[FIELD_ATOMIC], {"Atomic", "cacheray.atomic", FT_BOOLEAN, BASE_NONE, TFS(&tfs_set_notset), 0,
        "Access by an atomic operation", HFILL}},
    {&hf_fields[FIELD_UNALIGNED], {"Unaligned", "cacheray.unaligned", FT_BOOLEAN, BASE_NONE, TFS(&tfs_set_notset), 0,
        "Access that the compiler did not know to be aligned", HFILL}},
    {&hf_fields[CACHERAY_FIELD_ADDRESS], {"Address", "cacheray.address", FT_UINT64, BASE_HEX, NULL, 0,
        "Address of the access or of the annotated region", HFILL}},
    {&hf_fields[CACHERAY_FIELD_SIZE], {"Size", "cacheray.size", FT_UINT8, BASE_DEC, NULL, 0, "Bytes of the access", HFILL}},
    {&hf_fields[CACHERAY_FIELD_THREAD], {"Thread", "cacheray.thread", FT_UINT64, BASE_DEC, NULL, 0,
        "Thread as its runtime names it; the original runtime always writes 0", HFILL}},
    {&hf_fields[CACHERAY_FIELD_ELEM_SIZE], {"Element size", "cacheray.rtta.elem_size", FT_UINT32, BASE_DEC, NULL, 0,
        "Bytes of an element of the region", HFILL}},
    {&hf_fields[CACHERAY_FIELD_ELEM_COUNT], {"Element count", "cacheray.rtta.elem_count", FT_UINT32, BASE_DEC, NULL, 0,
        "Elements of the region", HFILL}},
    {&hf_fields[CACHERAY_FIELD_NAME_LENGTH],
        {"Type name length", "cacheray.rtta.typename.length", FT_UINT32, BASE_DEC, NULL, 0,
        "Bytes of the type name", HFILL}},
    {&hf_cacheray_rtta_typename, {"Type name", "cacheray.rtta.typename", FT_STRING, BASE_NONE, NULL, 0,
        "Type of the elements of the region", TREE_PLAIN}},
};
/* clang-format on */

static const layout *const *cacheray_packet_all_layouts(unsigned *count)
{
    static const layout *all[CACHERAY_LAYOUTS * CACHERAY_KINDS + 1];
    for (*count = 0; *count < CACHERAY_LAYOUTS * CACHERAY_KINDS; ++*count)
        all[*count] = cacheray_layout_of((cacheray_layout)(*count / CACHERAY_KINDS), (uint8_t)(*count % CACHERAY_KINDS));
    all[(*count)++] = &tag_layout;
    return all;
}

static void cacheray_packet_set_up(int proto, module_t *module)
{
    prefs_register_string_preference(module, "layout", "Layout of traces",
                                     "Byte order and address size of the traced machine: le64, be64, le32 or be32, for "
                                     "traces that are not recognised or recognised wrongly; auto: recognise it. Takes "
                                     "effect when the next trace is opened.",
                                     &preference_layout);
    part_preferences_register(&preferred_part, module);
    prefs_register_bool_preference(module, "brief", "Brief Info column",
                                   "Leave out what the columns for event, address, size and thread show.",
                                   &preference_brief);
    tap_records = register_tap(CACHERAY_RECORDS_TAP);
    cacheray_names_register(module);
    cacheray_settings_register(module);
    cacheray_record_register();
    cacheray_problems_register(proto);
    cacheray_fields_register(proto);
    cacheray_endpoints_register(proto);
    cacheray_statistics_register();
}

static const protocol_rows record_rows = {
    .command = "cacheray,records",
    .title = "Cacheray Records",
    .usual = "record,thread,event,address,size,typename,member",
    .records = CACHERAY_RECORDS_TAP,
};

const protocol cacheray_protocol = {
    .name = "Cacheray memory trace",
    .column = "Cacheray",
    .filter = "cacheray",
    .line = "Cacheray",
    .tree =
        {
            .proto = &proto_cacheray,
            .kinds = cacheray_events,
            .number = &protocol_number,
            .fields = hf_fields,
            .field_count = FIELDS,
            .bits = &hf_fields[CACHERAY_FIELD_TYPE],
        },
    .hf = hf_cacheray,
    .hf_count = array_length(hf_cacheray),
    .layouts = cacheray_packet_all_layouts,
    .set_up = cacheray_packet_set_up,
    .hand_off = cacheray_statistics_handoff,
    .apply = cacheray_packet_apply_preferences,
    .forget_file = cacheray_file_forget,
    .record_size = sizeof(shown),
    .look = cacheray_packet_look,
    .inform = cacheray_packet_inform,
    .address = address_access,
    .write_line_text = cacheray_packet_write_line_text,
    .add = cacheray_packet_add_fields,
    .add_known = cacheray_packet_add_known,
    .picture = &cacheray_picture,
    .tap = &tap_cacheray,
    .records_tap = &tap_records,
    .filters = cacheray_filters,
    .record_rows = &record_rows,
};
