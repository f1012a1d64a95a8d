/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binary search, for all that keeps something in order. */
#ifndef WIRETRACE_SORTED_H
#define WIRETRACE_SORTED_H

#include <stddef.h>

/* How many of `length` elements stand before all those for which `condition`, which is about element number `i`, does not
 * hold. It holds for none behind these. */
#define SORTED_COUNT(length, i, condition) \
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
