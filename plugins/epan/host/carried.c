/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/trace.h"
#include "host/carried.h"

#include <epan/frame_data.h>
#include <wiretap/wtap.h>

#include "core/formats.h"
#include "core/opened_trace.h"
#include "containers/binary_search.h"
#include "core/trace_reader.h"

struct carried_reader {
    whole_trace whole;
    bool open, failed, over;
    uint32_t place; /* of the last record read */
};

/* Frames that follow each other in the whole trace as well. */
typedef struct run {
    uint32_t frame, place; /* of the first */
} run;

/* Of the open file. */
static const opened *file_row; /* NULL: the reader has not opened it */
static bool file_looked_up;
static carried_reader *file_carried;
static GArray *file_runs;  /* of run */
static uint32_t file_last; /* frame whose place is known */
static carried_visitor file_visitor;
static void *file_data;

bool carried_renumbers;

/* The record that is being visited. Names of its stream are not asked of Wireshark, which may have closed the file. */
static packet_info hidden;
static frame_data hidden_frame;
static wtap_rec hidden_record;
static nstime_t hidden_beginning; /* what times are relative to */
static const stream *hidden_stream;

void carried_free(carried_reader *at)
{
    if (at && at->open)
        whole_close(&at->whole);
    g_free(at);
}

static void forget_file(void)
{
    carried_free(file_carried);
    file_carried = NULL;
    if (file_runs)
        g_array_free(file_runs, TRUE);
    file_runs = NULL;
    file_row = NULL;
    file_looked_up = carried_renumbers = false;
    file_last = 0;
}

void carried_note(const record_context *c)
{
    if (file_looked_up)
        return;
    file_looked_up = true;
    file_row = opened_find(c->trace);
    if (file_row && file_row->exported != ((c->flags & CONTEXT_EXPORTED) != 0)) /* the record is in another file */
        file_row = NULL;
}

/* --- hidden records ---------------------------------------------------------------------------------------------------- */

/* What all hidden records have in common with a shown one. */
static void share(const packet_info *shown)
{
    static wmem_allocator_t *pool;
    if (!pool)
        pool = wmem_allocator_new(WMEM_ALLOCATOR_SIMPLE);
    hidden = *shown;
    hidden_frame = *shown->fd;
    hidden_frame.visited = 0;
    hidden_record = *shown->rec;
    hidden.pool = pool;
    hidden.fd = &hidden_frame;
    hidden.rec = &hidden_record;
    nstime_delta(&hidden_beginning, &shown->abs_ts, &shown->rel_ts);
}

static void visit(const carried_reader *at, const walk *w, const record_context *like, const cursor *bytes,
                  carried_visitor visitor, void *data)
{
    const record *r = &w->record;
    record_context c = r->context;
    c.trace = like->trace;
    c.flags |= like->flags & CONTEXT_RANDOM_ACCESS;
    hidden.num = at->place;
    hidden.abs_ts = (nstime_t){.secs = (time_t)r->seconds, .nsecs = r->nanoseconds};
    nstime_delta(&hidden.rel_ts, &hidden.abs_ts, &hidden_beginning);
    hidden_record.rec_header.packet_header.interface_id = trace_interface(&c);
    hidden_stream = w->stream;
    visitor(data, &hidden, &c, bytes);
    hidden_stream = NULL;
    wmem_free_all(hidden.pool);
}

static void start(carried_reader *at, const record_context *c)
{
    g_autofree char *problem = whole_open(&at->whole, file_row->path, formats[c->format]->protocol);
    at->open = !problem;
    at->failed = problem != NULL;
}

/* Reads to the record with this handle. */
static bool read_until(carried_reader *at, const record_context *c, carried_visitor visitor, void *data)
{
    walk *w;
    cursor bytes;
    const uint64_t wanted = trace_handle(c);
    while ((w = whole_next(&at->whole, &bytes)) && ++at->place) {
        if (at->whole.trace->outside)
            visit(at, w, c, &bytes, visitor, data);
        else if (trace_handle(&w->record.context) == wanted)
            return true; /* what is shown and not asked for has been dropped by a read filter */
    }
    at->failed = true;
    return false;
}

