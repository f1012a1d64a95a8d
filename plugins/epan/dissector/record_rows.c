/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/record_rows.h"

#include <string.h>

#include <epan/proto_data.h>

#include "dissector/record_fields.h"
#include "host/shortcuts.h"
#include "showing/row_output.h"
#include "showing/statistic.h"
#include "util/text.h"

/* Columns that no field has. */
enum { OF_FRAME, OF_TIME, OF_EPOCH, OF_FAULT, OWN_COLUMNS };

/* The table of a protocol. */
typedef struct record_table {
    const protocol *of;
    counted counts;
    statistic statistic;
    rows_column columns[ROWS_COLUMNS_MAX];
    int hf[ROWS_COLUMNS_MAX];
    unsigned count; /* of columns; 0: they are not known yet */
} record_table;

/* A run of it. */
typedef struct record_rows {
    row_output output; /* first */
    const record_table *table;
    tree_row fields, deciding; /* the latter: of the cell that sorts alone */
    bool own;                  /* some columns are our own */
} record_rows;

/* --- columns ----------------------------------------------------------------------------------------------------------- */

/* Words that say little without the one before. */
static bool needs_more(const char *word)
{
    static const char *const vague[] = {"action", "begin",  "code",  "data",   "end",     "id",     "index", "kind",
                                        "label",  "length", "name",  "number", "short",   "size",   "state", "system",
                                        "text",   "title",  "type",  "us",     "add",     "remove", "alias", "source",
                                        "tid",    "idle",   "value", "cpu",    "seconds", NULL};
    return g_strv_contains(vague, word);
}

static bool is_column(const header_field_info *field)
{
    return field->type != FT_NONE && field->type != FT_PROTOCOL && field->type != FT_DOUBLE;
}

/* The last words of the field's name, as few as say what it is and no other field of the protocol ends with: `function id`.
 */
static char *title_of(const protocol *p, const header_field_info *field)
{
    const char *name = strchr(field->abbrev, '.') + 1, *last = strrchr(name, '.');
    while (last) {
        const size_t n = strlen(last);
        unsigned others = 0;
        void *cookie;
        for (const header_field_info *f = proto_get_first_protocol_field(*p->tree.proto, &cookie); f;
             f = proto_get_next_protocol_field(*p->tree.proto, &cookie))
            others += is_column(f) && f != field &&
                      (g_str_has_suffix(f->abbrev, last) ||
                       strcmp(strchr(f->abbrev, '.') ? strchr(f->abbrev, '.') : "", last) == 0);
        if (others == 0 && !needs_more(last + 1) && n > 1)
            break;
        last = last == name ? NULL : g_strrstr_len(name, last - name, ".");
    }
    return g_strdelimit(g_strdup(last ? last + 1 : name), "._", ' ');
}

static void add_column(record_table *t, const char *title, rows_kind kind, int hf)
{
    char *copy = g_strdup(title);
    *copy = g_ascii_toupper(*copy);
    t->hf[t->count] = hf;
    t->columns[t->count++] = (rows_column){copy, kind, ROWS_EACH};
}

static void find_columns(record_table *t)
{
    void *cookie;
    add_column(t, "record", ROWS_ORDINAL, -1);
    add_column(t, "time", ROWS_CLOCK, -1);
    add_column(t, "epoch", ROWS_CLOCK, -1);
    add_column(t, "fault", ROWS_TEXT, -1);
    for (const header_field_info *f = proto_get_first_protocol_field(*t->of->tree.proto, &cookie); f;
         f = proto_get_next_protocol_field(*t->of->tree.proto, &cookie)) {
        if (!is_column(f) || t->count == ROWS_COLUMNS_MAX)
            continue;
        g_autofree char *title = title_of(t->of, f);
        add_column(t, title, tree_field_marks(f->id) & TREE_IS_SEVERAL ? ROWS_TEXT : tree_row_kind(f), f->id);
    }
}

