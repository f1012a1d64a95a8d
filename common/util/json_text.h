/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks JSON text before json-glib parses it. json-glib's parser recurses for each level of nesting without a limit, and
 * adding members with the same name or hash takes quadratic time. Also writes strings. Knows nothing of what the text means.
 */
#ifndef WIRETRACE_UTIL_JSON_TEXT_H
#define WIRETRACE_UTIL_JSON_TEXT_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* Larger files are not read; bytes. */
#define JSON_TEXT_MAX (16u << 20)
/* Deeper nesting is refused: it would overflow the stack in json-glib. */
#define JSON_TEXT_DEPTH 64u
/* More members in one object are refused: the time may grow with their square. */
#define JSON_TEXT_MEMBERS 8192u
/* The most values in a file, where an object or array counts as four, plus one per JSON_TEXT_BYTES_PER_VALUE bytes. A
 * value takes about eighty bytes of memory. */
#define JSON_TEXT_VALUES 65536u
#define JSON_TEXT_BYTES_PER_VALUE 4u

typedef enum json_verdict { JSON_TEXT_VALID, JSON_TEXT_BROKEN, JSON_TEXT_DEEP, JSON_TEXT_WIDE } json_verdict;

/* A private copy of a text, and how far it was scanned. */
typedef struct json_text {
    char *text; /* free with g_free() */
    size_t at, length;
    size_t values; /* counted as for JSON_TEXT_VALUES; known after the scan */
} json_text;

json_text json_text_new(const char *text, size_t length);

/* Scans an object up to its closing brace and ends the text there. Comments are replaced by blanks, so that positions
 * stay the same. If the result is not JSON_TEXT_VALID, s->at is the position of the fault. */
json_verdict json_text_scan(json_text *s);

/* Returns whether no string of a scanned text holds characters that text_is_safe() rejects, not even as escapes. Tabs and
 * line feeds are accepted. */
bool json_text_is_safe(const char *text, size_t length);

/* The number of the four digits of a \\u escape; -1 if they are not there. */
int json_text_unit(const char *digits, size_t left);

/* Finds out whether a file begins like an object. False if it cannot be read. */
bool json_text_is(const char *path, bool *is, GError **error);
/* Reads and scans a file that must hold an object; json-glib will find an object, too. Never blocks on a pipe or device. */
bool json_text_load(const char *path, json_text *s, GError **error);

/* Appends a text as a JSON string, also safe inside HTML. */
void json_text_append(GString *to, const char *utf8);

#endif
