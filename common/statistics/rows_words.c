/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/rows_words.h"

#include <string.h>

#include "util/fail.h"
#include "util/text.h"

const char *const rows_unit_words[] = {[ROWS_NS] = "ns", [ROWS_US] = "us", [ROWS_TICKS] = "ticks"};

/* A title in lower case, with underscores for all but letters and digits; `90 %` and `90_percent` are `p90`. */
static char *rows_words_name_of(const char *title)
{
    static const char *const percent[] = {"_percent", NULL};
    GString *name = g_string_new(NULL);
    for (const char *c = title; *c; c++) {
        if (g_ascii_isalnum(*c))
            g_string_append_c(name, g_ascii_tolower(*c));
        else if (*c == '%')
            g_string_append(name, "percent");
        else if (name->len && name->str[name->len - 1] != '_')
            g_string_append_c(name, '_');
    }
    if (name->len && name->str[name->len - 1] == '_')
        g_string_truncate(name, name->len - 1);
    if (g_ascii_isdigit(*name->str)) {
        g_string_prepend_c(name, 'p');
        const char *end = strstr(name->str, *percent);
        if (end)
            g_string_erase(name, end - name->str, (gssize)strlen(*percent));
    }
    return g_string_free(name, FALSE);
}

/* Names that are words of SQL, with those of their columns: engines take them only in quotation marks, which they do not
 * write. */
static const struct {
    const char *reserved, *name;
} renamed[] = {
    {"begin", "begin_record"}, {"end", "end_record"},     {"group", "group_name"},
    {"in", "in_states"},       {"offset", "byte_offset"},
};

char *rows_column_name(const rows_column *column)
{
    char *name = rows_words_name_of(column->title);
    for (unsigned i = 0; i < G_N_ELEMENTS(renamed); i++)
        if (strcmp(name, renamed[i].reserved) == 0) {
            g_free(name);
            return g_strdup(renamed[i].name);
        }
    return name;
}

rows_unit rows_column_unit(const rows_column *column, rows_unit asked)
{
    if (!rows_holds_times(column))
        return ROWS_READABLE;
    return column->kind == ROWS_CLOCK && asked == ROWS_TICKS ? ROWS_NS : asked;
}

/* A column may be called by its title or its name, with or without the unit. */
static bool is_called(const rows_column *column, const char *word)
{
    static const char *const units[] = {"_ns", "_us", "_ticks", NULL};
    g_autofree char *name = rows_column_name(column), *title = rows_words_name_of(column->title),
                    *called = rows_words_name_of(word),
                    *plain = rows_holds_times(column) ? text_without(called, units) : g_strdup(called);
    return *word && (strcmp(name, plain) == 0 || strcmp(title, plain) == 0);
}

/* The number of a column; `count` if none is called that. */
static unsigned column_called(const rows_column *columns, unsigned count, const char *word)
{
    unsigned i = 0;
    while (i < count && !is_called(&columns[i], word))
        i++;
    return i;
}

static bool has_kind(const rows_column *columns, unsigned count, rows_kind kind)
{
    unsigned i = 0;
    while (i < count && columns[i].kind != kind)
        i++;
    return i < count;
}

char *rows_words_help(const rows_column *columns, unsigned count, const char *own)
{
    if (!columns)
        return own ? g_strdup_printf("Words before the filter: %s.", own)
                   : g_strdup("There are no words before the filter.");
    GString *text = g_string_new(
        "Words before the filter: csv, json, columns:COLUMN,..., sort:COLUMN, top:N, all, full, ns, us, ticks");
    g_string_append(text, has_kind(columns, count, ROWS_PERCENT) ? ", min:N%" : "");
    g_string_append_printf(text, "%s%s. Columns: ", own ? ", " : "", own ? own : "");
    for (unsigned i = 0; i < count; i++) {
        g_autofree char *name = rows_column_name(&columns[i]);
        g_string_append_printf(text, "%s%s", i ? ", " : "", name);
    }
    g_string_append_c(text, '.');
    return g_string_free(text, FALSE);
}

static bool take_unit(rows_words *w, const rows_column *columns, unsigned count, rows_unit unit, GError **error)
{
    w->unit = unit;
    return has_kind(columns, count, ROWS_TIME) || has_kind(columns, count, ROWS_CLOCK) ||
           fail_with(error, "\"%s\" is a unit of time, and no column is a time", rows_unit_words[unit]);
}

static bool take_sort(rows_words *w, const rows_column *columns, unsigned count, const char *column, GError **error)
{
    w->order = *column == '+' ? ROWS_RISING : *column == '-' ? ROWS_FALLING : ROWS_USUAL;
    if (w->order != ROWS_USUAL)
        column++;
    w->sorted_by = column_called(columns, count, column);
    return w->sorted_by < count || fail_with(error, "no column is called \"%s\"", column);
}

static bool take_top(rows_words *w, const char *number, GError **error)
{
    guint64 top;
    if (!g_ascii_string_to_unsigned(number, 10, 1, G_MAXUINT, &top, NULL))
        return fail_with(error, "\"top:%s\" needs a number of rows, from 1", number);
    w->top = (unsigned)top;
    return true;
}

