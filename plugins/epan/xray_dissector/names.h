/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions in the open file, and of its program (common/xray/names/functions.h). */
#ifndef WIRETRACE_XRAY_DISSECTOR_NAMES_H
#define WIRETRACE_XRAY_DISSECTOR_NAMES_H

#include "dissector/info_text.h"
#include "statistics/stack_tree.h"
#include "xray/session.h"

#include <epan/prefs.h>

void xray_names_register(module_t *module);
/* Loads them from the binaries in the preference, or from those that are found for the log; once for a file. */
void xray_names_load(const record_seen *seen, const record_context *c);
/* Call when a file is closed, before what is known of it is freed: reports libraries whose functions have no names. */
void xray_names_end(void);
/* Notes a function of a library. Threads may call it. */
void xray_names_note_library(uint32_t function);

/* Returns whether names are demangled; whether there are any. */
bool xray_names_demangled(void);
bool xray_names_known(void);
/* Returns whether people read them in full. */
bool xray_names_full(void);
/* The name of a function in the open file, or NULL; and as people read it (xray.names), without a text if there is none. */
const char *xray_names_of(uint32_t function);
shown_name xray_names_label(uint32_t function);
/* `file:line` of a function, or NULL; valid as long as the file is open. */
source_place xray_names_source(uint32_t function);
/* The short name of the only function of this log's program that has this name; without a text if there is none. */
shown_name xray_names_short_of(const char *name);
/* A short form of any full name, with its remark, where it need not differ from others; NULL if names are wanted in full. */
char *xray_names_short(const shown_name *name);
/* Appends the name of a function, or its number; the same of a piece of a stack, and returns the bytes of its remark. */
void xray_names_inform(info_text *t, uint32_t function);
unsigned xray_names_append_piece(GString *text, const stack_piece *piece, bool full);

#endif
