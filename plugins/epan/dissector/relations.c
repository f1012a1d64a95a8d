/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/relations.h"

#include <epan/conversation_filter.h>
#include <epan/epan_dissect.h>
#include <epan/follow.h>
#include <epan/proto_data.h>
#include <epan/tap.h>

#include <string.h>

#include "host/menus.h"
#include "host/callbacks.h"
#include "host/open_file.h"

/* --- conversation filters ---------------------------------------------------------------------------------------------- */

typedef struct registered_filter {
    const protocol *protocol;
    const protocol_filter *filter;
} registered_filter;

static registered_filter filters[CALLBACKS_MANY_COUNT];
static unsigned filter_count;

/* A filter of the selected packet; NULL if it has none. */
static const char *noted(packet_info *pinfo, unsigned n)
{
    return p_get_proto_data(pinfo->pool, pinfo, *filters[n].protocol->tree.proto, n + 1);
}

#define FILTER_FUNCTIONS(n) \
    static wsbool filter_valid_##n(packet_info *pinfo COMPAT_USER_DATA) \
    { \
        return noted(pinfo, n) != NULL; \
    } \
    static char *filter_text_##n(packet_info *pinfo COMPAT_USER_DATA) \
    { \
        return g_strdup(noted(pinfo, n)); \
    }
CALLBACKS_MANY(FILTER_FUNCTIONS)

static const struct {
    is_filter_valid_func valid;
    build_filter_string_func text;
} filter_functions[CALLBACKS_MANY_COUNT] = {
#define FILTER_ROW(n) {filter_valid_##n, filter_text_##n},
    CALLBACKS_MANY(FILTER_ROW)};

static void register_filter(const protocol *p, const protocol_filter *f)
{
    unsigned n = callbacks_take(&filter_count, CALLBACKS_MANY_COUNT, f->title);
    filters[n] = (registered_filter){p, f};
    register_conversation_filter(p->filter, f->title, filter_functions[n].valid, filter_functions[n].text COMPAT_NO_DATA);
    register_log_conversation_filter(p->filter, f->title, filter_functions[n].valid,
                                     filter_functions[n].text COMPAT_NO_DATA);
}

void relations_note(const protocol *p, const dissection *d)
{
    open_file.displayed.protocol = p;
    open_file.displayed.frame = d->seen->frame;
    open_file.displayed.stream = d->context->stream;
    if (!p->filters || !menus_windows())
        return;
    for (unsigned n = 0; n < filter_count; n++) {
        wmem_strbuf_t *text = wmem_strbuf_new(d->seen->pool, NULL);
        if (filters[n].protocol != p)
            continue;
        filters[n].filter->append(d, text);
        if (wmem_strbuf_get_len(text) > 0)
            p_add_proto_data(d->seen->pool, d->seen->packet, *p->tree.proto, n + 1, wmem_strbuf_finalize(text));
    }
}

void relations_and(wmem_strbuf_t *filter, const char *field, int64_t value)
{
    wmem_strbuf_append_printf(filter, "%s%s == %" PRId64, wmem_strbuf_get_len(filter) ? " && " : "", field, value);
}

void relations_and_text(wmem_strbuf_t *filter, const char *field, const char *text)
{
    wmem_strbuf_append_printf(filter, "%s%s == \"", wmem_strbuf_get_len(filter) ? " && " : "", field);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            wmem_strbuf_append_c(filter, '\\');
        wmem_strbuf_append_c(filter, *text);
    }
    wmem_strbuf_append_c(filter, '"');
}

void relations_duration(uint64_t ns, char *text, size_t size)
{
    static const struct {
        uint64_t ns;
        int digits;
        const char *name;
    } units[] = {{1000000000, 9, "s"}, {1000000, 6, "ms"}, {1000, 3, "us"}};
    for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
        if (ns >= units[i].ns) {
            snprintf(text, size, "%" PRIu64 ".%0*" PRIu64 " %s", ns / units[i].ns, units[i].digits, ns % units[i].ns,
                     units[i].name);
            return;
        }
    snprintf(text, size, "%" PRIu64 " ns", ns);
}

/* --- follow ------------------------------------------------------------------------------------------------------------ */

#define INDENT_MAX 60u /* levels of indentation */

static const protocol *followed[CALLBACKS_COUNT];
static unsigned followed_count;

static char *stream_filter(unsigned n, unsigned stream)
{
    const header_field_info *field = proto_registrar_get_nth((unsigned)*followed[n]->follower->stream);
    return g_strdup_printf("%s == %u", field->abbrev, stream);
}

/* The filter for the stream of the selected packet, from its field; NULL if it is not ours. sharkd may give no tree, but
 * asks directly after dissecting the packet. */
