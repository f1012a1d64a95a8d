/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that metadata gives to numbers in events: user marks (titles of types and labels of values, for the whole trace)
 * and hardware counters (per thread). Knows neither files nor JSON: see metadata.h. */
#ifndef WIRETRACE_OVNI_NAMES_H
#define WIRETRACE_OVNI_NAMES_H

#include <glib.h>
#include <stdint.h>

/* More counters than any machine has; further ones get no name. */
#define OVNI_COUNTERS_MAX 1024u

/* What has a name, and what its two numbers `of` and `number` are. */
typedef enum ovni_named {
    OVNI_NAMED_MARK,    /* a title. of: mark type; number: 0 */
    OVNI_NAMED_VALUE,   /* a label. of: mark type; number: value */
    OVNI_NAMED_COUNTER, /* of: index of the counter; number: any number that identifies a thread */
} ovni_named;

/* To be freed with g_hash_table_destroy(). */
GHashTable *ovni_names_new(void);

/* Copies the text. If there is a name already, it stays. */
void ovni_names_add(GHashTable *n, ovni_named what, int64_t of, uint64_t number, const char *text);
/* NULL if unknown. Valid as long as the names. */
const char *ovni_names_find(GHashTable *n, ovni_named what, int64_t of, uint64_t number);

#endif
