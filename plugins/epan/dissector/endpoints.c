/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/endpoints.h"

#include <epan/conversation_table.h>

#include <string.h>

#include "host/callbacks.h"
#include "statistics/rows.h"

static const endpoints *registered[CALLBACKS_COUNT];
static unsigned registered_count;

/* --- fields ------------------------------------------------------------------------------------------------------------ */

void endpoints_append(endpoints_of *of, const char *what, uint64_t number, bool hexadecimal)
{
    info_text *t = &of->numbers[of->count];
    info_begin(t);
    info_add(t, what);
    if (hexadecimal)
        info_add_hex(t, number);
    else
        info_add_uint(t, number);
    of->names[of->count++] = t->text;
}

/* The menu puts names between quotation marks without escaping them. So quotation marks and backslashes are replaced by
 * similar characters. */
void endpoints_append_name(endpoints_of *of, const record_seen *seen, const char *what, const char *name)
{
    wmem_strbuf_t *t = wmem_strbuf_new(seen->pool, what);
    for (size_t n; *name; name += n) {
        n = strcspn(name, "\"\\");
        wmem_strbuf_append_len(t, name, n);
        if (name[n])
            wmem_strbuf_append(t, name[n++] == '"' ? "\u201d" : "\u2216");
    }
    of->names[of->count++] = wmem_strbuf_get_str(t);
}

static void add_hidden(proto_tree *tree, int hf, tvbuff_t *tvb, const char *name)
{
    if (!tree_field_needed(tree, hf))
        return;
    proto_item *item = tree_add_string(tree, hf, tvb, 0, 0, name);
    proto_item_set_generated(item);
    proto_item_set_hidden(item);
}

void endpoints_add(proto_tree *tree, const endpoints *e, tvbuff_t *tvb, const endpoints_of *of)
{
    for (unsigned i = 0; i < of->count; i++)
        add_hidden(tree, *e->any.hf, tvb, of->names[i]);
    if (!e->source.hf || of->count < 2)
        return;
    add_hidden(tree, *e->source.hf, tvb, of->names[of->back]);
    add_hidden(tree, *e->destination.hf, tvb, of->names[!of->back]);
}

bool endpoints_wanted(proto_tree *tree, const endpoints *e)
{
    return tree_field_needed(tree, *e->any.hf) ||
           (e->source.hf && (tree_field_needed(tree, *e->source.hf) || tree_field_needed(tree, *e->destination.hf)));
}

/* --- tables ------------------------------------------------------------------------------------------------------------ */

/* Valid as long as the text. */
static address endpoints_address_of(const char *text)
{
    address a;
    set_address(&a, AT_STRINGZ, (int)strlen(text) + 1, text);
    return a;
}

/* The row for all others cannot be a filter. */
static bool is_others(const address *a)
{
    return strcmp(a->data, TEXT_OTHERS) == 0;
}

static const char *conversation_filter(unsigned n, const conv_item_t *item, conv_filter_type_e which)
{
    const endpoints *e = registered[n];
    if (is_others(&item->src_address))
        return CONV_FILTER_INVALID;
    switch (which) {
    case CONV_FT_ANY_ADDRESS:
        return e->any.name;
    case CONV_FT_SRC_ADDRESS:
        return e->source.hf ? e->source.name : e->any.name;
    case CONV_FT_DST_ADDRESS:
        return e->source.hf ? e->destination.name : e->any.name;
    default:
        return CONV_FILTER_INVALID;
    }
}

static const char *endpoint_filter(unsigned n, const endpoint_item_t *item, conv_filter_type_e which)
{
    return which == CONV_FT_ANY_ADDRESS && !is_others(&item->myaddress) ? registered[n]->any.name : CONV_FILTER_INVALID;
}

