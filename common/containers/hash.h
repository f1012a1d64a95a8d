/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hash functions for GHashTable with keys that come from a file. They are seeded randomly: with GLib's own, a file could
 * be crafted so that all its keys collide, and filling a table would take quadratic time. */
#ifndef WIRETRACE_CONTAINERS_HASH_H
#define WIRETRACE_CONTAINERS_HASH_H

#include <stddef.h>
#include <stdint.h>

unsigned hash_bytes(const void *bytes, size_t length);
/* Hashes a NUL-terminated string, and a uint64_t. */
unsigned hash_text(const void *text);
unsigned hash_number(const void *number);
/* A key of two numbers. Other structs of this size may be used as one if they have no padding. */
typedef struct hash_pair {
    uint64_t first, second;
} hash_pair;
unsigned hash_pair_of(const void *pair);
int hash_pair_equal(const void *a, const void *b);
/* Hashes a number stored in a pointer by GUINT_TO_POINTER(). */
unsigned hash_pointer(const void *pointer);

#endif
