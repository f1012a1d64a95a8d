/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The demangler of the C++ runtime, in the variant that delivers the name in pieces. The other one, __cxa_demangle(), builds
 * the whole name: gigabytes for some symbols of 150 bytes, as each part of them can repeat twice what came before. */
#include "program/demangle.h"

#include <glib.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* In libsupc++, but declared in none of its headers. Returns 0 on success. Allocates nothing, so a callback may leave it
 * by longjmp(). */
extern int __gcclibcxx_demangle_callback(const char *symbol, void (*piece)(const char *text, size_t length, void *data),
                                         void *data);

typedef struct output {
    GString *name;
    jmp_buf too_long;
} output;

static void output_piece(const char *text, size_t length, void *data)
{
    output *o = data;
    if (length > DEMANGLE_NAME_MAX - o->name->len)
        longjmp(o->too_long, 1);
    g_string_append_len(o->name, text, (gssize)length);
}

/* The limit for conversions to template parameters: the demangler reads what follows each of them twice, so each one
 * doubles the time. */
#define TRIES_MAX 8u

static bool is_cheap(const char *symbol)
{
    unsigned tries = 0;
    for (const char *at = strchr(symbol, 'T'); at; at = strchr(at, 'T')) {
        at++;
        at += strspn(at, "0123456789n");
        tries += at[0] == '_' && at[1] == 'I';
    }
    return tries <= TRIES_MAX || !strstr(symbol, "cv");
}

/* Whether the letters here can begin a name: some combinations begin a constructor, a destructor or something unnamed,
 * all others with these first letters are invalid. */
static bool begins_name(const char *at)
{
    const char *next = *at == 'D' ? "Tt012345C" : *at == 'C' ? "12345I" : *at == 'U' ? "lt" : NULL;
    return !next || (at[1] && strchr(next, at[1]));
}

/* The demangler of GCC 12 loops forever if a qualified name in an expression (sr) continues with a D, C or U that begins
 * no name. This check is stricter than necessary, so a few valid symbols with such expressions stay mangled. */
static bool is_read_to_the_end(const char *symbol)
{
    const char *at = strstr(symbol, "sr");
    while (at && !(g_ascii_isalnum(at[2]) && (!g_ascii_isupper(at[2]) || strchr("CUL", at[2]))))
        at = strstr(at + 1, "sr");
    bool name = true; /* a number here is the length of a name */
    for (at = at ? at + 2 : ""; *at;) {
        char *end = NULL;
        guint64 length = g_ascii_isdigit(*at) ? g_ascii_strtoull(at, &end, 10) : 0;
        if (!begins_name(at))
            return false;
        if (end) {
            at = end + (name && length <= strlen(end) ? length : 0);
            name = true;
        } else {
            name = g_ascii_isupper(*at) && *at != 'S' && *at != 'T';
            at++;
        }
    }
    return true;
}

char *demangle_cxx(const char *symbol)
{
    if (!is_cheap(symbol) || !is_read_to_the_end(symbol))
        return NULL;
    output *o = g_new0(output, 1); /* on the heap, as longjmp() may leave stale values in local variables */
    o->name = g_string_new(NULL);
    bool known = setjmp(o->too_long) == 0 && __gcclibcxx_demangle_callback(symbol, output_piece, o) == 0;
    char *name = g_string_free(o->name, !known);
    g_free(o);
    return name;
}
