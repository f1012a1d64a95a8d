/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree.h"

#include "formats.h"
#include "text.h"

const value_string tree_byte_orders[] = {
    {0, "little-endian"},
    {1, "big-endian"},
    {0, NULL},
};

/* Bytes that a field of this type can hold; 0 for types that no layout row makes. */
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

static const int *field_of(const tree_protocol *p, const layout_row *r)
{
    return r->field < p->field_count ? p->fields[r->field] : NULL;
}

void tree_check(const tree_protocol *p, const layout *const *layouts, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned n = 0; n < layouts[i]->count; n++) {
            const layout_row *r = &layouts[i]->rows[n];
            const int *hf = field_of(p, r);
            if (!hf)
                ws_error("%s: field %u of a layout is not mapped", proto_get_protocol_filter_name(*p->proto), r->field);
            /* a bit-field may be narrower than the number it stands in */
            const header_field_info *info = proto_registrar_get_nth((unsigned)*hf);
            p->infos[r->field] = info;
            bool narrow = r->mask != 0 && r->mask >> (8 * MIN(type_width(info->type), 4u) - 1) >> 1 == 0;
            if (type_width(info->type) < r->width && !narrow)
                ws_error("%s is too narrow for its %u bytes", info->abbrev, r->width);
        }
}

const record_context *tree_context(const void *pseudo_header)
{
    return pseudo_header;
}

cursor tree_cursor(tvbuff_t *tvb, const record_context *c)
{
    unsigned length = tvb_captured_length(tvb);
    const uint8_t *data = length ? tvb_get_ptr(tvb, 0, (int)length) : NULL;
    return (cursor){data, length, (c->flags & CONTEXT_BIG_ENDIAN) != 0};
}

/* What proto_item_append_text() does, without formatting: -T fields makes every tree visible and shows no line of it.
 * The words are our own, much shorter than a label. */
static void set_label(proto_item *item, const char *name, const char *kind)
{
    item_label_t *label = wmem_new0(PNODE_POOL(item), item_label_t);
    g_stpcpy(g_stpcpy(g_stpcpy(label->representation, name), ", "), kind);
    PITEM_FINFO(item)->rep = label;
}

proto_item *tree_add_protocol(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, const record_context *c)
{
    proto_item *item = proto_tree_add_item(tree, *p->proto, tvb, 0, -1, ENC_NA);
    if (tree && PTREE_DATA(tree)->visible)
        set_label(item, proto_registrar_get_nth((unsigned)*p->proto)->name, val_to_str_const(c->kind, p->kinds, "Unknown"));
    return item;
}

static void add_row(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, const layout_row *r, uint64_t value)
{
    int hf = *p->fields[r->field], at = r->offset, width = r->width;
    switch (p->infos[r->field]->type) {
    case FT_BOOLEAN:
        proto_tree_add_boolean(tree, hf, tvb, at, width, value != 0);
        break;
    case FT_UINT64:
        proto_tree_add_uint64(tree, hf, tvb, at, width, value);
        break;
    case FT_INT64:
        proto_tree_add_int64(tree, hf, tvb, at, width, (int64_t)value);
        break;
    case FT_INT8:
    case FT_INT16:
    case FT_INT32:
        proto_tree_add_int(tree, hf, tvb, at, width, (int32_t)value);
        break;
    default:
        proto_tree_add_uint(tree, hf, tvb, at, width, (uint32_t)value);
        break;
    }
}

uint64_t tree_add_layout(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, const layout *l, const cursor *c)
{
    uint64_t added = 0;
    bool whole = c->length >= l->length, visible = PTREE_DATA(tree)->visible;
    for (unsigned i = 0; i < l->count; i++) {
        const layout_row *r = &l->rows[i];
        if (!whole && !layout_present(r, c))
            continue;
        if (visible || p->infos[r->field]->ref_type != HF_REF_TYPE_NONE)
            add_row(p, tree, tvb, r, layout_value(r, c));
        added |= UINT64_C(1) << r->field;
    }
    return added;
}

static bool is_tame(tvbuff_t *tvb, int at, int length)
{
    return length == 0 || text_is_tame((const char *)tvb_get_ptr(tvb, at, length), (size_t)length);
}

const char *tree_text(packet_info *pinfo, tvbuff_t *tvb, int at, int length)
{
    return is_tame(tvb, at, length) ? (const char *)tvb_get_string_enc(pinfo->pool, tvb, at, length, ENC_UTF_8)
                                    : tvb_format_text(pinfo->pool, tvb, at, length);
}

void tree_add_text(proto_tree *tree, int hf, packet_info *pinfo, tvbuff_t *tvb, int at, int length)
{
    if (is_tame(tvb, at, length))
        proto_tree_add_item(tree, hf, tvb, at, length, ENC_UTF_8);
    else
        proto_tree_add_string(tree, hf, tvb, at, length, tvb_format_text(pinfo->pool, tvb, at, length));
}

#define FAULT_WORDS 160

