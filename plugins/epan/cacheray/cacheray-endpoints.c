/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads, cache lines and types in Wireshark's Statistics menu: Conversations shows which thread accesses which line,
 * and Endpoints each of them. Writes go from the thread to the line, reads back. */
#include "cacheray-analysis.h"
#include "endpoints.h"

static int hf_endpoint = -1;

static void find(const packet_info *pinfo, const void *tapped, endpoints_of *of)
{
    (void)pinfo;
    const cacheray_view *v = tapped;
    if (!v->is_access)
        return;
    of->bytes = v->size;
    of->back = v->kind == CACHERAY_READ;
    endpoints_append(of, "thread ", v->thread, false);
    endpoints_append(of, "line ", v->address & ~(uint64_t)(cacheray_analysis_line_size() - 1), true);
    if (v->number && v->type)
        endpoints_append_name(of, "type ", v->type);
}

void cacheray_endpoints_add(proto_tree *tree, tvbuff_t *tvb, const cacheray_view *v)
{
    if (!tree_wants(tree, hf_endpoint))
        return;
    endpoints_of of = {0};
    find(NULL, v, &of);
    endpoints_add(tree, hf_endpoint, tvb, &of);
}

void cacheray_endpoints_register(int proto)
{
    static const endpoints lines = {"cacheray.endpoint", find};
    static hf_register_info hf[] = {
        {&hf_endpoint,
         {"Endpoint", "cacheray.endpoint", FT_STRING, BASE_NONE, NULL, 0,
          "\"thread N\", \"line 0xN\" and \"type NAME\", as in the tables of conversations and endpoints", HFILL}},
    };
    proto_register_field_array(proto, hf, array_length(hf));
    endpoints_register(proto, &lines);
}
