/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/tree_layouts.h"

#include <string.h>

#include "host/shortcuts.h"

static int ett_bits = -1;

void tree_layouts_register(void)
{
    static int *ett[] = {&ett_bits};
    proto_register_subtree_array(ett, array_length(ett));
}

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

/* --- items ------------------------------------------------------------------------------------------------------------- */

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

/* --- cells of a row ---------------------------------------------------------------------------------------------------- */

/* What is asked for of records with two layouts. */
enum { PLANS = 64, PLAN_ENTRIES = 8 };
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
    if (has_cell(row, tree_undecoded(p)) || (p->padding && has_cell(row, *p->padding)))
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
static const row_plan *plan_of(tree_row *row, const tree_protocol *p, const layout *lead, const layout *body)
{
    row_plan *plan;
    if (!row->plans)
        row->plans = g_new0(row_plan, PLANS);
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

/* --- both -------------------------------------------------------------------------------------------------------------- */

uint64_t tree_add_layouts(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, const layout *lead, const layout *body,
                          const cursor *c, unsigned *covered)
{
    tree_row *row = tree_row_of(tree);
    const row_plan *plan = row && (lead || body) ? plan_of(row, p, lead, body) : NULL;
    if (plan && c->length >= plan->length) {
        *covered = (unsigned)c->length; /* not needed by anybody */
        return set_planned(plan, row, p, c);
    }
    if (tree_visible(tree) || tree_field_referenced(tree_undecoded(p)) || (p->bits && tree_field_referenced(*p->bits)) ||
        (p->padding && tree_field_referenced(*p->padding)))
        return show_layouts(p, tree, tvb, (merged){{lead, body}, {0, 0}}, c, covered);
    *covered = (unsigned)c->length; /* not needed by anybody */
    return (lead ? add_asked(p, tree, tvb, lead, c) : 0) | (body ? add_asked(p, tree, tvb, body, c) : 0);
}