static const char *fault_words(const tree_protocol *p, const record_context *c, char words[FAULT_WORDS])
{
    if (p->explain && p->explain(c, words, FAULT_WORDS))
        return words;
    return fault_text(formats[c->format]->faults, c->fault, c->fault_value, words, FAULT_WORDS);
}

static void add_fault(const tree_protocol *p, proto_item *item, packet_info *pinfo, const record_context *c)
{
    char text[FAULT_WORDS];
    const char *words = fault_words(p, c, text);
    expert_field *ei = c->flags & CONTEXT_TRUNCATED ? p->truncated : p->malformed;
    if (c->length == 0 && p->missing) {
        expert_add_info_format(pinfo, item, p->missing, "%s", words);
        return;
    }
    expert_add_info_format(pinfo, item, ei, "%s (byte %u of the record, offset %" PRIu64 " of the file)", words, c->fault_at,
                           c->offset + c->fault_at);
}

void tree_add_record(const tree_protocol *p, proto_tree *tree, proto_item *item, packet_info *pinfo, tvbuff_t *tvb,
                     const record_context *c)
{
    if (c->fault != FAULT_NONE)
        add_fault(p, item, pinfo, c);
    if (c->flags & CONTEXT_TIME_CUT && p->time_cut)
        expert_add_info(pinfo, item, p->time_cut);
    if (!tree)
        return;
    tree_generated_uint64(tree, *p->offset, tvb, c->offset);
    tree_generated_uint64(tree, *p->length, tvb, c->length);
    tree_generated_uint(tree, *p->byte_order, tvb, (c->flags & CONTEXT_BIG_ENDIAN) != 0);
}

void tree_generated_uint(proto_tree *tree, int hf, tvbuff_t *tvb, uint32_t value)
{
    if (tree_wants(tree, hf))
        proto_item_set_generated(proto_tree_add_uint(tree, hf, tvb, 0, 0, value));
}

void tree_generated_uint64(proto_tree *tree, int hf, tvbuff_t *tvb, uint64_t value)
{
    if (tree_wants(tree, hf))
        proto_item_set_generated(proto_tree_add_uint64(tree, hf, tvb, 0, 0, value));
}

void tree_generated_int(proto_tree *tree, int hf, tvbuff_t *tvb, int32_t value)
{
    if (tree_wants(tree, hf))
        proto_item_set_generated(proto_tree_add_int(tree, hf, tvb, 0, 0, value));
}

void tree_generated_int64(proto_tree *tree, int hf, tvbuff_t *tvb, int64_t value)
{
    if (tree_wants(tree, hf))
        proto_item_set_generated(proto_tree_add_int64(tree, hf, tvb, 0, 0, value));
}

void tree_generated_boolean(proto_tree *tree, int hf, tvbuff_t *tvb, bool value)
{
    if (tree_wants(tree, hf))
        proto_item_set_generated(proto_tree_add_boolean(tree, hf, tvb, 0, 0, value));
}

void tree_generated_string(proto_tree *tree, int hf, tvbuff_t *tvb, const char *value)
{
    if (tree_wants(tree, hf))
        proto_item_set_generated(proto_tree_add_string(tree, hf, tvb, 0, 0, value));
}

void tree_generated_time(proto_tree *tree, int hf, tvbuff_t *tvb, uint64_t ns)
{
    if (!tree_wants(tree, hf))
        return;
    int64_t seconds = (int64_t)(ns / 1000000000);
    int32_t nanoseconds = (int32_t)(ns % 1000000000);
    bool cut = record_cut_time(&seconds, &nanoseconds, 0, RECORD_TIME_MAX);
    nstime_t t = {(time_t)seconds, nanoseconds};
    proto_item *item = proto_tree_add_time(tree, hf, tvb, 0, 0, &t);
    proto_item_set_generated(item);
    if (cut)
        proto_item_append_text(item, " or more");
}

void info_add(info_text *t, const char *words)
{
    size_t room = sizeof t->text - 1 - t->length, n = strlen(words);
    if (n > room) { /* never half a UTF-8 character */
        for (n = room; n > 0 && ((uint8_t)words[n] & 0xc0) == 0x80; n--)
            ;
    }
    memcpy(t->text + t->length, words, n);
    t->length += n;
    t->text[t->length] = '\0';
}

void info_add_uint(info_text *t, uint64_t value)
{
    char digits[21], *p = digits + sizeof digits - 1;
    *p = '\0';
    do
        *--p = (char)('0' + value % 10);
    while (value /= 10);
    info_add(t, p);
}

void info_add_hex(info_text *t, uint64_t value)
{
    char digits[19], *p = digits + sizeof digits - 1;
    *p = '\0';
    do
        *--p = "0123456789abcdef"[value & 15];
    while (value >>= 4);
    *--p = 'x';
    *--p = '0';
    info_add(t, p);
}

void info_add_fault(info_text *t, const tree_protocol *p, const record_context *c)
{
    char words[FAULT_WORDS];
    info_add(t, fault_words(p, c, words));
}
