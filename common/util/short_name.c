/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/short_name.h"

#include <stdbool.h>
#include <string.h>

#include "util/text.h"

#define FOLDED "…"

/* A name being read. `out` has what is kept of the word that is read: everything before the last blank outside brackets may turn out to be
 * a return type. */
typedef struct reading {
    const char *at;
    GString *out;
    unsigned kept;
    bool in_pointer; /* the name is in the brackets of a pointer or a reference to a function */
    bool failed;     /* it is not a name */
} reading;

static bool is_word(char c)
{
    return g_ascii_isalnum(c) || c == '_' || c == '$' || c & 0x80;
}

/* Without the length of the text, for which newer versions of g_str_has_prefix() look: names have many places. */
static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool take(reading *r, const char *text)
{
    if (!begins_with(r->at, text))
        return false;
    r->at += strlen(text);
    return true;
}

/* --- brackets ---------------------------------------------------------------------------------------------------------- */

/* The longest first. A comma and brackets are among them, so that they do not count as what they look like. */
static const char *const operators[] = {"<=>", "<<=", ">>=", "->*", "()", "[]", "->", "<<", ">>", "<=", ">=", "==", "!=",
                                        "&&",  "||",  "++",  "--",  "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "<",
                                        ">",   "+",   "-",   "*",   "/",  "%",  "^",  "&",  "|",  "~",  "!",  "=",  ","};

/* The length of the symbol of an operator; 0: there is none. */
static size_t operator_length(const char *at)
{
    for (size_t i = 0; i < G_N_ELEMENTS(operators); i++)
        if (begins_with(at, operators[i]))
            return strlen(operators[i]);
    return 0;
}

static bool is_operator(const char *begin, const char *at)
{
    return (at == begin || !is_word(at[-1])) && begins_with(at, "operator") && !is_word(at[8]);
}

static char closing(char open)
{
    return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '>';
}

/* `(0ul) < (size<a>::value)` is an argument of a template. */
static bool is_comparison(const char *begin, const char *at)
{
    return at > begin && at[-1] == ' ' && at[1] == ' ';
}

/* The end of what the bracket at `at` opens; NULL: it is not closed. Within round ones `<` and `>` may be comparisons, and need not be
 * counted. */
static const char *end_of(const char *at)
{
    GString *open = g_string_new(NULL);
    const char *begin = at;
    for (; *at; at++) {
        const bool angled = open->len == 0 || open->str[open->len - 1] == '>';
        if (is_operator(begin, at))
            at += 7 + operator_length(at + 8);
        else if (angled && begins_with(at, "->"))
            at++;
        else if (strchr("([{", *at) || (angled && *at == '<' && !is_comparison(begin, at)))
            g_string_append_c(open, closing(*at));
        else if (open->len && *at == open->str[open->len - 1])
            g_string_truncate(open, open->len - 1);
        if (open->len == 0)
            break;
    }
    g_string_free(open, TRUE);
    return *at ? at + 1 : NULL;
}

/* The end of the brackets at the place; goes to the end of the text, with a failure, if they are not closed. */
static const char *take_brackets(reading *r)
{
    const char *begin = r->at, *end = end_of(begin);
    r->failed |= !end;
    r->at = end ? end : begin + strlen(begin);
    return begin;
}

/* Anonymous namespaces, and those that only distinguish versions of a C++ library. */
static size_t nameless_length(const char *at)
{
    static const char *const spaces[] = {"(anonymous namespace)::", "{anonymous}::", "__cxx11::", "__1::", "__ndk1::"};
    for (size_t i = 0; i < G_N_ELEMENTS(spaces); i++)
        if (begins_with(at, spaces[i]))
            return strlen(spaces[i]);
    return 0;
}

/* A group within text: a function that something in it is named by, or a lambda. */
typedef struct group {
    const char *end;   /* NULL: it is not closed */
    const char *shown; /* from here on up to the end; NULL: all of it */
} group;

/* `f(int) const::{lambda(char)#1}` is shown as `f::{lambda#1}`. */
static group group_at(const char *at, const char *end)
{
    group g = {.end = end_of(at)};
    if (!g.end || g.end > end)
        return (group){0};
    if (*at == '{' && begins_with(at, "{lambda("))
        g.shown = g_strrstr_len(at, g.end - at, "#");
    if (*at != '(')
        return g;
    const char *after = g.end + (begins_with(g.end, " const") ? strlen(" const") : 0);
    if (begins_with(after, "::"))
        g = (group){after, after};
    return g;
}

