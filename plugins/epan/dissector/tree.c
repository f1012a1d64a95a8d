/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/tree.h"

#include <epan/address_types.h>
#include <epan/to_str.h>

#include "host/callbacks.h"
#include "host/hidden_records.h"
#include "host/menus.h"
#include "host/options.h"
#include "host/shortcuts.h"

#include "core/formats.h"
#include "util/short_name.h"
#include "util/text.h"

const value_string tree_byte_orders[] = {
    {0, "little-endian"},
    {1, "big-endian"},
    {0, NULL},
};

/* Size in bytes of a field type; 0 for types that layouts do not have. */
static unsigned type_width(enum ftenum type)
{
    switch (type) {
    case FT_CHAR:
    case FT_UINT8:
    case FT_INT8:
        return 1;
    case FT_UINT16:
    case FT_INT16:
        return 2;
    case FT_UINT32:
    case FT_INT32:
        return 4;
    case FT_UINT64:
    case FT_INT64:
    case FT_BOOLEAN:
        return 8;
    default:
        return 0;
    }
}

void tree_check(const tree_protocol *p, const layout *const *layouts, unsigned count)
{
    const char *filter = proto_get_protocol_filter_name(*p->proto);
    for (unsigned i = 0; i < count; i++)
        for (unsigned n = 0; n < layouts[i]->count; n++) {
            const layout_row *r = &layouts[i]->rows[n];
            if (r->field >= p->field_count || p->fields[r->field] <= 0)
                ws_error("%s: field %u of a layout is not registered", filter, r->field);
            if (r->offset + r->width > layouts[i]->length)
                ws_error("%s: field %u of a layout is beyond its length", filter, r->field);
            /* a bit-field may be narrower than the number that contains it */
            const header_field_info *info = tree_info(p->fields[r->field]);
            bool narrow = r->mask != 0 && r->mask >> (8 * MIN(type_width(info->type), 4u) - 1) >> 1 == 0;
            if (type_width(info->type) < r->width && !narrow)
                ws_error("%s is too narrow for its %u bytes", info->abbrev, r->width);
        }
}

/* --- subtrees ---------------------------------------------------------------------------------------------------------- */

static int ett_bits = -1;
static int ett_record = -1;

void tree_register(void)
{
    static int *ett[] = {&ett_bits, &ett_record};
    proto_register_subtree_array(ett, array_length(ett));
}

/* --- fields that every record has, by the number of its protocol ------------------------------------------------------ */

static int ett_line[CALLBACKS_COUNT];
static int hf_offset[CALLBACKS_COUNT];
static int hf_length[CALLBACKS_COUNT];
static int hf_byte_order[CALLBACKS_COUNT];
static int hf_undecoded[CALLBACKS_COUNT];
static expert_field ei_truncated[CALLBACKS_COUNT];
static expert_field ei_malformed[CALLBACKS_COUNT];
static expert_field ei_time_cut[CALLBACKS_COUNT];

/* Wireshark keeps the names. */
static const char *tree_name(const char *filter, const char *field)
{
    return wmem_strdup_printf(wmem_epan_scope(), "%s.%s", filter, field);
}

void tree_register_fields(const tree_protocol *p, const char *filter, hf_register_info *own, int count)
{
    static unsigned taken;
    const unsigned n = *p->number = callbacks_take(&taken, CALLBACKS_COUNT, filter);
    /* clang-format off */
    hf_register_info hf[] = {
        {&hf_offset[n], {"Offset", "offset", FT_UINT64, BASE_DEC, NULL, 0,
            "Byte offset of the record in its file, uncompressed", HFILL}},
        {&hf_length[n], {"Length", "length", FT_UINT64, BASE_DEC, NULL, 0,
            "Bytes of the record in its file; of a cut record those that are present", HFILL}},
        {&hf_byte_order[n], {"Byte order", "byte_order", FT_UINT8, BASE_DEC, VALS(tree_byte_orders), 0, NULL, HFILL}},
        {&hf_undecoded[n], {"Undecoded", "undecoded", FT_BYTES, BASE_NONE, NULL, 0,
            "Bytes that are not used or not understood", HFILL}},
    };
    ei_register_info ei[] = {
        {&ei_truncated[n], {"truncated", PI_MALFORMED, PI_ERROR, "The file ends inside this record", EXPFILL}},
        {&ei_malformed[n], {"malformed", PI_MALFORMED, PI_ERROR, "The record breaks the format", EXPFILL}},
        {&ei_time_cut[n], {"time_cut", PI_PROTOCOL, PI_WARN,
            "The time of this record is outside Wireshark's range on this processor; the nearest time is shown", EXPFILL}},
    };
    /* clang-format on */
    for (unsigned i = 0; i < array_length(hf); i++)
        hf[i].hfinfo.abbrev = tree_name(filter, hf[i].hfinfo.abbrev);
    for (unsigned i = 0; i < array_length(ei); i++)
        ei[i].eiinfo.name = tree_name(filter, ei[i].eiinfo.name);
    ett_line[n] = -1;
    proto_register_subtree_array(&(int *){&ett_line[n]}, 1);
    hf_register_info *common = wmem_memdup(wmem_epan_scope(), hf, sizeof hf);
    proto_register_field_array(*p->proto, common, array_length(hf) - 1);
    proto_register_field_array(*p->proto, own, count);
    proto_register_field_array(*p->proto, &common[array_length(hf) - 1], 1); /* after those that are in order of bytes */
    expert_register_field_array(expert_register_protocol(*p->proto), wmem_memdup(wmem_epan_scope(), ei, sizeof ei),
                                p->cuts_times ? array_length(ei) : array_length(ei) - 1);
}

