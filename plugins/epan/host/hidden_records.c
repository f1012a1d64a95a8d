/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/trace.h"
#include "host/hidden_records.h"

#include "core/formats.h"
#include "core/opened_trace.h"
#include "containers/binary_search.h"
#include "core/trace_reader.h"
#include "host/shortcuts.h"

struct hidden_reader {
    trace_reader whole;
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
static hidden_reader *file_hidden;
static GArray *file_runs;  /* of run */
static uint32_t file_last; /* frame whose place is known */
static hidden_visitor file_visitor;
static void *file_data;

bool hidden_renumbers;

static made_record hidden; /* the record that is being visited */

void hidden_free(hidden_reader *at)
{
    if (at && at->open)
        trace_reader_close(&at->whole);
    g_free(at);
}

static void hidden_records_forget_file(void)
{
    hidden_free(file_hidden);
    file_hidden = NULL;
    if (file_runs)
        g_array_free(file_runs, TRUE);
    file_runs = NULL;
    file_row = NULL;
    file_looked_up = hidden_renumbers = false;
    file_last = 0;
}

void hidden_note_file(const record_context *c)
{
    if (file_looked_up)
        return;
    file_looked_up = true;
    file_row = opened_trace_find(c->trace);
    if (file_row && file_row->exported != ((c->flags & CONTEXT_EXPORTED) != 0)) /* the record is in another file */
        file_row = NULL;
}

/* --- hidden records ---------------------------------------------------------------------------------------------------- */

static void hidden_records_visit(const hidden_reader *at, const walk *w, const record_context *like, const cursor *bytes,
                                 hidden_visitor visitor, void *data, proto_tree *tree)
{
    const record *r = &w->record;
    record_context c = r->context;
    c.trace = like->trace;
    c.flags |= like->flags & CONTEXT_RANDOM_ACCESS;
    made_record_set(&hidden, at->place, (nstime_t){.secs = (time_t)r->seconds, .nsecs = r->nanoseconds},
                    trace_interface(&c));
    visitor(data, &(hidden_record){&hidden.pinfo, tree, &c, *bytes, at->whole.trace});
    wmem_free_all(hidden.pinfo.pool);
}

static void hidden_records_start(hidden_reader *at, const record_context *c)
{
    g_autofree char *problem = trace_reader_open(&at->whole, file_row->path, formats[c->format]->protocol);
    at->open = !problem;
    at->failed = problem != NULL;
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

bool hidden_visit_until(hidden_reader **at, packet_info *shown, proto_tree *tree, const record_context *c,
                        hidden_visitor visitor, void *data)
{
    if (!file_row || !file_row->timed)
        return true;
    if (!file_row->path)
        return false;
    if (!*at) {
        *at = g_new0(hidden_reader, 1);
        hidden_records_start(*at, c);
    }
    if ((*at)->failed)
        return false;
    made_record_begin(&hidden, shown, NULL);
    return read_until(*at, c, visitor, data, tree);
}

/* --- the open file ----------------------------------------------------------------------------------------------------- */

static const run *hidden_records_run_at(guint i)
{
    return &g_array_index(file_runs, run, i);
}

static void note_place(uint32_t frame, uint32_t place)
{
    guint n = file_runs->len;
    bool follows = n && frame > file_last &&
                   place - hidden_records_run_at(n - 1)->place == frame - hidden_records_run_at(n - 1)->frame;
    if (n && frame <= file_last && hidden_records_run_at(n - 1)->frame == frame) /* a read filter has dropped the last one */
        g_array_set_size(file_runs, n - 1);
    if (!follows) {
        const run r = {frame, place};
        g_array_append_val(file_runs, r);
    }
    file_last = frame;
}

bool hidden_visit(packet_info *shown, proto_tree *tree, const record_context *c, hidden_visitor visitor, void *data)
{
    if (!file_row || !file_row->timed)
        return true;
    file_visitor = visitor;
    file_data = data;
    bool known = hidden_visit_until(&file_hidden, shown, tree, c, visitor, data);
    if (!known || !file_hidden)
        return known;
    if (!file_runs)
        file_runs = g_array_new(FALSE, FALSE, sizeof(run));
    hidden_renumbers = true;
    note_place(shown->num, file_hidden->place);
    return true;
}

void hidden_finish(void)
{
    hidden_reader *at = file_hidden;
    walk *w;
    cursor bytes;
    if (!at || at->failed || at->over || !file_row->ended)
        return;
    while ((w = trace_reader_next(&at->whole, &bytes)) && ++at->place)
        if (at->whole.trace->outside)
            hidden_records_visit(at, w, &w->record.context, &bytes, file_visitor, file_data, NULL);
    at->over = true;
}

const char *hidden_problem(void)
{
    if (!file_row || !file_row->timed || (file_row->path && !(file_hidden && file_hidden->failed)))
        return NULL;
    return file_row->path
               ? "what came before the part is not known: the file cannot be read again, or has changed"
               : "what came before the part is not known: open the file itself, neither compressed nor from a pipe nor as exported PDUs";
}

bool hidden_rest_unread(void)
{
    return file_row && file_row->timed && !(file_hidden && file_hidden->over);
}

const char *hidden_part_text(void)
{
    if (file_row && (file_row->timed || file_row->left_out))
        return "only a part of the trace is open";
    return file_row && !file_row->ended ? "the trace has not been read to its end" : NULL;
}

bool hidden_end_missing(void)
{
    return file_row && (file_row->left_out || !file_row->ended || hidden_rest_unread());
}

bool hidden_streams_missing(void)
{
    return file_row && file_row->left_out;
}

/* --- places ------------------------------------------------------------------------------------------------------------ */

uint32_t record_number_at(uint32_t frame)
{
    guint n = file_runs ? (guint)BINARY_SEARCH(file_runs->len, i, hidden_records_run_at((guint)i)->frame <= frame) : 0;
    return n ? hidden_records_run_at(n - 1)->place + (frame - hidden_records_run_at(n - 1)->frame) : frame;
}

uint32_t record_number_of(const packet_info *pinfo)
{
    return pinfo == &hidden.pinfo ? pinfo->num : record_number_at(pinfo->num);
}

uint32_t record_frame(uint32_t place)
{
    if (!hidden_renumbers)
        return place;
    guint n = (guint)BINARY_SEARCH(file_runs->len, i, hidden_records_run_at((guint)i)->place <= place);
    if (n == 0)
        return 0;
    uint32_t frame = hidden_records_run_at(n - 1)->frame + (place - hidden_records_run_at(n - 1)->place);
    return frame < (n < file_runs->len ? hidden_records_run_at(n)->frame : file_last + 1) ? frame : 0;
}

void hidden_register(void)
{
    register_init_routine(hidden_records_forget_file);
    register_cleanup_routine(hidden_records_forget_file);
}
