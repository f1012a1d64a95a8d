/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "showing/span_rows.h"

#include "containers/frame_set.h"
#include "host/record_numbers.h"
#include "showing/row_output.h"

static const char every_word[] = "every";

typedef struct span_rows {
    row_output output; /* first; unused if rows are kept */
    const span_table *table;
    first_rows *kept;  /* rows of the table; NULL: they are printed */
    first_rows *shown; /* the same, with those that are open now; NULL: there are none */
    unsigned by;       /* the column that decides which */
    bool full, ticks, every, filtered;
    bool open;         /* rows are those of spans that have not ended */
    GByteArray *begun; /* frame_set.h: records that have begun something */
    uint64_t now;      /* of the latest record: in the unit of spans, and Wireshark's times of it */
    nstime_t relative, absolute;
} span_rows;

static void *span_rows_begin(const statistic_words *words, const void *how)
{
    const statistic_run *run = how;
    span_rows *r = g_new0(span_rows, 1);
    const span_table *t = r->table = run->of->protocol;
    if (t->slowest) {
        const top_n_by by = statistic_words_largest(words, 0);
        r->kept = first_rows_new(&by, t->count, t->count);
        r->by = by.column;
    } else {
        row_output_begin(&r->output, run);
    }
    r->full = rows_words_full(&words->asked) || (!t->slowest && rows_words_full(&r->output.words));
    r->ticks = words->asked.unit == ROWS_TICKS;
    r->every = !t->is_background || statistic_words_has(words, every_word);
    r->begun = t->begins ? g_byte_array_new() : NULL;
    r->filtered = run->filter && *run->filter;
    return r;
}

static void span_rows_free(void *data)
{
    span_rows *r = data;
    if (!r->kept)
        row_output_clear(&r->output);
    first_rows_free(r->kept);
    first_rows_free(r->shown);
    if (r->begun)
        g_byte_array_free(r->begun, TRUE);
    g_free(r);
}

/* --- a row ------------------------------------------------------------------------------------------------------------- */

/* What the cells of a row are made from. */
typedef struct row_of {
    const record_seen *seen; /* of the record that ended the span, like the next two */
    const void *tapped;
    const span *s;
    bool timed, selfed; /* it has these times */
    uint64_t before;    /* how many ns before the record it began, if it has a duration */
} row_of;

/* Where there is a row for each, what is not known is empty. */
static rows_cell unknown_cell(const span_rows *r)
{
    const rows_cell none = {0};
    return r->kept ? rows_unknown() : none;
}

/* A time that does not fit is not known. */
static rows_cell time_cell(const span_rows *r, uint64_t time)
{
    const uint64_t shown = r->ticks ? time : spans_nanoseconds(r->table->from, time);
    return r->ticks || shown != UINT64_MAX ? rows_number(shown) : unknown_cell(r);
}

static rows_cell depth_cell(const span_rows *r, const row_of *of)
{
    static const rows_cell none;
    const span_table *t = r->table;
    if (!of->s->nests)
        return none;
    return t->depth_unknown && t->depth_unknown(of->tapped) ? unknown_cell(r) : rows_number(of->s->call.depth);
}

enum { NAME_OF_SPAN, NAME_OF_CALLER, NAME_OF_PLACE };

