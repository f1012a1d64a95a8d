/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums by text, such as by folded stack. Every text in a file may be a new one, so the memory is limited: the limit grows
 * slowly with the number of calls of sums_of(). Once it is reached, texts without sums of their own are added up together. */
#ifndef WIRETRACE_SUMS_H
#define WIRETRACE_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "util/text.h"

#define SUMS_OTHERS TEXT_OTHERS

typedef struct sums {
    GHashTable *by_text; /* text -> uint64_t[columns] */
    unsigned columns;
    uint64_t kept;    /* bytes of the texts and their sums */
    uint64_t counted; /* calls of sums_of() */
    bool full;        /* there was no room for a text: sums of a later one would not be whole */
} sums;

/* `columns`: numbers for each text. Free with sums_clear(). */
void sums_init(sums *s, unsigned columns);
void sums_clear(sums *s);
/* The `columns` numbers of `text`, 0 at first, or those of `otherwise` if there is no room for another text. The caller
 * adds to them. */
uint64_t *sums_of(sums *s, const char *text, const char *otherwise);
/* The numbers of `text`, or NULL if it is not among the keys. */
const uint64_t *sums_look(const sums *s, const char *text);
/* All texts, sorted by `compare` (NULL: by their bytes); the list is freed by the caller, the texts are not. */
GList *sums_keys(const sums *s, GCompareFunc compare);

#endif
