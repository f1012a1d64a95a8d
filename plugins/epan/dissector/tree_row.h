/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of a record as cells of a row, or as values that filters are asked of, set by the same functions that add them
 * to a tree (tree.h). */
#ifndef WIRETRACE_DISSECTOR_TREE_ROW_H
#define WIRETRACE_DISSECTOR_TREE_ROW_H

#include "compat.h"

#include <epan/packet.h>

#include "host/record_seen.h"
#include "host/shortcuts.h"
#include "dissector/tree_fields.h"
#include "statistics/rows_print.h"
#include "util/cursor.h"

/* The cells of a record (record_rows.h), or its values (record_filters.h). Added to its `tree`, the root of no packet, one
 * of our fields is set as its cell or value instead, and there is no item. Fields with a cell must have been referenced. */
typedef struct tree_row {
    proto_tree tree;     /* first (tree_row_of) */
    uint16_t *cell_of;   /* by number of the field, from tree_first_info: the cell's number and 1; 0: none */
    uint16_t *before;    /* how many cells fields with lower numbers have */
    filter_tree *values; /* NULL: the row has cells. Places there are cells here */
    rows_cell *cells;    /* of the record, as are the next two */
    cursor bytes;        /* in place of a buffer, which there may not be */
    const record_seen *seen;
    struct row_plan *plans; /* private, like the rest: of tree_layouts.c; NULL at first */
    rows_cell *latest;      /* some texts that last, by cell */
    GString **joined;       /* by cell: the values of a field that a record has several of; NULL: none has had yet */
    unsigned count;         /* of cells */
} tree_row;
/* `fields`: for each cell the number of its field; negative: it has none. */
void tree_row_begin(tree_row *row, const int *fields, unsigned count);
/* The same for values. */
void tree_row_begin_values(tree_row *row, filter_tree *values, const int *fields, unsigned count);
void tree_row_clear(tree_row *row);
/* The row that a tree stands for; NULL: it is a packet's, or there is none. */
extern proto_tree tree_row_mark;
static inline tree_row *tree_row_of(proto_tree *tree)
{
    return tree && tree->parent == &tree_row_mark ? (tree_row *)(void *)tree : NULL;
}
/* Returns whether somebody may need one of the fields with these numbers. */
static inline bool tree_fields_needed(proto_tree *tree, int first, int last)
{
    const tree_row *row = tree_row_of(tree);
    return row ? row->before[(unsigned)first - tree_first_info] < row->before[(unsigned)last - tree_first_info + 1]
               : tree != NULL;
}
/* How a cell shows the field; the kind that its column needs. */
rows_kind tree_row_kind(const header_field_info *field);

/* Further values of a field follow the first one after commas, as -T fields has them: a record may have very many. */
void tree_row_join(const tree_row *row, unsigned number, const header_field_info *field, rows_cell value);
/* A character as a text. One that is not printed has its code, as in Wireshark's own texts. */
const char *tree_row_character(uint8_t character);

/* Set the value of a field, if it has one. */
void tree_row_value_number(const tree_row *row, int hf, uint64_t value);
void tree_row_value_text(const tree_row *row, int hf, const char *value);

/* Set the cell of a field, if it has one. NULL, like an item that nobody needs. */
static inline proto_item *tree_row_set(const tree_row *row, int hf, rows_cell value)
{
    const unsigned number = row->cell_of[(unsigned)hf - tree_first_info];
    rows_cell *cell = &row->cells[number - 1];
    if (number && G_UNLIKELY(cell->state != ROWS_NONE))
        tree_row_join(row, number - 1, tree_info(hf), value);
    else if (number)
        *cell = value;
    return NULL;
}
static inline proto_item *tree_row_set_number(const tree_row *row, int hf, uint64_t value)
{
    const enum ftenum type = tree_info(hf)->type;
    rows_cell cell = {.number = value, .state = ROWS_IS_NUMBER};
    if (row->values) {
        tree_row_value_number(row, hf, value);
        return NULL;
    }
    if (type == FT_CHAR)
        cell = (rows_cell){.text = tree_row_character((uint8_t)value), .state = ROWS_IS_TEXT};
    else if (type >= FT_INT8 && type <= FT_INT64)
        cell = rows_signed((int64_t)value);
    return tree_row_set(row, hf, cell);
}
proto_item *tree_row_set_string(const tree_row *row, int hf, const char *value);
/* A text that lasts, unchanged, as long as the file is open. */
void tree_row_set_lasting(const tree_row *row, int hf, const char *value);
/* A text that is needed no longer than the record. */
void tree_row_set_text(const tree_row *row, int hf, const char *value);
/* Bytes of the record. */
void tree_row_set_bytes(const tree_row *row, int hf, int at, int length);
/* A duration, in ns; and the same limited to what Wireshark holds (`cut`: it was). */
void tree_row_set_time(const tree_row *row, int hf, uint64_t ns);
nstime_t tree_row_limited(uint64_t ns, bool *cut);
/* A number of microseconds, for which rows have no cell. */
void tree_row_set_us(const tree_row *row, int hf, double us);

#endif
