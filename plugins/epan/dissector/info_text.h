/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of the Info column and of a record's line, written without formatting and allocation. */
#ifndef WIRETRACE_DISSECTOR_INFO_TEXT_H
#define WIRETRACE_DISSECTOR_INFO_TEXT_H

#include "compat.h"

#include <string.h>

#include <epan/packet_info.h>

#include "host/record_seen.h"

/* A small text buffer: allocates nothing, and drops what does not fit. */
typedef struct info_text {
    char text[384];
    size_t length;
} info_text;
static inline void info_begin(info_text *t)
{
    t->length = 0;
    t->text[0] = '\0';
}
/* A copy that lives as long as the packet. */
const char *info_keep(const record_seen *seen, const info_text *t);
void info_add_some(info_text *t, const char *words, size_t length);
static inline void info_add(info_text *t, const char *words)
{
    info_add_some(t, words, strlen(words));
}
void info_add_uint(info_text *t, uint64_t value);
void info_add_int(info_text *t, int64_t value);
void info_add_hex(info_text *t, uint64_t value); /* with 0x */
/* Appends a name; if it is longer than INFO_NAME_MAX bytes, without its middle. */
void info_add_name(info_text *t, const char *name);
#define INFO_NAME_MAX 120u
/* Indents the text by two blanks for each level of calls; many levels are a number. */
void info_indent(info_text *t, uint32_t depth);
/* Appends a duration in a suitable unit: "460 ns", "12.3 us" (text.h). */
void info_add_duration(info_text *t, uint64_t ns);
/* Returns whether the list has a column for this field alone, so that Info need not repeat it. */
bool info_has_column(const record_seen *seen, const char *field);

#endif
