/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines of addresses from the debug information (DWARF) of an executable, or from its separate file. The only
 * file that knows of libdw. Knows nothing of XRay. */
#ifndef WIRETRACE_XRAY_LINES_H
#define WIRETRACE_XRAY_LINES_H
#ifdef HAVE_LIBELF

#include <stdint.h>

#include "executable.h"

/* Debug information that would take more memory, unpacked, is not read. */
#define LINES_BYTES_MAX (UINT64_C(1) << 30)

typedef struct lines lines;

/* Opens the debug information of the executable at `path`, unless another file has taken its place. NULL where there is
 * none, and when built without libdw. */
lines *lines_open(const char *path, const executable_identity *identity);
void lines_close(lines *l);

/* "file:line" of the code at an address, to be freed with g_free(); NULL when it is not known. */
char *lines_find(lines *l, uint64_t address);

#endif
#endif
