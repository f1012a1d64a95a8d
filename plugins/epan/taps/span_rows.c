/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "taps/span_rows.h"

#include "host/hidden_records.h"
#include "host/notices.h"
#include "host/printing.h"
#include "taps/row_output.h"
#include "taps/statistic.h"
#include "util/fail.h"

/* A run, and the cells of the row that is being filled, by column. */
typedef struct span_rows {
    row_output output; /* first */
    const span_table *table;
    bool full, ticks, open; /* open: rows are those of spans that have not ended */
    bool filled;            /* the format's own cells are there */
    uint64_t now;           /* of the latest record: in the unit of spans, and Wireshark's times of it */
    nstime_t relative, absolute;
    rows_cell all[ROWS_COLUMNS_MAX];
} span_rows;

static void *span_rows_begin(const statistic_run *run)
{
    span_rows *r = g_new0(span_rows, 1);
    r->table = run->of->protocol;
    row_output_begin(&r->output, run);
    r->full = rows_words_full(&r->output.words);
    r->ticks = statistic_in_ticks(run);
    return r;
}

static void span_rows_free(void *data)
{
    span_rows *r = data;
    row_output_clear(&r->output);
    g_free(r);
}

/* --- a row ------------------------------------------------------------------------------------------------------------- */

static rows_cell time_cell(const span_rows *r, uint64_t time)
{
    return rows_number(r->ticks ? time : spans_nanoseconds(r->table->from, time));
}

enum { NAME_OF_SPAN, NAME_OF_CALLER, NAME_OF_PLACE };

static rows_cell name_cell(const span_rows *r, int which, const packet_info *pinfo, const void *tapped, const span *s)
{
    const span_table *t = r->table;
    const char *text = which == NAME_OF_SPAN     ? t->name(pinfo, s, r->full)
                       : which == NAME_OF_CALLER ? t->caller(pinfo, tapped, s, r->full)
                                                 : t->from->place(tapped, s);
    return text ? rows_lasting_text(text) : (rows_cell){0};
}

/* How it ended. */
static rows_cell mark_cell(const span_rows *r, unsigned marks)
{
    const rows_cell none = {0};
    return r->open ? none : rows_number(marks != 0);
}

static rows_cell record_cell(uint32_t place)
{
    const uint32_t frame = record_frame(place);
    return frame ? rows_number(frame) : (rows_cell){0};
}

/* When it began, from a time of the record that ended it. */
static rows_cell begin_cell(const span_rows *r, const nstime_t *of_record, const void *tapped, const span *s)
{
    const call *k = &s->call;
    if (!(k->state & CALL_TIMED))
        return (rows_cell){0};
    if (r->open)
        return row_output_time(of_record, k->until);
    if (!r->table->now)
        return row_output_time(of_record, k->duration);
    const uint64_t now = r->table->now(tapped), end = k->state & CALL_CLOSED ? k->until : now;
    return row_output_time(of_record, r->table->between(tapped, end - k->duration, now));
}

static rows_cell shared_cell(const span_rows *r, unsigned column, const packet_info *pinfo, const void *tapped,
                             const span *s)
{
    const call *k = &s->call;
    const bool timed = k->state & CALL_TIMED && !r->open, selfed = timed && k->state & CALL_SELF;
    switch (column) {
    case SPAN_NAME:
        return name_cell(r, NAME_OF_SPAN, pinfo, tapped, s);
    case SPAN_ID:
        return rows_number(s->function);
    case SPAN_TIME:
        return begin_cell(r, &pinfo->rel_ts, tapped, s);
    case SPAN_EPOCH:
        return begin_cell(r, &pinfo->abs_ts, tapped, s);
    case SPAN_DURATION:
        return timed ? time_cell(r, k->duration) : (rows_cell){0};
    case SPAN_SELF:
        return selfed ? time_cell(r, k->self) : (rows_cell){0};
    case SPAN_ACTIVE:
        return timed ? time_cell(r, k->duration - k->away) : (rows_cell){0};
    case SPAN_ACTIVE_SELF:
        return selfed ? time_cell(r, span_active_self(s)) : (rows_cell){0};
    case SPAN_DEPTH:
        return s->nests && !(r->table->depth_unknown && r->table->depth_unknown(tapped)) ? rows_number(k->depth)
                                                                                         : (rows_cell){0};
    case SPAN_BEGIN:
        return record_cell(k->begin);
    case SPAN_END:
        return record_cell(k->state & CALL_CLOSED ? k->last : k->end);
    case SPAN_CALLER:
        return s->nests ? name_cell(r, NAME_OF_CALLER, pinfo, tapped, s) : (rows_cell){0};
    case SPAN_SOURCE:
        return r->table->from->place ? name_cell(r, NAME_OF_PLACE, pinfo, tapped, s) : (rows_cell){0};
    case SPAN_UNWOUND:
        return mark_cell(r, k->state & CALL_CLOSED);
    default:
        return mark_cell(r, k->state & (CALL_UNSURE | CALL_UNATTRIBUTED));
    }
}

