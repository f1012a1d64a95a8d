/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads, cache lines and types in Wireshark's Statistics menu: Conversations shows which thread accesses which line,
 * and Endpoints each of them. Writes go from the thread to the line, reads back. */
#include "cacheray_dissector/fields.h"
#include "cacheray_dissector/settings.h"
#include "dissector/endpoints.h"

static int hf_endpoint = -1;
static int hf_source = -1;
static int hf_destination = -1;

static void cacheray_endpoints_find(const record_seen *seen, const void *tapped, endpoints_of *of)
{
    const cacheray_tapped *v = tapped;
    if (!v->is_access)
        return;
    of->bytes = v->size;
    of->back = v->kind == CACHERAY_READ;
    endpoints_append(of, "thread ", v->thread, false);
    endpoints_append(of, "line ", v->placed & ~(uint64_t)(cacheray_settings_line_size() - 1), true);
    if (v->number && v->type)
        endpoints_append_name(of, seen, "type ", v->type);
}

static const endpoints lines = {.any = {"cacheray.endpoint", &hf_endpoint},
                                .source = {"cacheray.endpoint.source", &hf_source},
                                .destination = {"cacheray.endpoint.destination", &hf_destination},
                                .find = cacheray_endpoints_find};

void cacheray_endpoints_add(proto_tree *tree, tvbuff_t *tvb, const record_seen *seen, const cacheray_tapped *v)
{
    if (!endpoints_wanted(tree, &lines))
        return;
    endpoints_of of = {0};
    cacheray_endpoints_find(seen, v, &of);
    endpoints_add(tree, &lines, tvb, &of);
}

void cacheray_endpoints_register(int proto)
{
    static hf_register_info hf[] = {
        {&hf_endpoint,
         {"Endpoint", "cacheray.endpoint", FT_STRING, BASE_NONE, NULL, 0,
          "\"thread N\", \"line 0xN\" and \"type NAME\", as in the tables of conversations and endpoints", HFILL}},
        {&hf_source,
         {"From", "cacheray.endpoint.source", FT_STRING, BASE_NONE, NULL, 0,
          "The thread of a write, the line of a read, as in the table of conversations", HFILL}},
        {&hf_destination,
         {"To", "cacheray.endpoint.destination", FT_STRING, BASE_NONE, NULL, 0,
          "The line of a write, the thread of a read, as in the table of conversations", HFILL}},
    };
    tree_fields_register(proto, hf, array_length(hf));
    endpoints_register(proto, &lines);
}
