/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hashes for GHashTable of what stands in a file. They begin with a number that nobody knows from outside: with GLib's own,
 * a file could choose names and numbers that all hash alike, and a table of them takes the square of the time. */
#ifndef WIRETRACE_HASH_H
#define WIRETRACE_HASH_H

#include <stddef.h>
#include <stdint.h>

unsigned hash_bytes(const void *bytes, size_t length);
/* Of a text that ends with NUL, and of a uint64_t. */
unsigned hash_text(const void *text);
unsigned hash_number(const void *number);
/* Two numbers that are a key together, and whether two keys are the same. */
typedef struct hash_pair {
    uint64_t first, second;
} hash_pair;
unsigned hash_pair_of(const void *pair);
int hash_pair_equal(const void *a, const void *b);
/* Of a number that stands in the pointer, as GUINT_TO_POINTER() makes it. */
unsigned hash_pointer(const void *pointer);

#endif
