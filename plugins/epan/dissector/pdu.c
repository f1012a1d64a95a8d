/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/pdu.h"

#include <epan/exported_pdu.h>
#include <epan/prefs.h>
#include <epan/tap.h>
#include <wiretap/wtap.h>

#include "host/hidden_records.h"
#include "host/environment.h"
#include "core/exported.h"
#include "core/stream.h"
#include "core/trace.h"
#include "containers/hash.h"
#include "host/notices.h"
#include "host/open_file.h"
#include "host/parallel.h"
#include "host/shortcuts.h"
#include "core/settings.h"
#include "core/settings_check.h"
#include "util/text.h"

static int proto_wiretrace = -1;
static int tap_export;

/* --- streams of exported records --------------------------------------------------------------------------------------- */

/* A stream of a trace in the open file. Its names are part of its identity: if somebody invents names, they get streams
 * of their own. */
typedef struct pdu_stream {
    uint64_t trace;
    uint32_t original;        /* number in its trace */
    uint32_t number;          /* number in the open file, from 0 */
    char *name, *description; /* NULL if there is none */
} pdu_stream;

/* A stream may need several times the memory of the one record that invents it. So only this many are distinguished, and
 * one more for every few records. All others share a number for which there are no names. */
#define STREAMS_MAX 65536u
#define RECORDS_PER_STREAM 4u
#define STREAM_SHARED UINT32_MAX

static struct open_streams *const streams = &open_file.streams;

static guint stream_hash(gconstpointer p)
{
    const pdu_stream *s = p;
    return hash_number(&s->trace) ^ hash_bytes(&s->original, sizeof s->original) ^ (s->name ? hash_text(s->name) : 0);
}

static gboolean stream_equal(gconstpointer a, gconstpointer b)
{
    const pdu_stream *x = a, *y = b;
    return x->trace == y->trace && x->original == y->original && g_strcmp0(x->name, y->name) == 0 &&
           g_strcmp0(x->description, y->description) == 0;
}

static void free_stream(gpointer p)
{
    pdu_stream *s = p;
    if (!s)
        return;
    g_free(s->name);
    g_free(s->description);
    g_free(s);
}

static char *pdu_text_of(const exported_text *t)
{
    return t->length ? text_show(t->data, (ptrdiff_t)t->length) : NULL;
}

/* The number of the record's stream in the open file, or STREAM_SHARED. */
static uint32_t stream_number(const exported *e, uint32_t frame)
{
    if (!streams->all) {
        streams->all = g_hash_table_new_full(stream_hash, stream_equal, free_stream, NULL);
        streams->numbers = g_ptr_array_new();
    }
    pdu_stream *s = g_new(pdu_stream, 1);
    *s = (pdu_stream){.trace = e->context.trace,
                      .original = e->context.stream,
                      .number = streams->numbers->len,
                      .name = pdu_text_of(&e->stream),
                      .description = pdu_text_of(&e->description)};
    const pdu_stream *known = g_hash_table_lookup(streams->all, s);
    if (known) {
        free_stream(s);
        return known->number;
    }
    if (streams->numbers->len >= STREAMS_MAX + frame / RECORDS_PER_STREAM) {
        free_stream(s);
        return STREAM_SHARED;
    }
    g_hash_table_add(streams->all, s);
    g_ptr_array_add(streams->numbers, s);
    return s->number;
}

static const pdu_stream *stream_at(uint32_t number)
{
    return streams->numbers && number < streams->numbers->len ? g_ptr_array_index(streams->numbers, number) : NULL;
}

/* The stream of an interface, from a cache, since Wireshark searches for names every time; *place: where it is, or is to be.
 * The names are copies, as Wireshark may reopen the file (after saving it) without a new start. */
static const pdu_stream *interface_cached(const record_context *c, uint32_t interface, pdu_stream ***place)
{
    if (!streams->interfaces)
        streams->interfaces = g_ptr_array_new_with_free_func(free_stream);
    if (interface >= streams->interfaces->len)
        g_ptr_array_set_size(streams->interfaces, (int)interface + 1);
    *place = (pdu_stream **)&g_ptr_array_index(streams->interfaces, interface);
    return **place && (**place)->trace == c->trace ? **place : NULL;
}

static const pdu_stream *interface_cache(pdu_stream **place, const record_context *c, char *name, char *description)
{
    free_stream(*place);
    *place = g_new(pdu_stream, 1);
    **place = (pdu_stream){.trace = c->trace, .name = name, .description = description};
    return *place;
}

/* Interfaces come from our own reader, which makes at most 65,536 of them. */
static const pdu_stream *interface_at(const record_seen *seen, const record_context *c)
{
    pdu_stream **place;
    const pdu_stream *known = interface_cached(c, seen->interface, &place);
    if (known || !seen->packet)
        return known;
    const epan_t *session = seen->packet->epan;
    return interface_cache(place, c, g_strdup(epan_get_interface_name(session, seen->interface COMPAT_SECTION)),
                           g_strdup(epan_get_interface_description(session, seen->interface COMPAT_SECTION)));
}

void pdu_note_streams(const record_context *c, const trace *from)
{
    pdu_stream **place;
    if (streams->interfaces && streams->noted == c->trace)
        return;
    streams->noted = c->trace;
    for (uint32_t i = 0; i < MIN(from->streams->len, TRACE_INTERFACES_MAX); i++) {
        const stream *s = trace_stream(from, i);
        if (!interface_cached(c, i, &place))
            interface_cache(place, c, text_show(s->name, -1), s->description ? text_show(s->description, -1) : NULL);
    }
}

/* NULL if the stream is unknown. */
static const pdu_stream *pdu_stream_of(const record_seen *seen, const record_context *c)
{
    if (c->flags & CONTEXT_EXPORTED)
        return stream_at(c->stream);
    return seen->interface == RECORD_SEEN_NO_INTERFACE ? NULL : interface_at(seen, c);
}

