/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/tree_row.h"

#include <string.h>

#include <epan/to_str.h>

#include "core/record.h"

proto_tree tree_row_mark;

enum { LATEST = 16 };

/* Notes which fields it has, and that they are needed. */
static void take_fields(tree_row *row, const int *fields, unsigned count)
{
    *row = (tree_row){.tree = *shortcuts_tree()};
    row->tree.parent = &tree_row_mark;
    row->cell_of = g_new0(uint16_t, tree_info_count);
    row->before = g_new0(uint16_t, tree_info_count + 1);
    for (unsigned i = 0; i < count; i++)
        if (fields[i] >= 0) {
            tree_reference(fields[i]);
            row->cell_of[(unsigned)fields[i] - tree_first_info] = (uint16_t)(i + 1);
        }
    for (unsigned i = 0; i < tree_info_count; i++)
        row->before[i + 1] = (uint16_t)(row->before[i] + (row->cell_of[i] != 0));
}

void tree_row_begin(tree_row *row, const int *fields, unsigned count)
{
    take_fields(row, fields, count);
    row->latest = g_new0(rows_cell, count * LATEST);
    row->joined = g_new0(GString *, count);
    row->count = count;
}

void tree_row_begin_values(tree_row *row, filter_tree *values, const int *fields, unsigned count)
{
    take_fields(row, fields, count);
    row->values = values;
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

/* --- values ------------------------------------------------------------------------------------------------------------ */

/* One more value that the record has of a field; NULL: nobody needs it. */
static inline fvalue_t *value_of(const tree_row *row, int hf)
{
    const unsigned number = row->cell_of[(unsigned)hf - tree_first_info];
    return number ? shortcuts_filter_value(row->values, number - 1) : NULL;
}

/* As tree_add_number() lets Wireshark set it. */
void tree_row_value_number(const tree_row *row, int hf, uint64_t value)
{
    fvalue_t *to = value_of(row, hf);
    if (!to)
        return;
    switch (tree_info(hf)->type) {
    case FT_BOOLEAN:
        compat_set_uint64(to, value != 0);
        break;
    case FT_UINT64:
        compat_set_uint64(to, value);
        break;
    case FT_INT64:
        compat_set_int64(to, (int64_t)value);
        break;
    case FT_INT8:
    case FT_INT16:
    case FT_INT32:
        compat_set_int(to, (int32_t)value);
        break;
    default:
        compat_set_uint(to, (uint32_t)value);
        break;
    }
}

void tree_row_value_text(const tree_row *row, int hf, const char *value)
{
    fvalue_t *to = value_of(row, hf);
    if (to)
        compat_set_string(to, value);
}

/* --- both -------------------------------------------------------------------------------------------------------------- */

proto_item *tree_row_set_string(const tree_row *row, int hf, const char *value)
{
    if (row->values) {
        tree_row_value_text(row, hf, value);
        return NULL;
    }
    rows_cell cell = {.state = ROWS_IS_TEXT, .plain = rows_plain(value)};
    cell.text = cell.plain ? wmem_memdup(row->seen->pool, value, cell.plain + 1) : on_one_line(row->seen->pool, value);
    return tree_row_set(row, hf, cell);
}

void tree_row_set_lasting(const tree_row *row, int hf, const char *value)
{
    const unsigned number = row->cell_of[(unsigned)hf - tree_first_info];
    if (!number)
        return;
    if (row->values) {
        tree_row_value_text(row, hf, value);
        return;
    }
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

void tree_row_set_text(const tree_row *row, int hf, const char *value)
{
    if (row->values)
        tree_row_value_text(row, hf, value);
    else
        tree_row_set(row, hf, rows_lasting_text(value));
}

void tree_row_set_bytes(const tree_row *row, int hf, int at, int length)
{
    const uint8_t *bytes = row->bytes.data + at;
    fvalue_t *to = row->values ? value_of(row, hf) : NULL;
    if (to)
        compat_set_bytes(to, bytes, length);
    else if (!row->values)
        tree_row_set(row, hf, rows_lasting_text(bytes_to_str_maxlen(row->seen->pool, bytes, (size_t)length, 0)));
}

nstime_t tree_row_limited(uint64_t ns, bool *cut)
{
    int64_t seconds = (int64_t)(ns / 1000000000);
    int32_t nanoseconds = (int32_t)(ns % 1000000000);
    *cut = record_cut_time(&seconds, &nanoseconds, 0, RECORD_TIME_MAX);
    return (nstime_t){(time_t)seconds, nanoseconds};
}

void tree_row_set_time(const tree_row *row, int hf, uint64_t ns)
{
    bool unused;
    fvalue_t *to = row->values ? value_of(row, hf) : NULL;
    if (to) {
        const nstime_t time = tree_row_limited(ns, &unused);
        compat_set_time(to, &time);
    } else if (!row->values) {
        tree_row_set(row, hf, rows_number(ns));
    }
}

void tree_row_set_us(const tree_row *row, int hf, double us)
{
    fvalue_t *to = row->values ? value_of(row, hf) : NULL;
    if (to)
        compat_set_double(to, us);
}
