/* SPDX-License-Identifier: GPL-2.0-or-later */
#define WS_LOG_DOMAIN "Wiretrace"
#include "host/listening.h"

#include <stdio.h>
#include <unistd.h>

#include <wiretap/wtap.h>
#include <wsutil/wslog.h>

#include "core/opened_trace.h"
#include "core/trace.h"
#include "host/menus.h"
#include "host/open_file.h"
#include "host/options.h"
#include "util/fail.h"

/* A listener that asks for no dissection. Without windows none is removed before the file is closed. */
typedef struct listener {
    int tap;
    void *data;
    void (*direct)(void *data, const record_seen *seen, const void *tapped);
    parallel_listener threads; /* without `how` it needs records in order */
    struct listener *next;     /* registered before this one, and called after it, as Wireshark's */
} listener;

/* A record that is not counted yet: the first, until it is known whether Wireshark dissects it, and those that Wireshark
 * sees while threads count. */
typedef struct kept_record {
    record_given given;
    record_context context;
    uint8_t bytes[];
} kept_record;

static listening_counter count;
static listening_parallel parallel_of;
static struct open_counting *const counting = &open_file.counting;

/* --- progress ---------------------------------------------------------------------------------------------------------- */

/* Records between two looks at the clock, and between two that Wireshark sees. */
enum { PROGRESS_RECORDS = 1 << 16, SEEN_EVERY = 1 << 12 };

static bool progress_due(void)
{
    const int64_t now = g_get_monotonic_time();
    if (!isatty(STDERR_FILENO))
        return false;
    if (!counting->shown_at) /* no line for what takes less than a second */
        counting->shown_at = -now;
    if (now - ABS(counting->shown_at) < G_USEC_PER_SEC)
        return false;
    counting->shown_at = now;
    return true;
}

/* Rewrites the line at most once a second. */
static void progress_show(const trace *t)
{
    const uint64_t all = opened_trace_last()->bytes;
    if (!progress_due())
        return;
    const uint64_t bytes = counting->in_parallel ? parallel_bytes() : t->bytes_read;
    fprintf(stderr, "\r%" G_GUINT64_FORMAT " records", counting->in_parallel ? parallel_records() : counting->counted);
    if (all)
        fprintf(stderr, ", %u %%", (unsigned)MIN(100.0 * (double)bytes / (double)all, 100));
    fflush(stderr);
}

static void progress_erase(void)
{
    if (counting->shown_at > 0)
        fputs("\r\033[K", stderr);
    counting->shown_at = 0;
}

/* --- records from the reader ------------------------------------------------------------------------------------------- */

static void count_one(const record_given *r)
{
    count(r, ++counting->counted);
    if (counting->counted % PROGRESS_RECORDS == 0)
        progress_show(r->trace);
}

static void listening_keep(const record_given *r)
{
    kept_record *k = g_malloc(sizeof *k + r->bytes.length);
    k->given = *r;
    k->context = *r->context;
    k->given.context = &k->context;
    if (r->bytes.length)
        memcpy(k->bytes, r->bytes.data, r->bytes.length);
    k->given.bytes.data = k->bytes;
    g_ptr_array_add(counting->kept, k);
}

static void count_kept(void)
{
    for (guint i = 0; i < counting->kept->len; i++) {
        const kept_record *k = g_ptr_array_index(counting->kept, i);
        count_one(&k->given);
    }
    g_clear_pointer(&counting->kept, g_ptr_array_unref);
}

/* Returns whether threads can count what all listeners want. */
static bool begin_parallel(const record_given *r)
{
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(parallel_listener));
    for (const listener *l = counting->listeners; l; l = l->next) {
        if (!l->threads.how)
            return false;
        g_array_append_val(all, l->threads);
    }
    return counting->alone && parallel_of && parallel_of(r, all);
}

/* The first record has been dissected by now, or will not be. */
static void decide(void)
{
    const kept_record *first = g_ptr_array_index(counting->kept, 0);
    if (counting->dissected) {
        record_sink_shared()->record = NULL;
        g_clear_pointer(&counting->kept, g_ptr_array_unref);
        return;
    }
    counting->in_parallel = begin_parallel(&first->given);
    if (!counting->in_parallel)
        count_kept();
}

