/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums by text, such as by folded stack. A file may make every text a new one, so what they may take grows slowly with what is
 * counted; texts for which there is no room count together. */
#ifndef WIRETRACE_SUMS_H
#define WIRETRACE_SUMS_H

#include <stdint.h>

#include <glib.h>

#define SUMS_OTHERS "(others)"

typedef struct sums {
    GHashTable *by_text; /* text -> uint64_t[columns] */
    unsigned columns;
    uint64_t kept;    /* bytes that the texts and their sums take */
    uint64_t counted; /* how often sums_of() was asked */
} sums;

/* `columns`: numbers for each text. Ends with sums_clear(). */
void sums_init(sums *s, unsigned columns);
void sums_clear(sums *s);
void sums_reset(sums *s);
/* The `columns` numbers of `text`, zero at first, or those of `otherwise` where there is no room for another text. */
uint64_t *sums_of(sums *s, const char *text, const char *otherwise);
/* The numbers of a text that stands among the keys; NULL otherwise. */
const uint64_t *sums_look(const sums *s, const char *text);
/* All texts, sorted by `compare` (NULL: by their bytes); the list is freed by the caller, the texts are not. */
GList *sums_keys(const sums *s, GCompareFunc compare);

#endif