static const rows_column *record_rows_columns(const void *table, const char *words _U_, unsigned *count)
{
    record_table *t = (record_table *)(uintptr_t)table;
    if (!t->count)
        find_columns(t);
    *count = t->count;
    return t->columns;
}

/* Returns whether a column has what a record and its context say by themselves. */
static bool is_plain(const record_table *t, unsigned column)
{
    return t->hf[column] < 0 || record_fields_are_plain(t->of, t->hf[column]);
}

static bool record_rows_plain(const statistic_run *run)
{
    const rows_words *w = &run->words.asked;
    const record_table *t = run->of->protocol;
    bool plain = w->column_count > 0 && (w->order == ROWS_OWN_ORDER || is_plain(t, w->sorted_by));
    for (unsigned i = 0; i < w->column_count; i++)
        plain = plain && is_plain(t, w->columns[i]);
    return plain;
}

static row_type type_of(const statistic *s, unsigned column, bool hex)
{
    static const char *const types[FT_NUM_TYPES] = {
        [FT_UINT8] = "UTINYINT",  [FT_UINT16] = "USMALLINT",  [FT_UINT32] = "UINTEGER",      [FT_UINT64] = "UBIGINT",
        [FT_INT8] = "TINYINT",    [FT_INT16] = "SMALLINT",    [FT_INT32] = "INTEGER",        [FT_INT64] = "BIGINT",
        [FT_BOOLEAN] = "BOOLEAN", [FT_FRAMENUM] = "UINTEGER", [FT_RELATIVE_TIME] = "UBIGINT"};
    static const char *const own[OWN_COLUMNS] = {"frame.number", "frame.time_relative", "frame.time_epoch", ""};
    const record_table *t = s->protocol;
    row_type type = row_output_type(&t->columns[column], hex);
    if (t->hf[column] < 0) {
        type.field = own[column];
        return type;
    }
    const header_field_info *field = proto_registrar_get_nth((unsigned)t->hf[column]);
    type.field = field->abbrev;
    if (t->columns[column].kind != ROWS_TEXT && t->columns[column].kind != ROWS_ADDRESS && types[field->type])
        type.sql = types[field->type];
    return type;
}

/* --- a row ------------------------------------------------------------------------------------------------------------- */

static rows_cell cell_of_fault(const dissection *d, const protocol *p)
{
    info_text t;
    if (d->context->fault == FAULT_NONE)
        return (rows_cell){0};
    info_begin(&t);
    info_add_fault(&t, &p->tree, d->context);
    return rows_lasting_text(info_keep(d->seen, &t));
}

static rows_cell own_cell(const record_rows *r, unsigned column, const dissection *d)
{
    switch (column) {
    case OF_FRAME:
        return rows_number(d->seen->frame);
    case OF_TIME:
        return row_output_time(&d->seen->relative, 0);
    case OF_EPOCH:
        return row_output_time(&d->seen->absolute, 0);
    default:
        return cell_of_fault(d, r->table->of);
    }
}

static void fill_fields(const record_rows *r, tree_row *fields, rows_cell *cells, const dissection *d)
{
    fields->cells = cells;
    record_fields_set(r->table->of, d, fields);
}

/* Only the cell that sorts. */
static void fill_deciding(record_rows *r, rows_cell *cell, const dissection *d)
{
    const unsigned column = r->output.columns[cell - r->fields.cells];
    if (column < OWN_COLUMNS)
        *cell = own_cell(r, column, d);
    else
        fill_fields(r, &r->deciding, cell, d);
}

static void record_rows_write(record_rows *r, const dissection *d)
{
    first_rows *to = rows_stream_rows(r->output.stream);
    r->fields.cells = first_rows_begin(to);
    memset(r->fields.cells, 0, r->output.count * sizeof *r->fields.cells);
    rows_cell *deciding = first_rows_deciding(to);
    if (deciding) {
        fill_deciding(r, deciding, d);
        if (!first_rows_wants(to))
            return;
        *deciding = (rows_cell){0};
    }
    fill_fields(r, &r->fields, r->fields.cells, d);
    for (unsigned i = 0; r->own && i < r->output.count; i++)
        if (r->output.columns[i] < OWN_COLUMNS)
            r->fields.cells[i] = own_cell(r, r->output.columns[i], d);
    rows_stream_add(r->output.stream);
}

