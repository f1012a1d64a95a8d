/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A name is split into pieces, and then written with some of them. */
#include "util/short_name.h"

#include "util/place_name.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

#define FOLDED "…"
enum { QUOTE = 34 }; /* of a text in double quotes */

typedef enum piece_kind {
    PLAIN,     /* always written */
    UNSEEN,    /* never: return types, nameless namespaces, parameters of outer functions */
    JOINT,     /* :: or . after what the name is in */
    SCOPE,     /* the same within Rust's <a::TYPE as b::TRAIT>, with the :: */
    ARGUMENTS, /* of a template */
    PARAMETERS,
    CLONE,
    LAMBDA, /* by its number */
} piece_kind;

typedef struct piece {
    const char *begin, *end;
    piece_kind kind;
    unsigned number;
} piece;

/* A name being read. */
typedef struct reading {
    const char *begin, *at;
    GArray *pieces;  /* of piece */
    guint own;       /* the first piece after the last blank outside of brackets: what is before may be a return type */
    bool function;   /* there are parameters */
    bool in_pointer; /* the name is in the brackets of a pointer or a reference to a function */
    bool failed;     /* it is not a name */
} reading;

static bool short_name_is_word(char c)
{
    return g_ascii_isalnum(c) || c == '_' || c == '$' || c & 0x80;
}

/* Without the length of the text, for which newer versions of g_str_has_prefix() look: names have many places. */
static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The length of the first of these texts that is here. */
static size_t among(const char *at, const char *const *texts)
{
    for (; *texts; texts++)
        if (begins_with(at, *texts))
            return strlen(*texts);
    return 0;
}

/* --- brackets ---------------------------------------------------------------------------------------------------------- */

/* The longest first. A comma and brackets are among them, so that they do not count as what they look like. */
static const char *const operators[] = {
    "<=>", "<<=", ">>=", "->*", "()", "[]", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&",
    "||",  "++",  "--",  "+=",  "-=", "*=", "/=", "%=", "^=", "&=", "|=", "<",  ">",  "+",
    "-",   "*",   "/",   "%",   "^",  "&",  "|",  "~",  "!",  "=",  ",",  NULL};

