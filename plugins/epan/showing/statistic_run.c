/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "showing/statistic_run.h"

statistic_run *statistic_run_new(statistic *s)
{
    statistic_run *run = g_new0(statistic_run, 1);
    *run = (statistic_run){.of = s, .column_count = s->counts->column_count, .self = run};
    run->columns = s->kind == STATISTIC_TEXT ? NULL : s->counts->columns;
    run->heading = g_strdup(s->title);
    return run;
}

bool statistic_run_take(statistic_run *run, const char *arguments, GError **error)
{
    const statistic *s = run->of;
    g_autofree char *all = s->given ? g_strjoin(*arguments ? "," : "", s->given, arguments, NULL) : NULL;
    const char *rest = all ? all : arguments;
    if (s->counts->columns_for)
        run->columns = s->counts->columns_for(s->protocol, arguments, &run->column_count);
    run->wrong = !statistic_words_take(&run->words, s->counts->words, run->columns, run->column_count, &rest, error) ||
                 (s->check && !s->check(run, error));
    run->kind = s->written && statistic_has(run, s->written) ? STATISTIC_TEXT : s->kind;
    g_free(run->heading);
    run->heading = g_strconcat(s->title, run->words.shown->str, NULL);
    run->filter = g_strdup(rest);
    return !run->wrong;
}

static const void *how_of(const statistic_run *run)
{
    const statistic_source *from = run->of->from;
    return from ? from->how(run) : run;
}

void *statistic_run_data(const statistic_run *run)
{
    return run->of->counts->begin(&run->words, how_of(run));
}

void statistic_run_begin(statistic_run *run)
{
    g_clear_pointer(&run->hidden, hidden_free);
    if (run->data)
        run->of->counts->free(run->data);
    run->data = statistic_run_data(run);
    run->prepared = false;
}

tap_packet_status statistic_run_packet(const statistic_run *run, packet_info *pinfo, const void *tapped)
{
    const record_seen seen = record_seen_of(pinfo);
    const counted_record r = record_counted(&seen, tapped);
    return run->of->counts->count(run->data, &r) ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW;
}

void statistic_run_free(statistic_run *run)
{
    if (!run)
        return;
    if (run->data)
        run->of->counts->free(run->data);
    hidden_free(run->hidden);
    statistic_words_clear(&run->words);
    g_free(run->heading);
    g_free(run->filter);
    g_free(run->title);
    g_free(run);
}

rows *statistic_run_rows(const statistic_run *run)
{
    const statistic *s = run->of;
    rows *r = rows_new(run->columns, run->column_count);
    if (run->wrong)
        return r;
    if (s->to_the_end)
        hidden_finish();
    if (s->prepare && !run->prepared)
        s->prepare(run);
    run->self->prepared = true;
    s->counts->fill(run->data, how_of(run), r);
    if (s->filled)
        s->filled(run, r);
    return r;
}

rows_sorting statistic_run_sorting(const statistic_run *run)
{
    const rows_words *asked = &run->words.asked;
    return (rows_sorting){asked->order, asked->sorted_by, run->of->sorted_by, run->of->first};
}