/* Returns whether Wireshark's table has an entry for a key, or room for one: a row needs 350 bytes. */
static bool endpoints_has_room(const conv_hash_t *hash, const void *key, const void *others, const packet_info *pinfo)
{
    counting_limit l = LIMIT_OF_ROWS;
    if (!hash->conv_array || limit_allows_row(&l, hash->conv_array->len))
        return true;
    l.full = g_hash_table_contains(hash->hashtable, others);
    l.counted = pinfo->num;
    return limit_allows_row(&l, hash->conv_array->len) || g_hash_table_contains(hash->hashtable, key);
}

static bool count_conversation(unsigned n, conv_hash_t *hash, packet_info *pinfo, const void *tapped,
                               ct_dissector_info_t *info)
{
    endpoints_of of = {.bytes = (int)pinfo->fd->pkt_len};
    const record_seen seen = record_seen_of(pinfo);
    registered[n]->find(&seen, tapped, &of);
    if (of.count < 2)
        return false;
    conv_key_t key = {.addr1 = endpoints_address_of(of.names[of.back]),
                      .addr2 = endpoints_address_of(of.names[!of.back]),
                      .conv_id = of.stream ? of.stream : CONV_ID_UNSET};
    const address rest = endpoints_address_of(TEXT_OTHERS);
    const conv_key_t others = {.addr1 = rest, .addr2 = rest, .conv_id = CONV_ID_UNSET};
    if (!endpoints_has_room(hash, &key, &others, pinfo))
        key = others;
    add_conversation_table_data_with_conv_id(hash, &key.addr1, &key.addr2, 0, 0, key.conv_id, 1, of.bytes, &pinfo->rel_ts,
                                             &pinfo->abs_ts, info, CONVERSATION_NONE);
    return true;
}

static bool count_endpoints(unsigned n, conv_hash_t *hash, packet_info *pinfo, const void *tapped, et_dissector_info_t *info)
{
    endpoints_of of = {.bytes = (int)pinfo->fd->pkt_len};
    const record_seen seen = record_seen_of(pinfo);
    registered[n]->find(&seen, tapped, &of);
    for (unsigned i = 0; i < of.count; i++) {
        const endpoint_key_t own = {.myaddress = endpoints_address_of(of.names[i])},
                             others = {.myaddress = endpoints_address_of(TEXT_OTHERS)};
        const endpoint_key_t *key = endpoints_has_room(hash, &own, &others, pinfo) ? &own : &others;
        add_endpoint_table_data(hash, &key->myaddress, 0, (i == 0) != of.back, 1, of.bytes, info, ENDPOINT_NONE);
    }
    return of.count > 0;
}

#define FUNCTIONS(n) \
    static const char *conversation_filter_##n(conv_item_t *item, conv_filter_type_e which) \
    { \
        return conversation_filter(n, item, which); \
    } \
    static const char *endpoint_filter_##n(endpoint_item_t *item, conv_filter_type_e which) \
    { \
        return endpoint_filter(n, item, which); \
    } \
    static tap_packet_status conversation_packet_##n(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, \
                                                     const void *tapped, tap_flags_t flags) \
    { \
        static ct_dissector_info_t info = {conversation_filter_##n}; \
        ((conv_hash_t *)data)->flags = flags; \
        return count_conversation(n, data, pinfo, tapped, &info) ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW; \
    } \
    static tap_packet_status endpoint_packet_##n(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, \
                                                 const void *tapped, tap_flags_t flags) \
    { \
        static et_dissector_info_t info = {endpoint_filter_##n}; \
        ((conv_hash_t *)data)->flags = flags; \
        return count_endpoints(n, data, pinfo, tapped, &info) ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW; \
    }
CALLBACKS(FUNCTIONS)

void endpoints_register(int proto, const endpoints *e)
{
#define CONVERSATION_PACKET(n) conversation_packet_##n,
#define ENDPOINT_PACKET(n) endpoint_packet_##n,
    static const tap_packet_cb conversations[] = {CALLBACKS(CONVERSATION_PACKET)}, ends[] = {CALLBACKS(ENDPOINT_PACKET)};
    unsigned n = callbacks_take(&registered_count, CALLBACKS_COUNT, e->any.name);
    registered[n] = e;
    register_conversation_table(proto, TRUE, conversations[n], ends[n]);
}
