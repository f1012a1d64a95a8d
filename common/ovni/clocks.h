/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of clock offsets between nodes, clock-offsets.txt as ovnisync writes it. Tolerant: a bad row costs itself.
 * Does not know which stream ran on which node. */
#ifndef WIRETRACE_OVNI_CLOCKS_H
#define WIRETRACE_OVNI_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "problems.h"

#define OVNI_CLOCKS_FILE "clock-offsets.txt"
/* Switches the table off when it is "0". */
#define OVNI_CLOCKS_VARIABLE "WIRETRACE_OVNI_CLOCK_OFFSETS"

/* Offsets by host, int64_t, to be freed with g_hash_table_destroy(). Rows that cannot be read are named in `problems`. */
GHashTable *ovni_clocks_parse(const char *text, size_t length, ovni_problems *problems);
/* The table in the root of a trace; NULL if there is none, if it cannot be read (a problem) or if it is switched off.
 */
GHashTable *ovni_clocks_load(const char *root, ovni_problems *problems);
/* The offset in ns of the node that a loom stands for: the loom's name up to the first '.'. */
bool ovni_clocks_find(GHashTable *c, const char *loom, int64_t *offset);

#endif
