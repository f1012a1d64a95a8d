/* SPDX-License-Identifier: GPL-2.0-or-later */
#define WS_LOG_DOMAIN "Wiretrace"
#include "dissector/direct.h"

#include <stdio.h>
#include <unistd.h>

#include <wsutil/wslog.h>

#include "core/formats.h"
#include "core/opened_trace.h"
#include "core/trace.h"
#include "dissector/asked.h"
#include "dissector/filtered_sums.h"
#include "dissector/pdu.h"
#include "dissector/record_fields.h"
#include "dissector/record_filters.h"
#include "dissector/record_rows.h"
#include "host/hidden_records.h"
#include "host/listening.h"
#include "host/open_file.h"

/* A record that is not counted yet: the first, until it is known whether Wireshark dissects it, and those that Wireshark
 * sees while threads count. */
typedef struct kept_record {
    record_given given;
    record_context context;
    uint8_t bytes[];
} kept_record;

/* What all records have in common. */
static struct direct {
    const protocol *protocol;
    int taps[2]; /* that are listened to: its own, and the one that needs no analysis; 0: nobody does */
    record_seen seen;
    nstime_t first; /* time of the first record */
    dissection dissection;
    max_align_t record[PROTOCOL_RECORD_MAX / sizeof(max_align_t)];
} direct;

static const protocol *const *protocols;
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
    const bool threads = counting->state == COUNTING_IN_THREADS;
    const uint64_t bytes = threads ? parallel_bytes() : t->bytes_read;
    fprintf(stderr, "\r%" G_GUINT64_FORMAT " records", threads ? parallel_records() : counting->counted);
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

/* --- one after the other ----------------------------------------------------------------------------------------------- */

static const protocol *protocol_of(const record_context *c)
{
    size_t i = 0;
    while (strcmp(protocols[i]->filter, formats[c->format]->protocol) != 0)
        i++;
    return protocols[i];
}

/* The filters of all listeners; NULL: none has one. */
static record_filters *all_filters(void)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    for (const listener *l = counting->listeners; l; l = l->next)
        if (l->filter)
            g_ptr_array_add(all, l->filter);
    return all->len ? record_filters_new(all) : NULL;
}

/* With the first record. */
static void direct_begin(const record_given *r)
{
    const protocol *p = protocol_of(r->context);
    const listened l = asked_listened(p);
    direct.protocol = p;
    direct.taps[0] = l.analysis ? *p->tap : 0;
    direct.taps[1] = l.records ? *p->records_tap : 0;
    if (!direct.seen.pool)
        direct.seen.pool = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK_FAST);
    direct.first = (nstime_t){.secs = (time_t)r->seconds, .nsecs = r->nanoseconds};
    record_seen_set(&direct.seen, 1, r->seconds, r->nanoseconds, &direct.first);
    g_clear_pointer(&counting->filters, record_filters_free);
    counting->filters = all_filters();
    direct.dissection = (dissection){.seen = &direct.seen,
                                     .record = direct.record,
                                     .context = r->context,
                                     .tree = counting->filters ? shortcuts_tree() : record_rows_tree()};
    direct.dissection.asked = asked_among_others(&direct.dissection, l);
    record_fields_count_directly(&direct.dissection);
    hidden_note_record(&direct.seen, r->context);
    pdu_note_streams(r->context, r->trace);
}

static bool wants(const listener *l)
{
    return (l->tap == direct.taps[0] || l->tap == direct.taps[1]) &&
           (!l->filter || record_filters_pass(counting->filters, l->filter));
}

static void direct_deliver(const dissection *d, const void *tapped)
{
    const counted_record delivered = record_counted(&direct.seen, tapped);
    if (counting->filters)
        record_filters_see(counting->filters, direct.protocol, d);
    for (const listener *l = counting->listeners; l; l = l->next)
        if (wants(l))
            l->count(*l->counted, &delivered);
}

/* Does what is done when Wireshark dissects a record and nobody wants items (dissectors.c), and delivers it. */
static void direct_count(const record_given *r)
{
    dissection *d = &direct.dissection;
    const uint32_t number = ++counting->counted;
    record_seen_set(&direct.seen, number, r->seconds, r->nanoseconds, &direct.first);
    direct.seen.interface = trace_interface(r->context);
    d->context = r->context;
    d->bytes = r->bytes;
    const void *tapped = direct.protocol->look(d);
    if (tapped)
        direct_deliver(d, tapped);
    record_seen_free(&direct.seen);
    if (number % PROGRESS_RECORDS == 0)
        progress_show(r->trace);
}

static void direct_keep(const record_given *r)
{
    if (!counting->kept)
        counting->kept = g_ptr_array_new_with_free_func(g_free);
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
    direct_begin(&((const kept_record *)g_ptr_array_index(counting->kept, 0))->given);
    for (guint i = 0; i < counting->kept->len; i++)
        direct_count(&((const kept_record *)g_ptr_array_index(counting->kept, i))->given);
    g_clear_pointer(&counting->kept, g_ptr_array_unref);
}

