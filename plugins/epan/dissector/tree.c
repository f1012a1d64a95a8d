/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/tree.h"

#include <epan/address_types.h>
#include <epan/to_str.h>

#include "host/callbacks.h"
#include "host/record_numbers.h"
#include "host/menus.h"
#include "host/shortcuts.h"

#include "core/formats.h"
#include "util/short_name.h"
#include "util/text.h"

const value_string tree_byte_orders[] = {
    {0, "little-endian"},
    {1, "big-endian"},
    {0, NULL},
};

/* --- subtrees ---------------------------------------------------------------------------------------------------------- */

static int ett_record = -1;

void tree_register(void)
{
    static int *ett[] = {&ett_record};
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
            "Byte offset of the record in its file, uncompressed", TREE_PLAIN}},
        {&hf_length[n], {"Length", "length", FT_UINT64, BASE_DEC, NULL, 0,
            "Bytes of the record in its file; of a cut record those that are present", TREE_PLAIN}},
        {&hf_byte_order[n], {"Byte order", "byte_order", FT_UINT8, BASE_DEC, VALS(tree_byte_orders), 0, NULL, TREE_PLAIN}},
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
    tree_fields_register(*p->proto, common, array_length(hf) - 1);
    tree_fields_register(*p->proto, own, count);
    tree_fields_register(*p->proto, &common[array_length(hf) - 1], 1); /* after those that are in order of bytes */
    expert_register_field_array(expert_register_protocol(*p->proto), wmem_memdup(wmem_epan_scope(), ei, sizeof ei),
                                p->cuts_times ? array_length(ei) : array_length(ei) - 1);
}

int tree_line(const tree_protocol *p)
{
    return ett_line[*p->number];
}

int tree_undecoded(const tree_protocol *p)
{
    return hf_undecoded[*p->number];
}

