/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of clock offsets between nodes, clock-offsets.txt, as ovnisync writes it. A bad row is reported and skipped.
 * Does not know which stream ran on which node. */
#ifndef WIRETRACE_OVNI_CLOCKS_H
#define WIRETRACE_OVNI_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/settings.h"
#include "ovni/problems.h"

#define OVNI_CLOCKS_FILE "clock-offsets.txt"
/* The environment variable with the path of another table; "0" or "FALSE": none; empty, "1" or "TRUE": that of the trace. */
#define OVNI_CLOCKS_VARIABLE "WIRETRACE_OVNI_CLOCK_OFFSETS"

/* Returns host name -> int64_t offset in ns, to be freed with g_hash_table_destroy(). Bad rows are added to `problems`. */
GHashTable *ovni_clocks_parse(const char *text, size_t length, ovni_problems *problems);
extern const setting ovni_clocks_setting;
/* The path of the table that applies to a trace with this root directory, whether it exists or not. NULL: none is wanted.
 * g_free() it. */
char *ovni_clocks_path(const char *root);
/* Reads that table. NULL if there is none, if it is turned off, or if it cannot be read
 * (which is added to `problems`). */
GHashTable *ovni_clocks_load(const char *root, ovni_problems *problems);
/* Looks up the offset in ns for the node of a loom: the loom's name up to the first '.'. False if there is none. */
bool ovni_clocks_find(GHashTable *c, const char *loom, int64_t *offset);
/* The node of a loom; the caller frees it. */
char *ovni_clocks_host(const char *loom);

#endif
