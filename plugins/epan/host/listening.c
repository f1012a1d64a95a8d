/* SPDX-License-Identifier: GPL-2.0-or-later */
#define WS_LOG_DOMAIN "Wiretrace"
#include "host/listening.h"

#include <stdio.h>
#include <unistd.h>

#include <wiretap/wtap.h>
#include <wsutil/wslog.h>

#include "core/opened_trace.h"
#include "core/trace.h"
#include "host/hidden_records.h"
#include "host/menus.h"
#include "host/options.h"

/* A listener that asks for no dissection. Without windows none is removed before the file is closed. */
typedef struct listener {
    int tap;
    void *data;
    tap_packet_cb packet;
    struct listener *next; /* registered before this one, and called after it, as Wireshark's */
} listener;

/* The first record, until it is known whether Wireshark dissects it. */
typedef struct first_record {
    record_given given;
    record_context context;
    uint8_t bytes[];
} first_record;

static listening_counter count;
static listener *listeners;
static first_record *first; /* NULL: none is kept */
static bool dissected;      /* Wireshark has dissected a record */
static uint32_t counted;    /* records */
static bool alone;          /* nobody else needs to see a record */
static int64_t shown_at;    /* when the line of progress was written, see progress_show(); 0: never */

/* --- progress ---------------------------------------------------------------------------------------------------------- */

/* Records between two looks at the clock, and between two that Wireshark sees. */
enum { PROGRESS_RECORDS = 1 << 16, SEEN_EVERY = 1 << 12 };

static bool progress_due(void)
{
    const int64_t now = g_get_monotonic_time();
    if (!isatty(STDERR_FILENO))
        return false;
    if (!shown_at) /* no line for what takes less than a second */
        shown_at = -now;
    if (now - ABS(shown_at) < G_USEC_PER_SEC)
        return false;
    shown_at = now;
    return true;
}

/* Rewrites the line at most once a second. */
static void progress_show(const trace *t)
{
    const uint64_t all = opened_trace_last()->bytes;
    if (!progress_due())
        return;
    fprintf(stderr, "\r%" G_GUINT32_FORMAT " records", counted);
    if (all)
        fprintf(stderr, ", %u %%", (unsigned)MIN(100.0 * (double)t->bytes_read / (double)all, 100));
    fflush(stderr);
}

static void progress_erase(void)
{
    if (shown_at > 0)
        fputs("\r\033[K", stderr);
    shown_at = 0;
}

/* --- records from the reader ------------------------------------------------------------------------------------------- */

static void count_one(const record_given *r)
{
    count(r, ++counted);
    if (counted % PROGRESS_RECORDS == 0)
        progress_show(r->trace);
}

static void keep_first(const record_given *r)
{
    first = g_malloc(sizeof *first + r->bytes.length);
    first->given = *r;
    first->context = *r->context;
    first->given.context = &first->context;
    if (r->bytes.length)
        memcpy(first->bytes, r->bytes.data, r->bytes.length);
    first->given.bytes.data = first->bytes;
}

/* The first record has been dissected by now, or will not be. */
static void decide(void)
{
    if (first && dissected)
        record_sink_shared()->record = NULL;
    else if (first) {
        record_come_from(first->given.trace);
        count_one(&first->given);
    }
    g_clear_pointer(&first, g_free);
}

/* Wireshark sees some of the records, so that it can be interrupted. */
static bool take_record(const record_given *r)
{
    if (!first && !counted) {
        keep_first(r);
        return false;
    }
    if (first)
        decide();
    if (dissected)
        return false;
    count_one(r);
    return alone && counted % SEEN_EVERY != 0;
}

static void take_end(void)
{
    decide();
    record_come_from(NULL);
    progress_erase();
}

/* --- listeners --------------------------------------------------------------------------------------------------------- */

static void forget_file(void)
{
    *record_sink_shared() = (record_sink){0};
    if (counted)
        ws_info("%u records were counted directly", counted);
    g_clear_pointer(&first, g_free);
    while (listeners) {
        listener *l = listeners;
        listeners = l->next;
        g_free(l);
    }
    dissected = false;
    counted = 0;
}

/* Whether Wireshark would call our dissector for the records of the file. */
static bool is_ours(const char *protocol)
{
    dissector_table_t table = find_dissector_table("wtap_encap");
    dissector_handle_t handle = dissector_get_uint_handle(table, (uint32_t)wtap_name_to_encap(protocol));
    const int proto = proto_get_id_by_filter_name(protocol);
    return handle && handle != find_dissector(protocol) && dissector_handle_get_protocol_index(handle) == proto &&
           proto_is_protocol_enabled(find_protocol_by_id(proto));
}

static bool may_count(const char *filter)
{
    const opened *o = opened_trace_last();
    if (filter || menus_windows() || !count || !o || !o->once || !is_ours(o->protocol))
        return false;
    const options_asked asked = options_of_process();
    alone = !asked.every;
    return asked.known && !asked.sessions;
}

GString *listening_add(const char *tap, void *data, const char *filter, tap_reset_cb reset, tap_packet_cb packet,
                       tap_draw_cb draw, tap_finish_cb finish)
{
    const bool direct = may_count(filter);
    GString *wrong = register_tap_listener(tap, data, filter, direct ? TL_IS_DISSECTOR_HELPER : TL_REQUIRES_NOTHING, reset,
                                           packet, draw, finish);
    if (wrong || !direct)
        return wrong;
    listener *l = g_new(listener, 1);
    *l = (listener){find_tap_id(tap), data, packet, listeners};
    listeners = l;
    *record_sink_shared() = (record_sink){take_record, take_end};
    return NULL;
}

void listening_dissected(void)
{
    dissected = true;
}

void listening_deliver(int tap, packet_info *pinfo, const void *tapped)
{
    for (const listener *l = listeners; l; l = l->next)
        if (l->tap == tap)
            l->packet(l->data, pinfo, NULL, tapped, TL_REQUIRES_NOTHING);
}

void listening_register(listening_counter counter)
{
    count = counter;
    register_init_routine(forget_file);
    register_cleanup_routine(forget_file);
}
