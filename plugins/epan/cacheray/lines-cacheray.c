/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cacheray,lines: a row per cache line. A line takes little memory but its row takes much, so only the lines worth most
 * have rows, and the last row sums up all others. */
#include "cacheray/tables-cacheray.h"

#include <stdlib.h>

#include "cacheray/cacheray.h"

static stat_tap_table_item lines_columns[LINES_COLUMNS] = {LINES_COLUMN_ITEMS};

/* A contended access is worth this many others, as it takes a program about as much longer. */
#define CONTENDED_WORTH 64u

typedef struct lines_row {
    guint row;          /* in the table */
    uint32_t line;      /* number + 1; 0: none yet */
    line_summary shown; /* in the table */
} lines_row;

static line_table *lines_all;
static tallies *lines_counts;  /* one per line, see lines_note() */
static GArray *lines_rows;     /* of lines_row */
static guint lines_others_row; /* G_MAXUINT: not added yet */
static uint64_t lines_accesses;

static void lines_forget(void)
{
    lines_free(lines_all);
    tallies_free(lines_counts);
    if (lines_rows)
        g_array_free(lines_rows, TRUE);
    lines_rows = g_array_new(FALSE, TRUE, sizeof(lines_row));
    lines_all = lines_new(cacheray_analysis_line_size());
    lines_counts = tallies_new();
    lines_others_row = G_MAXUINT;
    lines_accesses = 0;
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static void lines_count_access(const cacheray_view *v, const line_touched *touched)
{
    uint32_t *kept = lines_note(lines_all, touched->number);
    tally c = tallies_get(lines_counts, *kept);
    cacheray_count_access(&c, v, touched->contended);
    tallies_set(lines_counts, kept, &c);
}

static bool lines_record(stat_tap_table *table, const packet_info *pinfo, const void *tapped)
{
    (void)table;
    (void)pinfo;
    const cacheray_view *v = tapped;
    line_result result;
    if (!cacheray_touch_lines(lines_all, v, &result))
        return false;
    lines_accesses++;
    lines_count_access(v, &result.touched[0]);
    if (result.split)
        lines_count_access(v, &result.touched[1]);
    return true;
}

/* --- the lines worth most ---------------------------------------------------------------------------------------------- */

/* A heap with the line worth least at its top; of equal ones the last. */
typedef struct worthy {
    uint64_t worth;
    uint32_t line; /* number */
} worthy;

static tally lines_tally(uint32_t number)
{
    return tallies_get(lines_counts, *lines_note(lines_all, number));
}

static bool ranks_below(const worthy *a, const worthy *b)
{
    return a->worth != b->worth ? a->worth < b->worth : a->line > b->line;
}

static void heap_sink(worthy *heap, guint count, guint at)
{
    for (guint child; (child = 2 * at + 1) < count; at = child) {
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
static worthy *lines_chosen(guint most)
{
    uint32_t count = lines_count(lines_all);
    worthy *heap = g_new(worthy, most);
    for (uint32_t number = 0; number < count; number++) {
        const tally c = lines_tally(number);
        const worthy w = {(uint64_t)c.reads + c.writes + (uint64_t)c.contended * CONTENDED_WORTH, number};
        if (number < most)
            heap[number] = w;
        if (number == most)
            for (guint i = most / 2; i-- > 0;)
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

/* --- showing ----------------------------------------------------------------------------------------------------------- */

/* Shows a line in a row that has so far shown this or another one, or none. */
static void lines_show(stat_tap_table *table, lines_row *l, uint32_t number)
{
    uint64_t line = lines_address(lines_all, number);
    const line_summary now = lines_summary(lines_all, line);
    const tally c = lines_tally(number);
    bool is_new = l->line != number + 1;
    if (is_new)
        table_set_text(table, l->row, LINES_LINE, cacheray_line_name(line));
    if (is_new || now.threads != l->shown.threads || now.writers != l->shown.writers) {
        cacheray_table_number(table, l->row, LINES_USERS, now.threads);
        table_set_text(table, l->row, LINES_WHO, cacheray_line_users(lines_all, line));
    }
    if (is_new || now.sharing != l->shown.sharing)
        table_set_text(table, l->row, LINES_SHARING, g_strdup(val_to_str_const(now.sharing, cacheray_sharings, "")));
    cacheray_table_tally(table, l->row, &c);
    l->line = number + 1;
    l->shown = now;
}

static void lines_show_others(stat_tap_table *table, const tally *others)
{
    if (lines_others_row == G_MAXUINT) {
        lines_others_row = table->num_elements;
        cacheray_table_row(table, lines_others_row, lines_columns, LINES_COLUMNS);
        table_set_text(table, lines_others_row, LINES_LINE, g_strdup_printf("%18s", TABLE_OTHERS));
    }
    cacheray_table_tally(table, lines_others_row, others);
}

/* How many lines have rows: only half of the room, since lines without a row need memory, too. */
static guint lines_room(uint32_t count)
{
    guint most = 0;
    bool full = false;
    while (most < count && table_has_room(&full, 2 * most, lines_accesses))
        most++;
    return most;
}

static void lines_finish(stat_tap_table *table)
{
    uint32_t count = lines_count(lines_all);
    guint most = lines_room(count);
    g_autofree worthy *chosen = lines_chosen(most);
    tally others = {0};
    for (uint32_t number = 0; number < count; number++) {
        const tally c = lines_tally(number);
        cacheray_add_tally(&others, &c, 1);
    }
    for (guint i = 0; i < most; i++) {
        if (i == lines_rows->len) {
            const lines_row l = {.row = table->num_elements};
            cacheray_table_row(table, l.row, lines_columns, LINES_COLUMNS);
            g_array_append_val(lines_rows, l);
        }
        const tally c = lines_tally(chosen[i].line);
        lines_show(table, &g_array_index(lines_rows, lines_row, i), chosen[i].line);
        cacheray_add_tally(&others, &c, UINT32_MAX); /* takes it away: adds -1 */
    }
    if (most < count || lines_others_row != G_MAXUINT)
        lines_show_others(table, &others);
}

static table_statistic lines_statistic = {
    .ui = {.title = "Cacheray Lines",
           .tap_name = "cacheray",
           .cli_string = "cacheray,lines",
           .nfields = LINES_COLUMNS,
           .fields = lines_columns},
    .title = "Cacheray lines",
    .sorted_by = {LINES_READS, LINES_WRITES},
    .count = lines_record,
    .forget = lines_forget,
    .finish = lines_finish,
};

void cacheray_lines_register(void)
{
    table_register(&lines_statistic);
}
