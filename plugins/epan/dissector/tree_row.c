/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/tree_row.h"

#include <string.h>

#include "host/shortcuts.h"

proto_tree tree_row_mark;

enum { LATEST = 16 };

void tree_row_begin(tree_row *row, const int *fields, unsigned count)
{
    *row = (tree_row){.tree = *shortcuts_tree()};
    row->tree.parent = &tree_row_mark;
    row->cell_of = g_new0(uint8_t, tree_info_count);
    row->before = g_new0(uint8_t, tree_info_count + 1);
    row->latest = g_new0(rows_cell, count * LATEST);
    row->joined = g_new0(GString *, count);
    row->count = count;
    for (unsigned i = 0; i < count; i++)
        if (fields[i] >= 0) {
            tree_reference(fields[i]);
            row->cell_of[(unsigned)fields[i] - tree_first_info] = (uint8_t)(i + 1);
        }
    for (unsigned i = 0; i < tree_info_count; i++)
        row->before[i + 1] = (uint8_t)(row->before[i] + (row->cell_of[i] != 0));
}

void tree_row_clear(tree_row *row)
{
    g_free(row->cell_of);
    g_free(row->before);
    g_free(row->plans);
    g_free(row->latest);
    for (unsigned i = 0; i < row->count; i++)
        if (row->joined[i])
            g_string_free(row->joined[i], TRUE);
    g_free(row->joined);
}

rows_kind tree_row_kind(const header_field_info *field)
{
    switch (field->type) {
    case FT_BOOLEAN:
        return ROWS_YES_NO;
    case FT_RELATIVE_TIME:
        return ROWS_CLOCK;
    case FT_FRAMENUM:
        return ROWS_ORDINAL;
    case FT_UINT64:
        return field->display == BASE_HEX ? ROWS_ADDRESS : ROWS_NUMBER;
    case FT_UINT8:
    case FT_UINT16:
    case FT_UINT32:
    case FT_INT8:
    case FT_INT16:
    case FT_INT32:
    case FT_INT64:
        return ROWS_NUMBER;
    default:
        return ROWS_TEXT;
    }
}

void tree_row_join(const tree_row *row, unsigned number, const header_field_info *field, rows_cell value)
{
    const rows_column column = {field->name, tree_row_kind(field), ROWS_EACH};
    rows_cell *cell = &row->cells[number];
    GString **joined = &row->joined[number];
    if (!*joined)
        *joined = g_string_new(NULL);
    if (cell->state != ROWS_IS_TEXT || cell->text != (*joined)->str) {
        g_string_truncate(*joined, 0);
        rows_append_cell(*joined, &column, cell);
    }
    g_string_append_c(*joined, ',');
    rows_append_cell(*joined, &column, &value);
    *cell = rows_lasting_text((*joined)->str);
}

const char *tree_row_character(uint8_t character)
{
    static char texts[UINT8_MAX + 1][sizeof "\\x00"];
    char *text = texts[character];
    if (!*text)
        g_snprintf(text, sizeof *texts, g_ascii_isgraph((char)character) ? "%c" : "\\x%02x", character);
    return text;
}

/* A copy in which tabs and breaks of lines are escaped, as -T fields prints them. */
static const char *on_one_line(wmem_allocator_t *pool, const char *text)
{
    static const char breaks[] = "\t\n\r";
    wmem_strbuf_t *line = wmem_strbuf_new(pool, NULL);
    for (size_t n; n = strcspn(text, breaks), text[n]; text += n + 1) {
        wmem_strbuf_append_len(line, text, n);
        wmem_strbuf_append(line, text[n] == '\t' ? "\\t" : text[n] == '\n' ? "\\n" : "\\r");
    }
    wmem_strbuf_append(line, text);
    return wmem_strbuf_get_str(line);
}

proto_item *tree_row_set_string(const tree_row *row, int hf, const char *value)
{
    rows_cell cell = {.state = ROWS_IS_TEXT, .plain = rows_plain(value)};
    cell.text = cell.plain ? wmem_memdup(row->seen->pool, value, cell.plain + 1) : on_one_line(row->seen->pool, value);
    return tree_row_set(row, hf, cell);
}

void tree_row_set_lasting(const tree_row *row, int hf, const char *value)
{
    const unsigned number = row->cell_of[(unsigned)hf - tree_first_info];
    if (!number)
        return;
    rows_cell *latest = &row->latest[(number - 1) * LATEST + ((uintptr_t)value / LATEST ^ (uintptr_t)value / 4) % LATEST];
    if (latest->text != value) {
        const uint32_t plain = rows_plain(value);
        if (!plain) {
            tree_row_set_string(row, hf, value);
            return;
        }
        *latest = (rows_cell){.text = value, .state = ROWS_IS_TEXT, .plain = plain};
    }
    tree_row_set(row, hf, *latest);
}
