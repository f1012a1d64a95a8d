/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The preferences that an analysis depends on. */
#ifndef WIRETRACE_CACHERAY_DISSECTOR_SETTINGS_H
#define WIRETRACE_CACHERAY_DISSECTOR_SETTINGS_H

#include "compat.h"

#include <epan/prefs.h>

#include "cacheray/analysis.h"

void cacheray_settings_register(module_t *module);
/* Call when a preference has changed. */
void cacheray_settings_apply(void);

/* What they say of an analysis. */
cacheray_options cacheray_settings_options(void);
/* Size of a cache line in bytes. */
unsigned cacheray_settings_line_size(void);
/* What is wrong with it, in words, which are to be freed; NULL: nothing. */
char *cacheray_settings_line_size_problem(void);
/* Returns whether caches are coherent. */
bool cacheray_settings_coherence(void);
/* The choice that the text of a preference means. Such preferences are texts because Wireshark's own kind of choice
 * ignores invalid values without a message. Compares names and also descriptions, as saved by version 0.1; NULL: none. */
const enum_val_t *cacheray_settings_choice(const enum_val_t *choices, const char *text);

#endif
