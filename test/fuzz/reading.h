/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads bytes as a file of a format, in the way the reader plugin does, and checks what holds for every file, sound or
 * not:
 *   - each byte is in exactly one record, and a record's bytes are those of the file;
 *   - a record that the end of the file cuts says so, and only the last ones of the file do;
 *   - any record can be read again, in any order, and is the same;
 *   - input that goes forward only gives records of the same bytes, in the order of the file;
 *   - kinds, faults and times are in range, and all layouts fit into their records.
 * A violation aborts with what was wrong. */
#ifndef WIRETRACE_FUZZ_READING_H
#define WIRETRACE_FUZZ_READING_H

#include "formats.h"

/* The format that claims the bytes, NULL when none does; whole traces are not asked. */
const format *reading_recognise(const char *path, const uint8_t *data, size_t length);

/* What was read, in reading order: freed with g_array_free(). NULL when the format refuses the file. */
GArray *reading_check(const format *f, const char *path, const uint8_t *data, size_t length); /* of record */

/* Every field of a record's layouts, and its fault in words. */
void reading_decode(const record *r, const uint8_t *data, size_t length);

#endif
