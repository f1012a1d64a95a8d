/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "whole.h"

#include <errno.h>
#include <string.h>

#include "formats.h"
#include "regular.h"

static void visit_all(trace *t, whole_visitor visitor, void *data)
{
    walk *w;
    for (uint32_t frame = 1; (w = trace_next(t)) && frame < UINT32_MAX; frame++) {
        const record_context *c = &w->record.context;
        cursor bytes = {.big_endian = (c->flags & CONTEXT_BIG_ENDIAN) != 0};
        bytes.length = walk_bytes(w, &bytes.data);
        visitor(data, frame, c, &bytes, w->stream);
    }
}

/* The format of the protocol that recognises the file; NULL: none does. */
static const format *format_of(const probe *p, const char *protocol)
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
    return t->lacking ? g_strdup_printf("%s: parts of this trace are missing or cannot be read (open it to see which)", path)
                      : NULL;
}

/* Takes `instead`. */
static char *unreadable(const char *path, int error, char *instead)
{
    g_free(instead);
    return g_strdup_printf("%s cannot be read: %s", path, g_strerror(error));
}

static char *read_source(source *s, const char *path, const char *protocol, whole_visitor visitor, void *data)
{
    uint8_t head[PROBE_LENGTH];
    int error = 0;
    int64_t n = source_read(s, 0, head, sizeof head, &error);
    if (n < 0)
        return unreadable(path, error, NULL);
    const probe p = {.head = head, .length = (size_t)n, .whole = s->size <= sizeof head, .path = path};
    const format *f = format_of(&p, protocol);
    if (!f)
        return g_strdup_printf("%s is no trace of this kind, or it is compressed", path);
    const trace_input in = {.path = path, .sequential = s, .seekable = true};
    char *reason = NULL;
    trace *t = trace_open(f, &in, &reason);
    if (!t)
        return reason && !s->error ? reason : unreadable(path, s->error ? s->error : EIO, reason);
    if (visitor)
        visit_all(t, visitor, data);
    char *problem = visitor ? failure(t, path) : NULL;
    trace_close(t);
    return problem;
}

char *whole_read(const char *path, const char *protocol, whole_visitor visitor, void *data)
{
    struct stat st;
    int fd = regular_open(path, true, &st);
    if (fd < 0)
        return g_strdup_printf("%s cannot be read: %s", path, regular_problem(errno));
    source *s = source_descriptor_new(fd, (uint64_t)st.st_size);
    char *problem = read_source(s, path, protocol, visitor, data);
    source_close(s);
    return problem;
}
