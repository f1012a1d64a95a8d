/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a function reports that it has failed: its result is false or NULL, and its last argument, GError **error, has the
 * reason in words for the user: the end of a sentence, such as "it is not an ELF file". The caller may pass NULL, otherwise
 * *error must be NULL before; who keeps the error frees it with g_error_free(). There is one domain and no codes, since
 * nobody acts on the kind of a failure. Bare input and output have an errno instead (regular_file.h, output_file.h, spool.h,
 * temporary_file.h), and reading records has faults (core/fault.h). */
#ifndef WIRETRACE_UTIL_FAIL_H
#define WIRETRACE_UTIL_FAIL_H

#include <glib.h>
#include <stdbool.h>

/* Sets *error. Returns false, so that a function can end with it. */
bool fail_with(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* The same for functions that return a pointer. */
#define fail_null(...) ((void)fail_with(__VA_ARGS__), (void *)NULL)

/* Takes the words out of an error, which is freed; g_malloc'ed. NULL: there is no error. */
char *fail_words(GError *error);

#endif
