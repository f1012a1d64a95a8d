/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/stream_pool.h"

#include "core/trace.h"
#include "util/regular_file.h"

/* Records between two looks at what the other threads do. */
enum { LOOK_EVERY = 1 << 12 };

struct stream_pool {
    trace *trace;
    const char *path;
    const stream_pool_visitor *visitor;
    GPtrArray *threads; /* of GThread */
    GMutex lock;        /* for the rest */
    GCond ended;
    uint32_t next;    /* stream */
    unsigned running; /* threads */
    bool failed, stopped;
    bool timed;
    uint64_t records, bytes;
};

unsigned stream_pool_threads(const trace *t, unsigned most)
{
    uint32_t streams = 0;
    for (uint32_t i = 0; i < t->streams->len; i++) {
        const stream *s = trace_stream(t, i);
        streams += !s->left_out;
        if (s->owns_source)
            return 1;
    }
    return MAX(MIN(most, streams), 1);
}

/* NULL: it is not the file that was opened. */
static source *open_again(const stream_pool *p, const stream *s)
{
    struct stat st;
    const int fd = regular_file_open(p->path, true, &st);
    source *opened = fd < 0 ? NULL : source_descriptor_new(fd, (uint64_t)st.st_size);
    if (opened && opened->size != s->sequential->size)
        g_clear_pointer(&opened, source_close);
    return opened;
}

/* Adds what a thread has read since the last time. False: it shall stop. */
static bool note_read(stream_pool *p, uint64_t records, uint64_t *bytes)
{
    g_mutex_lock(&p->lock);
    p->records += records;
    p->bytes += *bytes;
    const bool on = !p->stopped && !p->failed;
    g_mutex_unlock(&p->lock);
    *bytes = 0;
    return on;
}

/* False: it cannot be read to its end in this way. */
static bool read_records(stream_pool *p, walk *w, void *data)
{
    uint32_t number = 0;
    uint64_t bytes = 0;
    step_result got;
    while ((got = walk_next(w)) == STEP_RECORD && number < UINT32_MAX) {
        const record_context *c = &w->record.context;
        cursor at = {.big_endian = (c->flags & CONTEXT_BIG_ENDIAN) != 0};
        at.length = walk_bytes(w, &at.data);
        bytes += c->length;
        if (p->timed)
            w->stream->format->time(w);
        if (c->flags & CONTEXT_TRUNCATED || !p->visitor->record(data, ++number, &w->record, &at))
            return false;
        if (number % LOOK_EVERY == 0 && !note_read(p, LOOK_EVERY, &bytes))
            return false;
    }
    return note_read(p, number % LOOK_EVERY, &bytes) && got == STEP_END && !w->window.error && p->visitor->end(data);
}

/* With what a walk needs of a stream and does not share with those of other threads: they may make checkpoints meanwhile. */
static bool read_stream(stream_pool *p, const stream *of, void *data)
{
    stream own = {.format = of->format,
                  .number = of->number,
                  .tie = of->tie,
                  .sequential = open_again(p, of),
                  .ranges = of->ranges,
                  .detail = of->detail,
                  .base = of->base};
    walk w;
    if (!own.sequential)
        return false;
    walk_init(&w, p->trace, &own, false);
    w.checkpoint_at = UINT64_MAX;
    const bool whole = read_records(p, &w, data) && !own.sequential->error;
    walk_clear(&w);
    source_close(own.sequential);
    return whole;
}

/* The next stream to be read; NULL: there is none. */
static const stream *take_stream(stream_pool *p)
{
    const stream *s = NULL;
    g_mutex_lock(&p->lock);
    while (!s && !p->failed && !p->stopped && p->next < p->trace->streams->len) {
        s = trace_stream(p->trace, p->next++);
        if (s->left_out)
            s = NULL;
    }
    g_mutex_unlock(&p->lock);
    return s;
}

typedef struct thread_start {
    stream_pool *pool;
    void *data;
} thread_start;

static gpointer run_thread(gpointer started)
{
    const thread_start start = *(thread_start *)started;
    stream_pool *p = start.pool;
    bool whole = true;
    g_free(started);
    for (const stream *s; whole && (s = take_stream(p));)
        whole = read_stream(p, s, start.data);
    g_mutex_lock(&p->lock);
    p->failed |= !whole;
    p->running--;
    g_cond_signal(&p->ended);
    g_mutex_unlock(&p->lock);
    return NULL;
}

/* False: the system makes no more threads. */
static bool stream_pool_begin_thread(stream_pool *p, void *data)
{
    thread_start *start = g_new(thread_start, 1);
    *start = (thread_start){p, data};
    g_mutex_lock(&p->lock); /* running counts it before it can end */
    GThread *thread = g_thread_try_new("wiretrace", run_thread, start, NULL);
    p->running += thread != NULL;
    g_mutex_unlock(&p->lock);
    if (thread)
        g_ptr_array_add(p->threads, thread);
    else
        g_free(start);
    return thread;
}

stream_pool *stream_pool_begin(trace *t, const char *path, const stream_pool_visitor *v, void *const *data, unsigned threads,
                               bool timed)
{
    stream_pool *p = g_new0(stream_pool, 1);
    *p = (stream_pool){.trace = t, .path = path, .visitor = v, .threads = g_ptr_array_new(), .timed = timed};
    g_mutex_init(&p->lock);
    g_cond_init(&p->ended);
    for (unsigned i = 0; i < threads && stream_pool_begin_thread(p, data[i]); i++)
        continue;
    if (!p->threads->len)
        stream_pool_end(g_steal_pointer(&p));
    return p;
}

bool stream_pool_wait(stream_pool *p, int64_t most)
{
    const int64_t until = g_get_monotonic_time() + most;
    g_mutex_lock(&p->lock);
    while (p->running && g_cond_wait_until(&p->ended, &p->lock, until))
        continue;
    const bool done = !p->running;
    g_mutex_unlock(&p->lock);
    return done;
}

static uint64_t stream_pool_look(stream_pool *p, const uint64_t *number)
{
    g_mutex_lock(&p->lock);
    const uint64_t value = *number;
    g_mutex_unlock(&p->lock);
    return value;
}

uint64_t stream_pool_records(stream_pool *p)
{
    return stream_pool_look(p, &p->records);
}

uint64_t stream_pool_bytes(stream_pool *p)
{
    return stream_pool_look(p, &p->bytes);
}

bool stream_pool_end(stream_pool *p)
{
    g_mutex_lock(&p->lock);
    p->stopped = true;
    g_mutex_unlock(&p->lock);
    for (guint i = 0; i < p->threads->len; i++)
        g_thread_join(p->threads->pdata[i]);
    g_ptr_array_free(p->threads, TRUE);
    const bool whole = !p->failed && p->next == p->trace->streams->len;
    g_mutex_clear(&p->lock);
    g_cond_clear(&p->ended);
    g_free(p);
    return whole;
}