/* --- in threads -------------------------------------------------------------------------------------------------------- */

/* How threads count for all listeners: an array of parallel_listener; NULL: for one they cannot. */
static GArray *parallel_listeners(void)
{
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(parallel_listener));
    const bool analyses = asked_listened(direct.protocol).analysis;
    for (listener *l = counting->listeners; l; l = l->next) {
        if (!l->threads.how || (l->filter && !filtered_sums_known(l, direct.protocol, analyses)))
            return NULL;
        const parallel_listener p = l->filter ? filtered_sums(l, direct.protocol) : l->threads;
        g_array_append_val(all, p);
    }
    return g_steal_pointer(&all);
}

/* Returns whether threads can count what all listeners want. */
static bool begin_parallel(const record_given *r)
{
    direct.protocol = protocol_of(r->context);
    const parallel_format *f = direct.protocol->parallel;
    g_autoptr(GArray) all = f && counting->alone ? parallel_listeners() : NULL;
    if (!all)
        return false;
    direct_begin(r);
    return f->prepare(&direct.seen, r->context) && parallel_begin(r->trace, f, all, &direct.first);
}

/* The threads have read all, or no more is wanted of them. */
static void end_parallel(void)
{
    const uint64_t records = parallel_records();
    const bool whole = parallel_end();
    counting->state = whole ? COUNTING_DONE : COUNTING_EACH;
    if (whole) {
        counting->counted = (uint32_t)MIN(records, UINT32_MAX);
        counting->threads = parallel_threads();
    } else {
        count_kept();
    }
    g_clear_pointer(&counting->kept, g_ptr_array_unref);
}

/* --- records from the reader ------------------------------------------------------------------------------------------- */

/* Wireshark does not dissect, or in vain. */
static void direct_decide(void)
{
    const kept_record *first = g_ptr_array_index(counting->kept, 0);
    counting->state = begin_parallel(&first->given) ? COUNTING_IN_THREADS : COUNTING_EACH;
    if (counting->state == COUNTING_EACH)
        count_kept();
}

/* Returns whether Wireshark would dissect only for a filter whose result nobody sees. */
static bool dissects_in_vain(void)
{
    return counting->ignored && !tap_listeners_require_dissection();
}

static record_taken on_first_record(const record_given *r)
{
    direct_keep(r);
    counting->state = COUNTING_UNDECIDED;
    if (dissects_in_vain())
        direct_decide();
    return RECORD_SEEN;
}

static record_taken on_record_among_threads(const record_given *r)
{
    direct_keep(r);
    progress_show(r->trace);
    if (!parallel_wait())
        return RECORD_SEEN;
    end_parallel();
    return counting->state == COUNTING_DONE ? RECORD_LAST : RECORD_TAKEN;
}

/* Wireshark sees some of the records, so that it can be interrupted. */
static record_taken on_offered_record(const record_given *r)
{
    if (counting->state == COUNTING_BEGINS)
        return on_first_record(r);
    if (counting->state == COUNTING_UNDECIDED)
        direct_decide();
    if (counting->state == COUNTING_IN_THREADS)
        return on_record_among_threads(r);
    if (counting->state != COUNTING_EACH)
        return RECORD_SEEN;
    direct_count(r);
    return counting->alone && counting->counted % SEEN_EVERY != 0 ? RECORD_TAKEN : RECORD_SEEN;
}

/* Before the threads are done only if the trace is short, when Wireshark has seen all of it; or if somebody interrupts
 * tshark, which then shows no statistics. */
static void take_end(void)
{
    if (counting->state == COUNTING_UNDECIDED)
        direct_decide();
    if (counting->state == COUNTING_IN_THREADS)
        end_parallel();
    progress_erase();
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

static void give_up(void)
{
    counting->state = COUNTING_DISSECTED;
    record_sink_shared()->record = NULL;
    g_clear_pointer(&counting->kept, g_ptr_array_unref);
}

bool direct_counts_dissected(void)
{
    if (counting->state > COUNTING_DISSECTED && counting->ignored)
        return true;
    if (counting->state != COUNTING_DISSECTED)
        give_up();
    return false;
}

void direct_end(void)
{
    listening_end();
    if (counting->counted && counting->threads)
        ws_info("%u records were counted directly in %u threads", counting->counted, counting->threads);
    else if (counting->counted)
        ws_info("%u records were counted directly", counting->counted);
    g_clear_pointer(&counting->kept, g_ptr_array_unref);
    g_clear_pointer(&counting->filters, record_filters_free);
    counting->threads = 0;
    counting->state = COUNTING_BEGINS;
    counting->counted = 0;
}

void direct_register(const protocol *const *all)
{
    static const record_sink counts = {on_offered_record, take_end};
    protocols = all;
    listening_register(&counts, record_filters_compile);
}
