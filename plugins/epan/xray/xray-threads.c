/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads and CPUs in Wireshark's own tables: Statistics > Conversations shows which thread ran on which CPU, Endpoints the
 * threads and CPUs by themselves. */
#include "table.h"
#include "xray-calls.h"

#include <epan/conversation_table.h>

#include "tree.h"
#include "xray-threads.h"

/* An address is a text, as the menu of these windows makes filters of it: NAME=="thread 9706". One field has both, since the two
 * sides of "A <-> B" go by one name; and as nothing is sent from a thread to a CPU, it is the name for every direction. */
static int hf_endpoint = -1;
static const char endpoint_field[] = "xray.endpoint";

static info_text text_of(const char *what, uint32_t number)
{
    info_text t;
    info_begin(&t);
    info_add(&t, what);
    info_add_uint(&t, number);
    return t;
}

/* Lasts as long as the text. */
static address address_of(const char *text)
{
    address a;
    set_address(&a, AT_STRINGZ, (int)strlen(text) + 1, text);
    return a;
}

static bool has_both(const record_context *c)
{
    return (xray_context_of(c)->known & XRAY_KNOWN_THREAD) && (xray_context_of(c)->known & XRAY_KNOWN_CPU);
}

/* --- fields ---------------------------------------------------------------------------------------------------------------- */

/* Hidden: thread and CPU are seen as numbers already. */
static void add_endpoint_text(proto_tree *tree, tvbuff_t *tvb, info_text text)
{
    proto_item *item = proto_tree_add_string(tree, hf_endpoint, tvb, 0, 0, text.text);
    proto_item_set_generated(item);
    proto_item_set_hidden(item);
}

void xray_threads_add(proto_tree *tree, tvbuff_t *tvb, const record_context *c)
{
    if (!has_both(c) || !tree_wants(tree, hf_endpoint))
        return;
    add_endpoint_text(tree, tvb, text_of("thread ", xray_context_of(c)->thread));
    add_endpoint_text(tree, tvb, text_of("CPU ", xray_context_of(c)->cpu));
}

/* --- tables ---------------------------------------------------------------------------------------------------------------- */

/* What has no row of its own cannot be said in a filter. */
static bool is_others(const address *a)
{
    return strcmp(a->data, TABLE_OTHERS) == 0;
}

static const char *conversation_filter(conv_item_t *item, conv_filter_type_e which)
{
    bool address = which == CONV_FT_SRC_ADDRESS || which == CONV_FT_DST_ADDRESS || which == CONV_FT_ANY_ADDRESS;
    return address && !is_others(&item->src_address) ? endpoint_field : CONV_FILTER_INVALID;
}

static const char *endpoint_filter(endpoint_item_t *item, conv_filter_type_e which)
{
    return which == CONV_FT_ANY_ADDRESS && !is_others(&item->myaddress) ? endpoint_field : CONV_FILTER_INVALID;
}

static ct_dissector_info_t conversation_info = {conversation_filter};
static et_dissector_info_t endpoint_info = {endpoint_filter};

/* Whether Wireshark's table has what a key stands for, or room for it: a row takes 350 bytes. */
static bool has_room(const conv_hash_t *hash, const void *key, const packet_info *pinfo)
{
    return !hash->conv_array || table_has_room(hash->conv_array->len, pinfo->num) ||
           g_hash_table_contains(hash->hashtable, key);
}

static void add_endpoint(conv_hash_t *hash, const char *text, bool from, const packet_info *pinfo)
{
    const endpoint_key_t key = {.myaddress = address_of(text)};
    const address of = has_room(hash, &key, pinfo) ? key.myaddress : address_of(TABLE_OTHERS);
    add_endpoint_table_data(hash, &of, 0, from, 1, (int)pinfo->fd->pkt_len, &endpoint_info, ENDPOINT_NONE);
}

static tap_packet_status conversation_packet(void *data, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                             tap_flags_t flags)
{
    (void)edt;
    conv_hash_t *hash = data;
    const record_context *c = ((const xray_record *)tapped)->context;
    hash->flags = flags;
    if (!has_both(c))
        return TAP_PACKET_DONT_REDRAW;
    const info_text thread = text_of("thread ", xray_context_of(c)->thread), cpu = text_of("CPU ", xray_context_of(c)->cpu);
    conv_key_t key = {.addr1 = address_of(thread.text), .addr2 = address_of(cpu.text), .conv_id = CONV_ID_UNSET};
    if (!has_room(hash, &key, pinfo))
        key.addr1 = key.addr2 = address_of(TABLE_OTHERS);
    add_conversation_table_data(hash, &key.addr1, &key.addr2, 0, 0, 1, (int)pinfo->fd->pkt_len, &pinfo->rel_ts,
                                &pinfo->abs_ts, &conversation_info, CONVERSATION_NONE);
    return TAP_PACKET_REDRAW;
}

static tap_packet_status endpoint_packet(void *data, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                         tap_flags_t flags)
{
    (void)edt;
    conv_hash_t *hash = data;
    const record_context *c = ((const xray_record *)tapped)->context;
    hash->flags = flags;
    if (!has_both(c))
        return TAP_PACKET_DONT_REDRAW;
    add_endpoint(hash, text_of("thread ", xray_context_of(c)->thread).text, true, pinfo);
    add_endpoint(hash, text_of("CPU ", xray_context_of(c)->cpu).text, false, pinfo);
    return TAP_PACKET_REDRAW;
}

void xray_threads_register(int proto)
{
    static hf_register_info hf[] = {
        {&hf_endpoint,
         {"Endpoint", endpoint_field, FT_STRING, BASE_NONE, NULL, 0,
          "\"thread N\" and \"CPU N\", as in the tables of conversations and endpoints", HFILL}},
    };
    proto_register_field_array(proto, hf, array_length(hf));
    register_conversation_table(proto, TRUE, conversation_packet, endpoint_packet);
}