int tree_line(const tree_protocol *p)
{
    return ett_line[*p->number];
}

expert_field *tree_malformed(const tree_protocol *p)
{
    return &ei_malformed[*p->number];
}

/* --- fields that are asked for ----------------------------------------------------------------------------------------- */

const header_field_info **tree_infos;
unsigned tree_first_info, tree_info_count;
bool tree_fields_alone;

/* Returns whether it is one of ours, which are then always referenced. Not if it prints a label, as protocols do. */
static bool note_printed(const char *name)
{
    bool ours = false;
    for (unsigned i = 0; i < tree_info_count; i++)
        if (strcmp(tree_infos[i]->abbrev, name) == 0 && tree_infos[i]->type != FT_PROTOCOL &&
            tree_infos[i]->type != FT_NONE) {
            ours = shortcuts_references_hold(tree_infos[i]);
            if (ours)
                tree_infos[i] = shortcuts_referenced(tree_infos[i]);
        }
    return ours;
}

/* All that tshark prints must be found by reference, or everything is added as in any visible tree. */
void tree_note_printed(void)
{
    g_autoptr(GPtrArray) names = options_fields();
    for (unsigned i = 0; i < tree_info_count; i++)
        tree_infos[i] = proto_registrar_get_nth(tree_first_info + i);
    tree_fields_alone = names;
    for (guint i = 0; names && i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);
        const bool known = note_printed(name) || g_str_has_prefix(name, "frame.") || g_str_has_prefix(name, "_ws.col.");
        tree_fields_alone = tree_fields_alone && known;
    }
}

void tree_note_fields(int first, int last)
{
    tree_first_info = (unsigned)first;
    tree_info_count = (unsigned)(last - first + 1);
    tree_infos = g_new(const header_field_info *, tree_info_count);
    for (unsigned i = 0; i < tree_info_count; i++)
        tree_infos[i] = proto_registrar_get_nth(tree_first_info + i);
}

/* --- fields as cells --------------------------------------------------------------------------------------------------- */

proto_tree tree_row_mark;

/* What is asked for of records with two layouts. */
enum { PLANS = 64, PLAN_ENTRIES = 8, LATEST = 16 };
typedef struct row_plan {
    const layout *of[2]; /* both NULL: it is not made yet */
    size_t length;       /* of both: what is shorter has not all fields */
    uint64_t present;    /* ids of all fields */
    unsigned count;      /* above PLAN_ENTRIES: it is of no use */
    struct {
        layout_row at;
        int hf;
    } entries[PLAN_ENTRIES];
} row_plan;

void tree_row_begin(tree_row *row, const int *fields, unsigned count)
{
    *row = (tree_row){.tree = *shortcuts_tree()};
    row->tree.parent = &tree_row_mark;
    row->cell_of = g_new0(uint8_t, tree_info_count);
    row->before = g_new0(uint8_t, tree_info_count + 1);
    row->plans = g_new0(row_plan, PLANS);
    row->latest = g_new0(rows_cell, count * LATEST);
    row->joined = g_new0(GString *, count);
    row->count = count;
    for (unsigned i = 0; i < count; i++)
        if (fields[i] >= 0) {
            tree_reference(fields[i]);
            row->cell_of[(unsigned)fields[i] - tree_first_info] = (uint8_t)(i + 1);
        }
    for (unsigned i = 0; i < tree_info_count; i++)
        row->before[i + 1] = (uint8_t)(row->before[i] + (row->cell_of[i] != 0));
}

