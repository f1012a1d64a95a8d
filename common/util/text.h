/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules for text from files: how long it may be, and which characters are shown. */
#ifndef WIRETRACE_UTIL_TEXT_H
#define WIRETRACE_UTIL_TEXT_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The maximum length in bytes of a name that many records may show: a type, a label or title that one record gives to
 * others, a function or member of the program. Otherwise a name of a megabyte and many small records would take quadratic
 * time. */
#define TEXT_MAX 4096u
/* The same for a name that is kept once for all records that have it, and is shown only where somebody asks for it. */
#define TEXT_LONG (64u << 10)
/* Bytes of a buffer for two such names and what joins them, such as title and label of a mark. */
#define TEXT_PAIR (2 * TEXT_MAX + 16)

/* Makes text from a file fit for any output: UTF-8, safe (see below), at most TEXT_MAX bytes; longer text ends in "…".
 * `length` -1: NUL-terminated. Free with g_free(). */
char *text_show(const char *bytes, ptrdiff_t length);
/* The sum of what has no row of its own is named TEXT_OTHERS, in all statistics. A name from a file is never: one that is
 * the same gets quotation marks here. */
#define TEXT_OTHERS "(others)"
/* The same with another limit. */
char *text_show_within(const char *bytes, ptrdiff_t length, size_t most);
/* The bytes with escapes of C in place of control characters and separators of lines, as Wireshark shows texts: for
 * text_show(). Free with g_free(). */
char *text_escape(const char *bytes, size_t length);
/* The same as text_show() without a limit, for texts that consist of names that have one. */
char *text_show_all(const char *text);
/* Appends that. */
void text_append_shown(GString *to, const char *text);

/* The length of a text that is shown as it is, as it has only printable ASCII characters; 0: it is not, or is empty. */
size_t text_plain(const char *text);

/* How many bytes of a UTF-8 text fit into `room` bytes without cutting a character. */
size_t text_fitting(const char *text, size_t length, size_t room);

/* Returns whether UTF-8 text is safe to print: it has no control characters, which could control a terminal or break a line,
 * no separators of lines and paragraphs (U+2028, U+2029), and no characters that change the direction of text. */
bool text_is_safe(const char *utf8, size_t length);
/* Replaces each byte of such characters by a question mark. Returns `utf8`. */
char *text_sanitize(char *utf8);

/* Writes the digits of a number, to base 10 or 16, before `end`, in tens two at a time. Returns where they begin: at most 20
 * characters before. */
static inline char *text_digits(char *end, uint64_t number, unsigned base)
{
    static const char tens[] =
        "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
        "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
    for (; base == 10 && number >= 100; number /= 100)
        end = (char *)memcpy(end - 2, &tens[number % 100 * 2], 2);
    if (base == 10 && number >= 10)
        return (char *)memcpy(end - 2, &tens[number * 2], 2);
    do
        *--end = "0123456789abcdef"[number % base];
    while (number /= base);
    return end;
}

/* Output is written in pieces, as there may be more of it than memory has. Returns whether a text is long enough for one;
 * and writes it then. */
static inline bool text_is_piece(const GString *text)
{
    return text->len >= 64u << 10;
}
static inline void text_write_piece(GString *text, void (*write)(GString *text))
{
    if (text_is_piece(text))
        write(text);
}

/* Appends a number without a sign, to base 10 or 16. With g_string_append_printf() it takes many times as long. */
void text_append_digits(GString *text, uint64_t number, unsigned base);

/* The same in tens, with a comma between groups of three digits. */
void text_append_grouped(GString *text, uint64_t number);
/* Writes a time in the unit in which it has one to three digits before the point, with three digits: `12.7 us`. Returns
 * where in `text` it begins. */
enum { TEXT_TIME = 32 };
const char *text_time(char text[TEXT_TIME], uint64_t ns);
/* Appends the end of a UTF-8 text of at least `width` characters after the sign for what is left out, if the text does not
 * end with one. At most `width` characters. */
void text_append_end(GString *text, const char *utf8, size_t width);
/* The same without its middle; width: at least 1. */
void text_append_cut(GString *text, const char *utf8, size_t width);

/* If a list of words begins with a word, removes it and the comma after it; false if it does not. */
bool text_take_word(const char **list, const char *word);
/* Returns a copy of a name without the first of these suffixes (NULL-terminated) that it has; g_malloc'ed. */
char *text_without(const char *name, const char *const *suffixes);
/* Removes the suffix of a compression that Wireshark handles by itself; g_malloc'ed. */
char *text_unpacked(const char *name);

#endif
