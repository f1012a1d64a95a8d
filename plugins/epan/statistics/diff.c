/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/diff.h"

#include "host/hidden_records.h"
#include "host/menus.h"
#include "host/notices.h"

#include "containers/hash.h"

typedef struct diff_row {
    char *key;
    char *names[DIFF_NAMES];
    diff_sums sides[DIFF_SIDES];
    guint row; /* in the table; ROW_NONE: not added yet */
} diff_row;

#define ROW_NONE G_MAXUINT

/* With its many columns, and its sums, a row needs as much memory as this many of other tables. */
#define ROWS_PER_ROW 3u

/* For each measure, the sides in their order first. */
enum { PART_BEFORE, PART_AFTER, PART_CHANGE, PART_RATIO, PARTS };

/* --- rows ------------------------------------------------------------------------------------------------------------- */

static void clear_sums(diff_sums *s)
{
    quantiles_clear(&s->spread);
    *s = (diff_sums){0};
}

static void free_row(gpointer data)
{
    diff_row *r = data;
    for (int side = 0; side < DIFF_SIDES; side++)
        quantiles_clear(&r->sides[side].spread);
    for (int i = 0; i < DIFF_NAMES; i++)
        g_free(r->names[i]);
    g_free(r->key);
    g_free(r);
}

static void forget_all(diff *d)
{
    if (d->rows) {
        g_hash_table_destroy(d->known);
        g_ptr_array_free(d->rows, TRUE);
    }
    d->rows = g_ptr_array_new_with_free_func(free_row);
    d->known = g_hash_table_new(hash_text, g_str_equal);
    d->was_read = false;
    d->counted = 0;
    d->full = false;
}

static diff_row *row_at(const diff *d, guint i)
{
    return g_ptr_array_index(d->rows, i);
}

void diff_forget(diff *d)
{
    if (!d->rows)
        forget_all(d);
    for (guint i = 0; i < d->rows->len; i++) {
        row_at(d, i)->row = ROW_NONE;
        clear_sums(&row_at(d, i)->sides[DIFF_AFTER]);
    }
}

void diff_forget_open(diff *d)
{
    for (guint i = 0; i < d->rows->len; i++)
        row_at(d, i)->sides[DIFF_AFTER].open = (diff_counts){0};
}

void diff_prepare(diff *d)
{
    if (d->was_read)
        return;
    d->was_read = true;
    g_autofree char *problem = d->read(d->baseline);
    if (problem)
        notices_fail(problem);
}

static diff_row *add_row(diff *d, char *key, const char *const names[DIFF_NAMES])
{
    diff_row *r = g_new0(diff_row, 1);
    r->key = key;
    r->row = ROW_NONE;
    for (int i = 0; i < DIFF_NAMES; i++)
        r->names[i] = g_strdup(names[i] ? names[i] : "");
    g_ptr_array_add(d->rows, r);
    g_hash_table_insert(d->known, key, r);
    return r;
}

diff_sums *diff_of(diff *d, diff_side side, const char *const names[DIFF_NAMES])
{
    static const char *const others[DIFF_NAMES] = {TABLE_OTHERS};
    char *key = g_strjoin("\x1f", names[0], names[1] ? names[1] : "", names[2] ? names[2] : "", NULL);
    diff_row *r = g_hash_table_lookup(d->known, key);
    d->counted++;
    if (!r && names != others && !table_has_room(&d->full, ROWS_PER_ROW * d->rows->len, d->counted)) {
        g_free(key);
        return diff_of(d, side, others);
    }
    if (r)
        g_free(key);
    else
        r = add_row(d, key, names);
    return &r->sides[side];
}

void diff_add(diff_sums *s, uint64_t size)
{
    s->all.count++;
    s->all.numbers[0] += size;
    quantiles_add(&s->spread, size);
}

/* --- the table -------------------------------------------------------------------------------------------------------- */

static unsigned names_of(const diff *d)
{
    unsigned n = 0;
    while (n < DIFF_NAMES && d->names[n])
        n++;
    return n;
}

static unsigned measures_of(const diff *d)
{
    unsigned n = 0;
    while (n < DIFF_MEASURES && d->measures[n])
        n++;
    return n;
}

/* The first column of a measure; the one before those of the first says where the row was seen. */
static guint column_of(const diff *d, unsigned measure)
{
    return names_of(d) + 1 + measure * PARTS;
}

static void add_cells(const diff *d, stat_tap_table *table, diff_row *r)
{
    guint names = names_of(d);
    g_autofree stat_tap_table_item_type *cells = g_new0(stat_tap_table_item_type, d->statistic.ui.nfields);
    for (guint i = 0; i < d->statistic.ui.nfields; i++)
        cells[i] = i < names ? table_text(r->names[i]) : i == names ? table_text("") : table_number();
    r->row = table->num_elements;
    stat_tap_init_table_row(table, r->row, table->num_fields, cells);
}

