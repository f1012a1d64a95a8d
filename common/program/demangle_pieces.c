/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C++ and Rust: the demanglers of libiberty that deliver the name in pieces. Those that build the whole name take
 * gigabytes for some symbols of 150 bytes, as each part of them can repeat twice what came before. */
#include "program/demangle.h"

#include <glib.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct output {
    GString *name;
    bool rust, too_long;
    jmp_buf left;
} output;

/* Leaves a demangler by longjmp() when the name is too long. The one for C++ allocates nothing. That for Rust holds
 * memory while it delivers an identifier, but other pieces always follow. */
static void output_piece(const char *text, size_t length, void *data)
{
    output *o = data;
    const bool identifier = length && (g_ascii_isalnum(*text) || *text == '_' || *text & 0x80);
    o->too_long |= length > DEMANGLE_NAME_MAX - o->name->len;
    if (o->too_long && !(o->rust && identifier))
        longjmp(o->left, 1);
    if (!o->too_long)
        g_string_append_len(o->name, text, (gssize)length);
}

static char *demangled(const char *symbol, bool rust, int options)
{
    output *o = g_new0(output, 1); /* on the heap, as longjmp() may leave stale values in local variables */
    o->name = g_string_new(NULL);
    o->rust = rust;
    bool known = setjmp(o->left) == 0 && (rust ? rust_demangle_callback(symbol, options, output_piece, o)
                                               : cplus_demangle_v3_callback(symbol, options, output_piece, o));
    known = known && !o->too_long && g_utf8_validate(o->name->str, -1, NULL);
    char *name = g_string_free(o->name, !known);
    g_free(o);
    return name;
}

/* The limit for conversions to template parameters: the demangler reads what follows each of them twice, so each one
 * doubles the time. */
#define TRIES_MAX 8u

static bool demangle_pieces_is_cheap(const char *symbol)
{
    unsigned tries = 0;
    for (const char *at = strchr(symbol, 'T'); at; at = strchr(at, 'T')) {
        at++;
        at += strspn(at, "0123456789n");
        tries += at[0] == '_' && at[1] == 'I';
    }
    return tries <= TRIES_MAX || !strstr(symbol, "cv");
}

char *demangle_cxx(const char *symbol)
{
    return demangle_pieces_is_cheap(symbol) ? demangled(symbol, false, DMGL_PARAMS | DMGL_TYPES) : NULL;
}

/* Returns whether lifetimes are few. The demangler counts those of a function's or a trait object's type (FG..., DG...) up
 * to 2^64 where it prints nothing, so only numbers of two digits, base 62, are let through. */
static bool has_few_lifetimes(const char *symbol)
{
    for (const char *at = strchr(symbol, 'G'); at; at = strchr(at + 1, 'G')) {
        size_t digits = 1;
        while (g_ascii_isalnum(at[digits]))
            digits++;
        if (at > symbol && strchr("FD", at[-1]) && digits > 3 && at[digits] == '_')
            return false;
    }
    return true;
}

char *demangle_rust(const char *symbol)
{
    const bool legacy = symbol[1] == 'Z'; /* its hash distinguishes functions */
    char *name = has_few_lifetimes(symbol) ? demangled(symbol, true, legacy ? DMGL_VERBOSE : 0) : NULL;
    const char *suffix = strchr(symbol, '.');
    while (legacy && suffix && suffix[-1] != 'E') /* other dots are in paths */
        suffix = strchr(suffix + 1, '.');
    if (!name || !suffix)
        return name;
    char *clone = g_strdup_printf("%s [clone %s]", name, suffix);
    g_free(name);
    return clone;
}