static rows_cell name_cell(const span_rows *r, int which, const row_of *of)
{
    const span_table *t = r->table;
    const shown_name name = which == NAME_OF_SPAN     ? t->name(of->seen, of->s, r->full)
                            : which == NAME_OF_CALLER ? t->caller(of->seen, of->tapped, of->s, r->full)
                                                      : shown_name_of(t->from->place(of->tapped, of->s).text);
    if (!name.text)
        return (rows_cell){0};
    rows_cell cell = rows_lasting_name(&name);
    cell.plain = name.plain ? name.plain : rows_plain(name.text);
    return cell;
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

/* When it began, from a time of the record. */
static rows_cell begin_cell(const row_of *of, const nstime_t *of_record)
{
    return of->s->call.state & CALL_TIMED ? row_output_time(of_record, of->before) : (rows_cell){0};
}

static rows_cell shared_cell(const span_rows *r, unsigned column, const row_of *of)
{
    const span *s = of->s;
    const call *k = &s->call;
    switch (column) {
    case SPAN_NAME:
        return name_cell(r, NAME_OF_SPAN, of);
    case SPAN_ID:
        return rows_number(s->function);
    case SPAN_TIME:
        return begin_cell(of, &of->seen->relative);
    case SPAN_EPOCH:
        return begin_cell(of, &of->seen->absolute);
    case SPAN_DURATION:
        return of->timed ? time_cell(r, k->duration) : (rows_cell){0};
    case SPAN_SELF:
        return of->selfed ? time_cell(r, k->self) : (rows_cell){0};
    case SPAN_ACTIVE:
        return of->timed ? time_cell(r, k->duration - k->away) : (rows_cell){0};
    case SPAN_ACTIVE_SELF:
        return of->selfed ? time_cell(r, span_active_self(s)) : (rows_cell){0};
    case SPAN_DEPTH:
        return depth_cell(r, of);
    case SPAN_BEGIN:
        return record_cell(k->begin);
    case SPAN_END:
        return record_cell(r->open ? 0 : k->state & CALL_CLOSED ? k->last : k->end);
    case SPAN_CALLER:
        return s->nests ? name_cell(r, NAME_OF_CALLER, of) : (rows_cell){0};
    case SPAN_SOURCE:
        return r->table->from->place ? name_cell(r, NAME_OF_PLACE, of) : (rows_cell){0};
    case SPAN_UNWOUND:
        return mark_cell(r, k->state & CALL_CLOSED);
    default:
        return mark_cell(r, k->state & (CALL_UNSURE | CALL_UNATTRIBUTED));
    }
}

/* `which`: for each column its cell. All in one, as it is done for each row. */
__attribute__((flatten)) static void fill_cells(const span_rows *r, const unsigned char *which, unsigned count,
                                                const row_of *of, rows_cell *cells)
{
    for (unsigned i = 0; i < count; i++)
        cells[i] = which[i] < SPAN_COLUMNS ? shared_cell(r, which[i], of)
                                           : r->table->cell(which[i], of->seen, of->tapped, of->s, r->ticks);
}

/* Where rows take most time, ticks decide, as several are one nanosecond. */
static void fill_deciding(span_rows *r, unsigned char which, const row_of *of, rows_cell *cell)
{
    const bool ticks = r->ticks;
    r->ticks |= r->kept != NULL;
    fill_cells(r, &which, 1, of, cell);
    r->ticks = ticks;
}

/* Of those that took equally long the one that began first comes first. */
static uint64_t tie_of(const span *s)
{
    return (uint64_t)s->call.begin << 32 | (s->kind ? 0 : s->function);
}

static uint64_t began_before(const span_rows *r, const void *tapped, const call *k)
{
    if (r->open)
        return k->until;
    if (!r->table->between)
        return k->duration;
    const uint64_t now = r->table->now(tapped), end = k->state & CALL_CLOSED ? k->until : now;
    return r->table->between(tapped, end - k->duration, now);
}

static row_of row_from(const span_rows *r, const record_seen *seen, const void *tapped, const span *s)
{
    const call *k = &s->call;
    const bool has_duration = k->state & CALL_TIMED, timed = has_duration && (!r->open || r->table->begins);
    return (row_of){.seen = seen,
                    .tapped = tapped,
                    .s = s,
                    .timed = timed,
                    .selfed = timed && k->state & CALL_SELF,
                    .before = has_duration ? began_before(r, tapped, k) : 0};
}

static void span_rows_write(span_rows *r, const record_seen *seen, const void *tapped, const span *s)
{
    const row_of of = row_from(r, seen, tapped, s);
    const row_output *o = &r->output;
    const unsigned char *which = r->kept ? r->table->cells : o->columns;
    first_rows *to = !r->kept ? rows_stream_rows(o->stream) : r->open ? r->shown : r->kept;
    rows_cell *cells = first_rows_begin(to), *deciding = first_rows_deciding(to);
    if (deciding) {
        fill_deciding(r, which[r->kept ? r->by : (unsigned)(deciding - cells)], &of, deciding);
        if (r->kept)
            first_rows_tie(to, tie_of(s));
        if (!first_rows_wants(to))
            return;
    }
    fill_cells(r, which, r->kept ? r->table->count : o->count, &of, cells);
    if (r->kept)
        first_rows_keep(to);
    else
        rows_stream_add(o->stream);
}

/* --- spans ------------------------------------------------------------------------------------------------------------- */

/* Without a duration it cannot be one that took longest. */
static bool has_row(const span_rows *r, const span *s)
{
    const span_table *t = r->table;
    return (t->kind == SPAN_ALL_KINDS || s->kind == t->kind) && s->call.begin && (!r->kept || s->call.state & CALL_TIMED) &&
           (r->every || !t->is_background(s));
}

static void note_record(span_rows *r, const record_seen *seen, const void *tapped)
{
    const uint64_t now = r->table->now(tapped);
    if (now) {
        r->now = now;
        r->relative = seen->relative;
        r->absolute = seen->absolute;
    }
    if (r->begun && r->table->begins(tapped))
        frame_set_add(r->begun, seen->number);
}

static bool span_rows_count(void *data, const counted_record *of)
{
    span_rows *r = data;
    const record_seen *seen = of->reader;
    const void *tapped = of->tapped;
    span s;
    bool any = false;
    if (r->table->each_open)
        note_record(r, seen, tapped);
    for (uint32_t i = 0; r->table->from->span(tapped, i, &s) && spans_is_single(r->table->from, &s); i++)
        if (has_row(r, &s)) {
            span_rows_write(r, seen, tapped, &s);
            any = true;
        }
    return any;
}

static void write_open(void *data, const void *tapped, const span *s)
{
    span_rows *r = data;
    const record_seen latest = {.relative = r->relative, .absolute = r->absolute};
    if (has_row(r, s) && (!r->begun || frame_set_has(r->begun, s->call.begin)))
        span_rows_write(r, &latest, tapped, s);
}

/* A filter is for the record that ends a span, so none of the open ones passes it. */
static void span_rows_end_stream(void *data, const void *tapped)
{
    span_rows *r = data;
    r->open = true;
    if (r->table->each_open && (r->begun || !r->filtered))
        r->table->each_open(tapped, r->now, write_open, r);
    r->open = false;
    if (tapped)
        r->now = 0; /* a thread goes on with the next stream */
}

static void span_rows_end(const statistic_run *run, GString *text _U_)
{
    const span_rows *r = run->data;
    if (!r->output.threads)
        span_rows_end_stream(run->data, NULL);
    row_output_end(run, &r->output);
}

/* --- those that took longest ------------------------------------------------------------------------------------------- */

static void span_rows_fill_row(void *data, const void *item)
{
    rows *to = data;
    memcpy(rows_add(to), item, to->count * sizeof(rows_cell));
}

/* More may be counted afterwards, when what is open now has ended. Texts of rows last until the next time. */
static void span_rows_fill(void *data, const void *how _U_, rows *to)
{
    span_rows *r = data;
    if (r->table->each_open) {
        first_rows_free(r->shown);
        r->shown = first_rows_copy(r->kept);
        span_rows_end_stream(r, NULL);
    }
    first_rows_each(r->shown ? r->shown : r->kept, span_rows_fill_row, to);
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

static row_type span_rows_type(const statistic *s, unsigned column, bool hex)
{
    return row_output_type(&s->counts->columns[column], hex);
}

static bool is_ordered(const statistic *s _U_, unsigned column)
{
    return column == SPAN_BEGIN || column == SPAN_END;
}

static bool span_rows_check(const statistic_run *run, GError **error)
{
    return row_output_check(run, span_rows_type, is_ordered, error);
}

static const counted each_counted = {.words = ROW_OUTPUT_WORDS,
                                     .begin = span_rows_begin,
                                     .count = span_rows_count,
                                     .merge = row_output_merge,
                                     .share = row_output_share,
                                     .end_stream = span_rows_end_stream,
                                     .free = span_rows_free},
                     slowest_counted = {
                         .begin = span_rows_begin, .count = span_rows_count, .fill = span_rows_fill, .free = span_rows_free};

statistic *span_rows_register(const span_table *t)
{
    struct {
        counted counts;
        statistic statistic;
    } *s = g_new(typeof(*s), 1); /* never freed */
    s->counts = t->slowest ? slowest_counted : each_counted;
    s->counts.columns = t->columns;
    s->counts.column_count = t->count;
    if (t->slowest)
        s->counts.words = t->is_background ? every_word : NULL;
    else if (!t->threads)
        s->counts.merge = NULL;
    s->statistic = (statistic){.tap = t->from->tap,
                               .counts = &s->counts,
                               .command = t->command,
                               .also = t->also,
                               .title = t->title,
                               .table = t->slowest,
                               .protocol = t,
                               .usual = t->usual,
                               .kind = t->slowest ? STATISTIC_ROWS : STATISTIC_STREAM,
                               .check = t->slowest ? NULL : span_rows_check,
                               .known = t->known,
                               .filled = t->remark,
                               .write = t->slowest ? NULL : span_rows_end};
    statistic_register(&s->statistic);
    return &s->statistic;
}