static void show_measure(const diff *d, stat_tap_table *table, diff_row *r, unsigned measure)
{
    guint column = column_of(d, measure);
    uint64_t values[DIFF_SIDES];
    bool all = true;
    for (diff_side side = DIFF_BEFORE; side < DIFF_SIDES; side++) {
        bool known = d->value(side, &r->sides[side], measure, &values[side]);
        bool unknown = known && measure && d->ends && r->sides[side].open.count && hidden_end_missing();
        known = known && !unknown;
        if (unknown)
            table_set_unknown(table, r->row, column + side);
        else if (known)
            table_set(table, r->row, column + side, values[side]);
        else
            table_set_none(table, r->row, column + side);
        all = all && known;
    }
    if (all) {
        table_set_change(table, r->row, column + PART_CHANGE, values[DIFF_BEFORE], values[DIFF_AFTER]);
        table_set_ratio(table, r->row, column + PART_RATIO, values[DIFF_BEFORE], values[DIFF_AFTER]);
    } else {
        table_set_none(table, r->row, column + PART_CHANGE);
        table_set_none(table, r->row, column + PART_RATIO);
    }
}

static bool is_in(const diff_row *r, diff_side side)
{
    return r->sides[side].all.count || r->sides[side].open.count;
}

static const char *seen(const diff_row *r)
{
    return !is_in(r, DIFF_BEFORE) ? "new" : !is_in(r, DIFF_AFTER) ? "gone" : "both";
}

void diff_finish(diff *d, stat_tap_table *table)
{
    diff_prepare(d);
    for (guint i = 0; i < d->rows->len; i++) {
        diff_row *r = row_at(d, i);
        if (!is_in(r, DIFF_BEFORE) && !is_in(r, DIFF_AFTER)) /* of an earlier filter */
            continue;
        if (r->row == ROW_NONE)
            add_cells(d, table, r);
        table_set_text(table, r->row, names_of(d), g_strdup(seen(r)));
        for (unsigned m = 0; m < measures_of(d); m++)
            show_measure(d, table, r, m);
    }
}

/* --- words ------------------------------------------------------------------------------------------------------------ */

/* The first word that is not another one is the baseline. */
bool diff_word(diff *d, const char *word)
{
    if (!word) {
        g_clear_pointer(&d->baseline, g_free);
        forget_all(d);
    }
    if (d->word && d->word(word))
        return true;
    if (!word || d->baseline)
        return false;
    d->baseline = g_strdup(word);
    return true;
}

char *diff_begin(diff *d)
{
    if (!d->baseline)
        return g_strdup_printf("the baseline is missing: %s,FILE", d->statistic.ui.cli_string);
    return trace_reader_read(d->baseline, d->protocol, NULL, NULL);
}

/* --- the menu --------------------------------------------------------------------------------------------------------- */

enum { FIELD_BASELINE, FIELD_FILTER, FIELD_MORE };

static void start_from_dialog(char **fields, void *data)
{
    diff *d = data;
    const funnel_ops_t *ops = menus_windows();
    const char *more = d->more ? g_strstrip(fields[FIELD_MORE]) : "";
    g_autofree char *words = g_strdup_printf("%s%s%s", g_strstrip(fields[FIELD_BASELINE]), *more ? "," : "", more);
    g_autofree char *problem = table_start(&d->statistic, words, g_strstrip(fields[FIELD_FILTER]));
    if (problem)
        ops->append_text(ops->new_text_window(ops->ops_id, d->statistic.ui.title), problem);
    g_strfreev(fields);
}

static void ask(void *data)
{
    const diff *d = data;
    const funnel_ops_t *ops = menus_windows();
    if (!ops)
        return;
    const char *filter = ops->get_filter(ops->ops_id);
    const char *names[] = {"Earlier trace:", "Display filter:", d->more, NULL};
    const char *values[] = {d->baseline ? d->baseline : "", filter ? filter : "", "", NULL};
    ops->new_dialog(ops->ops_id, d->statistic.ui.title, names, values, start_from_dialog, data, NULL);
}

/* --- registration ----------------------------------------------------------------------------------------------------- */

static void add_column(diff *d, stat_tap_table_item_enum type, tap_alignment_type align, const char *name, const char *shown)
{
    d->statistic.ui.fields[d->statistic.ui.nfields++] = (stat_tap_table_item){type, align, name, shown};
}

/* Columns are never freed. */
static void add_measure(diff *d, const char *measure)
{
    static const char *const parts[PARTS] = {"before", "after", "difference", "ratio"};
    const char *unit = strstr(measure, " (");
    int plain = unit ? (int)(unit - measure) : (int)strlen(measure);
    for (int i = 0; i < PARTS; i++) {
        char *title = g_strdup_printf("%.*s %s%s", plain, measure, parts[i], unit && i != PART_RATIO ? unit : "");
        add_column(d, TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, title, "%16s");
    }
}

void diff_register(diff *d)
{
    d->statistic.ui.fields = g_new0(stat_tap_table_item, DIFF_NAMES + 1 + DIFF_MEASURES * PARTS);
    for (unsigned i = 0; i < names_of(d); i++)
        add_column(d, TABLE_ITEM_STRING, TAP_ALIGN_LEFT, d->names[i], i == 0 ? "%-40s" : "%-20s");
    add_column(d, TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Seen", "%-4s");
    for (unsigned m = 0; m < measures_of(d); m++)
        add_measure(d, d->measures[m]);
    d->statistic.sorted_by[0] = column_of(d, d->main) + PART_CHANGE;
    d->statistic.start = ask;
    table_register(&d->statistic);
}
