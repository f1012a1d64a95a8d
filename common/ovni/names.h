/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that the metadata of a trace gives to numbers in events: user marks (titles of types, labels of values, which
 * hold for the whole trace) and hardware counters (of one stream's thread). Knows no files and no JSON: see
 * metadata.h. */
#ifndef WIRETRACE_OVNI_NAMES_H
#define WIRETRACE_OVNI_NAMES_H

#include <glib.h>
#include <stdint.h>

/* More counters than any machine has are not named. */
#define OVNI_COUNTERS_MAX 1024u

/* What has a name, by two numbers. */
typedef enum ovni_named {
    OVNI_NAMED_MARK,    /* title: type of a mark; 0 */
    OVNI_NAMED_VALUE,   /* label: type of a mark; value */
    OVNI_NAMED_COUNTER, /* index; whatever number stands for a thread */
} ovni_named;

/* To be freed with g_hash_table_destroy(). */
GHashTable *ovni_names_new(void);

/* The first name stays; the text is copied. */
void ovni_names_add(GHashTable *n, ovni_named what, int64_t of, uint64_t number, const char *text);
/* NULL: not known. Texts live as long as the names. */
const char *ovni_names_find(GHashTable *n, ovni_named what, int64_t of, uint64_t number);

#endif
