/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/json_text.h"

#include <errno.h>
#include <glib.h>
#include <string.h>
#include <unistd.h>

#include "util/fail.h"
#include "util/regular_file.h"
#include "util/text.h"

json_text json_text_new(const char *text, size_t length)
{
    json_text s = {.text = g_malloc(length + 1), .length = length};
    if (length)
        memcpy(s.text, text, length);
    s.text[length] = 0;
    return s;
}

/* --- scanning ---------------------------------------------------------------------------------------------------------- */

/* Skips a string from its opening quote to after the closing one. */
static void scan_string(json_text *s)
{
    for (s->at++; s->at < s->length && s->text[s->at] != '"'; s->at++)
        if (s->text[s->at] == '\\')
            s->at++;
    s->at++;
}

static void scan_comment(json_text *s)
{
    bool line = s->text[s->at + 1] == '/';
    const char *end = line ? memchr(s->text + s->at, '\n', s->length - s->at)
                           : g_strstr_len(s->text + s->at + 2, (gssize)(s->length - s->at - 2), "*/");
    size_t stop = end ? (size_t)(end - s->text) + (line ? 0 : 2) : s->length;
    for (; s->at < stop; s->at++)
        if (s->text[s->at] != '\n')
            s->text[s->at] = ' ';
}

static bool is_comment(const json_text *s)
{
    const char *c = s->text + s->at;
    return c[0] == '/' && s->at + 1 < s->length && (c[1] == '/' || c[1] == '*');
}

/* Returns whether json-glib would read this byte differently from us: it ends the text, or begins a string in single quotes,
 * which could hide brackets. */
static bool is_misleading(char c, bool begun)
{
    return c == 0 || c == '\'' || (!begun && c != '{' && !g_ascii_isspace(c)); /* or a byte order mark */
}

json_verdict json_text_scan(json_text *s)
{
    unsigned depth = 0, members[JSON_TEXT_DEPTH + 1] = {0};
    bool begun = false;
    while (s->at < s->length && !(begun && depth == 0)) {
        char c = s->text[s->at];
        if (c == '"' && begun) {
            scan_string(s);
            continue;
        }
        if (is_comment(s)) {
            scan_comment(s);
            continue;
        }
        if (is_misleading(c, begun))
            return JSON_TEXT_BROKEN;
        if (c == '{' || c == '[') {
            begun = true;
            if (++depth > JSON_TEXT_DEPTH)
                return JSON_TEXT_DEEP;
            members[depth] = 0;
        } else if (c == ':') {
            if (++members[depth] > JSON_TEXT_MEMBERS)
                return JSON_TEXT_WIDE;
        } else if (c == '}' || c == ']') {
            depth--;
        }
        s->values += c == ',' ? 1 : c == '{' || c == '[' ? 4 : 0;
        s->at++;
    }
    if (!begun || depth || s->at > s->length) {
        s->at = s->length;
        return JSON_TEXT_BROKEN;
    }
    s->length = s->at;
    s->text[s->length] = 0;
    return JSON_TEXT_VALID;
}

/* --- characters -------------------------------------------------------------------------------------------------------- */

int json_text_unit(const char *digits, size_t left)
{
    int unit = 0;
    for (size_t i = 0; i < 4; i++) {
        if (i >= left || !g_ascii_isxdigit(digits[i]))
            return -1;
        unit = unit << 4 | g_ascii_xdigit_value(digits[i]);
    }
    return unit;
}

/* Returns whether an escape stands for a character that is not safe, or for an unpaired surrogate. Surrogate pairs are safe.
 */
static bool is_wild_escape(const char *escape, size_t left)
{
    if (left < 2 || escape[1] != 'u')
        return left < 2 || strchr("bfr", escape[1]);
    int unit = json_text_unit(escape + 2, left - 2);
    if (unit < 0xd800 || unit > 0xdfff) {
        char character[6] = "";
        return unit < 0 || (unit != '\t' && unit != '\n' &&
                            !text_is_safe(character, (size_t)g_unichar_to_utf8((gunichar)unit, character)));
    }
    bool pair = unit < 0xdc00 && left >= 12 && escape[6] == '\\' && escape[7] == 'u';
    int second = pair ? json_text_unit(escape + 8, left - 8) : -1;
    return second < 0xdc00 || second > 0xdfff;
}

/* The length of an escape in bytes; a surrogate pair is two \u escapes. */
static size_t json_text_escape_length(const char *escape, size_t left)
{
    int unit = escape[1] == 'u' ? json_text_unit(escape + 2, left - 2) : 0;
    return unit >= 0xd800 && unit <= 0xdfff ? 12 : 2;
}

bool json_text_is_safe(const char *text, size_t length)
{
    size_t from = 0;
    for (size_t i = 0; i <= length; i++) {
        if (i < length && !strchr("\\\t\n", text[i]))
            continue;
        if (i < length && text[i] == '\0')
            return false;
        if (!text_is_safe(text + from, i - from))
            return false;
        if (i < length && text[i] == '\\') {
            if (is_wild_escape(text + i, length - i))
                return false;
            i += json_text_escape_length(text + i, length - i) - 1;
        }
        from = i + 1;
    }
    return true;
}

/* --- files ------------------------------------------------------------------------------------------------------------- */

bool json_text_is(const char *path, bool *is, GError **error)
{
    char head[64], *c = head;
    int64_t n = regular_file_head(path, head, sizeof head);
    if (n < 0)
        return fail_with(error, "%s", regular_file_problem(errno));
    for (; n > 0 && g_ascii_isspace(*c); n--)
        c++;
    *is = n > 0 && *c == '{';
    return true;
}

bool json_text_load(const char *path, json_text *s, GError **error)
{
    *s = (json_text){.at = 0};
    s->text = regular_file_text(path, true, JSON_TEXT_MAX, &s->length);
    if (!s->text)
        return fail_with(error, "%s", errno == EFBIG ? "it has more than 16 MiB" : regular_file_problem(errno));
    json_verdict verdict = json_text_scan(s);
    bool many = s->values > JSON_TEXT_VALUES + s->length / JSON_TEXT_BYTES_PER_VALUE;
    if (verdict == JSON_TEXT_VALID && !many)
        return true;
    g_free(s->text);
    return fail_with(error, "%s",
                     verdict == JSON_TEXT_VALID  ? "it has too many values for its length"
                     : verdict == JSON_TEXT_DEEP ? "it is nested deeper than 64 levels"
                     : verdict == JSON_TEXT_WIDE ? "an object in it has more than 8192 members"
                                                 : "it is not valid JSON");
}

void json_text_append(GString *to, const char *utf8)
{
    g_string_append_c(to, '"');
    for (; *utf8; utf8++)
        if (*utf8 == '"' || *utf8 == '\\')
            g_string_append_printf(to, "\\%c", *utf8);
        else if (*utf8 == '<' || (unsigned char)*utf8 < ' ') /* '<' could end a script */
            g_string_append_printf(to, "\\u%04x", (unsigned char)*utf8);
        else
            g_string_append_c(to, *utf8);
    g_string_append_c(to, '"');
}