static rows_cell span_rows_cell(span_rows *r, unsigned column, const packet_info *pinfo, const void *tapped, const span *s)
{
    if (column < SPAN_COLUMNS)
        return shared_cell(r, column, pinfo, tapped, s);
    if (!r->filled) {
        memset(r->all + SPAN_COLUMNS, 0, (r->table->count - SPAN_COLUMNS) * sizeof *r->all);
        r->table->fill(pinfo, tapped, s, r->full, r->all + SPAN_COLUMNS);
    }
    r->filled = true;
    return r->all[column];
}

static void span_rows_write(span_rows *r, const packet_info *pinfo, const void *tapped, const span *s)
{
    rows_cell *cells = rows_stream_begin(r->output.stream), *deciding = rows_stream_deciding(r->output.stream);
    r->filled = false;
    if (deciding)
        *deciding = span_rows_cell(r, r->output.columns[deciding - cells], pinfo, tapped, s);
    if (!rows_stream_wants(r->output.stream))
        return;
    for (unsigned i = 0; i < r->output.count; i++)
        if (&cells[i] != deciding)
            cells[i] = span_rows_cell(r, r->output.columns[i], pinfo, tapped, s);
    rows_stream_add(r->output.stream);
}

static bool span_rows_count(const statistic_run *run, const packet_info *pinfo, const void *tapped)
{
    span_rows *r = run->data;
    span s;
    bool any = false;
    const uint64_t now = r->table->each_open ? r->table->now(tapped) : 0;
    if (now) {
        r->now = now;
        r->relative = pinfo->rel_ts;
        r->absolute = pinfo->abs_ts;
    }
    for (uint32_t i = 0; r->table->from->span(tapped, i, &s); i++)
        if (s.kind == r->table->kind && spans_is_single(r->table->from, &s) && s.call.begin) {
            span_rows_write(r, pinfo, tapped, &s);
            any = true;
        }
    return any;
}

static void write_open(void *data, const void *tapped, const span *s)
{
    span_rows *r = data;
    const packet_info latest = {.rel_ts = r->relative, .abs_ts = r->absolute};
    span_rows_write(r, &latest, tapped, s);
}

static void span_rows_end_stream(const statistic_run *run, const void *tapped)
{
    span_rows *r = run->data;
    r->open = true;
    if (r->table->each_open && !*run->filter)
        r->table->each_open(tapped, r->now, write_open, r);
    r->open = false;
    r->now = 0;
}

/* A filter is for the record that ends a span, so none of the open ones passes it. */
static void span_rows_end(const statistic_run *run, GString *text _U_)
{
    const span_rows *r = run->data;
    if (!r->output.threads)
        span_rows_end_stream(run, NULL);
    row_output_end(run, &r->output);
}

static row_type span_rows_type(const statistic *s, unsigned column, bool hex)
{
    return row_output_type(&s->columns[column], hex);
}

static bool is_ordered(const statistic *s _U_, unsigned column)
{
    return column == SPAN_BEGIN || column == SPAN_END;
}

static bool span_rows_check(const statistic_run *run, GError **error)
{
    return row_output_check(run, span_rows_type, is_ordered, error);
}

void span_rows_register(const span_table *t)
{
    statistic *s = g_new0(statistic, 1);
    *s = (statistic){.title = t->title,
                     .tap = t->from->tap,
                     .command = t->command,
                     .protocol = t,
                     .columns = t->columns,
                     .column_count = t->count,
                     .usual = t->usual,
                     .printed = true,
                     .words = ROW_OUTPUT_WORDS,
                     .merge = t->threads ? row_output_merge : NULL,
                     .share = row_output_share,
                     .end_stream = span_rows_end_stream,
                     .check = span_rows_check,
                     .begin = span_rows_begin,
                     .count = span_rows_count,
                     .write = span_rows_end,
                     .free = span_rows_free};
    statistic_register(s);
}
