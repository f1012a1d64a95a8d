/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/trace_reader.h"

#include <errno.h>
#include <string.h>

#include "core/formats.h"
#include "core/trace.h"
#include "util/regular_file.h"

/* The format of the protocol that recognises the file; NULL: none does. */
static const format *trace_reader_format_of(const probe *p, const char *protocol)
{
    for (unsigned i = 0; i < FORMAT_COUNT; i++)
        if (strcmp(formats[i]->protocol, protocol) == 0 && formats[i]->probe(p))
            return formats[i];
    return NULL;
}

/* What has failed while it was read; NULL: nothing. */
static char *failure(const trace *t, const char *path)
{
    int error = t->merge.error ? t->merge.error : t->error;
    if (error)
        return g_strdup_printf("%s cannot be read to its end: %s", path, g_strerror(error));
    return t->incomplete
               ? g_strdup_printf("%s: parts of this trace are missing or cannot be read (open it to see which)", path)
               : NULL;
}

/* Takes `instead`. */
static char *unreadable(const char *path, int error, char *instead)
{
    g_free(instead);
    return g_strdup_printf("%s cannot be read: %s", path, g_strerror(error));
}

static char *open_source(trace_reader *w, const char *path, const char *protocol)
{
    uint8_t head[PROBE_LENGTH];
    source *s = w->source;
    int error = 0;
    int64_t n = source_read(s, 0, head, sizeof head, &error);
    if (n < 0)
        return unreadable(path, error, NULL);
    const probe p = {.head = head, .length = (size_t)n, .whole = s->size <= sizeof head, .path = path};
    const format *f = trace_reader_format_of(&p, protocol);
    if (!f)
        return g_strdup_printf("%s is not a trace of this format, or it is compressed", path);
    const trace_input in = {.path = path, .sequential = s, .seekable = true, .all_times = true};
    char *reason = NULL;
    w->trace = trace_open(f, &in, &reason);
    if (w->trace)
        return NULL;
    return reason && !s->error ? reason : unreadable(path, s->error ? s->error : EIO, reason);
}

char *trace_reader_open(trace_reader *w, const char *path, const char *protocol)
{
    struct stat st;
    *w = (trace_reader){0};
    int fd = regular_file_open(path, true, &st);
    if (fd < 0)
        return g_strdup_printf("%s cannot be read: %s", path, regular_file_problem(errno));
    w->source = source_descriptor_new(fd, (uint64_t)st.st_size);
    char *problem = open_source(w, path, protocol);
    if (problem)
        source_close(w->source);
    return problem;
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

char *trace_reader_read(const char *path, const char *protocol, trace_reader_visitor visitor, void *data)
{
    trace_reader w;
    walk *next;
    cursor bytes;
    char *problem = trace_reader_open(&w, path, protocol);
    if (problem)
        return problem;
    for (uint32_t frame = 1; visitor && (next = trace_reader_next(&w, &bytes)) && frame < UINT32_MAX; frame++)
        visitor(data, frame, &next->record.context, &bytes, next->stream, w.trace->outside);
    problem = visitor ? failure(w.trace, path) : NULL;
    trace_reader_close(&w);
    return problem;
}
