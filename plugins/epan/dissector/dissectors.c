/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/dissectors.h"

#include <epan/tap.h>
#include <stddef.h>
#include <wiretap/wtap.h>

#include "host/commands.h"
#include "host/hidden_records.h"
#include "host/record_numbers.h"
#include "dissector/asked.h"
#include "dissector/decode_as.h"
#include "dissector/direct.h"
#include "core/formats.h"
#include "host/menus.h"
#include "host/notices.h"
#include "host/open_file.h"
#include "host/shortcuts.h"
#include "dissector/pdu.h"
#include "dissector/protocol_check.h"
#include "dissector/record_rows.h"
#include "dissector/relations.h"
#include "dissector/tree_layouts.h"
#include "showing/wordless.h"

#ifndef PROTOCOLS_LIST /* tests have a list with one more */
#define PROTOCOLS_LIST "protocols.def"
#endif

#define PROTOCOL(name) extern const protocol name##_protocol;
#include PROTOCOLS_LIST
#undef PROTOCOL

static const protocol *const protocols[] = {
#define PROTOCOL(name) &name##_protocol,
#include PROTOCOLS_LIST
#undef PROTOCOL
};

static dissector_handle_t handles[G_N_ELEMENTS(protocols)];

/* --- dissecting a record ----------------------------------------------------------------------------------------------- */

/* The text lives until the next record, and columns are used before: col_set_str() is enough, which does not copy it. */
static void set_columns(const protocol *p, const dissection *d)
{
    static info_text info;
    info_begin(&info);
    p->inform(d, &info);
    col_set_str(d->seen->packet->cinfo, COL_INFO, info.text);
    if (p->address)
        p->address(d);
}

static void set_line(const protocol *p, const dissection *d)
{
    info_text line;
    info_begin(&line);
    if (p->write_line_text)
        p->write_line_text(d, &line);
    else
        info_add(&line, val_to_str_const(d->context->kind, p->tree.kinds, "Unknown"));
    tree_set_line(d->item, p->line ? p->line : p->name, line.text);
}

/* Where the protocol's profile is chosen. */
static void add_profile(const protocol *p, const dissection *d)
{
    const char *sentence = notices_profile(d->seen, p->column);
    if (sentence)
        proto_tree_add_subtree(d->tree, d->tvb, 0, 0, tree_line(&p->tree), NULL, sentence);
}

static void dissectors_add_fields(const protocol *p, dissection *d)
{
    d->item = proto_tree_add_item(d->tree, *p->tree.proto, d->tvb, 0, -1, ENC_NA);
    if (tree_visible(d->tree))
        set_line(p, d);
    d->fields = proto_item_add_subtree(d->item, tree_line(&p->tree));
    p->add(d);
    tree_add_undecoded(&p->tree, d->fields, d->tvb, d->context->kind < KIND_PADDING, d->covered, (unsigned)d->bytes.length);
    if (p->follower && tree_field_needed(d->fields, *p->follower->stream))
        tree_generated(d->fields, *p->follower->stream, d->tvb, d->context->stream);
}

static void give_to_taps(const protocol *p, const dissection *d, listened l, const void *tapped)
{
    if (!tapped || !(l.analysis || l.records))
        return;
    record_rows_keep(p, d, tapped);
    if (l.records)
        tap_queue_packet(*p->records_tap, d->seen->packet, tapped);
    if (l.analysis)
        tap_queue_packet(*p->tap, d->seen->packet, tapped);
}

static void look_hidden(void *which, const hidden_record *r)
{
    max_align_t room[PROTOCOL_RECORD_MAX / sizeof(max_align_t)];
    const protocol *p = which;
    dissection d = {.seen = r->seen, .tree = r->tree, .context = r->context, .bytes = r->bytes, .record = room};
    d.asked = d.hidden = true;
    pdu_note_streams(r->context, r->trace);
    p->look(&d);
}

