/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/line_sums.h"

#include <stdlib.h>

const rows_column cacheray_line_sums_columns[LINE_ROWS_COLUMNS] = {LINE_ROWS_COLUMN_ITEMS};

/* A contended access is worth this many others, as it takes a program about as much longer. */
#define CONTENDED_WORTH 64u

struct cacheray_line_sums {
    line_table *lines;
    tallies *counts; /* one per line, see lines_note() */
    uint64_t accesses;
};

cacheray_line_sums *cacheray_line_sums_new(unsigned line_size)
{
    cacheray_line_sums *s = g_new0(cacheray_line_sums, 1);
    s->lines = lines_new(line_size);
    s->counts = tallies_new();
    return s;
}

void cacheray_line_sums_free(cacheray_line_sums *s)
{
    if (!s)
        return;
    lines_free(s->lines);
    tallies_free(s->counts);
    g_free(s);
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static void count(cacheray_line_sums *s, const cacheray_view *v, const line_touched *touched)
{
    uint32_t *kept = lines_note(s->lines, touched->number);
    tally c = tallies_get(s->counts, *kept);
    line_rows_count(&c, v, touched->contended);
    tallies_set(s->counts, kept, &c);
}

bool cacheray_line_sums_add(cacheray_line_sums *s, const cacheray_view *v)
{
    line_result result;
    if (!line_rows_touch(s->lines, v, &result))
        return false;
    s->accesses++;
    count(s, v, &result.touched[0]);
    if (result.split)
        count(s, v, &result.touched[1]);
    return true;
}

static tally tally_of(const cacheray_line_sums *s, uint32_t number)
{
    return tallies_get(s->counts, *lines_note(s->lines, number));
}

/* --- the lines worth most ---------------------------------------------------------------------------------------------- */

/* A heap with the line worth least at its top; of equal ones the last. */
typedef struct worthy {
    uint64_t worth;
    uint32_t line; /* number */
} worthy;

static bool ranks_below(const worthy *a, const worthy *b)
{
    return a->worth != b->worth ? a->worth < b->worth : a->line > b->line;
}

static void heap_sink(worthy *heap, unsigned count, unsigned at)
{
    for (unsigned child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && ranks_below(&heap[child + 1], &heap[child]);
        if (!ranks_below(&heap[child], &heap[at]))
            return;
        const worthy moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
    }
}

static int compare_lines(const void *a, const void *b)
{
    const worthy *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

/* The `most` lines that are worth most, in order of their first access. */
static worthy *chosen_lines(const cacheray_line_sums *s, unsigned most)
{
    uint32_t lines = lines_count(s->lines);
    worthy *heap = g_new(worthy, most);
    for (uint32_t number = 0; number < lines; number++) {
        const tally c = tally_of(s, number);
        const worthy w = {(uint64_t)c.reads + c.writes + (uint64_t)c.contended * CONTENDED_WORTH, number};
        if (number < most)
            heap[number] = w;
        if (number == most)
            for (unsigned i = most / 2; i-- > 0;)
                heap_sink(heap, most, i);
        if (number >= most && ranks_below(&heap[0], &w)) {
            heap[0] = w;
            heap_sink(heap, most, 0);
        }
    }
    if (most)
        qsort(heap, most, sizeof *heap, compare_lines);
    return heap;
}

/* How many lines have rows: only half of the room, since lines without a row need memory, too. */
static unsigned room(const cacheray_line_sums *s)
{
    unsigned most = 0;
    bool full = false;
    while (most < lines_count(s->lines) && rows_has_room(&full, 2 * most, s->accesses))
        most++;
    return most;
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

void cacheray_line_sums_fill(const cacheray_line_sums *s, rows *to)
{
    const unsigned most = room(s);
    g_autofree worthy *chosen = chosen_lines(s, most);
    tally others = {0};
    for (uint32_t number = 0; number < lines_count(s->lines); number++) {
        const tally c = tally_of(s, number);
        line_rows_add(&others, &c, 1);
    }
    for (unsigned i = 0; i < most; i++) {
        const tally c = tally_of(s, chosen[i].line);
        line_rows_fill(to, rows_add(to), s->lines, chosen[i].line, &c);
        line_rows_add(&others, &c, UINT32_MAX); /* takes it away: adds -1 */
    }
    if (most < lines_count(s->lines))
        line_rows_fill_others(rows_add(to), &others);
}
