/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "showing/row_output.h"

#include <stdlib.h>

#include "host/menus.h"
#include "host/notices.h"
#include "host/printing.h"
#include "util/fail.h"

static const char order_word[] = "order:stream";

/* What sorts them is among the columns that people see. */
static char *usual_of(const statistic_run *run)
{
    const rows_words *w = &run->words.asked;
    if (w->order == ROWS_OWN_ORDER || !run->of->usual)
        return g_strdup(run->of->usual);
    g_autofree char *sorted = rows_column_name(&run->columns[w->sorted_by]);
    return g_strjoin(",", run->of->usual, sorted, NULL);
}

void row_output_begin(row_output *o, const statistic_run *run)
{
    const statistic *s = run->of;
    *o = (row_output){.words = run->words.asked, .whole = run->self->data};
    o->words.decimal = !statistic_has(run, "hex");
    if (o->words.form == ROWS_AS_TEXT && !printing_width())
        o->words.form = ROWS_AS_CSV;
    o->usual = usual_of(run);
    o->heading = (rows_heading){.title = run->heading, .usual = o->usual, .command = s->command};
    if (run->filter && *run->filter)
        o->heading.filter = run->filter;
    o->page = printing_page(true, false);
    o->stream = rows_stream_new(run->columns, run->column_count, &o->words, &o->heading, &o->page, printing_flush);
    o->columns = rows_stream_columns(o->stream, &o->count);
}

static void flush_of_thread(GString *text)
{
    static GMutex lock;
    g_mutex_lock(&lock);
    printing_flush(text);
    g_mutex_unlock(&lock);
}

/* Rows of a thread follow the titles. */
void row_output_share(void *data, unsigned share _U_)
{
    const row_output *o = data;
    rows_stream_end(o->whole->stream);
    rows_stream_continue(o->stream, flush_of_thread);
}

void row_output_merge(void *data, const void *of_thread)
{
    ((row_output *)data)->threads = true;
    rows_stream_end(((const row_output *)of_thread)->stream);
}

void row_output_end(const statistic_run *run, const row_output *o)
{
    if (!o->threads && statistic_has(run, order_word))
        notices_say(NOTICE_WARNING, "order:stream changes nothing here: all rows are in order of the trace");
    rows_stream_end(o->stream);
}

void row_output_clear(row_output *o)
{
    rows_stream_free(o->stream);
    g_free(o->usual);
    *o = (row_output){0};
}

rows_cell row_output_time(const nstime_t *time, uint64_t ago)
{
    int64_t ns;
    if (!times_ns(time, &ns) || __builtin_sub_overflow(ns, ago, &ns))
        return (rows_cell){0};
    return rows_signed(ns);
}

row_type row_output_type(const rows_column *column, bool hex)
{
    switch (column->kind) {
    case ROWS_TIME:
    case ROWS_CLOCK:
    case ROWS_NUMBER:
        return (row_type){"BIGINT", ""};
    case ROWS_ORDINAL:
    case ROWS_COUNT:
        return (row_type){"UINTEGER", ""};
    case ROWS_YES_NO:
        return (row_type){"BOOLEAN", ""};
    case ROWS_ADDRESS:
        return (row_type){hex ? "VARCHAR" : "UBIGINT", ""};
    default:
        return (row_type){"VARCHAR", ""};
    }
}

static void print_types(const statistic_run *run, row_typer type)
{
    row_output o;
    g_autoptr(GString) text = g_string_new("name,type,field\n");
    row_output_begin(&o, run);
    for (unsigned i = 0; i < o.count; i++) {
        const unsigned column = o.columns[i];
        g_autofree char *name = rows_column_unit_name(&run->columns[column], &o.words);
        const bool decimals = rows_holds_times(&run->columns[column]) && o.words.unit == ROWS_US;
        const row_type t = type(run->of, column, !o.words.decimal);
        g_string_append_printf(text, "%s,%s,%s\n", name, decimals ? "DOUBLE" : t.sql, t.field);
    }
    row_output_clear(&o);
    printing_flush(text);
}

/* Threads know neither the numbers of records nor which rows are the first. */
static bool check_order(const statistic_run *run, row_ordered ordered, GError **error)
{
    const statistic *s = run->of;
    if (!statistic_has(run, order_word))
        return true;
    if (!s->counts->merge)
        return fail_with(error, "%s is not possible for this table: its trace is one stream, or streams refer to each other",
                         order_word);
    if (run->words.asked.top || (run->words.asked.form == ROWS_AS_TEXT && printing_width()))
        return fail_with(error, "%s is for all rows, as csv or json", order_word);
    for (unsigned i = 0, all = run->words.asked.column_count; i < (all ? all : run->column_count); i++) {
        const unsigned column = all ? run->words.asked.columns[i] : i;
        if (ordered(s, column))
            return fail_with(error, "%s: the column \"%s\" depends on the order of all records, name others", order_word,
                             run->columns[column].title);
    }
    return true;
}

bool row_output_check(const statistic_run *run, row_typer type, row_ordered ordered, GError **error)
{
    if (menus_windows())
        return fail_with(error, "Rows are written while a trace is read: use tshark");
    if (run->words.asked.order != ROWS_OWN_ORDER && !run->words.asked.top)
        return fail_with(error, "sort: needs top:N, as only the first N rows are kept while the trace is read");
    if (statistic_has(run, "types")) {
        print_types(run, type);
        exit(0);
    }
    return check_order(run, ordered, error) && printing_alone(error);
}
