/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "containers/heap.h"
#include "core/exported.h"
#include "core/formats.h"
#include "followed.h"
#include "pcapng.h"
#include "util/fail.h"

/* Milliseconds between two looks at the files, and between two searches for files. */
#define LOOK_EVERY 50
#define SEARCH_EVERY 250
/* A stream that had a new record so long ago, in microseconds, is waited for, as its next one may be earlier than what
 * others have. */
#define WAIT_FOR ((int64_t)1000000)
#define SECOND ((int64_t)1000000)

typedef struct capture {
    const capture_options *options;
    FILE *out;
    GPtrArray *all;    /* of followed */
    GHashTable *paths; /* of `all` */
    stream_names names;
    GByteArray *before; /* of the packet being written */
    uint64_t of_folder; /* identifies the trace of a folder */
    int64_t now, searched_at, record_at;
    uint64_t records;
    bool broken; /* nobody reads the pipe */
} capture;

static volatile sig_atomic_t stopped;
static pid_t parent; /* who has started this program */

static void stop(int signal)
{
    (void)signal;
    stopped = 1;
}

/* --- writing ------------------------------------------------------------------------------------------------------------
 */

static bool write_interface(void *data, const char *name, const char *description)
{
    capture *c = data;
    c->broken = c->broken || !pcapng_interface(c->out, name, description);
    return !c->broken;
}

/* Times before 1970 do not exist in capture files. */
static uint64_t packet_time(const record *r)
{
    return r->seconds < 0 ? 0 : (uint64_t)r->seconds * 1000000000 + (uint64_t)r->nanoseconds;
}

static void write_packet(capture *c, followed *f)
{
    const uint8_t *data;
    const record *r = &f->walk.record;
    const char *name = followed_complete(f, &c->names);
    size_t length = walk_bytes(&f->walk, &data);
    g_byte_array_set_size(c->before, 0);
    exported_append(c->before, &r->context, name, f->walk.stream->description);
    length = MIN(length, EXPORTED_PACKET_MAX - c->before->len);
    const pcapng_packet p = {.interface = r->context.stream,
                             .time = packet_time(r),
                             .before = c->before->data,
                             .before_length = c->before->len,
                             .data = data,
                             .length = length,
                             .whole = r->context.length};
    c->broken = c->broken || !name || !pcapng_put(c->out, &p);
    c->record_at = c->now;
    c->records++;
}

/* --- order --------------------------------------------------------------------------------------------------------------
 */

/* Records that are the next of their streams, lowest first. */
typedef struct queue {
    heap_element *heap;
    uint32_t length;
    uint64_t bound; /* no later record is written yet: a stream that has none now may soon have an earlier one */
} queue;

static followed *at(const capture *c, uint64_t number)
{
    return g_ptr_array_index(c->all, (guint)number);
}

/* What has no clock has the order 0. */
static heap_element element_of(const capture *c, uint32_t number)
{
    return (heap_element){at(c, number)->walk.record.order, number};
}

/* The stream has no record now. It may not even be known yet what it is. */
static void wait_for(const capture *c, queue *q, const followed *f)
{
    if (!f->ended && c->now - f->moved_at < WAIT_FOR)
        q->bound = MIN(q->bound, f->trace ? f->walk.record.order : 0);
}

static void fill(const capture *c, queue *q)
{
    for (uint32_t i = 0; i < c->all->len; i++) {
        if (followed_next(at(c, i)))
            heap_insert(q->heap, q->length++, element_of(c, i));
        else
            wait_for(c, q, at(c, i));
    }
}

static void write_records(capture *c)
{
    g_autofree heap_element *heap = g_new(heap_element, c->all->len + 1);
    queue q = {.heap = heap, .bound = UINT64_MAX};
    fill(c, &q);
    while (q.length && q.heap[1].high <= q.bound && !stopped && !c->broken) {
        const uint32_t number = (uint32_t)q.heap[1].low;
        followed *f = at(c, number);
        write_packet(c, f);
        f->held = false;
        if (followed_next(f)) {
            heap_sink(q.heap, q.length, element_of(c, number));
        } else {
            heap_pop(q.heap, q.length--);
            wait_for(c, &q, f);
        }
    }
    c->broken = c->broken || fflush(c->out) != 0;
}

/* --- looking ------------------------------------------------------------------------------------------------------------
 */

static void add_file(void *data, const char *path, bool of_folder)
{
    capture *c = data;
    if (g_hash_table_contains(c->paths, path))
        return;
    if (c->options->program && !of_folder)
        program_note(c->options->program, path);
    followed *f = followed_new(path, of_folder ? c->of_folder : 0);
    g_hash_table_add(c->paths, f->path);
    g_ptr_array_add(c->all, f);
}

static void search(capture *c)
{
    if (c->searched_at && c->now - c->searched_at < SEARCH_EVERY * 1000)
        return;
    c->searched_at = c->now;
    places_find(&c->options->places, add_file, c);
}