const char *pdu_stream_name(const record_seen *seen, const record_context *c)
{
    const pdu_stream *s = pdu_stream_of(seen, c);
    return s ? s->name : NULL;
}

const char *pdu_stream_description(const record_seen *seen, const record_context *c)
{
    const pdu_stream *s = pdu_stream_of(seen, c);
    return s ? s->description : NULL;
}

/* --- exporting --------------------------------------------------------------------------------------------------------- */

/* Wireshark frees a packet's comments before its taps run. This keeps them in a copy of the record, attached to the
 * packet: epan_dissect_reset() then frees its block. */
static void hold_comments(packet_info *pinfo)
{
    if (!pinfo->rec->block)
        return;
    wtap_rec *rec = wmem_memdup(pinfo->pool, pinfo->rec, sizeof *rec);
    wtap_block_ref(rec->block);
    pinfo->rec = rec;
}

/* Queues a PDU: `before`, and the bytes of the buffer, limited to what a capture file can hold. */
static void queue(packet_info *pinfo, tvbuff_t *tvb, const uint8_t *before, size_t before_length)
{
    exp_pdu_data_t *pdu = wmem_new0(pinfo->pool, exp_pdu_data_t);
    pdu->tlv_buffer = wmem_memdup(pinfo->pool, before, before_length);
    pdu->tlv_buffer_len = (unsigned)before_length;
    pdu->tvb_captured_length = MIN(tvb_captured_length(tvb), EXPORTED_PACKET_MAX - (unsigned)before_length);
    pdu->tvb_reported_length = tvb_reported_length(tvb);
    pdu->pdu_tvb = tvb;
    hold_comments(pinfo);
    tap_queue_packet(tap_export, pinfo, pdu);
}

/* Exports an exported record unchanged: `tvb` begins with its context, which has been checked. */
static void export_again(tvbuff_t *tvb, packet_info *pinfo, const char *filter)
{
    GByteArray *before = g_byte_array_new();
    exported_append_tags(before, filter);
    queue(pinfo, tvb, before->data, before->len);
    g_byte_array_free(before, TRUE);
}

/* --- entry points ------------------------------------------------------------------------------------------------------ */

void pdu_export(tvbuff_t *tvb, packet_info *pinfo, const record_context *c)
{
    if (!have_tap_listener(tap_export))
        return;
    GByteArray *before = g_byte_array_new();
    const record_seen seen = record_seen_of(pinfo);
    exported_append(before, c, pdu_stream_name(&seen, c), pdu_stream_description(&seen, c));
    queue(pinfo, tvb, before->data, before->len);
    g_byte_array_free(before, TRUE);
}

static void show_malformed(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const protocol *p, const char *reason)
{
    col_set_str(pinfo->cinfo, COL_PROTOCOL, p->column);
    col_add_fstr(pinfo->cinfo, COL_INFO, "Malformed exported record: %s", reason);
    proto_item *item = proto_tree_add_item(tree, *p->tree.proto, tvb, 0, -1, ENC_NA);
    expert_add_info_format(pinfo, item, tree_malformed(&p->tree), "This exported record cannot be read: %s", reason);
}

/* On the terminal, for programs that show no notices; see notices_add_settings(). */
static void report_ignored(const protocol *p)
{
    g_autofree char *ignored = open_file.settings_reported ? NULL : settings_ignored(p->filter);
    if (ignored)
        notices_say(NOTICE_WARNING, "%s", ignored);
    open_file.settings_reported = true;
}

const record_context *pdu_read(tvbuff_t **of, packet_info *pinfo, proto_tree *tree, const protocol *p)
{
    tvbuff_t *tvb = *of;
    exported e;
    g_autoptr(GError) error = NULL;
    unsigned length = tvb_captured_length(tvb);
    const uint8_t *bytes = length ? tvb_get_ptr(tvb, 0, (int)length) : NULL;
    if (!exported_read(bytes, length, p->filter, &e, &error)) {
        show_malformed(tvb, pinfo, tree, p, error->message);
        return NULL;
    }
    report_ignored(p);
    if (have_tap_listener(tap_export))
        export_again(tvb, pinfo, p->filter);
    record_context *c = wmem_memdup(pinfo->pool, &e.context, sizeof e.context);
    c->stream = stream_number(&e, pinfo->num);
    c->flags |= CONTEXT_EXPORTED | CONTEXT_RANDOM_ACCESS;
    proto_item *item = proto_tree_add_item(tree, proto_wiretrace, tvb, 0, (int)e.length, ENC_NA);
    if (c->stream == STREAM_SHARED)
        expert_add_info_format(pinfo, item, tree_malformed(&p->tree),
                               "too many streams: what belongs to this one is not known");
    *of = tvb_new_subset_remaining(tvb, (compat_offset)e.length);
    return c;
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

static wsbool preference_pdu;

static void pdu_apply_preferences(void)
{
    static bool set;
    environment_prefer(EXPORTED_VARIABLE, preference_pdu ? "1" : "0", !preference_pdu, &set);
}

void pdu_register(void)
{
    proto_wiretrace = proto_register_protocol("Wiretrace context of the record", "Wiretrace", "wiretrace");
    module_t *module = prefs_register_protocol(proto_wiretrace, pdu_apply_preferences);
    prefs_register_bool_preference(module, "pdu", "Open traces as exported PDUs",
                                   "Each record then carries its context, so that the capture can be saved as pcapng, "
                                   "with comments. Takes effect at the next open or reload.",
                                   &preference_pdu);
    parallel_register(module);
    shortcuts_register(module);
    tap_export = register_export_pdu_tap("Wiretrace");
}
