/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that the metadata of a trace gives to numbers in events: user marks (titles of types, labels of values, which
 * hold for the whole trace) and hardware counters (of one stream's thread). Knows no files and no JSON: see
 * metadata.h. */
#ifndef WIRETRACE_OVNI_NAMES_H
#define WIRETRACE_OVNI_NAMES_H

#include <stdint.h>

typedef struct ovni_names ovni_names;

/* More counters than any machine has are not named. */
#define OVNI_COUNTERS_MAX 1024u

ovni_names *ovni_names_new(void);
void ovni_names_free(ovni_names *n);

/* The first name stays; the text is copied. */
void ovni_names_mark_title(ovni_names *n, int32_t type, const char *title);
void ovni_names_mark_label(ovni_names *n, int32_t type, int64_t value, const char *label);
/* `owner`: whatever number stands for a thread. */
void ovni_names_counter(ovni_names *n, uint64_t owner, uint32_t index, const char *name);

/* NULL: not known. Texts live as long as the names. */
const char *ovni_names_find_title(const ovni_names *n, int32_t type);
const char *ovni_names_find_label(const ovni_names *n, int32_t type, int64_t value);
const char *ovni_names_find_counter(const ovni_names *n, uint64_t owner, uint32_t index);

#endif
