/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/line_rows.h"

#include <stdlib.h>

#include "cacheray/cacheray.h"
#include "util/text.h"

enum { WHO_MAX = 8 }; /* at most this many threads are listed */

bool line_rows_touch(line_table *t, const cacheray_tapped *v, line_result *result)
{
    const line_touch access = {v->placed, v->thread, 0, v->size, v->kind == CACHERAY_WRITE};
    if (v->is_access)
        lines_touch(t, &access, result);
    return v->is_access;
}

void line_rows_count(tally *counts, const cacheray_tapped *v, bool contended)
{
    counts->reads += v->kind == CACHERAY_READ;
    counts->writes += v->kind == CACHERAY_WRITE;
    counts->atomics += v->atomic;
    counts->contended += contended;
}

void line_rows_add(tally *sum, const tally *counts, uint32_t by)
{
    sum->reads += counts->reads * by;
    sum->writes += counts->writes * by;
    sum->atomics += counts->atomics * by;
    sum->contended += counts->contended * by;
}

void line_rows_count_touched(line_table *t, pool *large, const cacheray_tapped *v, const line_touched *touched)
{
    uint32_t *kept = lines_note(t, touched->number);
    tally c = tallies_get(large, *kept);
    line_rows_count(&c, v, touched->contended);
    tallies_set(large, kept, &c);
}

tally line_rows_tally(const line_table *t, const pool *large, uint32_t number)
{
    return tallies_get(large, *lines_note(t, number));
}

tally line_rows_sum(const line_table *t, const pool *large)
{
    tally sum = {0};
    for (uint32_t number = 0; number < lines_count(t); number++) {
        const tally c = line_rows_tally(t, large, number);
        line_rows_add(&sum, &c, 1);
    }
    return sum;
}

unsigned line_rows_room(const line_table *t, uint64_t accesses)
{
    unsigned most = 0;
    counting_limit l = LIMIT_OF_ROWS;
    l.counted = accesses;
    while (most < lines_count(t) && limit_allows_row(&l, 2 * most))
        most++;
    return most;
}

static int compare_threads(const void *a, const void *b)
{
    const line_thread *x = a, *y = b;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

/* The threads of a line; those that write have a star. */
static rows_cell users_of(rows *to, const line_table *t, uint64_t line)
{
    line_thread threads[LINES_THREADS + 1];
    unsigned n = lines_threads(t, line, threads, LINES_THREADS + 1);
    g_autoptr(GString) text = g_string_new(NULL);
    qsort(threads, n, sizeof *threads, compare_threads);
    for (unsigned i = 0; i < MIN(n, WHO_MAX); i++) {
        g_string_append(text, i ? "," : "");
        text_append_digits(text, threads[i].thread, 10);
        g_string_append(text, threads[i].writes ? "*" : "");
    }
    if (n > WHO_MAX)
        g_string_append(text, ",...");
    return rows_text(to, text->str);
}

void line_rows_fill_counts(rows_cell *cells, const tally *counts)
{
    cells[LINE_ROWS_READS] = rows_number(counts->reads);
    cells[LINE_ROWS_WRITES] = rows_number(counts->writes);
    cells[LINE_ROWS_ATOMICS] = rows_number(counts->atomics);
    cells[LINE_ROWS_CONTENDED] = rows_number(counts->contended);
}

void line_rows_fill(rows *to, rows_cell *cells, const line_table *t, uint32_t number, const tally *counts)
{
#define SHARING_NAME(value, name) [value] = name,
    static const char *const names[] = {SHARING_NAMES(SHARING_NAME)};
    const uint64_t line = lines_address(t, number);
    const line_summary now = lines_summary(t, line);
    line_rows_fill_counts(cells, counts);
    cells[LINE_ROWS_LINE] = rows_number(line);
    cells[LINE_ROWS_SHARING] = rows_lasting_text(names[now.sharing]);
    cells[LINE_ROWS_WHO] = users_of(to, t, line);
    cells[LINE_ROWS_USERS] = rows_number(now.threads);
}

void line_rows_fill_others(rows_cell *cells, const tally *counts)
{
    line_rows_fill_counts(cells, counts);
    cells[LINE_ROWS_LINE] = rows_lasting_text(TEXT_OTHERS);
    cells[LINE_ROWS_USERS] = rows_number(0);
}