/* Appends text with its templates folded and without such namespaces, but with all else. Groups in groups stay as they are: looking at
 * each would take quadratic time. */
static void append_folded(GString *out, const char *begin, const char *end, bool templates)
{
    const char *looked = begin + 1; /* groups before it have been looked at */
    bool closed = !templates;       /* no `<` has been found that is not */
    for (const char *at = begin; at < end; at++) {
        const bool angle = *at == '<' && closed && at > begin && is_word(at[-1]);
        const char *after = angle ? end_of(at) : NULL;
        closed = closed && (!angle || after);
        const size_t nameless = at == begin || !is_word(at[-1]) ? nameless_length(at) : 0;
        const bool grouped = !templates && !nameless && at >= looked && strchr("({", *at);
        const group g = grouped ? group_at(at, end) : (group){0};
        if (grouped)
            looked = g.end ? g.end : end;
        if (after && after <= end && !is_operator(begin, at - MIN(8, at - begin))) {
            g_string_append(out, "<" FOLDED ">");
            at = after - 1;
        } else if (g.shown) {
            g_string_append(out, *at == '{' ? "{lambda" : "");
            g_string_append_len(out, g.shown, g.end - g.shown);
            at = g.end - 1;
        } else if (nameless) {
            at += nameless - 1;
        } else {
            g_string_append_c(out, *at);
        }
    }
}

/* --- parts of a name --------------------------------------------------------------------------------------------------- */

/* What may follow parameters. */
static void skip_qualifiers(reading *r)
{
    static const char *const words[] = {" const", " volatile", " &&", " &", " noexcept", " restrict"};
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (take(r, words[i]))
            i = (size_t)-1;
    while (begins_with(r->at, " [clone ") || begins_with(r->at, "[abi:") || begins_with(r->at, " [abi:") ||
           begins_with(r->at, " (.")) {
        r->at += *r->at == ' ';
        take_brackets(r);
    }
}

/* Parameters are the last thing of a name, or of a function that the name is in, or of a return type. */
static void take_parameters(reading *r)
{
    const char *begin = take_brackets(r);
    skip_qualifiers(r);
    const char *end = r->at;
    if (*r->at == ' ') { /* decltype(...) NAME */
        g_string_truncate(r->out, 0);
        r->at++;
    } else if (r->out->len && r->out->str[r->out->len - 1] == '!') { /* template arguments of D */
        g_string_append(r->out, "(" FOLDED ")");
    } else if ((!*r->at || (r->in_pointer && *r->at == ')')) && r->kept & SHORT_NAME_PARAMETERS) {
        append_folded(r->out, begin, end, r->kept & SHORT_NAME_TEMPLATES);
    }
}

/* A function that returns a pointer or a reference to a function has its name in brackets: `int (*name(int))(char)`,
 * `int (type<char>::*&&name(int))(char)`. */
static void take_pointer(reading *r)
{
    const char *at = r->at + 1;
    while (at && *at && !strchr("*&()", *at))
        at = *at == '<' ? end_of(at) : at + 1;
    r->failed |= !at || !strspn(at, "*&");
    r->in_pointer = true;
    r->at = r->failed ? r->at + strlen(r->at) : at + strspn(at, "*& ");
}

static void take_round(reading *r)
{
    if (take(r, "(anonymous namespace)"))
        return;
    if (r->out->len)
        take_parameters(r);
    else
        take_pointer(r);
}

/* Rust has `<TYPE as TRAIT>::method`: that is not an argument. */
static void take_angle(reading *r)
{
    const bool qualifies = r->out->len == 0;
    const char *begin = take_brackets(r);
    if (qualifies || r->kept & SHORT_NAME_TEMPLATES) {
        append_folded(r->out, begin, r->at, r->kept & SHORT_NAME_TEMPLATES);
    } else if (r->kept & SHORT_NAME_OUTER && !r->failed) {
        g_string_append_c(r->out, '<');
        append_folded(r->out, begin + 1, r->at - 1, false);
        g_string_append_c(r->out, '>');
    } else if (!g_str_has_suffix(r->out->str, "<" FOLDED ">")) {
        g_string_append(r->out, "<" FOLDED ">");
    }
}