static void report_unknown(void)
{
    notices_say(NOTICE_FAILURE, "unknown: %s", hidden_problem());
}

/* Lets the analysis know what came before. */
static void visit_hidden_before(const protocol *p, dissection *d, listened l)
{
    d->asked = asked_among_others(d, l);
    hidden_note_record(d->seen, d->context);
    if (p->analyses && !p->analyses())
        return;
    if (d->seen->again || !d->asked) {
        d->unknown = hidden_problem() != NULL;
        return;
    }
    d->unknown = !hidden_visit(d->seen, d->tree, d->context, look_hidden, (void *)(uintptr_t)p);
    if (!d->unknown)
        open_file.unknown_reported = false;
    else if (l.analysis && !open_file.unknown_reported) {
        open_file.unknown_reported = true;
        report_unknown();
    }
}

/* The bytes of a record as a cursor in its byte order. Valid as long as the buffer. */
static cursor bytes_of(tvbuff_t *tvb, const record_context *c)
{
    unsigned length = tvb_captured_length(tvb);
    const uint8_t *data = length ? tvb_get_ptr(tvb, 0, (int)length) : NULL;
    return (cursor){data, length, (c->flags & CONTEXT_BIG_ENDIAN) != 0};
}

static void dissectors_show(const protocol *p, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const record_context *c)
{
    max_align_t room[PROTOCOL_RECORD_MAX / sizeof(max_align_t)];
    record_seen own = record_seen_of(pinfo), *seen = &own;
    dissection d = {.tvb = tvb, .tree = tree, .context = c, .bytes = bytes_of(tvb, c), .record = room};
    const listened l = asked_listened(p);
    if (direct_counts_dissected())
        return;
    if (l.analysis || l.records) {
        d.record = wmem_alloc(pinfo->pool, p->record_size);
        seen = wmem_memdup(pinfo->pool, &own, sizeof own);
    }
    d.seen = seen;
    d.listed = col_get_writable(pinfo->cinfo, COL_INFO);
    col_set_str(pinfo->cinfo, COL_PROTOCOL, p->column);
    visit_hidden_before(p, &d, l);
    seen->number = record_number(pinfo); /* known now */
    if (!tree)
        d.tree = record_rows_tree();
    const void *tapped = p->look(&d);
    d.tree = tree;
    if (d.listed)
        set_columns(p, &d);
    add_profile(p, &d);
    if (tree)
        dissectors_add_fields(p, &d);
    if (p->add_known)
        p->add_known(&d);
    tree_add_record(&p->tree, d.fields, d.item, d.seen, tvb, c);
    if (p->call_others)
        p->call_others(&d);
    give_to_taps(p, &d, l, tapped);
    if (tree_visible(tree)) {
        relations_note(p, &d);
        decode_as_note(p, &d);
    }
}

/* --- entry points: Wireshark's callbacks have no user data ------------------------------------------------------------- */

/* The protocol being called: Wireshark passes the same pointer to the name under which it was registered. */
static const protocol *current(const packet_info *pinfo)
{
    size_t i = 0;
    while (i < G_N_ELEMENTS(protocols) - 1 && protocols[i]->column != pinfo->current_proto)
        i++;
    return protocols[i];
}

/* Returns at least 1: for Wireshark, 0 would mean that the record is not ours. */
static int dissect_native(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const record_context *c = data; /* the pseudo-header */
    if (!c)
        return 0;
    pdu_export(tvb, pinfo, c);
    dissectors_show(current(pinfo), tvb, pinfo, tree, c);
    return MAX((int)tvb_captured_length(tvb), 1);
}