void tree_row_clear(tree_row *row)
{
    g_free(row->cell_of);
    g_free(row->before);
    g_free(row->plans);
    g_free(row->latest);
    for (unsigned i = 0; i < row->count; i++)
        if (row->joined[i])
            g_string_free(row->joined[i], TRUE);
    g_free(row->joined);
}

void tree_reference(int hf)
{
    const header_field_info **field = &tree_infos[(unsigned)hf - tree_first_info];
    *field = shortcuts_referenced(*field);
}

rows_kind tree_row_kind(const header_field_info *field)
{
    switch (field->type) {
    case FT_BOOLEAN:
        return ROWS_YES_NO;
    case FT_RELATIVE_TIME:
        return ROWS_CLOCK;
    case FT_FRAMENUM:
        return ROWS_ORDINAL;
    case FT_UINT64:
        return field->display == BASE_HEX ? ROWS_ADDRESS : ROWS_NUMBER;
    case FT_UINT8:
    case FT_UINT16:
    case FT_UINT32:
    case FT_INT8:
    case FT_INT16:
    case FT_INT32:
    case FT_INT64:
        return ROWS_NUMBER;
    default:
        return ROWS_TEXT;
    }
}

/* Further values of a field follow the first one after commas, as -T fields has them: a record may have very many. */
static void tree_row_join(const tree_row *row, unsigned number, const header_field_info *field, rows_cell value)
{
    const rows_column column = {field->name, tree_row_kind(field), ROWS_EACH};
    rows_cell *cell = &row->cells[number];
    GString **joined = &row->joined[number];
    if (!*joined)
        *joined = g_string_new(NULL);
    if (cell->state != ROWS_IS_TEXT || cell->text != (*joined)->str) {
        g_string_truncate(*joined, 0);
        rows_append_cell(*joined, &column, cell);
    }
    g_string_append_c(*joined, ',');
    rows_append_cell(*joined, &column, &value);
    *cell = rows_lasting_text((*joined)->str);
}

/* NULL, like an item that nobody needs. */
static inline proto_item *tree_row_set(const tree_row *row, int hf, rows_cell value)
{
    const unsigned number = row->cell_of[(unsigned)hf - tree_first_info];
    rows_cell *cell = &row->cells[number - 1];
    if (number && G_UNLIKELY(cell->state != ROWS_NONE))
        tree_row_join(row, number - 1, tree_info(hf), value);
    else if (number)
        *cell = value;
    return NULL;
}

/* One that is not printed has its code, as in Wireshark's own texts. */
static const char *tree_row_character(uint8_t character)
{
    static char texts[UINT8_MAX + 1][sizeof "\\x00"];
    char *text = texts[character];
    if (!*text)
        g_snprintf(text, sizeof *texts, g_ascii_isgraph((char)character) ? "%c" : "\\x%02x", character);
    return text;
}

static proto_item *tree_row_set_number(const tree_row *row, int hf, uint64_t value)
{
    const enum ftenum type = tree_info(hf)->type;
    rows_cell cell = {.number = value, .state = ROWS_IS_NUMBER};
    if (type == FT_CHAR)
        cell = (rows_cell){.text = tree_row_character((uint8_t)value), .state = ROWS_IS_TEXT};
    else if (type >= FT_INT8 && type <= FT_INT64)
        cell = rows_signed((int64_t)value);
    return tree_row_set(row, hf, cell);
}

/* --- lines and subtrees ------------------------------------------------------------------------------------------------ */

void tree_set_line(proto_item *item, const char *name, const char *words)
{
    char *label = shortcuts_begin_label(item), *at = name ? g_stpcpy(g_stpcpy(label, name), ", ") : label;
    memcpy(at, words, text_fitting(words, strlen(words), ITEM_LABEL_LENGTH - 1 - (size_t)(at - label)));
    shortcuts_end_label(item, label);
}

proto_tree *tree_branch(proto_tree *tree, tvbuff_t *tvb, int ett, const char *words)
{
    if (!tree_visible(tree))
        return tree;
    proto_item *item = proto_tree_add_item(tree, hf_text_only, tvb, 0, 0, ENC_NA);
    proto_item_set_generated(item);
    tree_set_line(item, NULL, words);
    return proto_item_add_subtree(item, ett);
}

