/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/line_sums.h"

#include "statistics/top_n.h"

static const rows_column columns[LINE_ROWS_COLUMNS] = {LINE_ROWS_COLUMN_ITEMS(ROWS_ADDS)};

/* A contended access is worth this many others, as it takes a program about as much longer. */
#define CONTENDED_WORTH 64u

typedef struct line_sums {
    line_table *lines;
    pool large; /* see tallies.h; what is kept of a line is in lines_note() */
    uint64_t accesses;
} line_sums;

static void *line_sums_begin(const statistic_words *words, const void *how)
{
    (void)words;
    line_sums *s = g_new0(line_sums, 1);
    s->lines = lines_new(((const cacheray_display *)how)->line_size);
    pool_init(&s->large, sizeof(tally));
    return s;
}

static void line_sums_free(void *data)
{
    line_sums *s = data;
    lines_free(s->lines);
    pool_clear(&s->large);
    g_free(s);
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static bool line_sums_count(void *data, const counted_record *r)
{
    line_sums *s = data;
    const cacheray_tapped *v = r->tapped;
    line_result result;
    if (!line_rows_touch(s->lines, v, &result))
        return false;
    s->accesses++;
    line_rows_count_touched(s->lines, &s->large, v, &result.touched[0]);
    if (result.split)
        line_rows_count_touched(s->lines, &s->large, v, &result.touched[1]);
    return true;
}

/* --- the lines worth most ---------------------------------------------------------------------------------------------- */

static void note_line(void *data, const void *item)
{
    g_array_append_vals(data, item, 1);
}

static int compare_lines(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The numbers of the `most` lines that are worth most, in order of their first access; of equal ones the first. */
static GArray *chosen_lines(const line_sums *s, unsigned most)
{
    top_n *worthy = top_n_new(&(top_n_by){.most = most}, sizeof(uint32_t));
    for (uint32_t number = 0; number < lines_count(s->lines); number++) {
        const tally c = line_rows_tally(s->lines, &s->large, number);
        const uint64_t worth = (uint64_t)c.reads + c.writes + (uint64_t)c.contended * CONTENDED_WORTH;
        top_n_add(worthy, &worth, number, &number);
    }
    GArray *chosen = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    top_n_each(worthy, note_line, chosen);
    top_n_free(worthy);
    g_array_sort(chosen, compare_lines);
    return chosen;
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

static void line_sums_fill(void *data, const void *how, rows *to)
{
    (void)how;
    const line_sums *s = data;
    const unsigned most = line_rows_room(s->lines, s->accesses);
    g_autoptr(GArray) chosen = chosen_lines(s, most);
    tally others = line_rows_sum(s->lines, &s->large);
    for (unsigned i = 0; i < most; i++) {
        const uint32_t number = g_array_index(chosen, uint32_t, i);
        const tally c = line_rows_tally(s->lines, &s->large, number);
        line_rows_fill(to, rows_add(to), s->lines, number, &c);
        line_rows_add(&others, &c, UINT32_MAX); /* takes it away: adds -1 */
    }
    to->missing = most < lines_count(s->lines) ? LINE_ROWS_MISSING : NULL;
    if (to->missing)
        line_rows_fill_others(rows_add(to), &others);
}

const counted cacheray_line_sums_counted = {.columns = columns,
                                            .column_count = LINE_ROWS_COLUMNS,
                                            .begin = line_sums_begin,
                                            .count = line_sums_count,
                                            .fill = line_sums_fill,
                                            .free = line_sums_free};
