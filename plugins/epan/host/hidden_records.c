/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/trace.h"
#include "host/hidden_records.h"

#include "core/formats.h"
#include "core/opened_trace.h"
#include "core/trace_reader.h"
#include "host/open_file.h"
#include "host/record_numbers.h"

struct hidden_reader {
    trace_reader whole;
    bool open, failed, over;
    uint32_t place; /* of the last record read */
};

static struct open_hidden *const hidden = &open_file.hidden;

void hidden_free(hidden_reader *at)
{
    if (at && at->open)
        trace_reader_close(&at->whole);
    g_free(at);
}

static void look_up(const record_context *c)
{
    hidden->looked_up = true;
    hidden->row = opened_trace_find(c->trace);
    if (hidden->row && hidden->row->exported != ((c->flags & CONTEXT_EXPORTED) != 0)) /* the record is in another file */
        hidden->row = NULL;
}

/* How many frames a trace has, as far as they were read. It lasts when all are dissected again, which forgets the open file.
 */
static struct {
    const opened *row;
    uint32_t frames;
} read_once;

void hidden_note_record(const record_seen *seen, const record_context *c)
{
    if (!hidden->looked_up)
        look_up(c);
    if (!hidden->row || seen->again)
        return;
    if (hidden->row != read_once.row || !hidden->row->ended)
        read_once.frames = 0;
    read_once.row = hidden->row;
    read_once.frames = MAX(read_once.frames, seen->frame);
    hidden->dissected = seen->frame;
}

/* --- hidden records ---------------------------------------------------------------------------------------------------- */

static void hidden_records_visit(const hidden_reader *at, const walk *w, const record_context *like, const cursor *bytes,
                                 hidden_visitor visitor, void *data, proto_tree *tree)
{
    const record *r = &w->record;
    record_context c = r->context;
    c.trace = like->trace;
    c.flags |= like->flags & CONTEXT_RANDOM_ACCESS;
    if (!hidden->pool)
        hidden->pool = wmem_allocator_new(WMEM_ALLOCATOR_BLOCK_FAST);
    record_seen seen = {.interface = trace_interface(&c), .pool = hidden->pool};
    record_seen_set(&seen, at->place, r->seconds, r->nanoseconds, &hidden->first);
    visitor(data, &(hidden_record){&seen, tree, &c, *bytes, at->whole.trace});
    record_seen_free(&seen);
}

static void hidden_records_start(hidden_reader *at, const record_context *c)
{
    at->open = trace_reader_open(&at->whole, hidden->row->path, formats[c->format]->protocol, NULL);
    at->failed = !at->open;
}

/* Reads to the record with this handle. */
static bool read_until(hidden_reader *at, const record_context *c, hidden_visitor visitor, void *data, proto_tree *tree)
{
    walk *w;
    cursor bytes;
    const uint64_t wanted = trace_handle(c);
    while ((w = trace_reader_next(&at->whole, &bytes)) && ++at->place) {
        if (at->whole.trace->outside)
            hidden_records_visit(at, w, c, &bytes, visitor, data, tree);
        else if (trace_handle(&w->record.context) == wanted)
            return true; /* what is shown and not asked for has been dropped by a read filter */
    }
    at->failed = true;
    return false;
}

bool hidden_visit_until(hidden_reader **at, const record_seen *shown, proto_tree *tree, const record_context *c,
                        hidden_visitor visitor, void *data)
{
    if (!hidden->row || !hidden->row->timed)
        return true;
    if (!hidden->row->path)
        return false;
    if (!*at) {
        *at = g_new0(hidden_reader, 1);
        hidden_records_start(*at, c);
    }
    if ((*at)->failed)
        return false;
    nstime_delta(&hidden->first, &shown->absolute, &shown->relative);
    return read_until(*at, c, visitor, data, tree);
}

/* --- the open file ----------------------------------------------------------------------------------------------------- */

bool hidden_visit(const record_seen *shown, proto_tree *tree, const record_context *c, hidden_visitor visitor, void *data)
{
    if (!hidden->row || !hidden->row->timed)
        return true;
    hidden->visitor = visitor;
    hidden->data = data;
    bool known = hidden_visit_until(&hidden->reader, shown, tree, c, visitor, data);
    if (!known || !hidden->reader)
        return known;
    record_numbers_note(shown->frame, hidden->reader->place);
    return true;
}

void hidden_finish(void)
{
    hidden_reader *at = hidden->reader;
    walk *w;
    cursor bytes;
    if (!at || at->failed || at->over || !hidden->row->ended)
        return;
    while ((w = trace_reader_next(&at->whole, &bytes)) && ++at->place)
        if (at->whole.trace->outside)
            hidden_records_visit(at, w, &w->record.context, &bytes, hidden->visitor, hidden->data, NULL);
    at->over = true;
}

const char *hidden_problem(void)
{
    if (!hidden->row || !hidden->row->timed || (hidden->row->path && !(hidden->reader && hidden->reader->failed)))
        return NULL;
    return hidden->row->path
               ? "what came before the part is not known: the file cannot be read again, or has changed"
               : "what came before the part is not known: open the file itself, neither compressed nor from a pipe nor as exported PDUs";
}

bool hidden_rest_unread(void)
{
    return hidden->row && hidden->row->timed && !(hidden->reader && hidden->reader->over);
}

bool hidden_end_unread(void)
{
    return hidden_rest_unread() || (hidden->row && (!hidden->row->ended || hidden->dissected < read_once.frames));
}

const char *hidden_part_text(void)
{
    if (hidden->row && (hidden->row->timed || hidden->row->left_out))
        return "only a part of the trace is open";
    return hidden->row && !hidden->row->ended ? "the trace has not been read to its end" : NULL;
}

bool hidden_end_missing(void)
{
    return hidden->row && (hidden->row->left_out || !hidden->row->ended || hidden_rest_unread());
}

bool hidden_streams_missing(void)
{
    return hidden->row && hidden->row->left_out;
}
