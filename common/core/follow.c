/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/follow.h"

#include <errno.h>
#include <unistd.h>

#include "util/regular_file.h"

/* A file that has not changed for so long has no record that is half written, in microseconds. */
#define QUIET ((int64_t)200000)
/* Bytes of a read. Small, as what was read ahead is dropped at each look. */
#define FOLLOW_BLOCK (64u << 10)

typedef struct follow {
    source base;
    int fd;
    struct stat is;   /* the file, as of the last look */
    uint64_t written; /* bytes up to the last that is not 0, as of the last look */
    uint64_t there;   /* bytes that can be read */
    uint64_t settled; /* `written` of at least FOLLOW_DOUBT ago */
    struct {
        int64_t at;
        uint64_t written, size;
    } mark;             /* of a look after which `settled` is taken */
    int64_t changed_at; /* the last look at which something had changed */
    bool idle, finished;
    char path[];
} follow;

static follow *of(const source *s)
{
    return (follow *)(uintptr_t)s;
}

static int64_t follow_read(source *s, uint64_t offset, void *buffer, size_t length, int *err)
{
    const follow *f = of(s);
    if (offset >= f->there)
        return 0;
    int64_t n = regular_file_read(f->fd, offset, buffer, (size_t)MIN(length, f->there - offset));
    if (n < 0)
        *err = errno;
    return n;
}

static void follow_close(source *s)
{
    close(of(s)->fd);
    g_free(s);
}

source *follow_new(const char *path, int *err)
{
    static const source_ops ops = {follow_read, follow_close};
    struct stat st;
    const int fd = regular_file_open(path, true, &st);
    if (fd < 0) {
        *err = errno;
        return NULL;
    }
    const size_t length = strlen(path) + 1;
    follow *f = g_malloc0(sizeof *f + length);
    f->base = (source){.ops = &ops, .size = SOURCE_SIZE_UNKNOWN, .block = FOLLOW_BLOCK};
    f->fd = fd;
    f->is = st;
    f->is.st_size = 0;
    memcpy(f->path, path, length);
    return &f->base;
}

/* The length without the zeros at its end, which are not searched below `least`. */
static uint64_t follow_written(int fd, uint64_t size, uint64_t least)
{
    uint8_t block[FOLLOW_BLOCK];
    while (size > least) {
        const size_t length = (size_t)MIN(size - least, sizeof block);
        int64_t n = regular_file_read(fd, size - length, block, length);
        if (n < (int64_t)length) /* it has become shorter meanwhile */
            return least;
        while (n > 0 && block[n - 1] == 0)
            n--;
        if (n > 0)
            return size - length + (uint64_t)n;
        size -= length;
    }
    return least;
}

static follow_change change_of(const follow *f, const struct stat *now)
{
    struct stat named;
    if ((uint64_t)now->st_size < f->written)
        return FOLLOW_CUT;
    if (stat(f->path, &named) == 0 && (named.st_ino != now->st_ino || named.st_dev != now->st_dev))
        return FOLLOW_REPLACED;
    return FOLLOW_SAME;
}

static void settle(follow *f, int64_t now)
{
    if (now - f->mark.at < FOLLOW_DOUBT)
        return;
    f->settled = f->mark.written;
    f->idle = f->mark.at && f->mark.written == f->written && f->mark.size == (uint64_t)f->is.st_size;
    f->mark.at = now;
    f->mark.written = f->written;
    f->mark.size = (uint64_t)f->is.st_size;
}

follow_change follow_look(source *s, int64_t now)
{
    follow *f = of(s);
    struct stat st;
    if (fstat(f->fd, &st) != 0)
        return FOLLOW_SAME;
    follow_change change = change_of(f, &st);
    if (change == FOLLOW_CUT)
        return change;
    const uint64_t size = (uint64_t)st.st_size, written = follow_written(f->fd, size, f->written);
    const bool same = written == f->written && st.st_size == f->is.st_size;
    f->changed_at = same ? f->changed_at : now;
    const bool sure = written == size || now - f->changed_at >= QUIET;
    f->there = sure ? size : f->written; /* less than before, if records come again where there were zeros */
    f->written = written;
    f->is = st;
    settle(f, now);
    return change == FOLLOW_SAME && !same ? FOLLOW_GROWN : change;
}

void follow_finish(source *s)
{
    follow *f = of(s);
    follow_look(s, f->mark.at);
    f->there = (uint64_t)f->is.st_size;
    f->finished = true;
}

bool follow_is_settled(const source *s)
{
    return of(s)->idle || of(s)->finished;
}

uint64_t follow_size(const source *s)
{
    return (uint64_t)of(s)->is.st_size;
}

/* Returns whether what was read may look otherwise when more is there: anything but a good record, at the end or where
 * something was written a moment ago. */
static bool doubtful(const walk *w, const follow *f)
{
    const record_context *c = &w->record.context;
    const uint64_t end = c->offset + c->length, there = MIN(f->written, f->there);
    const bool good = c->fault == FAULT_NONE && c->kind < KIND_PADDING && !(c->flags & CONTEXT_TRUNCATED);
    return !good && (end >= there || end > f->settled);
}

/* Makes the next step read again from the file. */
static void forget(window *w)
{
    w->length = 0;
    w->end_seen = false;
}

/* The part of a walk that a step changes. */
typedef struct place {
    stream_state state;
    record record;
    uint64_t limit;
    uint32_t range;
} place;

static void go_back(walk *w, const place *to)
{
    w->state = to->state;
    w->record = to->record;
    w->window.limit = to->limit;
    w->range = to->range;
    forget(&w->window);
}

step_result follow_next(walk *w)
{
    const follow *f = of(w->window.source);
    const place before = {w->state, w->record, w->window.limit, w->range};
    if (w->window.end_seen && w->window.offset + w->window.length < f->there)
        forget(&w->window); /* more has come since then */
    const step_result got = walk_next(w);
    if (w->window.error || (got == STEP_RECORD && (f->finished || !doubtful(w, f))))
        return got;
    go_back(w, &before);
    return STEP_END;
}