/* Tells the streams of an ovni trace what only all of them know. */
static void learn(const capture *c)
{
    bool needed = false;
    for (guint i = 0; i < c->all->len; i++) {
        const followed *f = g_ptr_array_index(c->all, i);
        needed = needed || (f->of_trace && f->trace && !f->learned);
    }
    g_autofree char *path = needed ? places_metadata(&c->options->places) : NULL;
    if (!path)
        return;
    source *nothing = source_memory_new("", 0);
    const trace_input in = {.path = path, .sequential = nothing};
    trace *whole = trace_open(formats[FORMAT_ovni_trace], &in, NULL);
    for (guint i = 0; whole && i < c->all->len; i++) {
        followed *f = g_ptr_array_index(c->all, i);
        if (f->of_trace && f->trace)
            followed_learn(f, whole);
    }
    if (whole)
        trace_close(whole);
    source_close(nothing);
}

/* A stream that others know nothing of yet is waited for, for a moment. */
static void wait_to_learn(const capture *c)
{
    for (guint i = 0; i < c->all->len; i++) {
        followed *f = g_ptr_array_index(c->all, i);
        f->waits = f->of_trace && !f->learned && !f->ended && c->now - f->seen_at < WAIT_FOR;
    }
}

static bool look(capture *c, GError **error)
{
    for (guint i = 0; i < c->all->len; i++)
        if (!followed_look(g_ptr_array_index(c->all, i), &c->names, c->now, error))
            return false;
    learn(c);
    wait_to_learn(c);
    return true;
}

/* Nothing more will come: all that is there is written. */
static bool finish(capture *c, GError **error)
{
    c->searched_at = 0;
    search(c);
    if (!look(c, error))
        return false;
    for (guint i = 0; i < c->all->len; i++)
        followed_finish(g_ptr_array_index(c->all, i));
    if (!look(c, error))
        return false;
    write_records(c);
    return true;
}

/* --- running ------------------------------------------------------------------------------------------------------------
 */

/* Also notices that nobody reads any more, and that whoever has started this program has ended without a word. */
static void wait_a_moment(capture *c)
{
    struct pollfd reader = {.fd = fileno(c->out)};
    if (poll(&reader, 1, LOOK_EVERY) > 0 || getppid() != parent)
        c->broken = true;
}

/* Returns whether nothing more is expected. */
static bool is_over(const capture *c)
{
    const capture_options *o = c->options;
    if (o->program && program_has_ended(o->program))
        return true;
    return o->idle_most && c->now - c->record_at > o->idle_most * SECOND;
}

static bool run(capture *c, GError **error)
{
    for (; !stopped && !c->broken; wait_a_moment(c)) {
        c->now = g_get_monotonic_time();
        if (is_over(c))
            return finish(c, error);
        search(c);
        if (!look(c, error))
            return false;
        write_records(c);
    }
    return true;
}

/* Waits for somebody who reads, as long as somebody may come. -1 with errno. */
static int open_pipe(const char *pipe)
{
    int fd;
    while ((fd = open(pipe, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0666)) < 0 && errno == ENXIO &&
           !stopped && getppid() == parent)
        g_usleep(LOOK_EVERY * 1000);
    if (fd >= 0)
        fcntl(fd, F_SETFL, O_WRONLY); /* writing waits */
    return fd;
}

void capture_begin(void)
{
    parent = getppid();
}

FILE *capture_open(const char *pipe, const char *name, GError **error)
{
    const struct sigaction stopping = {.sa_handler = stop};
    for (const int *s = (const int[]){SIGTERM, SIGINT, SIGHUP, 0}; *s; s++)
        sigaction(*s, &stopping, NULL);
    signal(SIGPIPE, SIG_IGN); /* that nobody reads any more is an error of a write */
    const int fd = open_pipe(pipe);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (out && pcapng_begin(out, name) && fflush(out) == 0)
        return out;
    return stopped ? NULL : fail_null(error, "%s: %s", pipe, g_strerror(errno));
}

static void capture_clear(capture *c)
{
    g_ptr_array_free(c->all, TRUE);
    g_hash_table_destroy(c->paths);
    g_byte_array_free(c->before, TRUE);
}

/* Each stream of an ovni trace keeps a descriptor. */
static void allow_many_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

bool capture_run(const capture_options *options, FILE *out, GError **error)
{
    capture c = {.options = options, .out = out, .record_at = g_get_monotonic_time()};
    c.all = g_ptr_array_new_with_free_func((GDestroyNotify)followed_free);
    c.paths = g_hash_table_new(g_str_hash, g_str_equal);
    c.before = g_byte_array_new();
    c.names = (stream_names){.add = write_interface, .data = &c};
    c.of_folder = followed_identity();
    allow_many_files();
    const bool good = run(&c, error), nothing = good && !c.records && !stopped && !c.broken;
    capture_clear(&c);
    return nothing ? fail_with(error, "no trace was written") : good;
}
