/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saving an ovni stream: its events unchanged, after a header unless streams of its era have none. An event does not say
 * which thread it belongs to, so a file holds only one stream. */
#include "ovni/events/events.h"
#include "ovni/events/layout.h"
#include "ovni/ovni.h"
#include "util/fail.h"

typedef struct ovni_writer {
    bool begun;
    record_context first;
} ovni_writer;

static const uint8_t header_le[OVNI_HEADER_SIZE] = {'o', 'v', 'n', 'i', 1, 0, 0, 0};
static const uint8_t header_be[OVNI_HEADER_SIZE] = {'o', 'v', 'n', 'i', 0, 0, 0, 1};

static void *begin_stream(void)
{
    return g_new0(ovni_writer, 1);
}

static bool ovni_writing_check(const ovni_writer *w, const record_context *c, GError **error)
{
    const record_context *first = &w->first;
    if (c->kind == OVNI_METADATA)
        return fail_with(error, "An ovni event file cannot contain metadata: leave it out (ovni.kind != 3).");
    if (c->kind == OVNI_MISSING)
        return fail_with(error, "A stream that cannot be read has no bytes to save: leave it out (ovni.kind != 4).");
    if (!w->begun)
        return true;
    if ((c->flags ^ first->flags) & CONTEXT_BIG_ENDIAN)
        return fail_with(error, "Events of both byte orders cannot be saved in one ovni event file.");
    if (c->trace != first->trace || c->stream != first->stream ||
        ovni_context_of(c)->process != ovni_context_of(first)->process ||
        ovni_context_of(c)->thread != ovni_context_of(first)->thread)
        return fail_with(error,
                         "An ovni event file holds the events of one thread: select one stream (ovni.stream == ...).");
    return true;
}

/* Unknown bytes or a cut header can also begin the file. */
static bool wants_header(const record_context *c)
{
    return c->kind != OVNI_HEADER && c->kind != KIND_UNKNOWN && ovni_context_of(c)->era != OVNI_ERA_HEADERLESS &&
           c->offset + c->length > OVNI_HEADER_SIZE;
}

static bool save_record(void *state, sink *out, const write_record *r, GError **error)
{
    ovni_writer *w = state;
    const record_context *c = r->context;
    if (!ovni_writing_check(w, c, error))
        return false;
    if (w->begun && c->kind == OVNI_HEADER)
        return true; /* from another part of the stream; both are the same */
    if (!w->begun && wants_header(c) &&
        !sink_put(out, c->flags & CONTEXT_BIG_ENDIAN ? header_be : header_le, OVNI_HEADER_SIZE))
        return false;
    if (!w->begun)
        w->first = *c;
    w->begun = true;
    return sink_put(out, r->data, r->length);
}

/* If nothing was written, writes a header: a stream without events, or a filter that matched nothing. */
static bool finish_stream(void *state, sink *out)
{
    const ovni_writer *w = state;
    return w->begun || sink_put(out, header_le, OVNI_HEADER_SIZE);
}

const write_ops ovni_write = {begin_stream, save_record, finish_stream, g_free};
