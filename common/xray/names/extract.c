/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/names/extract.h"

#include <glib.h>
#include <string.h>

#include "util/text.h"

#define BEGIN "---\n"

/* A line being read. */
typedef struct row {
    const char *at, *end;
    uint64_t id, function;
    GString *name;
    bool has_id, has_function, has_name;
} row;

bool extract_is(const char *text, size_t length)
{
    return length >= strlen(BEGIN) && memcmp(text, BEGIN, strlen(BEGIN)) == 0;
}

/* --- a line ------------------------------------------------------------------------------------------------------------ */

static bool xray_extract_take(row *r, const char *words)
{
    size_t n = strlen(words);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, words, n) != 0)
        return false;
    r->at += n;
    return true;
}

static int hex_digits(row *r, int count)
{
    int value = 0;
    for (; count > 0; count--) {
        int digit = r->at < r->end ? g_ascii_xdigit_value(*r->at) : -1;
        if (digit < 0)
            return -1;
        value = value << 4 | digit;
        r->at++;
    }
    return value;
}

/* What follows a backslash in double quotes: LLVM writes these for what cannot be printed. */
static bool take_escape(row *r, GString *value)
{
    static const char letters[] = "\"\"\\\\n\nt\tr\r0\0a\ab\bf\fv\ve\033", lengths[] = "x2u4U8";
    char c = r->at < r->end ? *r->at++ : '\0';
    for (const char *l = letters; l < letters + sizeof letters - 1; l += 2)
        if (*l == c) {
            g_string_append_c(value, l[1]);
            return true;
        }
    for (const char *l = lengths; *l; l += 2)
        if (*l == c) {
            int code = hex_digits(r, l[1] - '0');
            if (code < 0 || !g_unichar_validate((gunichar)code))
                return false;
            g_string_append_unichar(value, (gunichar)code);
            return true;
        }
    return false;
}

/* Up to the quote that ends it; in single quotes two stand for one. */
static bool take_quoted(row *r, char quote, GString *value)
{
    while (r->at < r->end) {
        char c = *r->at++;
        if (c == '\\' && quote == '"') {
            if (!take_escape(r, value))
                return false;
        } else if (c != quote) {
            g_string_append_c(value, c);
        } else if (quote == '\'' && r->at < r->end && *r->at == quote) {
            g_string_append_c(value, *r->at++);
        } else {
            return true;
        }
    }
    return false;
}

static bool take_value(row *r, GString *value)
{
    g_string_truncate(value, 0);
    if (xray_extract_take(r, "'"))
        return take_quoted(r, '\'', value);
    if (xray_extract_take(r, "\""))
        return take_quoted(r, '"', value);
    while (r->at < r->end && *r->at != ',' && *r->at != ' ')
        g_string_append_c(value, *r->at++);
    return value->len > 0;
}

static bool take_number(row *r, GString *value, uint64_t *number)
{
    if (!take_value(r, value))
        return false;
    bool hex = g_str_has_prefix(value->str, "0x");
    return g_ascii_string_to_unsigned(value->str + (hex ? 2 : 0), hex ? 16 : 10, 0, UINT64_MAX, number, NULL);
}

/* One `key: value`. */
static bool take_pair(row *r, GString *value)
{
    static const char *const others[] = {"address: ", "kind: ", "always-instrument: ", "version: "};
    if (xray_extract_take(r, "id: "))
        return r->has_id = take_number(r, value, &r->id);
    if (xray_extract_take(r, "function: "))
        return r->has_function = take_number(r, value, &r->function);
    if (xray_extract_take(r, "function-name: "))
        return r->has_name = take_value(r, r->name);
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        if (xray_extract_take(r, others[i]))
            return take_value(r, value);
    return false;
}

static bool take_row(row *r, GString *value)
{
    r->has_id = r->has_function = r->has_name = false;
    if (!xray_extract_take(r, "- { "))
        return false;
    do
        if (!take_pair(r, value))
            return false;
    while (xray_extract_take(r, ", "));
    return xray_extract_take(r, " }") && r->at == r->end && r->has_id && r->has_function && r->has_name;
}

/* --- all of them ------------------------------------------------------------------------------------------------------- */

/* A NUL would end the name: it becomes a control character that is shown like others. */
static char *xray_extract_shown(GString *name)
{
    for (gsize i = 0; i < name->len; i++)
        if (!name->str[i])
            name->str[i] = '\1';
    return text_show(name->str, (ptrdiff_t)name->len);
}

/* Keeps the first name of a function; it has several lines. False: its id cannot be right, as each id has a line. */
static bool xray_extract_keep(GArray *functions, const row *r, size_t most)
{
    if (r->id == 0 || r->id > most)
        return false;
    if (r->id > functions->len)
        g_array_set_size(functions, (guint)r->id);
    extract_function *f = &g_array_index(functions, extract_function, r->id - 1);
    f->address = r->function;
    if (!f->name && r->name->len)
        f->name = xray_extract_shown(r->name);
    return true;
}

static void xray_extract_clear(GArray *functions)
{
    for (guint i = 0; i < functions->len; i++)
        g_free(g_array_index(functions, extract_function, i).name);
    g_array_free(functions, TRUE);
}

static const char *end_of_line(const char *at, const char *end)
{
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found ? found : end;
}

/* False with the number of the wrong line. */
static bool read_rows(const char *text, size_t length, GArray *functions, row *r, GString *value, unsigned *line)
{
    const char *end = text + length, *at = text + strlen(BEGIN);
    enum { LEAST = 40 }; /* bytes of a line */
    for (*line = 2; at < end; ++*line) {
        r->at = at;
        r->end = end_of_line(at, end);
        at = r->end + (r->end < end);
        if (at == end && r->end - r->at == 3 && memcmp(r->at, "...", 3) == 0)
            break;
        if (!take_row(r, value) || !xray_extract_keep(functions, r, length / LEAST + 1))
            return false;
    }
    *line = 0;
    return functions->len > 0;
}

extract_function *extract_read(const char *text, size_t length, size_t *count, unsigned *line)
{
    GArray *functions = g_array_new(FALSE, TRUE, sizeof(extract_function));
    row r = {.name = g_string_new(NULL)};
    GString *value = g_string_new(NULL);
    *line = 1;
    bool valid = extract_is(text, length) && read_rows(text, length, functions, &r, value, line);
    g_string_free(r.name, TRUE);
    g_string_free(value, TRUE);
    if (!valid) {
        xray_extract_clear(functions);
        return NULL;
    }
    *count = functions->len;
    return (extract_function *)(void *)g_array_free(functions, FALSE);
}

void extract_free(extract_function *functions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        g_free(functions[i].name);
    g_free(functions);
}