expert_field *tree_malformed(const tree_protocol *p)
{
    return &ei_malformed[*p->number];
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

void tree_add_undecoded(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, bool known, unsigned from, unsigned to)
{
    const int hf = known && p->padding ? *p->padding : hf_undecoded[*p->number];
    if (from < to && tree_field_needed(tree, hf))
        tree_add_bytes(tree, hf, tvb, (int)from, (int)(to - from));
}

/* --- texts, and what every record has ---------------------------------------------------------------------------------- */

static bool is_safe(tvbuff_t *tvb, int at, int length)
{
    return length == 0 || text_is_safe((const char *)tvb_get_ptr(tvb, at, length), (size_t)length);
}

/* Does what tvb_format_text() does, which leaves the separators of lines and paragraphs, U+2028 and U+2029, as they are. */
static const char *escaped(const record_seen *seen, tvbuff_t *tvb, int at, int length)
{
    wmem_strbuf_t *all = wmem_strbuf_new(seen->pool, NULL);
    const char *text = tvb_format_text(seen->pool, tvb, at, length);
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
        return wmem_strndup(row->seen->pool, text, (size_t)length);
    tvbuff_t *tvb = tvb_new_real_data(row->bytes.data, (unsigned)row->bytes.length, (int)row->bytes.length);
    const char *shown = is_safe(tvb, at, length) ? text : escaped(row->seen, tvb, at, length);
    tvb_free(tvb);
    return shown;
}

proto_item *tree_add_string(proto_tree *tree, int hf, tvbuff_t *tvb, int at, int length, const char *value)
{
    const tree_row *row = tree_row_of(tree);
    return row ? tree_row_set_string(row, hf, value) : proto_tree_add_string(tree, hf, tvb, at, length, value);
}

void tree_generated_lasting(proto_tree *tree, int hf, tvbuff_t *tvb, const char *value)
{
    const tree_row *row = tree_row_of(tree);
    if (row)
        tree_row_set_lasting(row, hf, value);
    else
        tree_generated_string(tree, hf, tvb, value);
}

void tree_add_bytes(proto_tree *tree, int hf, tvbuff_t *tvb, int at, int length)
{
    const tree_row *row = tree_row_of(tree);
    if (row)
        tree_row_set_bytes(row, hf, at, length);
    else
        proto_tree_add_item(tree, hf, tvb, at, length, ENC_NA);
}

const char *tree_text(const record_seen *seen, tvbuff_t *tvb, int at, int length)
{
    return is_safe(tvb, at, length) ? (const char *)tvb_get_string_enc(seen->pool, tvb, at, length, ENC_UTF_8)
                                    : escaped(seen, tvb, at, length);
}

void tree_add_text(proto_tree *tree, int hf, const record_seen *seen, tvbuff_t *tvb, int at, int length)
{
    const tree_row *row = tree_row_of(tree);
    if (row)
        tree_row_set_text(row, hf, tree_row_text(row, at, length));
    else if (is_safe(tvb, at, length))
        proto_tree_add_item(tree, hf, tvb, at, length, ENC_UTF_8);
    else
        proto_tree_add_string(tree, hf, tvb, at, length, escaped(seen, tvb, at, length));
}

#define FAULT_WORDS 160

static const char *fault_words(const tree_protocol *p, const record_context *c, char words[FAULT_WORDS])
{
    if (p->explain && p->explain(c, words, FAULT_WORDS))
        return words;
    return fault_text(formats[c->format]->faults, c->fault, c->fault_value, words, FAULT_WORDS);
}

static void tree_add_fault(const tree_protocol *p, proto_item *item, const record_seen *seen, const record_context *c)
{
    char text[FAULT_WORDS];
    const char *words = fault_words(p, c, text);
    expert_field *ei = &(c->flags & CONTEXT_TRUNCATED ? ei_truncated : ei_malformed)[*p->number];
    if (c->length == 0 && p->missing) {
        expert_add_info_format(seen->packet, item, p->missing, "%s", words);
        return;
    }
    expert_add_info_format(seen->packet, item, ei, "%s (byte %u of the record, offset %" PRIu64 " of the file)", words,
                           c->fault_at, c->offset + c->fault_at);
}

void tree_add_position(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, const record_context *c)
{
    if (!tree_fields_needed(tree, hf_offset[*p->number], hf_byte_order[*p->number]))
        return;
    tree_generated(tree, hf_offset[*p->number], tvb, c->offset);
    tree_generated(tree, hf_length[*p->number], tvb, c->length);
    tree_generated(tree, hf_byte_order[*p->number], tvb, (c->flags & CONTEXT_BIG_ENDIAN) != 0);
}

void tree_add_record(const tree_protocol *p, proto_tree *tree, proto_item *item, const record_seen *seen, tvbuff_t *tvb,
                     const record_context *c)
{
    if (c->fault != FAULT_NONE)
        tree_add_fault(p, item, seen, c);
    if (c->flags & CONTEXT_TIME_CUT && p->cuts_times)
        expert_add_info(seen->packet, item, &ei_time_cut[*p->number]);
    if (!tree)
        return;
    tree_add_position(p, tree_branch(tree, tvb, ett_record, "Record"), tvb, c);
}

const char *tree_numbered(tree_numbers *n, const record_seen *seen, uint64_t number)
{
    info_text t;
    if (number < TREE_NUMBERS_KEPT && n->kept[number])
        return n->kept[number];
    info_begin(&t);
    info_add(&t, n->kind);
    info_add_uint(&t, number);
    if (number >= TREE_NUMBERS_KEPT)
        return info_keep(seen, &t);
    return n->kept[number] = g_strdup(t.text);
}

enum { ADDRESS_WIDTH = 20 }; /* characters in Wireshark's usual columns */

static int append_cut(const address *a, char *text, int size)
{
    g_autoptr(GString) cut = g_string_new(NULL);
    const shown_name name = {.text = a->data, .remark = ((const uint8_t *)a->data)[a->len - 1]};
    short_name_append_cut(cut, &name, ADDRESS_WIDTH, 0);
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

/* In a window the remark of a name is known by a byte after its text. */
static void set_text(const record_seen *seen, address *network, address *shown, shown_name name)
{
    if (!name.text)
        return;
    const size_t length = strlen(name.text) + 1;
    if (address_kind() == AT_STRINGZ) {
        set_address(shown, AT_STRINGZ, (int)length, name.text);
    } else {
        char *kept = wmem_alloc(seen->pool, length + 1);
        memcpy(kept, name.text, length);
        kept[length] = (char)name.remark;
        set_address(shown, address_kind(), (int)length + 1, kept);
    }
    *network = *shown;
}

void tree_set_source(const record_seen *seen, shown_name name)
{
    set_text(seen, &seen->packet->net_src, &seen->packet->src, name);
}

void tree_set_destination(const record_seen *seen, shown_name name)
{
    set_text(seen, &seen->packet->net_dst, &seen->packet->dst, name);
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
        tree_row_set_time(row, hf, ns);
        return;
    }
    bool cut;
    const nstime_t t = tree_row_limited(ns, &cut);
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
    const tree_row *row = tree_row_of(tree);
    if (!tree_field_needed(tree, hf))
        return;
    if (row) {
        tree_row_set_us(row, hf, (double)ns / 1000);
        return;
    }
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
