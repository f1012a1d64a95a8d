/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Relations between records of an XRay log, for Wireshark's menus: the same thread, call or function; and a thread as
 * text. */
#include "host/record_numbers.h"
#include "dissector/relations.h"
#include "xray_dissector/calls.h"
#include "xray_dissector/fields.h"
#include "xray_dissector/names.h"
#include "xray_dissector/profile.h"
#include "xray/statistics/display.h"

static int hf_stream = -1;

/* --- filters ----------------------------------------------------------------------------------------------------------- */

static void xray_relations_append_thread(const dissection *d, wmem_strbuf_t *filter)
{
    const xray_context *x = xray_context_of(d->context);
    if (!(x->known & XRAY_KNOWN_THREAD))
        return;
    if (x->known & XRAY_KNOWN_PROCESS)
        relations_and(filter, "xray.process", x->process);
    relations_and(filter, "xray.thread", x->thread);
}

/* A call from entry to exit on its thread; for an argument or event, the call that it is in. Frame numbers alone are not
 * enough if records of several files are combined. */
static void append_call(const dissection *d, wmem_strbuf_t *filter)
{
    const xray_tapped *r = d->record;
    call k = r->call;
    if (!r->has_call || k.begin == 0)
        return;
    if (k.state & CALL_INSIDE && !xray_calls_find(k.begin, &k))
        return;
    xray_relations_append_thread(d, filter);
    wmem_strbuf_append_printf(filter, "%sframe.number >= %u", wmem_strbuf_get_len(filter) ? " && " : "",
                              record_frame(k.begin));
    if (record_frame(k.end))
        wmem_strbuf_append_printf(filter, " && frame.number <= %u", record_frame(k.end));
}

static void xray_relations_append_function(const dissection *d, wmem_strbuf_t *filter)
{
    const xray_tapped *r = d->record;
    if (r->has_function)
        relations_and(filter, "xray.function.id", r->function);
}

const protocol_filter xray_filters[] = {
    {"XRay Thread", xray_relations_append_thread},
    {"XRay Call and All Below It", append_call},
    {"XRay Function", xray_relations_append_function},
    {NULL, NULL},
};

/* --- a thread as text -------------------------------------------------------------------------------------------------- */

static const char *xray_relations_name_of(uint32_t function, xray_number number)
{
    return xray_name_words(xray_names_label(function), function, number).text;
}

static void write_entry(const xray_tapped *r, protocol_line *line)
{
    xray_number number;
    line->depth = r->call.depth;
    line->text = g_strdup_printf("%s {", xray_relations_name_of(r->function, number));
}

static void write_end(const xray_tapped *r, const span *ended, uint32_t before, protocol_line *line)
{
    xray_number number;
    char duration[32] = "not entered in this log";
    const call *k = &ended->call;
    const char *name = xray_relations_name_of(ended->function, number);
    line->depth = k->begin ? k->depth : 0;
    line->replaces = before && record_frame(k->begin) == before;
    if (k->state & CALL_TIMED)
        relations_duration(xray_nanoseconds(k->duration, xray_context_of(r->context)->frequency), duration, sizeof duration);
    else if (k->begin)
        g_strlcpy(duration, "no duration", sizeof duration);
    line->text = g_strdup_printf("%s%s  %s%s", line->replaces ? "" : "} ", name, duration,
                                 k->state & CALL_CLOSED ? ", no exit" : "");
}

/* An exit also shows which calls inside its own have no exit. */
static bool xray_relations_write_line(const void *tapped, const record_seen *seen _U_, unsigned i, uint32_t before,
                                      protocol_line *line)
{
    const xray_tapped *r = tapped;
    span ended;
    bool enters = r->context->kind == XRAY_ENTRY || r->context->kind == XRAY_ENTRY_ARGUMENTS;
    *line = (protocol_line){0};
    if (r->context->kind == XRAY_PROFILE_PATH)
        xray_profile_remark();
    if (enters && r->has_call && i == 0) {
        write_entry(r, line);
        return true;
    }
    if (xray_session_ended(r, i + 1, &ended) || (xray_session_ended(r, i, &ended) && xray_session_ended(r, 0, &ended))) {
        write_end(r, &ended, i == 0 ? before : 0, line);
        return true;
    }
    return false;
}

const protocol_follower xray_follower = {&hf_stream, xray_relations_write_line};

void xray_relations_register(int proto)
{
    static hf_register_info hf[] = {
        {&hf_stream,
         {"Stream", "xray.stream.number", FT_UINT32, BASE_DEC, NULL, 0,
          "Number of the thread in the log, as in follow,xray,ascii,N; 0: what belongs to none", TREE_PLAIN}},
    };
    tree_fields_register(proto, hf, array_length(hf));
}
