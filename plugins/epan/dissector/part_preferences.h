/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two preferences of every format for opening a part of a trace (common/core/trace_part.h). */
#ifndef WIRETRACE_DISSECTOR_PART_PREFERENCES_H
#define WIRETRACE_DISSECTOR_PART_PREFERENCES_H

#include <epan/prefs.h>

/* Those of one protocol; static storage. */
typedef struct part_preferences {
    const char *time, *streams; /* "" at first */
    bool time_set, streams_set; /* the variable was set, see environment.h */
} part_preferences;

void part_preferences_register(part_preferences *p, module_t *module);
/* Call when any preference of the protocol has changed. */
void part_preferences_apply(part_preferences *p, const char *protocol);

#endif
