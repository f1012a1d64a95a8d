/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Relations between records of an ovni trace, for Wireshark's menus: the same thread, process, task, CPU or rank; and a
 * thread as text. */
#include "ovni_dissector/fields.h"
#include "ovni_dissector/names.h"
#include "ovni_dissector/record.h"
#include "host/record_numbers.h"
#include "dissector/pdu.h"
#include "dissector/relations.h"

static int hf_stream = -1;

/* --- filters ----------------------------------------------------------------------------------------------------------- */

/* Numbers of processes and CPUs are unique only in a loom. */
static void append_loom(const dissection *d, wmem_strbuf_t *filter)
{
    const char *loom = pdu_stream_description(d->seen, d->context);
    if (loom && *loom)
        relations_and_text(filter, "ovni.loom", loom);
}

static void append_process(const dissection *d, wmem_strbuf_t *filter)
{
    const ovni_context *o = ovni_context_of(d->context);
    if (!(o->known & OVNI_KNOWN_PROCESS))
        return;
    append_loom(d, filter);
    relations_and(filter, "ovni.process", o->process);
}

static void ovni_relations_append_thread(const dissection *d, wmem_strbuf_t *filter)
{
    const ovni_context *o = ovni_context_of(d->context);
    if (!(o->known & OVNI_KNOWN_THREAD))
        return;
    append_process(d, filter);
    relations_and(filter, "ovni.thread", o->thread);
}

/* Task ids are unique only in a process and model. */
static void append_task(const dissection *d, wmem_strbuf_t *filter)
{
    const ovni_tapped *r = ovni_tapped_of(d);
    if (!r->has_state || !r->known.has_task || !r->known.task.has_id || !g_ascii_isalnum(r->mcv[0]))
        return;
    append_process(d, filter);
    wmem_strbuf_append_printf(filter, "%sovni.model == '%c'", wmem_strbuf_get_len(filter) ? " && " : "", r->mcv[0]);
    relations_and(filter, "ovni.task.id", r->known.task.id);
}

static void append_cpu(const dissection *d, wmem_strbuf_t *filter)
{
    const ovni_tapped *r = ovni_tapped_of(d);
    if (!r->has_state || !r->known.thread.cpu_known)
        return;
    append_loom(d, filter);
    relations_and(filter, "ovni.cpu", r->known.thread.cpu);
}

static void append_rank(const dissection *d, wmem_strbuf_t *filter)
{
    const ovni_context *o = ovni_context_of(d->context);
    if (o->known & OVNI_KNOWN_RANK)
        relations_and(filter, "ovni.rank", o->rank);
}

const protocol_filter ovni_filters[] = {
    {"ovni Thread", ovni_relations_append_thread},
    {"ovni Process", append_process},
    {"ovni Task", append_task},
    {"ovni CPU", append_cpu},
    {"ovni Rank", append_rank},
    {NULL, NULL},
};

/* --- a thread as text -------------------------------------------------------------------------------------------------- */

static void write_region(const ovni_tapped *r, const record_seen *seen, uint32_t before, protocol_line *line)
{
    char text[TEXT_PAIR], duration[32] = "no duration", model;
    const call *k = &r->known.region;
    const char *name = ovni_region_name(r->known.function, text, sizeof text, &model);
    bool ends = k->end == seen->number;
    line->depth = k->begin ? k->depth : 0;
    line->replaces = ends && before && record_frame(k->begin) == before;
    if (k->begin == 0)
        g_strlcpy(duration, "not entered in this stream", sizeof duration);
    else if (k->state & CALL_TIMED)
        relations_duration(k->duration, duration, sizeof duration);
    if (!ends && k->begin != seen->number) /* a task that pauses has not left its body */
        return;
    if (ends)
        line->text = g_strdup_printf("%s%s  %s", line->replaces ? "" : "} ", name ? name : "", duration);
    else
        line->text = g_strdup_printf("%s {", name ? name : "");
}

/* A value that does not nest, and how long the previous one lasted. */
static void ovni_relations_write_value(const ovni_tapped *r, protocol_line *line)
{
    char text[TEXT_PAIR], left[TEXT_PAIR], duration[32], model;
    const char *name = ovni_region_name(r->known.function, text, sizeof text, &model);
    const char *before = r->known.previous_function ? ovni_region_name(r->known.previous_function, left, sizeof left, &model)
                                                    : NULL;
    relations_duration(r->known.left.duration, duration, sizeof duration);
    if (before && r->known.left.state & CALL_TIMED)
        line->text = g_strdup_printf("= %s  after %s in %s", name ? name : "", duration, before);
    else
        line->text = g_strdup_printf("= %s", name ? name : "");
}

static bool ovni_relations_write_line(const void *tapped, const record_seen *seen, unsigned i, uint32_t before,
                                      protocol_line *line)
{
    const ovni_tapped *r = tapped;
    *line = (protocol_line){0};
    if (i > 0 || !r->has_state)
        return false;
    if (r->known.has_left)
        ovni_relations_write_value(r, line);
    else if (r->known.has_region)
        write_region(r, seen, before, line);
    return line->text != NULL;
}

const protocol_follower ovni_follower = {&hf_stream, ovni_relations_write_line};

void ovni_relations_register(int proto)
{
    static hf_register_info hf[] = {
        {&hf_stream,
         {"Stream number", "ovni.stream.number", FT_UINT32, BASE_DEC, NULL, 0,
          "Number of the stream in the trace, as in follow,ovni,ascii,N", TREE_PLAIN}},
    };
    tree_fields_register(proto, hf, array_length(hf));
}