static bool is_operator(const char *begin, const char *at)
{
    return (at == begin || !short_name_is_word(at[-1])) && begins_with(at, "operator") && !short_name_is_word(at[8]);
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

/* The end of what the bracket at `at` opens; NULL: it is not closed. Within round ones `<` and `>` may be comparisons,
 * and need not be counted. */
static const char *short_name_end_of(const char *at)
{
    GString *open = g_string_new(NULL);
    const char *begin = at;
    for (; *at; at++) {
        const bool angled = open->len == 0 || open->str[open->len - 1] == '>';
        if (is_operator(begin, at))
            at += 7 + among(at + 8, operators);
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

/* --- what is a name ---------------------------------------------------------------------------------------------------- */

static const char *const clone_suffixes[] = {".llvm.",   ".constprop.", ".isra.", ".part.", ".lto_priv.",
                                             ".__uniq.", ".clone.",     ".cold",  ".warm",  ".resume",
                                             ".destroy", ".cleanup",    NULL};

/* The last form is that of short names. People write ` [.data]`. */
static bool begins_clone(const char *at)
{
    return begins_with(at, " [clone ") || begins_with(at, " (.") ||
           (begins_with(at, " [.") && (among(at + 2, clone_suffixes) || g_ascii_isdigit(at[3])));
}

/* --- parts of a name --------------------------------------------------------------------------------------------------- */

static piece *short_name_add(reading *r, piece_kind kind, const char *end)
{
    const piece p = {r->at, end ? end : r->at + strlen(r->at), kind, 0};
    r->failed |= !end;
    r->at = p.end;
    g_array_append_val(r->pieces, p);
    return &g_array_index(r->pieces, piece, r->pieces->len - 1);
}

static bool is_after(const reading *r, const char *word)
{
    const size_t length = strlen(word), before = (size_t)(r->at - r->begin);
    return before >= length && begins_with(r->at - length, word) &&
           (before == length || !short_name_is_word(r->at[-1 - (ptrdiff_t)length]));
}

static bool begins_name(const reading *r)
{
    return r->pieces->len == r->own;
}

/* Anonymous namespaces, and those that only distinguish versions of a C++ library. */
static size_t nameless_length(const char *begin, const char *at)
{
    static const char *const spaces[] = {"(anonymous namespace)::", "{anonymous}::", "__cxx11::", "__1::", "__ndk1::", NULL};
    return at == begin || !short_name_is_word(at[-1]) ? among(at, spaces) : 0;
}

/* The length of what a compiler or a linker adds to a symbol, up to the end. */
static size_t clone_length(const char *at)
{
    const size_t hash = begins_with(at, "::h") ? strspn(at + 3, "0123456789abcdef") : 0;
    if (hash == 16 && (at[19] == '\0' || at[19] == ' ')) /* Rust's */
        return 19;
    const size_t length = among(at, clone_suffixes) ? strlen(at) : 0;
    return strspn(at, "._0123456789abcdefghijklmnopqrstuvwxyz") == length ? length : 0;
}

/* What may follow parameters. */
static const char *after_qualifiers(const char *at)
{
    static const char *const words[] = {" const",    " volatile", " &&",    " &",         " noexcept",
                                        " restrict", " shared",   " inout", " immutable", NULL};
    for (size_t length = 0; at && ((length = among(at, words)) || begins_with(at, "[abi:") || begins_with(at, " [abi:"));)
        at = length ? at + length : short_name_end_of(strchr(at, '['));
    return at;
}

/* A function that returns a pointer or a reference to a function has its name in brackets: `int (*name(int))(char)`,
 * `int (type<char>::*&&name(int))(char)`. Without parameters of its own that is a type or a variable. */
static void read_pointer(reading *r)
{
    const char *at = r->at + 1;
    while (at && *at && !strchr("*&()", *at))
        at = *at == '<' ? short_name_end_of(at) : at + 1;
    const size_t stars = at ? strspn(at, "*& ") : 0;
    const char *name = at ? at + stars : NULL;
    while (name && short_name_is_word(*name))
        name++;
    if (stars && *name == ')') {
        short_name_add(r, PLAIN, r->at + strlen(r->at));
        return;
    }
    short_name_add(r, UNSEEN, stars ? at + stars : NULL);
    r->in_pointer = true;
    r->own = r->pieces->len;
}

static void read_round(reading *r)
{
    const char *end = short_name_end_of(r->at), *after = after_qualifiers(end);
    const bool last = after && (!*after || begins_clone(after) || (r->in_pointer && *after == ')'));
    if (is_after(r, "decltype ") || is_after(r, "decltype") || is_after(r, "noexcept") || is_after(r, "sizeof"))
        short_name_add(r, PLAIN, end);
    else if (begins_name(r) && r->own)
        read_pointer(r);
    else if (begins_name(r) || g_ascii_isdigit(r->at[1])) /* a number is not a parameter */
        r->failed = true;
    else if (last)
        short_name_add(r, PARAMETERS, after);
    else
        short_name_add(r, after && (begins_with(after, "::") || *after == '.') ? UNSEEN : PLAIN, after);
    r->function |= last;
}

/* Rust has `<TYPE as TRAIT>::method`: that is not an argument. */
static void short_name_read_type(reading *r)
{
    const char *end = short_name_end_of(r->at);
    while (end && r->at < end) {
        const bool attached = *r->at == '<' && r->at > r->begin && (short_name_is_word(r->at[-1]) || r->at[-1] == ':');
        size_t length = 0;
        while (short_name_is_word(r->at[length]))
            length++;
        if (attached)
            short_name_add(r, ARGUMENTS, short_name_end_of(r->at));
        else if (length && begins_with(r->at + length, "::"))
            short_name_add(r, SCOPE, r->at + length + 2);
        else
            short_name_add(r, PLAIN, r->at + (length ? length : 1));
    }
    r->failed |= !end;
}

/* A lambda's operator() is not shown: it has nothing else. */
static void read_call(reading *r)
{
    static const char call[] = "::operator()";
    if (begins_with(r->at, call) && r->at[strlen(call)] && strchr("(<", r->at[strlen(call)]))
        short_name_add(r, UNSEEN, r->at + strlen(call));
    if (*r->at == '<')
        short_name_add(r, UNSEEN, short_name_end_of(r->at));
}

/* `{lambda(int)#1}`, `{anonymous}`, `{{closure}}` */
static void read_curly(reading *r)
{
    const bool lambda = begins_with(r->at, "{lambda(");
    const char *end = short_name_end_of(r->at), *number = lambda && end ? g_strrstr_len(r->at, end - r->at, "#") : NULL;
    if (number) {
        short_name_add(r, PLAIN, r->at + strlen("{lambda"));
        short_name_add(r, UNSEEN, number);
    }
    short_name_add(r, PLAIN, end);
    if (lambda)
        read_call(r);
}

/* LLVM's demangler: 'lambda', then 'lambda0'; its compiler names some $_0. */
static void read_numbered(reading *r, const char *digits, unsigned first, const char *rest)
{
    char *end;
    const guint64 number = g_ascii_isdigit(*digits) ? g_ascii_strtoull(digits, &end, 10) + first : 1;
    short_name_add(r, LAMBDA, rest)->number = (unsigned)MIN(number, G_MAXUINT);
    if (*digits && *r->at == '(')
        short_name_add(r, UNSEEN, short_name_end_of(r->at));
    read_call(r);
}

static void read_quoted(reading *r)
{
    const char *end = strchr(r->at + 1, '\'');
    if (begins_with(r->at, "'lambda") && end)
        read_numbered(r, r->at + strlen("'lambda"), 2, end + 1);
    else
        short_name_add(r, PLAIN, end ? end + 1 : NULL);
}

static void read_operator(reading *r)
{
    static const char *const words[] = {" new[]", " delete[]", " new", " delete", " co_await", NULL};
    const char *at = r->at + strlen("operator");
    size_t length = among(at, operators);
    length = length ? length : among(at, words);
    if (!length && begins_with(at, "\"\""))
        length = strcspn(at, "(<");
    short_name_add(r, PLAIN, at + length);
    if (length && begins_with(r->at, " <")) /* its template arguments */
        short_name_add(r, UNSEEN, r->at + 1);
    while (!length && *r->at &&
           (*r->at != '(' || begins_with(r->at, "(anonymous namespace)") || begins_with(r->at, "(*)("))) {
        /* The type of a conversion ends with the parameters. It may be a pointer to a function, `void (*)(int)`. */
        const size_t nameless = nameless_length(r->begin, r->at);
        if (begins_with(r->at, "(*)("))
            short_name_add(r, PLAIN, short_name_end_of(r->at + 3));
        else if (nameless)
            short_name_add(r, UNSEEN, r->at + nameless);
        else
            short_name_add(r, *r->at == '<' ? ARGUMENTS : PLAIN, *r->at == '<' ? short_name_end_of(r->at) : r->at + 1);
    }
}

static void read_clone(reading *r)
{
    const char *end = short_name_end_of(r->at + 1);
    const size_t word = begins_with(r->at, " [clone ") ? strlen("clone ") : 0;
    short_name_add(r, CLONE, r->at + 2);
    short_name_add(r, UNSEEN, r->at + word);
    short_name_add(r, CLONE, end);
}

static void read_blank(reading *r)
{
    if (begins_clone(r->at)) {
        read_clone(r);
    } else if (begins_with(r->at, " [abi:")) {
        short_name_add(r, UNSEEN, short_name_end_of(r->at + 1));
    } else {
        short_name_add(r, PLAIN, r->at + 1);
        r->own = r->pieces->len;
    }
}

static void read_word(reading *r)
{
    const char *end = r->at;
    while (short_name_is_word(*end))
        end++;
    short_name_add(r, PLAIN, end);
}

static void read_one(reading *r)
{
    const size_t nameless = nameless_length(r->begin, r->at), clone = clone_length(r->at);
    if (nameless)
        short_name_add(r, UNSEEN, r->at + nameless);
    else if (clone)
        short_name_add(r, CLONE, r->at + clone);
    else if (is_operator(r->begin, r->at))
        read_operator(r);
    else if (begins_with(r->at, "(anonymous namespace)"))
        short_name_add(r, UNSEEN, r->at + strlen("(anonymous namespace)"));
    else if (*r->at == '(')
        read_round(r);
    else if (*r->at == '<' && begins_name(r))
        short_name_read_type(r);
    else if (*r->at == '<')
        short_name_add(r, ARGUMENTS, short_name_end_of(r->at));
    else if (begins_with(r->at, "!("))
        short_name_add(r, ARGUMENTS, short_name_end_of(r->at + 1));
    else if (*r->at == '{')
        read_curly(r);
    else if (*r->at == '\'')
        read_quoted(r);
    else if (*r->at == '[')
        short_name_add(r, begins_with(r->at, "[abi:") ? UNSEEN : PLAIN, short_name_end_of(r->at));
    else if (*r->at == ' ')
        read_blank(r);
    else if (*r->at == ')' && r->in_pointer) /* what it points to */
        short_name_add(r, UNSEEN, r->at + strlen(r->at));
    else if (begins_with(r->at, "$_") && g_ascii_isdigit(r->at[2]))
        read_numbered(r, r->at + 2, 1, r->at + 2 + strspn(r->at + 2, "0123456789"));
    else if (short_name_is_word(*r->at))
        read_word(r);
    else if (begins_with(r->at, "::") || (*r->at == '.' && (short_name_is_word(r->at[1]) || r->at[1] == '~')))
        short_name_add(r, JOINT, r->at + (*r->at == ':' ? 2 : 1));
    else if (strchr("*&~", *r->at))
        short_name_add(r, PLAIN, r->at + 1);
    else
        r->failed = true;
}

/* Words before a name that say what it is. */
static const char *after_prefix(const char *name)
{
    static const char *const prefixes[] = {
        "non-virtual thunk to ",  "virtual thunk to ",   "covariant return thunk to ", "TLS wrapper function for ",
        "TLS init function for ", "guard variable for ", "transaction clone for ",     NULL};
    return name + among(name, prefixes);
}

/* Reads a name; free its pieces. */
static reading short_name_read_name(const char *name)
{
    const char *begin = after_prefix(name);
    reading r = {.begin = name, .at = name, .pieces = g_array_new(FALSE, FALSE, sizeof(piece))};
    r.failed = !*begin;
    if (begin > name)
        short_name_add(&r, PLAIN, begin);
    r.begin = begin;
    const guint first = r.own = r.pieces->len;
    while (*r.at && !r.failed)
        read_one(&r);
    for (guint i = first; i < r.own && r.function && !r.failed; i++)
        g_array_index(r.pieces, piece, i).kind = UNSEEN;
    if (!r.function)
        r.own = first;
    return r;
}

/* --- writing ----------------------------------------------------------------------------------------------------------- */

/* A group within text: a function that something in it is named by, or a lambda. */
typedef struct group {
    const char *end;   /* NULL: it is not closed */
    const char *shown; /* from here on up to the end; NULL: all of it */
} group;

/* `f(int) const::{lambda(char)#1}` is shown as `f::{lambda#1}`. */
static group group_at(const char *at, const char *end)
{
    group g = {.end = short_name_end_of(at)};
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

/* Appends text with its templates folded and without nameless namespaces, but with all else. Groups in groups stay as
 * they are: looking at each would take quadratic time. */
static void append_folded(GString *out, const char *begin, const char *end, bool templates)
{
    const char *looked = begin + 1; /* groups before it have been looked at */
    bool closed = !templates;       /* no `<` has been found that is not */
    for (const char *at = begin; at < end; at++) {
        const bool angle = *at == '<' && closed && at > begin && short_name_is_word(at[-1]);
        const char *after = angle ? short_name_end_of(at) : NULL;
        closed = closed && (!angle || after);
        const size_t nameless = nameless_length(begin, at);
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

/* In addition to what a caller can ask for. */
enum { KEPT_MARKS = 32, KEPT_SCOPES = 64, KEPT_ALL = 127 & ~(SHORT_NAME_OUTER | SHORT_NAME_DATA) };

static void append_arguments(GString *out, const piece *p, unsigned kept)
{
    const char *open = p->begin + (*p->begin == '!') + 1;
    if (kept & (SHORT_NAME_TEMPLATES | SHORT_NAME_OUTER)) {
        g_string_append_len(out, p->begin, open - p->begin);
        append_folded(out, open, p->end - 1, kept & SHORT_NAME_TEMPLATES);
        g_string_append_c(out, p->end[-1]);
    } else if (kept & KEPT_MARKS && !g_str_has_suffix(out->str, "<" FOLDED ">")) {
        g_string_append_printf(out, "%.*s" FOLDED "%c", (int)(open - p->begin), p->begin, p->end[-1]);
    }
}

static void short_name_append_pieces(GString *out, const reading *r, guint first, unsigned kept)
{
    for (guint i = first; i < r->pieces->len; i++) {
        const piece *p = &g_array_index(r->pieces, piece, i);
        if (p->kind == JOINT && i + 1 < r->pieces->len && p[1].kind == ARGUMENTS && !(kept & ~(unsigned)KEPT_SCOPES))
            continue; /* Rust's name::<TYPE> */
        if (p->kind == ARGUMENTS)
            append_arguments(out, p, kept);
        else if (p->kind == LAMBDA)
            g_string_append_printf(out, "{lambda#%u}", p->number);
        else if (p->kind == PARAMETERS && kept & SHORT_NAME_PARAMETERS)
            append_folded(out, p->begin, p->end, kept & SHORT_NAME_TEMPLATES);
        else if (p->kind == PLAIN || p->kind == JOINT || (p->kind == SCOPE && kept & KEPT_SCOPES) ||
                 (p->kind == CLONE && kept & SHORT_NAME_CLONE))
            g_string_append_len(out, p->begin, p->end - p->begin);
    }
}

static place_shown shorten_frame(void *kept, const place_name *frame)
{
    g_autofree char *alone = g_strndup(frame->name, frame->length);
    const unsigned of_function = *(const unsigned *)kept & ~(unsigned)SHORT_NAME_DATA;
    return (place_shown){.name = frame->in_function ? short_name(alone, of_function) : NULL};
}

char *short_name(const char *name, unsigned kept)
{
    place_name place;
    if (place_name_read(name, &place))
        return place_name_show(name, shorten_frame, &kept);
    const reading r = short_name_read_name(name);
    GString *out = g_string_new(NULL);
    if (!r.failed && !(r.function && kept & SHORT_NAME_DATA))
        short_name_append_pieces(out, &r, 0, kept | KEPT_MARKS | KEPT_SCOPES);
    g_array_free(r.pieces, TRUE);
    if (out->len == 0)
        g_string_assign(out, name);
    return g_string_free(out, FALSE);
}

/* --- cutting ----------------------------------------------------------------------------------------------------------- */

/* What a name is reduced to: from a piece on, with what is kept. */
static bool short_name_fits(GString *out, const reading *r, guint first, unsigned kept, size_t width)
{
    g_string_assign(out, first == r->own ? "" : FOLDED);
    short_name_append_pieces(out, r, first == r->own ? 0 : first - 1, kept); /* with the joint before it */
    return (size_t)g_utf8_strlen(out->str, -1) <= width;
}

/* The piece where the name of the function itself begins, or of that a lambda is in; *class: where what it is in does. */
static guint short_name_function_of(const reading *r, guint *class)
{
    guint function = *class = r->own;
    for (guint i = r->own; i + 1 < r->pieces->len; i++) {
        const piece *p = &g_array_index(r->pieces, piece, i), *next = p + 1;
        if (p->kind == JOINT && next->kind != LAMBDA && next->kind != ARGUMENTS && *next->begin != '{') {
            *class = function;
            function = i + 1;
        }
    }
    return function;
}

static guint after_joint(const reading *r, guint from)
{
    while (g_array_index(r->pieces, piece, from).kind != JOINT)
        from++;
    return from + 1;
}

/* `last`: what is given up last. */
static void short_name_append_name(GString *text, const reading *r, size_t width, unsigned last)
{
    g_autoptr(GString) out = g_string_new(NULL);
    guint first = r->own, class;
    const guint function = short_name_function_of(r, &class);
    bool done = short_name_fits(out, r, first, KEPT_ALL, width) ||
                short_name_fits(out, r, first, last | SHORT_NAME_TEMPLATES | KEPT_MARKS | KEPT_SCOPES, width) ||
                short_name_fits(out, r, first, last | KEPT_MARKS | KEPT_SCOPES, width) ||
                short_name_fits(out, r, first, last | KEPT_MARKS, width);
    while (!done && first < class) {
        first = after_joint(r, first);
        done = short_name_fits(out, r, first, last | KEPT_MARKS, width);
    }
    if (done || short_name_fits(out, r, first, last, width)) {
        g_string_append(text, out->str);
    } else if (last & SHORT_NAME_PARAMETERS) {
        g_autoptr(GString) alone = g_string_new(NULL);
        short_name_fits(alone, r, first, 0, width);
        const size_t length = (size_t)g_utf8_strlen(alone->str, -1), begin = length + 4 < width ? alone->len : 0;
        g_string_append_len(text, out->str, (gssize)begin);
        text_append_cut(text, out->str + begin, width - (begin ? length : 0));
    } else {
        g_autoptr(GString) own = g_string_new(NULL);
        short_name_append_pieces(own, r, function, last);
        if (function > r->own && (size_t)g_utf8_strlen(own->str, -1) < width)
            text_append_end(text, out->str, width);
        else
            text_append_cut(text, own->str, width);
    }
}

static void append_within(GString *text, const char *name, size_t remark, size_t width, unsigned last);

/* Of the name of a place as many callers are shown as there is room for, and the name of its function is cut. */
static bool append_place_within(GString *text, const char *name, size_t width, unsigned last)
{
    static const char without[] = " < …";
    place_name place;
    if (!place_name_read(name, &place))
        return false;
    const char *more = *place.end ? without : "", *kept = place.end;
    for (place_name p = place;
         place_name_caller(&p, &p) && (size_t)g_utf8_strlen(name, p.end - name) + strlen(" < ") + 1 <= width;)
        kept = p.end;
    if (kept > place.end || (*place.end && (size_t)g_utf8_strlen(name, kept - name) + strlen(" < ") + 1 <= width)) {
        g_string_append_len(text, name, kept - name);
        g_string_append(text, more);
        return true;
    }
    const size_t around = (size_t)(place.name - name) + (size_t)g_utf8_strlen(place.rest, (gssize)place.rest_length);
    if (around + strlen(" < ") + 9 > width)
        return false;
    g_autofree char *named = g_strndup(place.name, place.length);
    g_string_append_len(text, name, place.name - name);
    append_within(text, named, 0, width - around - (*more ? strlen(" < ") + 1 : 0), last);
    g_string_append_len(text, place.rest, (gssize)place.rest_length);
    g_string_append(text, more);
    return true;
}

/* Appends a name, cut if it is longer. `remark`: its bytes. */
static void append_within(GString *text, const char *name, size_t remark, size_t width, unsigned last)
{
    if ((size_t)g_utf8_strlen(name, -1) <= width) {
        g_string_append(text, name);
        return;
    }
    if (append_place_within(text, name, width, last))
        return;
    const char *end = name + strlen(name) - remark;
    const size_t length = (size_t)g_utf8_strlen(end, -1), room = length + 8 < width ? width - length : width;
    g_autofree char *alone = g_strndup(name, (gsize)(end - name)); /* a remark for which there is no room is left out */
    const reading r = short_name_read_name(alone);
    if (r.failed || room < 2)
        text_append_cut(text, alone, room);
    else
        short_name_append_name(text, &r, room, last);
    g_string_append(text, room < width ? end : "");
    g_array_free(r.pieces, TRUE);
}

void short_name_append_cut(GString *text, const shown_name *name, size_t width, unsigned last)
{
    if (!name->first || width < 8) {
        append_within(text, name->text, name->first ? name->other_remark : name->remark, width, last);
        return;
    }
    g_autofree char *first = g_strndup(name->text, name->first);
    const char *other = name->text + name->first + strlen(SHOWN_NAME_ARROW);
    const size_t room = width - 3, one = (size_t)g_utf8_strlen(first, -1), two = (size_t)g_utf8_strlen(other, -1),
                 half = room / 2, given = two < room - half ? room - MIN(two, room) : MIN(one, half);
    append_within(text, first, name->remark, given, last);
    g_string_append(text, SHOWN_NAME_ARROW);
    append_within(text, other, name->other_remark, room - MIN(given, one), last);
}
