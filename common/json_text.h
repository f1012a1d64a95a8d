/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON text before json-glib sees it: its reader goes down once per level of nesting and has no limit of its own, and
 * compares a member with all others of its object when the name repeats one or they hash alike. Knows nothing of what the
 * text means. */
#ifndef WIRETRACE_JSON_TEXT_H
#define WIRETRACE_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Larger files are not read. */
#define JSON_TEXT_MAX (16u << 20)
/* Deeper nesting is refused: it would exhaust the stack of the JSON reader. */
#define JSON_TEXT_DEPTH 64u
/* Members of one object; more are refused: the time goes with their square. */
#define JSON_TEXT_MEMBERS 8192u
/* Values of a file, an object or array counting as four, and one more for so many bytes: they take memory, eighty bytes each. */
#define JSON_TEXT_VALUES 65536u
#define JSON_TEXT_BYTES_PER_VALUE 4u

typedef enum json_verdict { JSON_TEXT_SOUND, JSON_TEXT_BROKEN, JSON_TEXT_DEEP, JSON_TEXT_WIDE } json_verdict;

/* A private copy of a text. */
typedef struct json_text {
    char *text; /* to be freed with g_free() */
    size_t at, length;
    size_t values; /* as JSON_TEXT_VALUES counts them; known after the scan */
} json_text;

json_text json_text_new(const char *text, size_t length);

/* Goes through an object up to its closing brace, after which the text ends then, and blanks comments, so that positions stay
 * what they are. Otherwise `at` is where the fault is. */
json_verdict json_text_scan(json_text *s);

/* Whether all strings of a sound text are tame (text.h) also where they are written with escapes; tabs and line feeds are. */
bool json_text_is_tame(const char *text, size_t length);

/* Whether a file begins like an object. False where it cannot be read. */
bool json_text_is(const char *path);
/* Reads a file that holds an object, and scans it; what json-glib makes of it is an object, too. Never waits. False with
 * *reason, in words that outlive the call. */
bool json_text_load(const char *path, json_text *s, const char **reason);

#endif
