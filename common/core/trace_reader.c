/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/trace_reader.h"

#include <errno.h>
#include <string.h>

#include "core/formats.h"
#include "core/trace.h"
#include "util/fail.h"
#include "util/regular_file.h"

/* The format of the protocol that recognises the file; NULL: none does. */
static const format *trace_reader_format_of(const probe *p, const char *protocol)
{
    for (unsigned i = 0; i < FORMAT_COUNT; i++)
        if (strcmp(formats[i]->protocol, protocol) == 0 && formats[i]->probe(p))
            return formats[i];
    return NULL;
}

/* Returns whether all of it could be read. */
static bool is_whole(const trace *t, const char *path, GError **error)
{
    const int code = t->merge.error ? t->merge.error : t->error;
    if (code)
        return fail_with(error, "%s cannot be read to its end: %s", path, g_strerror(code));
    return !t->incomplete ||
           fail_with(error, "%s: parts of this trace are missing or cannot be read (open it to see which)", path);
}

static bool unreadable(const char *path, const char *why, GError **error)
{
    return fail_with(error, "%s cannot be read: %s", path, why);
}

static bool open_source(trace_reader *w, const char *path, const char *protocol, GError **error)
{
    uint8_t head[PROBE_LENGTH];
    source *s = w->source;
    int code = 0;
    int64_t n = source_read(s, 0, head, sizeof head, &code);
    if (n < 0)
        return unreadable(path, g_strerror(code), error);
    const probe p = {.head = head, .length = (size_t)n, .whole = s->size <= sizeof head, .path = path};
    const format *f = trace_reader_format_of(&p, protocol);
    if (!f)
        return fail_with(error, "%s is not a trace of this format, or it is compressed", path);
    const trace_input in = {.path = path, .sequential = s, .seekable = true, .all_times = true};
    GError *reason = NULL;
    w->trace = trace_open(f, &in, &reason);
    if (w->trace)
        return true;
    if (!s->error) {
        g_propagate_error(error, reason);
        return false;
    }
    g_clear_error(&reason);
    return unreadable(path, g_strerror(s->error), error);
}

bool trace_reader_open(trace_reader *w, const char *path, const char *protocol, GError **error)
{
    struct stat st;
    *w = (trace_reader){0};
    int fd = regular_file_open(path, true, &st);
    if (fd < 0)
        return unreadable(path, regular_file_problem(errno), error);
    w->source = source_descriptor_new(fd, (uint64_t)st.st_size);
    const bool opened = open_source(w, path, protocol, error);
    if (!opened)
        source_close(w->source);
    return opened;
}

walk *trace_reader_next(trace_reader *w, cursor *bytes)
{
    walk *next = trace_next(w->trace);
    if (!next)
        return NULL;
    *bytes = (cursor){.big_endian = (next->record.context.flags & CONTEXT_BIG_ENDIAN) != 0};
    bytes->length = walk_bytes(next, &bytes->data);
    return next;
}

void trace_reader_close(trace_reader *w)
{
    trace_close(w->trace);
    source_close(w->source);
}

bool trace_reader_read(const char *path, const char *protocol, trace_reader_visitor visitor, void *data, GError **error)
{
    trace_reader w;
    walk *next;
    cursor bytes;
    if (!trace_reader_open(&w, path, protocol, error))
        return false;
    for (uint32_t frame = 1; visitor && (next = trace_reader_next(&w, &bytes)) && frame < UINT32_MAX; frame++)
        visitor(data, frame, &next->record.context, &bytes, next->stream, w.trace->outside);
    const bool read = !visitor || is_whole(w.trace, path, error);
    trace_reader_close(&w);
    return read;
}