/* A lambda's operator() is not shown: it has nothing else. */
static void end_lambda(reading *r)
{
    static const char call[] = "::operator()";
    if (begins_with(r->at, call) && strchr("(<", r->at[strlen(call)]) && r->at[strlen(call)])
        r->at += strlen(call);
    if (*r->at == '<')
        take_brackets(r);
}

/* `{lambda(int)#1}`, `{anonymous}`, `{{closure}}` */
static void take_curly(reading *r)
{
    const bool lambda = begins_with(r->at, "{lambda(");
    const char *begin = take_brackets(r);
    const char *number = lambda ? g_strrstr_len(begin, r->at - begin, "#") : NULL;
    if (number)
        g_string_append_printf(r->out, "{lambda%.*s", (int)(r->at - number), number);
    else
        append_folded(r->out, begin, r->at, false);
    if (lambda)
        end_lambda(r);
}

/* LLVM's demangler: 'lambda', then 'lambda0'; its compiler names some $_0. */
static void take_quoted(reading *r)
{
    const char *end = strchr(r->at + 1, '\'');
    const bool lambda = begins_with(r->at, "'lambda");
    if (!end) {
        r->failed = true;
        return;
    }
    const guint64 number = lambda && g_ascii_isdigit(r->at[7]) ? g_ascii_strtoull(r->at + 7, NULL, 10) + 2 : 1;
    if (lambda)
        g_string_append_printf(r->out, "{lambda#%" G_GUINT64_FORMAT "}", number);
    else
        g_string_append_len(r->out, r->at, end + 1 - r->at);
    r->at = end + 1;
    if (lambda && *r->at == '(')
        take_brackets(r);
    if (lambda)
        end_lambda(r);
}

static bool take_compilers_lambda(reading *r)
{
    char *end;
    if (!begins_with(r->at, "$_") || !g_ascii_isdigit(r->at[2]))
        return false;
    g_string_append_printf(r->out, "{lambda#%" G_GUINT64_FORMAT "}", g_ascii_strtoull(r->at + 2, &end, 10) + 1);
    r->at = end;
    end_lambda(r);
    return true;
}

/* The type of a conversion ends with the parameters. It may be a pointer to a function, `void (*)(int)`. */
static void take_conversion(reading *r)
{
    const char *begin = r->at;
    while (*r->at && (*r->at != '(' || begins_with(r->at, "(anonymous namespace)") || begins_with(r->at, "(*)(")))
        if (take(r, "(*)") || strchr("<({[", *r->at))
            take_brackets(r);
        else
            r->at++;
    append_folded(r->out, begin, r->at, r->kept & SHORT_NAME_TEMPLATES);
}

static void take_operator(reading *r)
{
    static const char *const words[] = {" new[]", " delete[]", " new", " delete", " co_await"};
    g_string_append(r->out, "operator");
    r->at += strlen("operator");
    const size_t length = operator_length(r->at);
    g_string_append_len(r->out, r->at, (gssize)length);
    r->at += length;
    if (length && begins_with(r->at, " <")) /* its template arguments */
        r->at++;
    for (size_t i = 0; !length && i < G_N_ELEMENTS(words); i++)
        if (take(r, words[i])) {
            g_string_append(r->out, words[i]);
            return;
        }
    if (length == 0 && begins_with(r->at, "\"\"")) {
        const size_t literal = strcspn(r->at, "(<");
        g_string_append_len(r->out, r->at, (gssize)literal);
        r->at += literal;
    } else if (length == 0) {
        take_conversion(r);
    }
}

static void take_word(reading *r)
{
    while (is_word(*r->at))
        g_string_append_c(r->out, *r->at++);
}

/* Before it may be a return type. */
static void take_blank(reading *r)
{
    const bool type = strcmp(r->out->str, "decltype") == 0;
    r->at++;
    if (type && *r->at == '(')
        take_brackets(r);
    g_string_truncate(r->out, 0);
}