/* The threads have read all, or no more is wanted of them. True: all is counted. */
static bool end_parallel(void)
{
    const uint64_t records = parallel_records();
    const bool whole = parallel_end();
    counting->in_parallel = false;
    if (whole) {
        counting->counted = (uint32_t)MIN(records, UINT32_MAX);
        counting->threads = parallel_threads();
    } else {
        count_kept();
    }
    g_clear_pointer(&counting->kept, g_ptr_array_unref);
    return whole;
}

/* Wireshark sees some of the records, so that it can be interrupted. */
static record_taken on_offered_record(const record_given *r)
{
    if (!counting->kept && !counting->counted) {
        counting->kept = g_ptr_array_new_with_free_func(g_free);
        listening_keep(r);
        return RECORD_SEEN;
    }
    if (counting->kept && !counting->in_parallel)
        decide();
    if (counting->dissected)
        return RECORD_SEEN;
    if (counting->in_parallel) {
        listening_keep(r);
        progress_show(r->trace);
        return !parallel_wait() ? RECORD_SEEN : end_parallel() ? RECORD_LAST : RECORD_TAKEN;
    }
    count_one(r);
    return counting->alone && counting->counted % SEEN_EVERY != 0 ? RECORD_TAKEN : RECORD_SEEN;
}

/* Before the threads are done only if the trace is short, when Wireshark has seen all of it; or if somebody interrupts
 * tshark, which then shows no statistics. */
static void take_end(void)
{
    if (counting->kept && !counting->in_parallel)
        decide();
    if (counting->in_parallel)
        end_parallel();
    progress_erase();
}

/* --- listeners --------------------------------------------------------------------------------------------------------- */

void listening_end(void)
{
    *record_sink_shared() = (record_sink){0};
    if (counting->counted && counting->threads)
        ws_info("%u records were counted directly in %u threads", counting->counted, counting->threads);
    else if (counting->counted)
        ws_info("%u records were counted directly", counting->counted);
    counting->threads = 0;
    g_clear_pointer(&counting->kept, g_ptr_array_unref);
    while (counting->listeners) {
        listener *l = counting->listeners;
        counting->listeners = l->next;
        g_free(l);
    }
    counting->dissected = false;
    counting->counted = 0;
}

/* Returns whether Wireshark would call our dissector for the records of the file. */
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
    if (filter || menus_windows() || !count || !o || !o->sequential || !is_ours(o->protocol))
        return false;
    const options_asked asked = options_of_process();
    counting->alone = !asked.every;
    return asked.known && !asked.sessions;
}

bool listening_add(const char *tap, void *data, const char *filter, bool tree, const listening_calls *calls, GError **error)
{
    const bool direct = may_count(filter);
    GString *wrong = register_tap_listener(tap, data, filter,
                                           direct ? TL_IS_DISSECTOR_HELPER
                                           : tree ? TL_REQUIRES_PROTO_TREE
                                                  : TL_REQUIRES_NOTHING,
                                           calls->reset, calls->packet, calls->draw, calls->finish);
    if (wrong) {
        fail_with(error, "%s", wrong->str);
        g_string_free(wrong, TRUE);
        return false;
    }
    if (!direct)
        return true;
    listener *l = g_new(listener, 1);
    *l = (listener){find_tap_id(tap), data, calls->direct, {0}, counting->listeners};
    counting->listeners = l;
    *record_sink_shared() = (record_sink){on_offered_record, take_end};
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

void listening_dissected(void)
{
    counting->dissected = true;
}

void listening_deliver(const int taps[2], const record_seen *seen, const void *tapped)
{
    for (const listener *l = counting->listeners; l; l = l->next)
        if (l->tap == taps[0] || l->tap == taps[1])
            l->direct(l->data, seen, tapped);
}

void listening_register(listening_counter counter, listening_parallel parallel)
{
    count = counter;
    parallel_of = parallel;
}