/* --- layouts ----------------------------------------------------------------------------------------------------------- */

proto_item *tree_add_number(proto_tree *tree, int hf, tvbuff_t *tvb, int at, int width, uint64_t value)
{
    const tree_row *row = tree_row_of(tree);
    if (row)
        return tree_row_set_number(row, hf, value);
    switch (tree_info(hf)->type) {
    case FT_BOOLEAN:
        return proto_tree_add_boolean(tree, hf, tvb, at, width, value != 0);
    case FT_UINT64:
        return proto_tree_add_uint64(tree, hf, tvb, at, width, value);
    case FT_INT64:
        return proto_tree_add_int64(tree, hf, tvb, at, width, (int64_t)value);
    case FT_INT8:
    case FT_INT16:
    case FT_INT32:
        return proto_tree_add_int(tree, hf, tvb, at, width, (int32_t)value);
    default:
        return proto_tree_add_uint(tree, hf, tvb, at, width, (uint32_t)value);
    }
}

static proto_item *tree_add_row(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, const layout_row *r, uint64_t value)
{
    return tree_add_number(tree, p->fields[r->field], tvb, r->offset, r->width, value);
}

static void info_add_value(info_text *t, const header_field_info *info, uint64_t value)
{
    const char *name = info->type != FT_BOOLEAN && info->strings ? try_val_to_str((uint32_t)value, info->strings) : NULL;
    if (info->type == FT_BOOLEAN) {
        info_add(t, value ? "Set" : "Not set");
    } else if (info->strings) {
        info_add(t, name ? name : "Unknown");
        info_add(t, " (");
        info_add_uint(t, value);
        info_add(t, ")");
    } else if (info->display == BASE_HEX) {
        info_add_hex(t, value);
    } else {
        info_add_uint(t, value);
    }
}

/* Writes "0000 0111": the bits of the field at their positions, and dots for other bits. Returns the end. */
static char *put_bits(char *at, const layout_row *r, uint64_t value)
{
    uint64_t mask = (uint64_t)r->mask << r->shift, bits = value << r->shift;
    for (unsigned bit = 8u * r->width; bit-- > 0;) {
        *at++ = mask >> bit & 1 ? (char)('0' + (bits >> bit & 1)) : '.';
        if (bit % 4 == 0)
            *at++ = ' ';
    }
    return at;
}

/* Wireshark's own labels for bits depend on the field's mask, which differs by byte order. Our names are short. */
static void set_bits_line(proto_item *item, const header_field_info *info, const layout_row *r, uint64_t bits,
                          uint64_t value)
{
    info_text t;
    info_begin(&t);
    info_add_value(&t, info, value);
    char *label = shortcuts_begin_label(item), *at = g_stpcpy(put_bits(label, r, bits), "= ");
    g_stpcpy(g_stpcpy(g_stpcpy(at, info->name), ": "), t.text);
    shortcuts_end_label(item, label);
}

static void add_bits(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, const layout_row *r, uint64_t bits)
{
    const header_field_info *info = tree_info(p->fields[r->field]);
    uint64_t value = p->decode_bits ? p->decode_bits(r->field, bits) : bits;
    proto_item *item = tree_add_row(p, tree, tvb, r, value);
    if (tree_visible(tree))
        set_bits_line(item, info, r, bits, value);
}

void tree_add_undecoded(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, bool known, unsigned from, unsigned to)
{
    const int hf = known && p->padding ? *p->padding : hf_undecoded[*p->number];
    if (from < to && tree_field_needed(tree, hf))
        tree_add_bytes(tree, hf, tvb, (int)from, (int)(to - from));
}

/* The rows of two layouts, merged by offset. */
typedef struct merged {
    const layout *of[2];
    unsigned at[2];
} merged;

static const layout_row *first_row(const merged *m, unsigned i)
{
    return m->of[i] && m->at[i] < m->of[i]->count ? &m->of[i]->rows[m->at[i]] : NULL;
}

/* *from: the layout of the row. */
static const layout_row *next_row(merged *m, const layout **from)
{
    const layout_row *a = first_row(m, 0), *b = first_row(m, 1);
    bool second = !a || (b && b->offset < a->offset);
    m->at[second] += second ? b != NULL : 1;
    *from = m->of[second];
    return second ? b : a;
}

/* The width of the number that contains bit-fields: that of the widest of those that begin here and are present. NULL: all
 * are. */
