/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with the settings, and with the files that they name. */
#ifndef WIRETRACE_CACHERAY_DISSECTOR_PROBLEMS_H
#define WIRETRACE_CACHERAY_DISSECTOR_PROBLEMS_H

#include "host/record_seen.h"

#include "cacheray/session.h"

void cacheray_problems_register(int proto);
/* Prints it, as statistics do not show expert infos; and shows it, at the first record of the open file. */
void cacheray_problems_say(void);
void cacheray_problems_add(proto_item *item, const record_seen *seen, const record_context *c);
/* At the first record of a struct that the program does not know. */
void cacheray_problems_add_struct(proto_item *item, const record_seen *seen);

/* Prints what is wrong with the files that an analysis of another trace has used. */
void cacheray_problems_print(const cacheray_analysis *a);
/* What is reported of a struct that a program does not know; g_malloc'ed. */
char *cacheray_problems_unknown_struct(const char *binary, const char *type);
/* What is printed of a trace in which no thread but 0 has accesses. */
#define CACHERAY_UNNUMBERED \
    "All accesses are of thread 0, so nothing is shared. Cacheray's own runtime does not number threads: if the program has several, link " \
    "cacheray.c of Wiretrace instead."

#endif
