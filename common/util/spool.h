/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stores bytes in the order in which they come and reads them back at any offset: in memory, and beyond SPOOL_MEMORY
 * bytes in an unlinked temporary file. */
#ifndef WIRETRACE_UTIL_SPOOL_H
#define WIRETRACE_UTIL_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPOOL_MEMORY (16u << 20)

typedef struct spool spool;

spool *spool_new(void);
void spool_free(spool *s);
/* Total length in bytes: the offset of whatever is appended next. */
uint64_t spool_length(const spool *s);
/* Both return 0 or an errno. */
int spool_append(spool *s, const void *data, size_t length);
int spool_read(const spool *s, uint64_t at, void *buffer, size_t length);
/* The message for such an errno, with the name of the temporary file if that failed; g_malloc'ed. */
char *spool_problem(const spool *s, int error);

#endif
