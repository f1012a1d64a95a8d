/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads and CPUs in Wireshark's Statistics menu: Conversations shows which thread ran on which CPU, and Endpoints each
 * of them. */
#include "dissector/endpoints.h"
#include "xray_dissector/fields.h"

static int hf_endpoint = -1;

static void xray_endpoints_find(const record_context *c, endpoints_of *of)
{
    const xray_context *x = xray_context_of(c);
    if (!(x->known & XRAY_KNOWN_THREAD) || !(x->known & XRAY_KNOWN_CPU))
        return;
    endpoints_append(of, "thread ", x->thread, false);
    endpoints_append(of, "CPU ", x->cpu, false);
    of->stream = c->stream;
}

static void find_tapped(const record_seen *seen _U_, const void *tapped, endpoints_of *of)
{
    xray_endpoints_find(((const xray_tapped *)tapped)->context, of);
}

/* Conversations of a thread and a CPU have no direction. */
static const endpoints threads = {.any = {"xray.endpoint", &hf_endpoint}, .find = find_tapped};

void xray_endpoints_add(proto_tree *tree, tvbuff_t *tvb, const record_context *c)
{
    if (!endpoints_wanted(tree, &threads))
        return;
    endpoints_of of = {0};
    xray_endpoints_find(c, &of);
    endpoints_add(tree, &threads, tvb, &of);
}

void xray_endpoints_register(int proto)
{
    static hf_register_info hf[] = {
        {&hf_endpoint,
         {"Endpoint", "xray.endpoint", FT_STRING, BASE_NONE, NULL, 0,
          "\"thread N\" and \"CPU N\", as in the tables of conversations and endpoints", HFILL}},
    };
    tree_fields_register(proto, hf, array_length(hf));
    endpoints_register(proto, &threads);
}
