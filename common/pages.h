/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Large tables that are read at random places: in large pages where the system has them, as half of the time goes into finding
 * the small ones. */
#ifndef WIRETRACE_PAGES_H
#define WIRETRACE_PAGES_H

#include <stddef.h>

/* Zeroed memory, to be freed with g_aligned_free(). */
void *pages_new(size_t count, size_t size);

#endif