/* --- the statistic ----------------------------------------------------------------------------------------------------- */

static bool any; /* there is a run, so that records need these fields */

static void begin_fields(record_rows *r)
{
    int fields[ROWS_COLUMNS_MAX];
    for (unsigned i = 0; i < r->output.count; i++) {
        fields[i] = r->table->hf[r->output.columns[i]];
        r->own |= fields[i] < 0;
    }
    tree_row_begin(&r->fields, fields, r->output.count);
    first_rows *to = rows_stream_rows(r->output.stream);
    const rows_cell *cells = first_rows_begin(to), *deciding = first_rows_deciding(to);
    if (deciding)
        tree_row_begin(&r->deciding, &fields[deciding - cells], 1);
    any = true;
}

proto_tree *record_rows_tree(void)
{
    return any ? shortcuts_tree() : NULL;
}

static void *record_rows_begin(const statistic_words *words _U_, const void *how)
{
    const statistic_run *run = how;
    record_rows *r = g_new0(record_rows, 1);
    r->table = run->of->protocol;
    row_output_begin(&r->output, run);
    begin_fields(r);
    return r;
}

static void record_rows_free(void *data)
{
    record_rows *r = data;
    tree_row_clear(&r->fields);
    tree_row_clear(&r->deciding);
    row_output_clear(&r->output);
    g_free(r);
}

void record_rows_keep(const protocol *p, const dissection *d, const void *tapped)
{
    record_fields_count_directly(NULL);
    if (!any)
        return;
    dissection *copy = wmem_memdup(d->seen->pool, d, sizeof *d);
    copy->context = wmem_memdup(d->seen->pool, d->context, sizeof *d->context);
    p_add_proto_data(d->seen->pool, d->seen->packet, *p->tree.proto, (uint32_t)(uintptr_t)tapped, copy);
}

static bool record_rows_count(void *data, const counted_record *of)
{
    record_rows *r = data;
    const dissection *d = record_fields_counted();
    const record_seen *seen = of->reader;
    if (!d)
        d = p_get_proto_data(seen->pool, seen->packet, *r->table->of->tree.proto, (uint32_t)(uintptr_t)of->tapped);
    if (d)
        record_rows_write(r, d);
    return d != NULL;
}

static void record_rows_end(const statistic_run *run, GString *text _U_)
{
    row_output_end(run, run->data);
}

static bool record_rows_ordered(const statistic *s, unsigned column)
{
    const record_table *t = s->protocol;
    if (t->hf[column] < 0)
        return column == OF_FRAME;
    const header_field_info *field = proto_registrar_get_nth((unsigned)t->hf[column]);
    return field->type == FT_FRAMENUM || tree_field_marks(field->id) & TREE_IS_ORDERED;
}

static bool record_rows_check(const statistic_run *run, GError **error)
{
    return row_output_check(run, type_of, record_rows_ordered, error);
}

void record_rows_register(const protocol *p)
{
    if (!p->record_rows)
        return;
    record_table *t = g_new0(record_table, 1);
    t->of = p;
    t->counts = (counted){.columns_for = record_rows_columns,
                          .words = ROW_OUTPUT_WORDS,
                          .merge = p->record_rows->threads ? row_output_merge : NULL,
                          .share = row_output_share,
                          .begin = record_rows_begin,
                          .count = record_rows_count,
                          .free = record_rows_free};
    t->statistic = (statistic){.tap = p->filter,
                               .records = p->record_rows->records,
                               .plain = record_rows_plain,
                               .counts = &t->counts,
                               .command = p->record_rows->command,
                               .title = p->record_rows->title,
                               .protocol = t,
                               .usual = p->record_rows->usual,
                               .check = record_rows_check,
                               .needs_tree = true,
                               .kind = STATISTIC_STREAM,
                               .write = record_rows_end};
    statistic_register(&t->statistic);
}
