/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binary search in anything sorted. */
#ifndef WIRETRACE_CONTAINERS_BINARY_SEARCH_H
#define WIRETRACE_CONTAINERS_BINARY_SEARCH_H

#include <stddef.h>

/* The number of leading elements, of `length`, for which `condition` holds: an expression in the element's index `i` that
 * must hold for some number of leading elements, and for none after them. */
#define BINARY_SEARCH(length, i, condition) \
    __extension__({ \
        size_t sorted_low = 0, sorted_high = (length); \
        while (sorted_low < sorted_high) { \
            const size_t i = sorted_low + (sorted_high - sorted_low) / 2; \
            if (condition) \
                sorted_low = i + 1; \
            else \
                sorted_high = i; \
        } \
        sorted_low; \
    })

#endif