bool carried_until(carried_reader **at, packet_info *shown, const record_context *c, carried_visitor visitor, void *data)
{
    if (!file_row || !file_row->timed)
        return true;
    if (!file_row->path)
        return false;
    if (!*at) {
        *at = g_new0(carried_reader, 1);
        start(*at, c);
    }
    if ((*at)->failed)
        return false;
    share(shown);
    return read_until(*at, c, visitor, data);
}

/* --- the open file ----------------------------------------------------------------------------------------------------- */

static const run *run_at(guint i)
{
    return &g_array_index(file_runs, run, i);
}

static void note_place(uint32_t frame, uint32_t place)
{
    guint n = file_runs->len;
    bool follows = n && frame > file_last && place - run_at(n - 1)->place == frame - run_at(n - 1)->frame;
    if (n && frame <= file_last && run_at(n - 1)->frame == frame) /* a read filter has dropped the last one */
        g_array_set_size(file_runs, n - 1);
    if (!follows) {
        const run r = {frame, place};
        g_array_append_val(file_runs, r);
    }
    file_last = frame;
}

bool carried_look(packet_info *shown, const record_context *c, carried_visitor visitor, void *data)
{
    if (!file_row || !file_row->timed)
        return true;
    file_visitor = visitor;
    file_data = data;
    bool known = carried_until(&file_carried, shown, c, visitor, data);
    if (!known || !file_carried)
        return known;
    if (!file_runs)
        file_runs = g_array_new(FALSE, FALSE, sizeof(run));
    carried_renumbers = true;
    note_place(shown->num, file_carried->place);
    return true;
}

void carried_finish(void)
{
    carried_reader *at = file_carried;
    walk *w;
    cursor bytes;
    if (!at || at->failed || at->over || !file_row->ended)
        return;
    while ((w = whole_next(&at->whole, &bytes)) && ++at->place)
        if (at->whole.trace->outside)
            visit(at, w, &w->record.context, &bytes, file_visitor, file_data);
    at->over = true;
}

const char *carried_unknown(void)
{
    if (!file_row || !file_row->timed || (file_row->path && !(file_carried && file_carried->failed)))
        return NULL;
    return file_row->path
               ? "what came before the part is not known: the file cannot be read again, or has changed"
               : "what came before the part is not known: open the file itself, neither compressed nor from a pipe nor as exported PDUs";
}

bool carried_ends_early(void)
{
    return file_row && file_row->timed && !(file_carried && file_carried->over);
}

const char *carried_part(void)
{
    if (file_row && (file_row->timed || file_row->left_out))
        return "only a part of the trace is open";
    return file_row && !file_row->ended ? "the trace has not been read to its end" : NULL;
}

bool carried_lacks_end(void)
{
    return file_row && (file_row->left_out || !file_row->ended || carried_ends_early());
}

bool carried_lacks_streams(void)
{
    return file_row && file_row->left_out;
}

/* --- places ------------------------------------------------------------------------------------------------------------ */

uint32_t carried_place_at(uint32_t frame)
{
    guint n = file_runs ? (guint)SORTED_COUNT(file_runs->len, i, run_at((guint)i)->frame <= frame) : 0;
    return n ? run_at(n - 1)->place + (frame - run_at(n - 1)->frame) : frame;
}

uint32_t carried_place_of(const packet_info *pinfo)
{
    return pinfo == &hidden ? pinfo->num : carried_place_at(pinfo->num);
}

uint32_t carried_frame(uint32_t place)
{
    if (!carried_renumbers)
        return place;
    guint n = (guint)SORTED_COUNT(file_runs->len, i, run_at((guint)i)->place <= place);
    if (n == 0)
        return 0;
    uint32_t frame = run_at(n - 1)->frame + (place - run_at(n - 1)->place);
    return frame < (n < file_runs->len ? run_at(n)->frame : file_last + 1) ? frame : 0;
}

bool carried_names(const packet_info *pinfo, const char **name, const char **description)
{
    if (pinfo != &hidden || !hidden_stream)
        return false;
    *name = hidden_stream->name;
    *description = hidden_stream->description;
    return true;
}

void carried_register(void)
{
    register_init_routine(forget_file);
    register_cleanup_routine(forget_file);
}
