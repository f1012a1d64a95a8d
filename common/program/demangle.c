/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/demangle.h"

#include <glib.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* --- C++: the runtime's demangler, in the variant that delivers the name in pieces. The other one, __cxa_demangle(), builds
 * the whole name: gigabytes for some symbols of 150 bytes, as each part of them can repeat twice what came before. --- */
#ifdef HAVE_CXX_DEMANGLE

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

static bool is_quickly_read(const char *symbol)
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

static char *demangle_cxx(const char *symbol)
{
    if (!is_quickly_read(symbol) || !is_read_to_the_end(symbol))
        return NULL;
    output *o = g_new0(output, 1); /* on the heap, as longjmp() may leave stale values in local variables */
    o->name = g_string_new(NULL);
    bool known = setjmp(o->too_long) == 0 && __gcclibcxx_demangle_callback(symbol, output_piece, o) == 0;
    char *name = g_string_free(o->name, !known);
    g_free(o);
    return name;
}
#else
static char *demangle_cxx(const char *symbol)
{
    (void)symbol;
    return NULL;
}
#endif

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
