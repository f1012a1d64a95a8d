/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "followed.h"

#include <errno.h>

#include "core/formats.h"
#include "core/live_trace.h"
#include "util/fail.h"
#include "util/regular_file.h"

/* How long a file may be shorter than what formats are recognised by, in microseconds. */
#define SHORT_FOR ((int64_t)300000)

uint64_t followed_identity(void)
{
    return (uint64_t)g_random_int() << 32 | g_random_int();
}

followed *followed_new(const char *path, uint64_t of_trace)
{
    followed *f = g_new0(followed, 1);
    f->path = g_strdup(path);
    f->of_trace = of_trace;
    f->threads = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    return f;
}

static void forget_file(followed *f)
{
    if (f->trace) {
        walk_clear(&f->walk);
        trace_close(f->trace);
    }
    if (f->source)
        source_close(f->source);
    g_hash_table_remove_all(f->threads);
    f->trace = NULL;
    f->source = NULL;
    f->held = f->ended = f->replaced = f->learned = f->waits = false;
    f->seen_at = 0;
}

void followed_free(followed *f)
{
    forget_file(f);
    g_hash_table_destroy(f->threads);
    g_free(f->path);
    g_free(f);
}

/* --- opening ------------------------------------------------------------------------------------------------------------
 */

static const format *recognise(const probe *p)
{
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (formats[i]->probe(p))
            return formats[i];
    return NULL;
}

/* A name for a stream of the file, and its number. */
static bool add_stream(const char *name, stream_names *names, uint32_t *number, const char *description)
{
    *number = names->count++;
    return names->add(names->data, name, description);
}

static bool open_trace(followed *f, const format *row, stream_names *names, GError **error)
{
    const trace_input in = {.path = f->path, .sequential = f->source, .only_once = true};
    f->trace = trace_open(row, &in, error);
    if (!f->trace)
        return false;
    stream *s = trace_stream(f->trace, 0);
    s->base.trace = f->of_trace ? f->of_trace : followed_identity();
    if (!f->of_trace)
        live_trace_note(s->base.trace, f->path);
    walk_init(&f->walk, f->trace, s, false);
    f->walk.checkpoint_at = UINT64_MAX; /* nobody goes back, and a run may be long */
    f->held = false;
    return add_stream(s->name, names, &f->number, f->path);
}

/* Opens the file if what is there shows what it is. The first few bytes may look like another format. */
static bool open_if_known(followed *f, stream_names *names, int64_t now, GError **error)
{
    uint8_t head[PROBE_LENGTH];
    int err = 0;
    const int64_t n = source_read(f->source, 0, head, sizeof head, &err);
    if (n <= 0)
        return n == 0 || fail_with(error, "%s: %s", f->path, g_strerror(err));
    if (!f->seen_at)
        f->seen_at = now;
    const bool settled = follow_is_settled(f->source);
    if (n < PROBE_LENGTH && !settled && now - f->seen_at < SHORT_FOR)
        return true;
    const probe p = {.head = head, .length = (size_t)n, .whole = settled && n < PROBE_LENGTH, .path = f->path};
    const format *row = recognise(&p);
    if (!row)
        return n < PROBE_LENGTH || fail_with(error, "%s: no format of Wiretrace begins like this file", f->path);
    return open_trace(f, row, names, error);
}

/* --- looking ------------------------------------------------------------------------------------------------------------
 */

/* False with *error if it is there, but cannot be read. */
static bool find_file(followed *f, GError **error)
{
    int err = 0;
    f->source = follow_new(f->path, &err);
    return f->source || err == ENOENT || err == ENOTDIR || fail_with(error, "%s: %s", f->path, regular_file_problem(err));
}

bool followed_look(followed *f, stream_names *names, int64_t now, GError **error)
{
    if (f->replaced && f->ended && !f->held)
        forget_file(f);
    if (!f->source && !find_file(f, error))
        return false;
    if (!f->source)
        return true;
    const follow_change change = f->ended ? FOLLOW_SAME : follow_look(f->source, now);
    if (change == FOLLOW_GROWN)
        f->moved_at = now;
    if (change == FOLLOW_REPLACED) {
        followed_finish(f);
        f->replaced = true;
    } else if (change == FOLLOW_CUT) { /* what was not read is lost: it begins again */
        forget_file(f);
        return true;
    }
    return f->trace || open_if_known(f, names, now, error);
}

void followed_learn(followed *f, const trace *whole)
{
    stream *own = f->walk.stream;
    for (uint32_t i = 0; i < whole->streams->len; i++) {
        const stream *s = trace_stream(whole, i);
        if (strcmp(s->name, own->name) != 0)
            continue;
        f->learned = true;
        memcpy(own->base.own, s->base.own, sizeof own->base.own);
        memcpy(f->walk.record.context.own, s->base.own, sizeof s->base.own); /* from where all records have it */
    }
}

void followed_finish(followed *f)
{
    if (f->source)
        follow_finish(f->source);
    f->ended = true;
}

bool followed_next(followed *f)
{
    if (f->trace && !f->held && !f->waits)
        f->held = follow_next(&f->walk) == STEP_RECORD;
    return f->held;
}

/* --- streams ------------------------------------------------------------------------------------------------------------
 */

/* The number of a thread whose records are in the stream of the file. */
static bool number_of_thread(followed *f, stream_names *names, uint32_t process, uint32_t thread, const char *name,
                             uint32_t *number)
{
    const gint64 key = (gint64)((uint64_t)process << 32 | thread);
    gpointer known;
    const bool found = g_hash_table_lookup_extended(f->threads, &key, NULL, &known);
    if (found)
        *number = GPOINTER_TO_UINT(known);
    else if (!add_stream(name, names, number, f->path))
        return false;
    else
        g_hash_table_insert(f->threads, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(*number));
    return true;
}

const char *followed_complete(followed *f, stream_names *names)
{
    static char name[32];
    record_context *c = &f->walk.record.context;
    const stream *s = f->walk.stream;
    uint32_t process = 0, thread = 0;
    f->trace->format->time(&f->walk);
    c->stream = f->number;
    if (s->framing && f->trace->format->process)
        f->trace->format->process(c, &process, &thread);
    if (!thread)
        return s->name;
    g_snprintf(name, sizeof name, "%u/%u", process, thread);
    return number_of_thread(f, names, process, thread, name, &c->stream) ? name : NULL;
}