static uint8_t bits_width(const layout *l, const layout_row *r, const cursor *c)
{
    uint8_t width = r->width;
    for (const layout_row *other = r; other < l->rows + l->count && other->offset == r->offset && other->mask; other++)
        width = !c || layout_present(other, c) ? MAX(width, other->width) : width;
    return width;
}

static proto_tree *add_bits_number(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, const layout *l,
                                   const layout_row *r, const cursor *c)
{
    const uint8_t width = bits_width(l, r, c);
    proto_item *item = tree_add_number(tree, *p->bits, tvb, r->offset, width, cursor_uint(c, r->offset, width));
    return tree_visible(tree) ? proto_item_add_subtree(item, ett_bits) : tree;
}

/* Skips a row that is the whole of such a number, as that has been added. */
static __attribute__((noinline)) uint64_t show_layouts(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, merged m,
                                                       const cursor *c, unsigned *covered)
{
    uint64_t added = 0;
    unsigned end = *covered;
    const layout_row *bits_of = NULL; /* the first row of the latest bit-fields */
    const layout *from;
    proto_tree *bits = NULL;
    for (const layout_row *r; (r = next_row(&m, &from)) != NULL;) {
        bool in_bits = bits_of && bits_of->offset == r->offset;
        if (!layout_present(r, c) || (in_bits && &p->fields[r->field] == p->bits))
            continue;
        uint64_t value = layout_value(r, c);
        tree_add_undecoded(p, tree, tvb, true, end, r->offset);
        if (r->mask && !in_bits) {
            bits = add_bits_number(p, tree, tvb, from, r, c);
            bits_of = r;
        }
        if (r->mask)
            add_bits(p, bits, tvb, r, value);
        else
            tree_add_row(p, tree, tvb, r, value);
        added |= UINT64_C(1) << r->field;
        end = MAX(end, r->offset + r->width + 0u);
    }
    *covered = end;
    return added;
}

static __attribute__((noinline)) void add_unseen(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb,
                                                 const layout_row *r, const cursor *c)
{
    uint64_t value = layout_value(r, c);
    if (r->mask && p->decode_bits)
        value = p->decode_bits(r->field, value);
    tree_add_row(p, tree, tvb, r, value);
}

static uint64_t add_asked(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, const layout *l, const cursor *c)
{
    uint64_t added = 0;
    bool whole = c->length >= l->length;
    for (const layout_row *r = l->rows, *end = r + l->count; r < end; r++) {
        if (!whole && !layout_present(r, c))
            continue;
        if (tree_info(p->fields[r->field])->ref_type != HF_REF_TYPE_NONE)
            add_unseen(p, tree, tvb, r, c);
        added |= UINT64_C(1) << r->field;
    }
    return added;
}

static bool has_cell(const tree_row *row, int hf)
{
    return row->cell_of[(unsigned)hf - tree_first_info];
}

static void plan_row(row_plan *plan, const tree_row *row, const layout_row *at, int hf)
{
    if (!has_cell(row, hf))
        return;
    if (plan->count < PLAN_ENTRIES) {
        plan->entries[plan->count].at = *at;
        plan->entries[plan->count].hf = hf;
    }
    plan->count++;
}

/* Finds what show_layouts() shows of complete records. */
static void make_plan(row_plan *plan, const tree_row *row, const tree_protocol *p)
{
    merged m = {{plan->of[0], plan->of[1]}, {0, 0}};
    const layout_row *bits_of = NULL;
    const layout *from;
    if (has_cell(row, hf_undecoded[*p->number]) || (p->padding && has_cell(row, *p->padding)))
        plan->count = PLAN_ENTRIES + 1; /* bytes between the fields are asked for */
    for (const layout_row *r; (r = next_row(&m, &from)) != NULL;) {
        const bool in_bits = bits_of && bits_of->offset == r->offset;
        plan->length = MAX(plan->length, from->length);
        plan->present |= UINT64_C(1) << r->field;
        if (in_bits && &p->fields[r->field] == p->bits)
            continue;
        if (r->mask && !in_bits) {
            const layout_row number = {.offset = r->offset, .width = bits_width(from, r, NULL)};
            plan_row(plan, row, &number, *p->bits);
            bits_of = r;
        }
        plan_row(plan, row, r, p->fields[r->field]);
    }
}

