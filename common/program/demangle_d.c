/* SPDX-License-Identifier: GPL-2.0-or-later */
/* D: the demangler of libiberty, which builds the whole name, for symbols of which it is known beforehand that this takes
 * little time and memory. The grammar is at https://dlang.org/spec/abi.html#name_mangling. */
#include "program/demangle.h"

#include <glib.h>
#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    LENGTH_MAX = 1u << 18, /* with all references replaced; real symbols of Phobos have at most some thousands of bytes, but
                              for 0.5 % */
    TRIES_MAX = 12,        /* of Phobos: at most 12 */
};

/* How long what a reference to an earlier part, `Q` and a number base 26, would be if it were written there again. Such a
 * part ends before it. `until`: lengths of the symbol up to each byte, with all references before replaced. */
static uint32_t reference_length(const char *symbol, size_t at, const uint32_t *until)
{
    size_t distance = 0, end = at + 1;
    for (; g_ascii_isupper(symbol[end]) && distance < DEMANGLE_SYMBOL_MAX; end++)
        distance = distance * 26 + (size_t)(symbol[end] - 'A');
    distance = distance * 26 + (size_t)(symbol[end] - 'a');
    if (!g_ascii_islower(symbol[end]) || distance > at)
        return 1;
    if (g_ascii_isdigit(symbol[at - distance])) /* a name */
        return (uint32_t)MIN(g_ascii_strtoull(symbol + at - distance, NULL, 10), DEMANGLE_SYMBOL_MAX);
    return until[at] - until[at - distance];
}

/* Returns whether a function's type can begin here. */
static bool begins_function(const char *at)
{
    at += *at == 'M';
    at += strspn(at, "xyONg");
    return *at && strchr("FUWVRY", *at);
}

/* How often the demangler may try to read something in two ways: a function's type after a name, and the length of an
 * argument of a template. Each doubles the time, if it is in what others try. */
static unsigned tries_at(const char *symbol, size_t length, size_t at)
{
    unsigned tries = 0;
    if (symbol[at] == 'Z' || (symbol[at] == 'Q' && symbol[at + 1])) {
        const size_t end = at + 1 + (symbol[at] == 'Q' ? strspn(symbol + at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") + 1 : 0);
        tries += end < length && begins_function(symbol + end);
    } else if (g_ascii_isdigit(symbol[at])) {
        char *name;
        const guint64 named = g_ascii_strtoull(symbol + at, &name, 10);
        const bool split = at && symbol[at - 1] == 'S' && name > symbol + at + 1;
        tries += 2u * split + (named < (guint64)(symbol + length - name) && begins_function(name + named));
    }
    return tries;
}

static bool demangle_d_is_cheap(const char *symbol)
{
    const size_t length = strlen(symbol);
    g_autofree uint32_t *until = g_new0(uint32_t, length + 1);
    unsigned tries = 0;
    for (size_t at = 0; at < length && until[at] <= LENGTH_MAX && tries <= TRIES_MAX; at++) {
        until[at + 1] = until[at] + (symbol[at] == 'Q' ? reference_length(symbol, at, until) : 1);
        tries += tries_at(symbol, length, at);
    }
    return tries <= TRIES_MAX && until[length] && until[length] <= LENGTH_MAX;
}

char *demangle_d(const char *symbol)
{
    if (strchr(symbol, '.') || !demangle_d_is_cheap(symbol))
        return NULL;
    char *whole = dlang_demangle(symbol, 0);
    char *name = whole && strlen(whole) <= DEMANGLE_NAME_MAX && g_utf8_validate(whole, -1, NULL) ? g_strdup(whole) : NULL;
    free(whole);
    return name;
}
