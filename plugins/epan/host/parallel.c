/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/parallel.h"

#include "host/open_file.h"
#include "core/opened_trace.h"
#include "core/trace.h"

enum {
    MOMENT = 100000,      /* microseconds */
    BYTES_FROM = 4 << 20, /* of a trace for which threads are begun: 0.05 s of counting */
};

static unsigned preference_threads;

static struct open_parallel *const parallel = &open_file.parallel;

/* --- threads ----------------------------------------------------------------------------------------------------------- */

static void thread_begin(parallel_thread *t, const parallel_format *f, const GArray *listeners)
{
    t->listeners = g_array_copy((GArray *)(uintptr_t)listeners);
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
}

bool parallel_deliver(const parallel_thread *t, const void *tapped)
{
    bool room = true;
    for (guint i = 0; i < t->listeners->len && room; i++) {
        const parallel_listener *l = &g_array_index(t->listeners, parallel_listener, i);
        room = l->how->record(l->sums, tapped);
    }
    return room;
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
    for (unsigned i = 0; i < parallel->count; i++) {
        if (give_sums)
            parallel_give(&parallel->threads[i]);
        parallel_thread_free(&parallel->threads[i], parallel->format);
    }
    g_clear_pointer(&parallel->threads, g_free);
    g_clear_pointer(&parallel->data, g_free);
}

bool parallel_begin(const trace *t, const parallel_format *f, const GArray *listeners)
{
    const opened *o = opened_trace_last();
    parallel->count = threads_for(t, o);
    if (parallel->count < 2)
        return false;
    parallel->threads = g_new0(parallel_thread, parallel->count);
    parallel->data = g_new(void *, parallel->count);
    for (unsigned i = 0; i < parallel->count; i++) {
        thread_begin(&parallel->threads[i], f, listeners);
        parallel->data[i] = &parallel->threads[i];
    }
    parallel->format = f;
    parallel->pool = stream_pool_begin((trace *)(uintptr_t)t, o->path, &f->visitor, parallel->data, parallel->count);
    if (!parallel->pool)
        forget_threads(false);
    return parallel->pool;
}

bool parallel_wait(void)
{
    return stream_pool_wait(parallel->pool, MOMENT);
}

unsigned parallel_threads(void)
{
    return parallel->count;
}

uint64_t parallel_records(void)
{
    return stream_pool_records(parallel->pool);
}

uint64_t parallel_bytes(void)
{
    return stream_pool_bytes(parallel->pool);
}

bool parallel_end(void)
{
    const bool whole = stream_pool_end(parallel->pool);
    forget_threads(whole);
    parallel->pool = NULL;
    return whole;
}

void parallel_register(module_t *wiretrace)
{
    prefs_register_uint_preference(wiretrace, "threads", "Threads for statistics",
                                   "How many threads tshark counts with, where the order of records does not matter "
                                   "(large traces of some formats). 0: one for each processor.",
                                   10, &preference_threads);
}
