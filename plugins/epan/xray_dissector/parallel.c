/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Streams of a log, each analysed by itself in one of several threads: as long as each thread of the log has a stream of its
 * own, and all calls end with an exit, and no function goes on after a tail exit. Those are found out from all of them
 * (xray/look_ahead.h). */
#include "xray_dissector/parallel.h"

#include "dissector/record_fields.h"
#include "xray_dissector/file.h"
#include "xray_dissector/names.h"
#include "xray_dissector/record.h"

/* What a thread reads. */
typedef struct reading {
    xray_session session; /* of a stream; without calls it has not begun */
    uint64_t stack;       /* of all its calls, if it has `functions` */
    bool functions;
    bool tails; /* there was a tail exit */
} reading;

static struct xray_file *const file = &xray_file;

static bool xray_parallel_prepare(const record_seen *seen, const record_context *first)
{
    if (file->stacks.slots)
        hash_map_clear(&file->stacks);
    hash_map_init(&file->stacks);
    return xray_record_prepare(seen, first);
}

static void *xray_parallel_begin(void)
{
    reading *x = g_new0(reading, 1);
    x->session = (xray_session){.names = file->session.names,
                                .frequency = file->session.frequency,
                                .base = file->session.base,
                                .ahead.none = true,
                                .report = file->session.report,
                                .spanless = file->session.spanless};
    return x;
}

static void stream_begin(reading *x)
{
    xray_session_analyse(&x->session, 0);
    x->tails = false;
}

/* Returns whether calls of the stream are on one stack. */
static bool has_one_stack(reading *x, const xray_tapped *r)
{
    if (!r->has_function || xray_context_of(r->context)->known & XRAY_REPEATED)
        return true;
    if (!x->functions)
        x->stack = r->stack;
    x->functions = true;
    return x->stack == r->stack;
}

/* Returns whether the record is an exit of no call that is open, after a tail exit: that may not have been taken. */
static bool goes_on(reading *x, const xray_tapped *r)
{
    if (G_UNLIKELY(r->context->kind == XRAY_TAIL_EXIT)) {
        const bool before = x->tails;
        x->tails = true;
        return before && r->call.begin == 0;
    }
    return G_UNLIKELY(x->tails) && r->has_call && r->has_function && r->call.begin == 0;
}

static bool count_record(void *data, uint32_t number, const record *of, const cursor *bytes)
{
    parallel_thread *t = data;
    const record_context *c = &of->context;
    reading *x = t->format;
    xray_tapped r;
    if (!x->session.calls)
        stream_begin(x);
    xray_session_read(&x->session, &r, c, bytes);
    if (G_UNLIKELY(r.function >> XRAY_LIBRARY_SHIFT))
        xray_names_note_library(r.function);
    if (xray_loses_end(c) || c->kind == XRAY_PROFILE_PATH) /* which must be reported */
        return false;
    if (file->visited)
        xray_session_visit(&r, number);
    if (file->visited && (!has_one_stack(x, &r) || goes_on(x, &r) || calls_closed_count(x->session.calls, number)))
        return false;
    const dissection d = {.seen = &t->seen, .context = c, .bytes = *bytes, .record = &r};
    record_fields_count_directly(&d);
    return xray_context_of(c)->known & XRAY_REPEATED || parallel_deliver(t, number, of, &r);
}

/* Returns whether no other stream has had calls of the same stack. */
static bool end_stream(void *data)
{
    reading *x = ((const parallel_thread *)data)->format;
    bool alone = true;
    if (x->session.calls)
        parallel_end_stream(data, &(xray_tapped){.session = &x->session});
    g_clear_pointer(&x->session.calls, calls_free);
    g_mutex_lock(&file->lock);
    if (x->functions) {
        const uint32_t before = file->stacks.count;
        hash_map_add(&file->stacks, x->stack);
        alone = file->stacks.count > before;
    }
    g_mutex_unlock(&file->lock);
    x->functions = false;
    return alone;
}

static void free_reading(void *data)
{
    calls_free(((reading *)data)->session.calls);
    g_free(data);
}

const parallel_format xray_parallel = {.prepare = xray_parallel_prepare,
                                       .begin = xray_parallel_begin,
                                       .free = free_reading,
                                       .visitor = {.record = count_record, .end = end_stream}};
