/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the options of tshark mean for us; Wireshark's libraries do not tell (shortcuts.h). */
#ifndef WIRETRACE_HOST_OPTIONS_H
#define WIRETRACE_HOST_OPTIONS_H

#include <glib.h>
#include <stdbool.h>

typedef struct options_asked {
    bool known;          /* the options are known; else nothing is set here */
    unsigned statistics; /* -z */
    bool quiet;          /* no records are printed by default */
    bool records;        /* records are printed nevertheless */
    bool every;          /* there are options which may need every record, as -c and -w do */
    bool filter;         /* -Y: records are printed, or not, by what a filter says */
    bool sessions;       /* -M: after some records all that dissectors know is forgotten */
} options_asked;

options_asked options_of_process(void);

/* The names of fields that tshark prints (-T fields); NULL: it prints something else, or that is not known.
 * g_ptr_array_unref() it. */
GPtrArray *options_fields(void);

/* Calls `visit` with the argument of each -z. */
void options_statistics(void (*visit)(void *data, const char *argument), void *data);

#endif
