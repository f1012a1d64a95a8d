/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/parallel.h"

#include "host/open_file.h"
#include "core/opened_trace.h"
#include "core/trace.h"
#include "host/notices.h"

enum {
    MOMENT = 100000,      /* microseconds */
    BYTES_FROM = 4 << 20, /* of a trace for which threads are begun: 0.05 s of counting */
};

static unsigned preference_threads;

static struct open_parallel *const parallel = &open_file.parallel;

/* --- threads ----------------------------------------------------------------------------------------------------------- */

static void thread_begin(parallel_thread *t, const parallel_format *f, GArray *listeners, const nstime_t *first)
{
    t->listeners = listeners ? g_array_copy(listeners) : g_array_new(FALSE, FALSE, sizeof(parallel_listener));
    t->first = *first;
    t->seen = (record_seen){.interface = RECORD_SEEN_NO_INTERFACE, .pool = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK_FAST)};
    for (guint i = 0; i < t->listeners->len; i++) {
        parallel_listener *l = &g_array_index(t->listeners, parallel_listener, i);
        l->sums = l->how->begin(l->data, parallel->count);
    }
    t->format = f->begin();
}

static void parallel_thread_free(parallel_thread *t, const parallel_format *f)
{
    f->free(t->format);
    for (guint i = 0; i < t->listeners->len; i++) {
        parallel_listener *l = &g_array_index(t->listeners, parallel_listener, i);
        l->how->free(l->sums);
    }
    g_array_free(t->listeners, TRUE);
    wmem_destroy_allocator(t->seen.pool);
}

bool parallel_deliver(parallel_thread *t, uint32_t number, const record *r, const void *tapped)
{
    bool room = true;
    const bool numbered = parallel->final || parallel->numbered;
    if (numbered)
        record_seen_set(&t->seen, number, r->seconds, r->nanoseconds, &t->first);
    const counted_record delivered = record_counted(&t->seen, tapped);
    for (guint i = 0; i < t->listeners->len && room; i++) {
        const parallel_listener *l = &g_array_index(t->listeners, parallel_listener, i);
        room = l->how->record(l->sums, &delivered);
    }
    if (numbered)
        record_seen_free(&t->seen);
    return room;
}

void parallel_end_stream(const parallel_thread *t, const void *tapped)
{
    for (guint i = 0; i < t->listeners->len; i++) {
        const parallel_listener *l = &g_array_index(t->listeners, parallel_listener, i);
        if (l->how->end)
            l->how->end(l->sums, tapped);
    }
}

static void parallel_give(const parallel_thread *t)
{
    for (guint i = 0; i < t->listeners->len; i++) {
        const parallel_listener *l = &g_array_index(t->listeners, parallel_listener, i);
        l->how->take(l->data, l->sums);
    }
}

/* --- the trace --------------------------------------------------------------------------------------------------------- */

static unsigned threads_for(const trace *t, const opened *o)
{
    const bool small = o->bytes < BYTES_FROM && !preference_threads;
    return !o->path || small ? 1 : stream_pool_threads(t, preference_threads ? preference_threads : g_get_num_processors());
}

static void forget_threads(bool give_sums)
{
    for (unsigned i = 0; parallel->threads && i < parallel->count; i++) {
        if (give_sums)
            parallel_give(&parallel->threads[i]);
        parallel_thread_free(&parallel->threads[i], parallel->format);
    }
    g_clear_pointer(&parallel->threads, g_free);
    g_clear_pointer(&parallel->data, g_free);
}

/* Without listeners nothing is counted. */
static bool begin_threads(GArray *listeners)
{
    parallel->threads = g_new0(parallel_thread, parallel->count);
    parallel->data = g_new(void *, parallel->count);
    for (unsigned i = 0; i < parallel->count; i++) {
        thread_begin(&parallel->threads[i], parallel->format, listeners, &parallel->first);
        parallel->data[i] = &parallel->threads[i];
    }
    parallel->pool = stream_pool_begin((trace *)(uintptr_t)parallel->trace, opened_trace_last()->path,
                                       &parallel->format->visitor, parallel->data, parallel->count, parallel->final);
    if (!parallel->pool)
        forget_threads(false);
    return parallel->pool;
}

bool parallel_begin(const trace *t, const parallel_format *f, GArray *listeners, const nstime_t *first)
{
    parallel->count = threads_for(t, opened_trace_last());
    if (parallel->count < 2)
        return false;
    parallel->trace = t;
    parallel->format = f;
    parallel->first = *first;
    parallel->final = parallel->numbered = false;
    for (guint i = 0; i < listeners->len; i++) {
        const parallel_sums *how = g_array_index(listeners, parallel_listener, i).how;
        parallel->final |= how->final;
        parallel->numbered |= how->numbered;
    }
    parallel->later = parallel->final ? g_array_ref(listeners) : NULL;
    return begin_threads(parallel->final ? NULL : listeners);
}

bool parallel_wait(void)
{
    if (!stream_pool_wait(parallel->pool, MOMENT))
        return false;
    if (!parallel->later)
        return true;
    g_autoptr(GArray) listeners = g_steal_pointer(&parallel->later);
    const bool whole = stream_pool_end(g_steal_pointer(&parallel->pool));
    forget_threads(false);
    parallel->final = whole; /* from now on */
    return !whole || !parallel->format->prepare(NULL, NULL) || !begin_threads(listeners);
}

unsigned parallel_threads(void)
{
    return parallel->count;
}

uint64_t parallel_records(void)
{
    return parallel->pool ? stream_pool_records(parallel->pool) : 0;
}

uint64_t parallel_bytes(void)
{
    return parallel->pool ? stream_pool_bytes(parallel->pool) : 0;
}

bool parallel_end(void)
{
    const bool begun = parallel->pool && !parallel->later;
    while (begun && parallel->final && !parallel_wait())
        continue;
    const bool whole = parallel->pool && stream_pool_end(g_steal_pointer(&parallel->pool)) && begun;
    g_clear_pointer(&parallel->later, g_array_unref);
    forget_threads(whole || (begun && parallel->final));
    if (begun && parallel->final && !whole)
        notices_say(NOTICE_FAILURE, "rows are missing: the file cannot be read again, or has changed since it was opened");
    return whole || (begun && parallel->final);
}

void parallel_register(module_t *wiretrace)
{
    prefs_register_uint_preference(wiretrace, "threads", "Threads for statistics",
                                   "How many threads tshark counts with, where the order of records does not matter "
                                   "(large traces of some formats). 0: one for each processor.",
                                   10, &preference_threads);
}