/* NULL: its fields must be added one by one. */
static const row_plan *plan_of(const tree_row *row, const tree_protocol *p, const layout *lead, const layout *body)
{
    row_plan *plan;
    unsigned slot = (unsigned)(((uintptr_t)lead ^ (uintptr_t)body) / sizeof(layout)), tried = 0;
    while ((plan = &row->plans[slot % PLANS])->of[1] != body || plan->of[0] != lead) {
        if (!plan->of[0] && !plan->of[1]) {
            plan->of[0] = lead;
            plan->of[1] = body;
            make_plan(plan, row, p);
            break;
        }
        if (++tried == PLANS)
            return NULL;
        slot++;
    }
    return plan->count <= PLAN_ENTRIES ? plan : NULL;
}

static uint64_t set_planned(const row_plan *plan, const tree_row *row, const tree_protocol *p, const cursor *c)
{
    for (unsigned i = 0; i < plan->count; i++) {
        const layout_row *r = &plan->entries[i].at;
        const uint64_t value = layout_value(r, c);
        tree_row_set_number(row, plan->entries[i].hf, r->mask && p->decode_bits ? p->decode_bits(r->field, value) : value);
    }
    return plan->present;
}

uint64_t tree_add_layouts(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, const layout *lead, const layout *body,
                          const cursor *c, unsigned *covered)
{
    const tree_row *row = tree_row_of(tree);
    const row_plan *plan = row && (lead || body) ? plan_of(row, p, lead, body) : NULL;
    if (plan && c->length >= plan->length) {
        *covered = (unsigned)c->length; /* not needed by anybody */
        return set_planned(plan, row, p, c);
    }
    if (tree_visible(tree) || tree_field_referenced(hf_undecoded[*p->number]) ||
        (p->bits && tree_field_referenced(*p->bits)) || (p->padding && tree_field_referenced(*p->padding)))
        return show_layouts(p, tree, tvb, (merged){{lead, body}, {0, 0}}, c, covered);
    *covered = (unsigned)c->length; /* not needed by anybody */
    return (lead ? add_asked(p, tree, tvb, lead, c) : 0) | (body ? add_asked(p, tree, tvb, body, c) : 0);
}

/* --- texts, and what every record has ---------------------------------------------------------------------------------- */

static bool is_safe(tvbuff_t *tvb, int at, int length)
{
    return length == 0 || text_is_safe((const char *)tvb_get_ptr(tvb, at, length), (size_t)length);
}

/* Does what tvb_format_text() does, which leaves the separators of lines and paragraphs, U+2028 and U+2029, as they are. */
static const char *escaped(packet_info *pinfo, tvbuff_t *tvb, int at, int length)
{
    wmem_strbuf_t *all = wmem_strbuf_new(pinfo->pool, NULL);
    const char *text = tvb_format_text(pinfo->pool, tvb, at, length);
    for (const char *next; (next = strstr(text, "\xe2\x80")); text = next) {
        bool separates = next[2] == '\xa8' || next[2] == '\xa9';
        wmem_strbuf_append_len(all, text, (size_t)(next - text) + (separates ? 0 : 2));
        if (separates)
            wmem_strbuf_append(all, next[2] == '\xa8' ? "\\u2028" : "\\u2029");
        next += separates ? 3 : 2;
    }
    wmem_strbuf_append(all, text);
    return wmem_strbuf_get_str(all);
}

/* Returns a text among the bytes of a row, which have no buffer. */
static const char *tree_row_text(const tree_row *row, int at, int length)
{
    const char *text = (const char *)row->bytes.data + at;
    if (length == 0 || (text_is_safe(text, (size_t)length) && !memchr(text, 0, (size_t)length)))
        return wmem_strndup(row->pinfo->pool, text, (size_t)length);
    tvbuff_t *tvb = tvb_new_real_data(row->bytes.data, (unsigned)row->bytes.length, (int)row->bytes.length);
    const char *shown = is_safe(tvb, at, length) ? text : escaped(row->pinfo, tvb, at, length);
    tvb_free(tvb);
    return shown;
}

/* A copy in which tabs and breaks of lines are escaped, as -T fields prints them. */
static const char *on_one_line(wmem_allocator_t *pool, const char *text)
{
    static const char breaks[] = "\t\n\r";
    wmem_strbuf_t *line = wmem_strbuf_new(pool, NULL);
    for (size_t n; n = strcspn(text, breaks), text[n]; text += n + 1) {
        wmem_strbuf_append_len(line, text, n);
        wmem_strbuf_append(line, text[n] == '\t' ? "\\t" : text[n] == '\n' ? "\\n" : "\\r");
    }
    wmem_strbuf_append(line, text);
    return wmem_strbuf_get_str(line);
}

