/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads and CPUs in Wireshark's own tables: Statistics > Conversations shows which thread ran on which CPU, Endpoints the
 * threads and CPUs by themselves. */
#include "table.h"
#include "xray-calls.h"

#include <epan/address_types.h>
#include <epan/conversation_table.h>

#include "xray/xray.h"

void xray_threads_register(int proto);

/* Addresses that print as what the filter field compares with. One without a number stands for all that have no room. */
static int thread_type, cpu_type;

static int number_text(const address *a, char *text, int size)
{
    if (a->len == 0)
        return (int)g_strlcpy(text, TABLE_OTHERS, (size_t)size) + 1;
    return snprintf(text, (size_t)size, "%u", *(const uint32_t *)a->data) + 1;
}

static int number_text_length(const address *a)
{
    (void)a;
    return sizeof "4294967295";
}

static int number_length(void)
{
    return sizeof(uint32_t);
}

static const char *field_of(const address *a)
{
    return a->type == thread_type ? "xray.thread" : "xray.cpu";
}

static const char *conversation_filter(conv_item_t *item, conv_filter_type_e which)
{
    switch (which) {
    case CONV_FT_SRC_ADDRESS:
        return field_of(&item->src_address);
    case CONV_FT_DST_ADDRESS:
        return field_of(&item->dst_address);
    default:
        return CONV_FILTER_INVALID;
    }
}

static const char *endpoint_filter(endpoint_item_t *item, conv_filter_type_e which)
{
    return which == CONV_FT_ANY_ADDRESS ? field_of(&item->myaddress) : CONV_FILTER_INVALID;
}

static ct_dissector_info_t conversation_info = {conversation_filter};
static et_dissector_info_t endpoint_info = {endpoint_filter};

/* Thread and CPU of a record of a thread; false for others. */
static bool addresses(const xray_record *r, const uint32_t *cpu, address *thread_address, address *cpu_address)
{
    const xray_context *x = xray_context_of(r->context);
    if (!(x->known & XRAY_KNOWN_THREAD) || !(x->known & XRAY_KNOWN_CPU))
        return false;
    set_address(thread_address, thread_type, sizeof x->thread, &x->thread);
    set_address(cpu_address, cpu_type, sizeof *cpu, cpu);
    return true;
}

/* Whether Wireshark's table has what a key stands for, or room for it: a row takes 350 bytes. */
static bool has_room(const conv_hash_t *hash, const void *key, const packet_info *pinfo)
{
    return !hash->conv_array || table_has_room(hash->conv_array->len, pinfo->num) ||
           g_hash_table_contains(hash->hashtable, key);
}

static void add_endpoint(conv_hash_t *hash, const address *of, bool from, const packet_info *pinfo)
{
    const endpoint_key_t key = {.myaddress = *of};
    address others;
    set_address(&others, of->type, 0, NULL);
    add_endpoint_table_data(hash, has_room(hash, &key, pinfo) ? of : &others, 0, from, 1, (int)pinfo->fd->pkt_len,
                            &endpoint_info, ENDPOINT_NONE);
}

static tap_packet_status conversation_packet(void *data, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                             tap_flags_t flags)
{
    (void)edt;
    conv_hash_t *hash = data;
    const xray_record *r = tapped;
    uint32_t cpu = xray_context_of(r->context)->cpu;
    address from, to;
    hash->flags = flags;
    if (!addresses(r, &cpu, &from, &to))
        return TAP_PACKET_DONT_REDRAW;
    const conv_key_t key = {.addr1 = from, .addr2 = to, .conv_id = CONV_ID_UNSET};
    if (!has_room(hash, &key, pinfo)) {
        set_address(&from, thread_type, 0, NULL);
        set_address(&to, cpu_type, 0, NULL);
    }
    add_conversation_table_data(hash, &from, &to, 0, 0, 1, (int)pinfo->fd->pkt_len, &pinfo->rel_ts, &pinfo->abs_ts,
                                &conversation_info, CONVERSATION_NONE);
    return TAP_PACKET_REDRAW;
}

static tap_packet_status endpoint_packet(void *data, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                         tap_flags_t flags)
{
    (void)edt;
    conv_hash_t *hash = data;
    const xray_record *r = tapped;
    uint32_t cpu = xray_context_of(r->context)->cpu;
    address from, to;
    hash->flags = flags;
    if (!addresses(r, &cpu, &from, &to))
        return TAP_PACKET_DONT_REDRAW;
    add_endpoint(hash, &from, true, pinfo);
    add_endpoint(hash, &to, false, pinfo);
    return TAP_PACKET_REDRAW;
}

void xray_threads_register(int proto)
{
    thread_type = address_type_dissector_register("AT_XRAY_THREAD", "XRay thread", number_text, number_text_length, NULL,
                                                  NULL, number_length, NULL, NULL);
    cpu_type = address_type_dissector_register("AT_XRAY_CPU", "XRay CPU", number_text, number_text_length, NULL, NULL,
                                               number_length, NULL, NULL);
    register_conversation_table(proto, TRUE, conversation_packet, endpoint_packet);
}
