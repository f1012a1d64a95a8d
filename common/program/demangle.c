/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/demangle.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* --- Rust: _ZN, parts with their lengths, the last of them a hash, E, and perhaps a suffix of the compiler ------------- */

#define HASH_LENGTH 17u /* h and 16 digits */

/* Escapes for characters that are not allowed in symbols. */
static const struct {
    char code[3];
    char character;
} rust_escapes[] = {{"SP", '@'}, {"BP", '*'}, {"RF", '&'}, {"LT", '<'}, {"GT", '>'}, {"LP", '('}, {"RP", ')'}, {"C", ','}};

/* Appends the character for the text between two '$'. */
static bool rust_append_escape(GString *name, const char *code, size_t length)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rust_escapes); i++) {
        if (strlen(rust_escapes[i].code) == length && memcmp(rust_escapes[i].code, code, length) == 0) {
            g_string_append_c(name, rust_escapes[i].character);
            return true;
        }
    }
    gunichar c = 0;
    for (size_t i = 1; i < length && i <= 6; i++)
        c = c << 4 | (gunichar)g_ascii_xdigit_value(code[i]);
    if (length < 2 || length > 7 || code[0] != 'u' || !g_unichar_isprint(c))
        return false;
    g_string_append_unichar(name, c);
    return true;
}

static void rust_append_part(GString *name, const char *part, size_t length)
{
    size_t at = length > 1 && part[0] == '_' && part[1] == '$' ? 1 : 0; /* only makes the part begin like an identifier */
    while (at < length) {
        const char *end = part[at] == '$' ? memchr(part + at + 1, '$', length - at - 1) : NULL;
        if (end && rust_append_escape(name, part + at + 1, (size_t)(end - part) - at - 1)) {
            at = (size_t)(end - part) + 1;
        } else if (part[at] == '.' && at + 1 < length && part[at + 1] == '.') {
            g_string_append(name, "::");
            at += 2;
        } else {
            g_string_append_c(name, part[at++]);
        }
    }
}

/* Whether a part is the hash, followed by the end of the symbol. */
static bool rust_is_end(const char *part, size_t length)
{
    for (size_t i = 1; i < HASH_LENGTH; i++)
        if (length != HASH_LENGTH || part[0] != 'h' || !g_ascii_isxdigit(part[i]) || g_ascii_isupper(part[i]))
            return false;
    return part[length] == 'E' && (part[length + 1] == 0 || part[length + 1] == '.');
}

static char *demangle_rust(const char *symbol)
{
    GString *name = g_string_new(NULL);
    const char *at = symbol + strlen("_ZN"), *end = symbol + strlen(symbol);
    while (g_ascii_isdigit(*at)) {
        size_t length = 0;
        for (; g_ascii_isdigit(*at) && length < DEMANGLE_SYMBOL_MAX; at++)
            length = length * 10 + (size_t)g_ascii_digit_value(*at);
        if (length == 0 || length > (size_t)(end - at))
            break;
        if (name->len && rust_is_end(at, length))
            return g_string_free(name, FALSE);
        if (name->len)
            g_string_append(name, "::");
        rust_append_part(name, at, length);
        at += length;
    }
    g_string_free(name, TRUE);
    return NULL;
}

char *demangle(const char *symbol)
{
    char *name = NULL;
    if (strncmp(symbol, "_Z", 2) != 0 || strlen(symbol) >= DEMANGLE_SYMBOL_MAX)
        return NULL;
    if (symbol[2] == 'N')
        name = demangle_rust(symbol);
    return name ? name : demangle_cxx(symbol);
}