proto_item *tree_add_string(proto_tree *tree, int hf, tvbuff_t *tvb, int at, int length, const char *value)
{
    const tree_row *row = tree_row_of(tree);
    if (!row)
        return proto_tree_add_string(tree, hf, tvb, at, length, value);
    rows_cell cell = {.state = ROWS_IS_TEXT, .plain = rows_plain(value)};
    cell.text = cell.plain ? wmem_memdup(row->pinfo->pool, value, cell.plain + 1) : on_one_line(row->pinfo->pool, value);
    return tree_row_set(row, hf, cell);
}

void tree_generated_lasting(proto_tree *tree, int hf, tvbuff_t *tvb, const char *value)
{
    tree_row *row = tree_row_of(tree);
    const unsigned number = row ? row->cell_of[(unsigned)hf - tree_first_info] : 0;
    if (!row) {
        tree_generated_string(tree, hf, tvb, value);
        return;
    }
    if (!number)
        return;
    rows_cell *latest = &row->latest[(number - 1) * LATEST + ((uintptr_t)value / LATEST ^ (uintptr_t)value / 4) % LATEST];
    if (latest->text != value) {
        const uint32_t plain = rows_plain(value);
        if (!plain) {
            tree_generated_string(tree, hf, tvb, value);
            return;
        }
        *latest = (rows_cell){.text = value, .state = ROWS_IS_TEXT, .plain = plain};
    }
    tree_row_set(row, hf, *latest);
}

void tree_add_bytes(proto_tree *tree, int hf, tvbuff_t *tvb, int at, int length)
{
    const tree_row *row = tree_row_of(tree);
    if (row)
        tree_row_set(row, hf,
                     rows_lasting_text(bytes_to_str_maxlen(row->pinfo->pool, row->bytes.data + at, (size_t)length, 0)));
    else
        proto_tree_add_item(tree, hf, tvb, at, length, ENC_NA);
}

const char *tree_text(packet_info *pinfo, tvbuff_t *tvb, int at, int length)
{
    return is_safe(tvb, at, length) ? (const char *)tvb_get_string_enc(pinfo->pool, tvb, at, length, ENC_UTF_8)
                                    : escaped(pinfo, tvb, at, length);
}

void tree_add_text(proto_tree *tree, int hf, packet_info *pinfo, tvbuff_t *tvb, int at, int length)
{
    const tree_row *row = tree_row_of(tree);
    if (row)
        tree_row_set(row, hf, rows_lasting_text(tree_row_text(row, at, length)));
    else if (is_safe(tvb, at, length))
        proto_tree_add_item(tree, hf, tvb, at, length, ENC_UTF_8);
    else
        proto_tree_add_string(tree, hf, tvb, at, length, escaped(pinfo, tvb, at, length));
}

#define FAULT_WORDS 160

static const char *fault_words(const tree_protocol *p, const record_context *c, char words[FAULT_WORDS])
{
    if (p->explain && p->explain(c, words, FAULT_WORDS))
        return words;
    return fault_text(formats[c->format]->faults, c->fault, c->fault_value, words, FAULT_WORDS);
}

static void tree_add_fault(const tree_protocol *p, proto_item *item, packet_info *pinfo, const record_context *c)
{
    char text[FAULT_WORDS];
    const char *words = fault_words(p, c, text);
    expert_field *ei = &(c->flags & CONTEXT_TRUNCATED ? ei_truncated : ei_malformed)[*p->number];
    if (c->length == 0 && p->missing) {
        expert_add_info_format(pinfo, item, p->missing, "%s", words);
        return;
    }
    expert_add_info_format(pinfo, item, ei, "%s (byte %u of the record, offset %" PRIu64 " of the file)", words, c->fault_at,
                           c->offset + c->fault_at);
}

void tree_add_position(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, const record_context *c)
{
    if (!tree_fields_needed(tree, hf_offset[*p->number], hf_byte_order[*p->number]))
        return;
    tree_generated(tree, hf_offset[*p->number], tvb, c->offset);
    tree_generated(tree, hf_length[*p->number], tvb, c->length);
    tree_generated(tree, hf_byte_order[*p->number], tvb, (c->flags & CONTEXT_BIG_ENDIAN) != 0);
}

