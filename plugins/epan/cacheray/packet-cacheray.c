/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows Cacheray records (docs/cacheray.md): accesses to memory and annotations of it, one record per frame. The
 * frame's bytes are the record and its context comes beside them; where fields stand is said by the layout tables of
 * common/cacheray. Looks at one record at a time: what it has to do with earlier ones is said by cacheray-analysis.h. */
#include "cacheray-analysis.h"
#include "environment.h"

#include "cacheray/cacheray.h"
#include "protocol.h"
#include "text.h"

/* Bytes of a type name in the Info column. */
#define INFO_NAME_MAX 100

static int proto_cacheray = -1;
extern const protocol cacheray_protocol;

static int hf_cacheray_offset = -1;
static int hf_cacheray_length = -1;
static int hf_cacheray_byte_order = -1;
static int hf_cacheray_layout = -1;
static int hf_cacheray_event = -1;
static int hf_cacheray_type = -1;
static int hf_cacheray_atomic = -1;
static int hf_cacheray_unaligned = -1;
static int hf_cacheray_address = -1;
static int hf_cacheray_size = -1;
static int hf_cacheray_thread = -1;
static int hf_cacheray_rtta_elem_size = -1;
static int hf_cacheray_rtta_elem_count = -1;
static int hf_cacheray_rtta_typename_length = -1;
static int hf_cacheray_rtta_typename = -1;
static int hf_cacheray_rtta_length = -1;
static int hf_cacheray_rtta_end = -1;

static int ett_cacheray = -1;

static int tap_cacheray;

static expert_field ei_cacheray_truncated = EI_INIT;
static expert_field ei_cacheray_malformed = EI_INIT;

