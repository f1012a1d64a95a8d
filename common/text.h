/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What holds for texts that come from a file: how long they may be, and which characters of them are shown. */
#ifndef WIRETRACE_TEXT_H
#define WIRETRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a name that many records show: a type, a label, a title that one record gives to others, a function or member of
 * the program. A name of a megabyte and many small records would take the time of their product. */
#define TEXT_MAX 4096u

/* A text of a file as it may stand in any output: UTF-8, tame (below), at most TEXT_MAX bytes. One that is longer ends in
 * "…". `length` -1: up to the NUL. To be freed with g_free(). */
char *text_show(const char *bytes, ptrdiff_t length);

/* Bytes of a text that fit into so many; never half a UTF-8 character. */
size_t text_fitting(const char *text, size_t length, size_t room);

/* Whether a text of UTF-8 has no characters that do more than stand in a line: control characters, which could steer a
 * terminal or begin a row of their own, and those that turn the direction of what follows. */
bool text_is_tame(const char *utf8, size_t length);
/* Such characters become question marks, one for each byte. Returns `utf8`. */
char *text_tame(char *utf8);

/* A name without the first of these suffixes (NULL behind them) that it ends in; g_malloc'ed. */
char *text_without(const char *name, const char *const *suffixes);
/* Without the suffix of a file that Wireshark unpacks by itself: what is inside has the rest of the name. */
char *text_unpacked(const char *name);

#endif
