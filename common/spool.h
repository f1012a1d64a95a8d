/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes put aside in the order in which they come, to be had again at any place: in memory, and from SPOOL_MEMORY on in
 * an unlinked temporary file. */
#ifndef WIRETRACE_SPOOL_H
#define WIRETRACE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPOOL_MEMORY (16u << 20)

typedef struct spool spool;

spool *spool_new(void);
void spool_free(spool *s);
/* Where the next bytes will stand. */
uint64_t spool_length(const spool *s);
/* Both return 0, or an errno value. */
int spool_append(spool *s, const void *data, size_t length);
int spool_read(const spool *s, uint64_t at, void *buffer, size_t length);
/* That value in words, with the temporary file where it is its fault; g_malloc'ed. */
char *spool_problem(const spool *s, int error);

#endif