static void take_one(reading *r, const char *begin)
{
    const size_t nameless = r->at == begin || !is_word(r->at[-1]) ? nameless_length(r->at) : 0;
    if (nameless)
        r->at += nameless;
    else if (is_operator(begin, r->at))
        take_operator(r);
    else if (*r->at == '(')
        take_round(r);
    else if (*r->at == '<')
        take_angle(r);
    else if (*r->at == '{')
        take_curly(r);
    else if (*r->at == '\'')
        take_quoted(r);
    else if (*r->at == '[')
        take_brackets(r);
    else if (*r->at == ' ')
        take_blank(r);
    else if (*r->at == ')' && r->in_pointer) /* what it points to */
        r->at += strlen(r->at);
    else if (take_compilers_lambda(r))
        return;
    else if (is_word(*r->at))
        take_word(r);
    else
        g_string_append_c(r->out, *r->at++);
}

/* Words before a name that say what it is. */
static size_t prefix_length(const char *name)
{
    static const char *const prefixes[] = {
        "non-virtual thunk to ",  "virtual thunk to ",   "covariant return thunk to ", "TLS wrapper function for ",
        "TLS init function for ", "guard variable for ", "transaction clone for "};
    for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++)
        if (begins_with(name, prefixes[i]))
            return strlen(prefixes[i]);
    return 0;
}

char *short_name(const char *name, unsigned kept)
{
    const size_t prefix = prefix_length(name);
    reading r = {.at = name + prefix, .out = g_string_new(NULL), .kept = kept};
    while (*r.at && !r.failed) {
        take_one(&r, name + prefix);
        if (*r.at == ' ') /* not if it is the last thing */
            skip_qualifiers(&r);
    }
    g_autofree char *shortened = g_string_free(r.out, FALSE);
    return r.failed || !*shortened ? g_strdup(name) : g_strdup_printf("%.*s%s", (int)prefix, name, shortened);
}

/* --- cutting ----------------------------------------------------------------------------------------------------------- */

/* The length of what is between a name and what it is in, as in `a::b` and `structure.member`; 0: nothing. */
static size_t separator_length(const char *at)
{
    return begins_with(at, "::") ? 2 : *at == '.' && is_word(at[1]);
}

/* Where the name of the function or the member itself begins, or that of the function a lambda is in; *outermost: the length of what is
 * before the first separator, with that; 0: there is none. */
static const char *own_name(const char *name, size_t *outermost)
{
    const char *own = name;
    *outermost = 0;
    for (const char *at = name; at && *at && !is_operator(name, at);) {
        const size_t separator = separator_length(at);
        if (strchr("<([{", *at)) {
            at = end_of(at);
        } else if (separator) {
            at += separator;
            *outermost = *outermost ? *outermost : (size_t)(at - name);
            own = *at == '{' ? own : at;
        } else {
            at++;
        }
    }
    return own;
}

static void append_one_cut(GString *text, const char *name, size_t width)
{
    size_t outermost;
    const char *own = own_name(name, &outermost);
    const size_t length = (size_t)g_utf8_strlen(own, -1);
    if (own == name || width < 2) {
        text_append_cut(text, name, width);
        return;
    }
    const size_t begin = (size_t)g_utf8_strlen(name, (gssize)outermost);
    const bool whole = length < width ? begin + 1 + MAX(length, width / 2) <= width : begin <= width / 6;
    const size_t left = width - (whole ? begin : 0);
    g_string_append_len(text, name, whole ? (gssize)outermost : 0);
    if (length < left) {
        text_append_end(text, name, left);
    } else {
        g_string_append(text, FOLDED);
        text_append_cut(text, own, left - 1);
    }
}

/* Appends a name, cut if it is longer. */
static void append_within(GString *text, const char *name, size_t width)
{
    if ((size_t)g_utf8_strlen(name, -1) > width)
        append_one_cut(text, name, width);
    else
        g_string_append(text, name);
}

void short_name_append_cut(GString *text, const char *name, size_t width)
{
    static const char arrow[] = " → ";
    const char *other = strstr(name, arrow);
    if (!other || width < 8) {
        append_within(text, name, width);
        return;
    }
    g_autofree char *first = g_strndup(name, (gsize)(other - name));
    other += strlen(arrow);
    const size_t room = width - 3, one = (size_t)g_utf8_strlen(first, -1), two = (size_t)g_utf8_strlen(other, -1),
                 half = room / 2, given = two < room - half ? room - MIN(two, room) : MIN(one, half);
    append_within(text, first, given);
    g_string_append(text, arrow);
    append_within(text, other, room - MIN(given, one));
}