static int dissect_exported(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data _U_)
{
    const protocol *p = current(pinfo);
    tvbuff_t *bytes = tvb;
    const record_context *c = pdu_read(&bytes, pinfo, tree, p);
    if (c)
        dissectors_show(p, bytes, pinfo, tree, c);
    return (int)tvb_captured_length(tvb);
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

static void check_layouts(const protocol *p)
{
    unsigned count = 0;
    const layout *const *all = p->layouts ? p->layouts(&count) : NULL;
    tree_check(&p->tree, all, count);
}

static dissector_handle_t dissectors_register_one(const protocol *p)
{
    int proto = *p->tree.proto = proto_register_protocol(p->name, p->column, p->filter);
    tree_register_fields(&p->tree, p->filter, p->hf, p->hf_count);
    if (p->ei)
        expert_register_field_array(expert_register_protocol(proto), p->ei, p->ei_count);
    if (p->tap)
        *p->tap = register_tap(p->filter);
    menus_open(proto, p->filter, p->column);
    if (p->set_up)
        p->set_up(proto, prefs_register_protocol(proto, p->apply));
    if (p->picture)
        picture_register(p->picture);
    relations_register(p, proto);
    decode_as_register(p);
    record_rows_register(p);
    register_dissector(p->filter, dissect_exported, proto);
    return create_dissector_handle(dissect_native, proto);
}

/* The fields of all protocols have consecutive numbers, since they are registered together. */
static void note_fields(void)
{
    int last = 0;
    void *cookie;
    for (size_t i = 0; i < G_N_ELEMENTS(protocols); i++)
        for (const header_field_info *field = proto_get_first_protocol_field(*protocols[i]->tree.proto, &cookie); field;
             field = proto_get_next_protocol_field(*protocols[i]->tree.proto, &cookie))
            last = MAX(last, field->id);
    tree_note_fields(*protocols[0]->tree.proto, last);
}

static void dissectors_forget_file(void)
{
    direct_end();
    hidden_free(open_file.hidden.reader);
    notices_end();
    open_file_forget();
    for (size_t i = 0; i < G_N_ELEMENTS(protocols); i++)
        if (protocols[i]->forget_file)
            protocols[i]->forget_file();
}

/* Preferences and options are known by now. */
static void dissectors_open_file(void)
{
    dissectors_forget_file();
    tree_note_printed();
    for (size_t i = 0; i < G_N_ELEMENTS(protocols); i++)
        if (!menus_windows())
            wordless_check(protocols[i]->filter);
}

/* Does not return if a row is wrong. */
static void check_rows(void)
{
    GError *error = NULL;
    bool complete = true;
    for (size_t i = 0; i < G_N_ELEMENTS(protocols) && complete; i++)
        complete = protocol_check(protocols[i], &error);
    if (!complete || !protocol_check_formats(protocols, G_N_ELEMENTS(protocols), formats, FORMAT_COUNT, &error))
        ws_error("%s", error->message);
}

void dissectors_register(void)
{
    check_rows();
    pdu_register();
    direct_register(protocols);
    tree_register();
    tree_layouts_register();
    for (size_t i = 0; i < G_N_ELEMENTS(protocols); i++)
        handles[i] = dissectors_register_one(protocols[i]);
    note_fields();
    for (size_t i = 0; i < G_N_ELEMENTS(protocols); i++)
        check_layouts(protocols[i]);
    register_init_routine(dissectors_open_file);
    register_cleanup_routine(dissectors_forget_file);
}

/* The reader may have registered it already, or may not be loaded. */
static int dissectors_encapsulation_of(const protocol *p)
{
    int encap = wtap_name_to_encap(p->filter);
    char *description = g_strdup_printf("%s record", p->filter);
    if (encap < 0)
        encap = wtap_register_encap_type(description, p->filter);
    g_free(description);
    return encap;
}

void dissectors_hand_off(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(protocols); i++) {
        dissector_add_uint("wtap_encap", (unsigned)dissectors_encapsulation_of(protocols[i]), handles[i]);
        decode_as_hand_off(protocols[i]);
        if (protocols[i]->hand_off)
            protocols[i]->hand_off();
        commands_check(protocols[i]->filter);
    }
}