const value_string cacheray_events[] = {
    {CACHERAY_READ, "Read"},
    {CACHERAY_WRITE, "Write"},
    {CACHERAY_RTTA_ADD, "RTTA add"},
    {CACHERAY_RTTA_REMOVE, "RTTA remove"},
    {KIND_CUT, "Cut record"},
    {KIND_UNKNOWN, "Unknown"},
    {0, NULL},
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

static const int *const cacheray_fields[CACHERAY_FIELDS] = {
    [CACHERAY_FIELD_TYPE] = &hf_cacheray_type,
    [CACHERAY_FIELD_ADDRESS] = &hf_cacheray_address,
    [CACHERAY_FIELD_SIZE] = &hf_cacheray_size,
    [CACHERAY_FIELD_THREAD] = &hf_cacheray_thread,
    [CACHERAY_FIELD_ELEM_SIZE] = &hf_cacheray_rtta_elem_size,
    [CACHERAY_FIELD_ELEM_COUNT] = &hf_cacheray_rtta_elem_count,
    [CACHERAY_FIELD_NAME_LENGTH] = &hf_cacheray_rtta_typename_length,
};

static const header_field_info *cacheray_field_infos[CACHERAY_FIELDS];

/* A record as numbers. Fields that its kind does not have, or that are cut off, are 0. */
typedef struct cacheray_record {
    const record_context *context;
    const layout *layout; /* NULL: the bytes are no record */
    cursor bytes;
    uint64_t value[CACHERAY_FIELDS];
} cacheray_record;

static cacheray_record read_record(tvbuff_t *tvb, const record_context *c)
{
    cacheray_record r = {.context = c, .bytes = tree_cursor(tvb, c)};
    uint8_t kind = cursor_u8(&r.bytes, 0) & CACHERAY_KIND_MASK;
    if (c->kind == KIND_UNKNOWN || kind >= CACHERAY_KINDS)
        return r;
    r.layout = cacheray_layout_of((cacheray_layout)cacheray_context_of(c)->layout, kind);
    cacheray_read((cacheray_layout)cacheray_context_of(c)->layout, kind, &r.bytes, r.value);
    return r;
}

static bool whole(const cacheray_record *r)
{
    return cursor_has(&r->bytes, 0, r->layout->length);
}

/* Bytes of the name that the frame holds. */
static int name_present(const cacheray_record *r)
{
    size_t after = whole(r) ? r->bytes.length - r->layout->length : 0;
    return (int)MIN(r->value[CACHERAY_FIELD_NAME_LENGTH], after);
}

static void add_flags(info_text *info, uint64_t tag)
{
    if (tag & CACHERAY_ATOMIC)
        info_add(info, ", atomic");
    if (tag & CACHERAY_UNALIGNED)
        info_add(info, ", unaligned");
}

static void add_name(info_text *info, packet_info *pinfo, tvbuff_t *tvb, const cacheray_record *r)
{
    int length = name_present(r);
    info_add(info, " ");
    info_add(info, tvb_format_text(pinfo->pool, tvb, r->layout->length, MIN(length, INFO_NAME_MAX)));
    info_add(info, length > INFO_NAME_MAX ? "..., " : ", ");
    info_add_uint(info, r->value[CACHERAY_FIELD_ELEM_COUNT]);
    info_add(info, r->value[CACHERAY_FIELD_ELEM_COUNT] == 1 ? " element of " : " elements of ");
    info_add_uint(info, r->value[CACHERAY_FIELD_ELEM_SIZE]);
    info_add(info, " bytes");
}

/* A name, unless it is too long. */
static void add_plain(info_text *info, const char *name)
{
    char beginning[INFO_NAME_MAX + 1];
    size_t length = strlen(name), n = text_fitting(name, length, INFO_NAME_MAX);
    g_strlcpy(beginning, name, n + 1);
    info_add(info, beginning);
    info_add(info, n < length ? "..." : "");
}

/* What an access reads or writes: " of struct.order.price.units". */
static void add_data(info_text *info, const cacheray_view *v)
{
    if (!v->type && !v->variable)
        return;
    info_add(info, " of ");
    add_plain(info, v->type ? v->type : v->variable);
    if (v->member) {
        info_add(info, ".");
        add_plain(info, v->member);
    }
}

static void add_info(info_text *info, packet_info *pinfo, tvbuff_t *tvb, const cacheray_record *r, const cacheray_view *v)
{
    info_add(info, val_to_str_const(r->context->kind, cacheray_events, "Unknown"));
    if (r->context->kind >= CACHERAY_KINDS || !r->layout) {
        info_add(info, ": ");
        info_add_fault(info, &cacheray_protocol.tree, r->context);
        return;
    }
    if (r->context->kind == CACHERAY_RTTA_ADD) {
        add_name(info, pinfo, tvb, r);
    } else if (r->context->kind != CACHERAY_RTTA_REMOVE) {
        info_add(info, " ");
        info_add_uint(info, r->value[CACHERAY_FIELD_SIZE]);
        info_add(info, r->value[CACHERAY_FIELD_SIZE] == 1 ? " byte" : " bytes");
        add_data(info, v);
    }
    info_add(info, " at ");
    info_add_hex(info, r->value[CACHERAY_FIELD_ADDRESS]);
    info_add(info, ", thread ");
    info_add_uint(info, r->value[CACHERAY_FIELD_THREAD]);
    add_flags(info, r->value[CACHERAY_FIELD_TYPE]);
}

static void add_event(proto_tree *tree, tvbuff_t *tvb, const cacheray_record *r)
{
    if (r->context->kind >= CACHERAY_KINDS)
        tree_generated_uint(tree, hf_cacheray_event, tvb, r->context->kind);
    else if (tree_wants(tree, hf_cacheray_event))
        proto_tree_add_uint(tree, hf_cacheray_event, tvb, 0, 1, r->context->kind);
    tree_generated_string(tree, hf_cacheray_layout, tvb, cacheray_layout_names[cacheray_context_of(r->context)->layout]);
}

/* What an annotation covers. Regions may end beyond the last address; then there is no first address after them. */
static void add_region(proto_tree *tree, packet_info *pinfo, tvbuff_t *tvb, const cacheray_record *r)
{
    uint64_t length = r->value[CACHERAY_FIELD_ELEM_SIZE] * r->value[CACHERAY_FIELD_ELEM_COUNT];
    uint64_t end = r->value[CACHERAY_FIELD_ADDRESS] + length;
    tree_add_text(tree, hf_cacheray_rtta_typename, pinfo, tvb, r->layout->length, name_present(r));
    tree_generated_uint64(tree, hf_cacheray_rtta_length, tvb, length);
    if (end >= length)
        tree_generated_uint64(tree, hf_cacheray_rtta_end, tvb, end);
}

static void add_record(proto_tree *tree, packet_info *pinfo, tvbuff_t *tvb, const cacheray_record *r)
{
    if (!r->layout)
        return;
    uint32_t tag = (uint32_t)r->value[CACHERAY_FIELD_TYPE];
    tree_add_layout(&cacheray_protocol.tree, tree, tvb, r->layout, &r->bytes);
    if (tree_wants(tree, hf_cacheray_atomic))
        proto_tree_add_boolean(tree, hf_cacheray_atomic, tvb, 0, 1, tag);
    if (tree_wants(tree, hf_cacheray_unaligned))
        proto_tree_add_boolean(tree, hf_cacheray_unaligned, tvb, 0, 1, tag);
    if ((tag & CACHERAY_KIND_MASK) == CACHERAY_RTTA_ADD && whole(r))
        add_region(tree, pinfo, tvb, r);
}

/* What is kept of a record while it is shown. */
typedef struct shown {
    cacheray_record record;
    cacheray_view view;
} shown;

static const char *read_typename(void *data)
{
    const dissection *d = data;
    const shown *of = d->record;
    return tree_text(d->pinfo, d->tvb, of->record.layout->length, name_present(&of->record));
}

/* What the record itself says. */
static cacheray_view view_of(const cacheray_record *r)
{
    uint8_t tag = (uint8_t)r->value[CACHERAY_FIELD_TYPE];
    cacheray_view v = {.context = r->context, .kind = r->layout && whole(r) ? r->context->kind : KIND_UNKNOWN};
    v.is_access = v.kind == CACHERAY_READ || v.kind == CACHERAY_WRITE;
    v.atomic = tag & CACHERAY_ATOMIC;
    v.unaligned = tag & CACHERAY_UNALIGNED;
    v.address = r->value[CACHERAY_FIELD_ADDRESS];
    v.thread = r->value[CACHERAY_FIELD_THREAD];
    v.size = (uint8_t)r->value[CACHERAY_FIELD_SIZE];
    v.region.elem_size = (uint32_t)r->value[CACHERAY_FIELD_ELEM_SIZE];
    v.region.elem_count = (uint32_t)r->value[CACHERAY_FIELD_ELEM_COUNT];
    return v;
}

static void look(dissection *d)
{
    shown *of = d->record;
    of->record = read_record(d->tvb, d->context);
    of->view = view_of(&of->record);
    cacheray_analysis_look(&of->view, d->pinfo, d->tree, read_typename, d);
}

static void inform(const dissection *d, info_text *info)
{
    const shown *of = d->record;
    add_info(info, d->pinfo, d->tvb, &of->record, &of->view);
}

static void add_fields(const dissection *d)
{
    const shown *of = d->record;
    add_event(d->fields, d->tvb, &of->record);
    add_record(d->fields, d->pinfo, d->tvb, &of->record);
}

static void add_known(const dissection *d)
{
    const shown *of = d->record;
    cacheray_analysis_show(d->fields, d->item, d->pinfo, d->tvb, &of->view);
}

const cacheray_view *cacheray_view_of(const dissection *d)
{
    return &((const shown *)d->record)->view;
}

static const void *tapped(const dissection *d)
{
    return cacheray_view_of(d);
}

static void apply_preferences(void)
{
    static bool set;
    const enum_val_t *choice = cacheray_choice(layout_choices, preference_layout);
    bool usual = !*preference_layout || choice == &layout_choices[0];
    environment_prefer(CACHERAY_LAYOUT_VARIABLE, choice ? choice->name : preference_layout, usual, &set);
    cacheray_analysis_apply();
}

/* clang-format off */
static hf_register_info hf_cacheray[] = {
    {&hf_cacheray_offset, {"Offset", "cacheray.offset", FT_UINT64, BASE_DEC, NULL, 0,
        "Byte offset of the record in its uncompressed file", HFILL}},
    {&hf_cacheray_length, {"Length", "cacheray.length", FT_UINT64, BASE_DEC, NULL, 0,
        "Length of the record in bytes; of a cut record the bytes present", HFILL}},
    {&hf_cacheray_byte_order, {"Byte order", "cacheray.byte_order", FT_UINT8, BASE_DEC, VALS(tree_byte_orders), 0,
        "Byte order of the trace", HFILL}},
    {&hf_cacheray_layout, {"Layout", "cacheray.layout", FT_STRING, BASE_NONE, NULL, 0,
        "Byte order and bits of an address", HFILL}},
    {&hf_cacheray_event, {"Event", "cacheray.event", FT_UINT8, BASE_DEC, VALS(cacheray_events), 0,
        "Kind of the record", HFILL}},
    {&hf_cacheray_type, {"Type", "cacheray.type", FT_UINT8, BASE_HEX, NULL, 0,
        "The tag byte as it stands", HFILL}},
    {&hf_cacheray_atomic, {"Atomic", "cacheray.atomic", FT_BOOLEAN, 8, NULL, CACHERAY_ATOMIC,
        "Access by an atomic operation", HFILL}},
    {&hf_cacheray_unaligned, {"Unaligned", "cacheray.unaligned", FT_BOOLEAN, 8, NULL, CACHERAY_UNALIGNED,
        "Access that the compiler did not know to be aligned", HFILL}},
    {&hf_cacheray_address, {"Address", "cacheray.address", FT_UINT64, BASE_HEX, NULL, 0,
        "Address of the access or of the annotated region", HFILL}},
    {&hf_cacheray_size, {"Size", "cacheray.size", FT_UINT8, BASE_DEC, NULL, 0,
        "Bytes of the access", HFILL}},
    {&hf_cacheray_thread, {"Thread", "cacheray.thread", FT_UINT64, BASE_DEC, NULL, 0,
        "Thread as its runtime names it; the original runtime always writes 0", HFILL}},
    {&hf_cacheray_rtta_elem_size, {"Element size", "cacheray.rtta.elem_size", FT_UINT32, BASE_DEC, NULL, 0,
        "Bytes of an element of the region", HFILL}},
    {&hf_cacheray_rtta_elem_count, {"Element count", "cacheray.rtta.elem_count", FT_UINT32, BASE_DEC, NULL, 0,
        "Elements of the region", HFILL}},
    {&hf_cacheray_rtta_typename_length, {"Type name length", "cacheray.rtta.typename.length", FT_UINT32, BASE_DEC, NULL,
        0, "Bytes of the type name", HFILL}},
    {&hf_cacheray_rtta_typename, {"Type name", "cacheray.rtta.typename", FT_STRING, BASE_NONE, NULL, 0,
        "Type of the elements of the region", HFILL}},
    {&hf_cacheray_rtta_length, {"Region length", "cacheray.rtta.length", FT_UINT64, BASE_DEC, NULL, 0,
        "Bytes of the region", HFILL}},
    {&hf_cacheray_rtta_end, {"Region end", "cacheray.rtta.end", FT_UINT64, BASE_HEX, NULL, 0,
        "First address after the region", HFILL}},
};

static ei_register_info ei_cacheray[] = {
    {&ei_cacheray_truncated, {"cacheray.truncated", PI_MALFORMED, PI_ERROR,
        "The file ends inside this record", EXPFILL}},
    {&ei_cacheray_malformed, {"cacheray.malformed", PI_MALFORMED, PI_ERROR,
        "The record breaks the format", EXPFILL}},
};
/* clang-format on */

static const layout *const *all_layouts(unsigned *count)
{
    static const layout *all[CACHERAY_LAYOUTS * CACHERAY_KINDS];
    for (*count = 0; *count < array_length(all); ++*count)
        all[*count] = cacheray_layout_of((cacheray_layout)(*count / CACHERAY_KINDS), (uint8_t)(*count % CACHERAY_KINDS));
    return all;
}

static void set_up(int proto, module_t *module)
{
    prefs_register_string_preference(module, "layout", "Layout of traces",
                                     "Byte order and address size of the traced machine: le64, be64, le32 or be32, for "
                                     "traces that are not recognised or recognised wrongly; auto: recognise it. Takes "
                                     "effect when the next trace is opened.",
                                     &preference_layout);
    cacheray_analysis_register(proto, module);
    cacheray_endpoints_register(proto);
    cacheray_taps_register();
}

const protocol cacheray_protocol = {
    .name = "Cacheray memory trace",
    .column = "Cacheray",
    .filter = "cacheray",
    .tree =
        {
            .proto = &proto_cacheray,
            .kinds = cacheray_events,
            .fields = cacheray_fields,
            .field_count = CACHERAY_FIELDS,
            .infos = cacheray_field_infos,
            .offset = &hf_cacheray_offset,
            .length = &hf_cacheray_length,
            .byte_order = &hf_cacheray_byte_order,
            .truncated = &ei_cacheray_truncated,
            .malformed = &ei_cacheray_malformed,
        },
    .hf = hf_cacheray,
    .hf_count = array_length(hf_cacheray),
    .ei = ei_cacheray,
    .ei_count = array_length(ei_cacheray),
    .ett = &ett_cacheray,
    .layouts = all_layouts,
    .set_up = set_up,
    .hand_off = cacheray_taps_handoff,
    .apply = apply_preferences,
    .record_size = sizeof(shown),
    .look = look,
    .inform = inform,
    .add = add_fields,
    .add_known = add_known,
    .tapped = tapped,
    .tapped_size = sizeof(cacheray_view),
    .picture = &cacheray_picture,
    .tap = &tap_cacheray,
    .filters = cacheray_filters,
};
