/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/listening.h"

#include <wiretap/wtap.h>

#include "core/opened_trace.h"
#include "host/menus.h"
#include "host/open_file.h"
#include "host/options.h"
#include "util/fail.h"

static const record_sink *counter;
static listening_compile compile_filter;
static struct open_counting *const counting = &open_file.counting;

/* Returns whether Wireshark would call our dissector for the records of the file. */
static bool is_ours(const char *protocol)
{
    dissector_table_t table = find_dissector_table("wtap_encap");
    dissector_handle_t handle = dissector_get_uint_handle(table, (uint32_t)wtap_name_to_encap(protocol));
    const int proto = proto_get_id_by_filter_name(protocol);
    return handle && handle != find_dissector(protocol) && dissector_handle_get_protocol_index(handle) == proto &&
           proto_is_protocol_enabled(find_protocol_by_id(proto));
}

static bool may_count(void)
{
    const opened *o = opened_trace_last();
    if (menus_windows() || !counter || !o || !o->sequential || !is_ours(o->protocol))
        return false;
    const options_asked asked = options_of_process();
    counting->alone = !asked.every;
    counting->ignored = asked.filter && asked.quiet && !asked.records && !asked.every;
    return asked.known && !asked.sessions;
}

static void add_direct(const char *tap, void *data, dfilter_t *filter, const listening_calls *calls)
{
    listener *l = g_new(listener, 1);
    *l = (listener){.tap = find_tap_id(tap),
                    .data = data,
                    .count = calls->count,
                    .counted = calls->counted ? calls->counted : &l->data,
                    .filter = filter,
                    .next = counting->listeners};
    counting->listeners = l;
    *record_sink_shared() = *counter;
}

bool listening_add(const char *tap, void *data, const char *filter, bool tree, const listening_calls *calls, GError **error)
{
    const bool may = may_count();
    dfilter_t *compiled = may && filter ? compile_filter(filter) : NULL;
    const bool direct = may && (!filter || compiled);
    GString *wrong = register_tap_listener(tap, data, filter,
                                           direct ? TL_IS_DISSECTOR_HELPER
                                           : tree ? TL_REQUIRES_PROTO_TREE
                                                  : TL_REQUIRES_NOTHING,
                                           calls->reset, calls->packet, calls->draw, calls->finish);
    if (wrong) {
        fail_with(error, "%s", wrong->str);
        g_string_free(wrong, TRUE);
        dfilter_free(compiled);
        return false;
    }
    if (direct)
        add_direct(tap, data, compiled, calls);
    return true;
}

const char *listening_tap(const char *tap, const char *records)
{
    const opened *o = opened_trace_last();
    return records && o && !o->timed ? records : tap;
}

void listening_sums(const void *data, const parallel_sums *how, void *own)
{
    for (listener *l = counting->listeners; l; l = l->next)
        if (l->data == data)
            l->threads = (parallel_listener){.how = how, .data = own};
}

void listening_end(void)
{
    *record_sink_shared() = (record_sink){0};
    while (counting->listeners) {
        listener *l = counting->listeners;
        counting->listeners = l->next;
        dfilter_free(l->filter);
        g_free(l);
    }
}

void listening_register(const record_sink *sink, listening_compile compile)
{
    counter = sink;
    compile_filter = compile;
}