void tree_add_record(const tree_protocol *p, proto_tree *tree, proto_item *item, packet_info *pinfo, tvbuff_t *tvb,
                     const record_context *c)
{
    if (c->fault != FAULT_NONE)
        tree_add_fault(p, item, pinfo, c);
    if (c->flags & CONTEXT_TIME_CUT && p->cuts_times)
        expert_add_info(pinfo, item, &ei_time_cut[*p->number]);
    if (!tree)
        return;
    tree_add_position(p, tree_branch(tree, tvb, ett_record, "Record"), tvb, c);
}

const char *tree_numbered(tree_numbers *n, packet_info *pinfo, uint64_t number)
{
    info_text t;
    if (number < TREE_NUMBERS_KEPT && n->kept[number])
        return n->kept[number];
    info_begin(&t);
    info_add(&t, n->kind);
    info_add_uint(&t, number);
    if (number >= TREE_NUMBERS_KEPT)
        return info_keep(pinfo, &t);
    return n->kept[number] = g_strdup(t.text);
}

enum { ADDRESS_WIDTH = 20 }; /* characters in Wireshark's usual columns */

static int append_cut(const address *a, char *text, int size)
{
    g_autoptr(GString) cut = g_string_new(NULL);
    short_name_append_cut(cut, a->data, ADDRESS_WIDTH, 0);
    return (int)MIN(g_strlcpy(text, cut->str, (gsize)size), (gsize)size - 1) + 1;
}

static int room_for_cut(const address *a _U_)
{
    return ADDRESS_WIDTH * 4 + 1;
}

/* Columns of a window would show only the beginning of a name, which says little. The address is still the whole name, which
 * Flow Graph compares. */
static int address_kind(void)
{
    static int kind;
    if (!kind)
        kind = menus_windows() ? address_type_dissector_register("AT_WIRETRACE", "Name in a trace", append_cut, room_for_cut,
                                                                 NULL, NULL, NULL, NULL, NULL)
                               : AT_STRINGZ;
    return kind;
}

static void set_text(address *network, address *shown, const char *text)
{
    if (!text)
        return;
    set_address(shown, address_kind(), (int)strlen(text) + 1, text);
    *network = *shown;
}

void tree_set_source(packet_info *pinfo, const char *text)
{
    set_text(&pinfo->net_src, &pinfo->src, text);
}

void tree_set_destination(packet_info *pinfo, const char *text)
{
    set_text(&pinfo->net_dst, &pinfo->dst, text);
}

void tree_add_frame(proto_tree *tree, int hf, tvbuff_t *tvb, uint32_t place)
{
    const uint32_t frame = record_frame(place);
    if (frame)
        tree_generated(tree, hf, tvb, frame);
}

void tree_generated_string(proto_tree *tree, int hf, tvbuff_t *tvb, const char *value)
{
    if (tree_field_needed(tree, hf))
        proto_item_set_generated(tree_add_string(tree, hf, tvb, 0, 0, value));
}

void tree_generated_time(proto_tree *tree, int hf, tvbuff_t *tvb, uint64_t ns)
{
    if (!tree_field_needed(tree, hf))
        return;
    const tree_row *row = tree_row_of(tree);
    if (row) {
        tree_row_set(row, hf, rows_number(ns));
        return;
    }
    int64_t seconds = (int64_t)(ns / 1000000000);
    int32_t nanoseconds = (int32_t)(ns % 1000000000);
    bool cut = record_cut_time(&seconds, &nanoseconds, 0, RECORD_TIME_MAX);
    nstime_t t = {(time_t)seconds, nanoseconds};
    proto_item *item = proto_tree_add_time(tree, hf, tvb, 0, 0, &t);
    proto_item_set_generated(item);
    if (cut)
        proto_item_append_text(item, " or more");
    else if (!COMPAT_TIME_FITS && tree_visible(tree)) {
        char text[TEXT_TIME];
        proto_item_append_text(item, " (%s)", text_time(text, ns));
    }
}

void tree_generated_us(proto_tree *tree, int hf, tvbuff_t *tvb, uint64_t ns)
{
    if (!tree_field_needed(tree, hf))
        return;
    proto_item *item = proto_tree_add_double(tree, hf, tvb, 0, 0, (double)ns / 1000);
    proto_item_set_generated(item);
    proto_item_set_hidden(item);
}

void tree_label_us(char *label, double us)
{
    g_ascii_formatd(label, ITEM_LABEL_LENGTH, "%.3f", us); /* a point in all languages, by which the list is sorted */
}

void info_add_fault(info_text *t, const tree_protocol *p, const record_context *c)
{
    char words[FAULT_WORDS];
    info_add(t, fault_words(p, c, words));
}
