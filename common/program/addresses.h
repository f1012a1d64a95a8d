/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The addresses of functions whose names or lines are wanted, sorted. */
#ifndef WIRETRACE_PROGRAM_ADDRESSES_H
#define WIRETRACE_PROGRAM_ADDRESSES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "containers/binary_search.h"

typedef struct address_row {
    uint64_t address;
    size_t function; /* index in the original list; several functions may have the same address */
} address_row;

typedef struct addresses {
    address_row *rows;
    size_t count;
} addresses;

static inline int address_row_compare(const void *a, const void *b)
{
    const address_row *x = a, *y = b;
    if (x->address != y->address)
        return x->address > y->address ? 1 : -1;
    return (x->function > y->function) - (x->function < y->function);
}

static inline addresses addresses_sort(const uint64_t *functions, size_t count)
{
    addresses a = {g_new(address_row, count), count};
    for (size_t i = 0; i < count; i++)
        a.rows[i] = (address_row){functions[i], i};
    qsort(a.rows, count, sizeof *a.rows, address_row_compare);
    return a;
}

static inline void addresses_clear(addresses *a)
{
    g_free(a->rows);
}

/* The first row that is not before an address; a->count if there is none. */
static inline size_t addresses_from(const addresses *a, uint64_t address)
{
    return BINARY_SEARCH(a->count, i, a->rows[i].address < address);
}

/* The first row with the same address as `row`; `first` is that of the row before. */
static inline size_t addresses_first(const addresses *a, size_t row, size_t first)
{
    return row > 0 && a->rows[row].address == a->rows[row - 1].address ? first : row;
}

#endif
