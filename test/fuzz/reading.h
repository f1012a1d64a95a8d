/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads bytes as a file of a format, like the reader plugin, and checks what must hold for every file, damaged or not:
 *   - each byte is in exactly one record, and a record's bytes are those of the file;
 *   - a record cut off by the end of the file says so, and only the last ones of the file do;
 *   - any record can be read again, in any order, with the same result;
 *   - input that only goes forward gives records with the same bytes, in file order;
 *   - kinds, faults and times are in range, and all layouts fit into their records.
 * Aborts with a message on a violation. */
#ifndef WIRETRACE_FUZZ_READING_H
#define WIRETRACE_FUZZ_READING_H

#include "core/formats.h"

/* The format that claims the bytes, NULL if none does; formats of whole traces are not asked. */
const format *reading_recognise(const char *path, const uint8_t *data, size_t length);

/* Returns the records in reading order, to be freed with g_array_free(). NULL if the format refuses the file. */
GArray *reading_check(const format *f, const char *path, const uint8_t *data, size_t length); /* of record */

/* Decodes every field of a record's layouts, and its fault in words. */
void reading_decode(const record *r, const uint8_t *data, size_t length);

#endif