static char *selected_filter(unsigned n, const packet_info *pinfo, epan_dissect_t *edt, unsigned *stream)
{
    if (!edt || !edt->tree) {
        *stream = open_file.displayed.stream;
        return open_file.displayed.protocol == followed[n] && open_file.displayed.frame == pinfo->num
                   ? stream_filter(n, *stream)
                   : NULL;
    }
    GPtrArray *found = proto_find_first_finfo(edt->tree, *followed[n]->follower->stream);
    char *filter = NULL;
    if (found->len > 0) {
        *stream = fvalue_get_uinteger(COMPAT_FVALUE((field_info *)g_ptr_array_index(found, 0)));
        filter = stream_filter(n, *stream);
    }
    g_ptr_array_free(found, TRUE);
    return filter;
}

static char *show_port(wmem_allocator_t *allocator, unsigned port)
{
    return wmem_strdup_printf(allocator, "%u", port);
}

static char *no_address_filter(address *from _U_, address *to _U_, int from_port _U_, int to_port _U_)
{
    return NULL;
}

/* The record to which a line is added. Wireshark's window learns from records which frame a line belongs to; tshark would
 * print a number before each, so there all lines go into one. */
static follow_record_t *last_record(follow_info_t *info)
{
    if (!info->payload || menus_windows()) {
        follow_record_t *r = g_new0(follow_record_t, 1);
        r->data = g_byte_array_new();
        info->payload = g_list_prepend(info->payload, r);
    }
    return info->payload->data;
}

static void drop_line(follow_info_t *info)
{
    follow_record_t *r = info->payload->data;
    unsigned length = r->data->len - 1;
    while (length > 0 && r->data->data[length - 1] != '\n')
        length--;
    info->bytes_written[0] -= r->data->len - length;
    g_byte_array_set_size(r->data, length);
    if (length > 0)
        return;
    g_byte_array_free(r->data, TRUE);
    g_free(r);
    info->payload = g_list_delete_link(info->payload, info->payload);
}

static void add_line(follow_info_t *info, const packet_info *pinfo, const protocol_line *line)
{
    follow_record_t *r = last_record(info);
    char *text = g_strdup_printf("%*s%s\n", (int)MIN(line->depth, INDENT_MAX) * 2, "", line->text);
    r->packet_num = pinfo->num;
    r->abs_ts = pinfo->abs_ts;
    g_byte_array_append(r->data, (const uint8_t *)text, (unsigned)strlen(text));
    info->bytes_written[0] += (unsigned)strlen(text);
    g_free(text);
}

static tap_packet_status follow_packet(unsigned n, void *data, packet_info *pinfo, const void *tapped)
{
    follow_info_t *info = data;
    protocol_line line = {0};
    uint32_t before = info->payload ? ((follow_record_t *)info->payload->data)->packet_num : 0;
    const record_seen seen = record_seen_of(pinfo);
    for (unsigned i = 0; followed[n]->follower->line(tapped, &seen, i, before, &line); i++) {
        if (line.replaces)
            drop_line(info);
        add_line(info, pinfo, &line);
        g_free(line.text);
    }
    return TAP_PACKET_DONT_REDRAW;
}

#define FOLLOW_FUNCTIONS(n) \
    static char *follow_selected_##n(epan_dissect_t *edt, packet_info *pinfo, unsigned *stream, unsigned *sub _U_) \
    { \
        return selected_filter(n, pinfo, edt, stream); \
    } \
    static char *follow_filter_##n(unsigned stream, unsigned sub _U_) \
    { \
        return stream_filter(n, stream); \
    } \
    static tap_packet_status follow_packet_##n(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped, \
                                               tap_flags_t flags _U_) \
    { \
        return follow_packet(n, data, pinfo, tapped); \
    }
CALLBACKS(FOLLOW_FUNCTIONS)

static const struct {
    follow_conv_filter_func selected;
    follow_index_filter_func filter;
    tap_packet_cb packet;
} follow_functions[CALLBACKS_COUNT] = {
#define FOLLOW_ROW(n) {follow_selected_##n, follow_filter_##n, follow_packet_##n},
    CALLBACKS(FOLLOW_ROW)};

static void register_follower(const protocol *p, int proto)
{
    unsigned n = callbacks_take(&followed_count, CALLBACKS_COUNT, p->filter);
    followed[n] = p;
    register_follow_stream(proto, p->filter, follow_functions[n].selected, follow_functions[n].filter, no_address_filter,
                           show_port, follow_functions[n].packet COMPAT_NO_COUNTS);
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

void relations_register(const protocol *p, int proto)
{
    for (const protocol_filter *f = p->filters; f && f->title; f++)
        register_filter(p, f);
    if (p->filters)
        add_conversation_filter_protocol(p->filter);
    if (p->follower)
        register_follower(p, proto);
}