/* A number, which may have decimals, with or without a percent sign. */
static bool take_min(rows_words *w, const rows_column *columns, unsigned count, const char *number, GError **error)
{
    char *end;
    const double percent = g_ascii_strtod(number, &end);
    if (!has_kind(columns, count, ROWS_PERCENT))
        return fail_with(error, "\"min:%s\" needs a column of percentages, and there is none", number);
    if (end == number || strcmp(end, *end == '%' ? "%" : "") != 0 || !(percent >= 0 && percent <= 100))
        return fail_with(error, "\"min:%s\" needs a percentage, from 0 to 100", number);
    w->least = (unsigned)(percent * 10 + 0.5);
    return true;
}

/* Takes one of the columns that are printed. False: it is not a column. */
static bool take_column(rows_words *w, const rows_column *columns, unsigned count, const char *word)
{
    const unsigned i = column_called(columns, count, word);
    if (i < count && !memchr(w->columns, (unsigned char)i, w->column_count))
        w->columns[w->column_count++] = (unsigned char)i;
    return i < count;
}

static bool take_columns(rows_words *w, const rows_column *columns, unsigned count, const char *first, GError **error)
{
    w->more_columns = true; /* a second list of columns goes on where the first one ended */
    if (strcmp(first, "all") == 0)
        for (w->column_count = 0; w->column_count < count; w->column_count++)
            w->columns[w->column_count] = (unsigned char)w->column_count;
    else if (!take_column(w, columns, count, first))
        return fail_with(error, "no column is called \"%s\"", first);
    return true;
}

bool rows_words_take(rows_words *w, const rows_column *columns, unsigned count, const char *word, bool *taken,
                     GError **error)
{
    *taken = true;
    if (w->more_columns && take_column(w, columns, count, word))
        return true;
    w->more_columns = false;
    for (rows_unit unit = ROWS_NS; unit <= ROWS_TICKS; unit++)
        if (strcmp(word, rows_unit_words[unit]) == 0)
            return take_unit(w, columns, count, unit, error);
    if (g_str_has_prefix(word, "sort:"))
        return take_sort(w, columns, count, word + strlen("sort:"), error);
    if (g_str_has_prefix(word, "top:"))
        return take_top(w, word + strlen("top:"), error);
    if (g_str_has_prefix(word, "min:"))
        return take_min(w, columns, count, word + strlen("min:"), error);
    if (g_str_has_prefix(word, "columns:"))
        return take_columns(w, columns, count, word + strlen("columns:"), error);
    if (strcmp(word, "csv") == 0)
        w->form = ROWS_AS_CSV;
    else if (strcmp(word, "json") == 0)
        w->form = ROWS_AS_JSON;
    else if (strcmp(word, "all") == 0)
        w->all = true;
    else if (strcmp(word, "full") == 0)
        w->full = true;
    else
        *taken = false;
    return true;
}

/* The first word, and how many characters it has there. In quotation marks, also after a colon, it may have commas:
 * binary:"a,b". ROWS_WITHIN has one between two numbers anyway. */
static char *first_word(const char *arguments, size_t *length)
{
    const char mark = *"\"";
    *length = strcspn(arguments, ",");
    if (g_str_has_prefix(arguments, ROWS_WITHIN) && !g_ascii_isalpha(arguments[strlen(ROWS_WITHIN)]) && arguments[*length] &&
        !g_ascii_isalpha(arguments[*length + 1]))
        *length += 1 + strcspn(arguments + *length + 1, ",");
    const char *quote = memchr(arguments, mark, *length), *end = quote ? strchr(quote + 1, mark) : NULL;
    const bool quoted = end && (quote == arguments || quote[-1] == ':') && (!end[1] || end[1] == ',');
    if (!quoted)
        return g_strndup(arguments, *length);
    *length = (size_t)(end + 1 - arguments);
    return g_strdup_printf("%.*s%.*s", (int)(quote - arguments), arguments, (int)(end - quote - 1), quote + 1);
}

/* `json` alone would be a filter, by that protocol, which no record passes. */
static bool refuse_rows(const char *word, GError **error)
{
    bool known = false;
    rows_words_take(&(rows_words){0}, NULL, 0, word, &known, NULL);
    return !known || fail_with(error, "\"%s\" is a word of tables only", word);
}

bool rows_words_take_all(rows_words *w, const rows_column *columns, unsigned count, const char **arguments,
                         bool (*own)(void *data, const char *word, bool *taken, GError **error), void *data, GError **error)
{
    bool taken = true;
    while (**arguments && taken) {
        size_t n;
        g_autofree char *word = first_word(*arguments, &n);
        taken = false;
        if (columns && !rows_words_take(w, columns, count, word, &taken, error))
            return false;
        if (!taken && own && !own(data, word, &taken, error))
            return false;
        if (!taken && !columns && !refuse_rows(word, error))
            return false;
        if (taken)
            *arguments += n + ((*arguments)[n] == ',');
    }
    return true;
}

bool rows_words_need(const rows_words *w, unsigned column)
{
    const bool printed = w->column_count ? memchr(w->columns, (int)column, w->column_count) != NULL
                                         : w->form != ROWS_AS_TEXT;
    return printed || (w->order != ROWS_OWN_ORDER && w->sorted_by == column);
}

bool rows_words_full(const rows_words *w)
{
    return w->full || w->form != ROWS_AS_TEXT;
}
