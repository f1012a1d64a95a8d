/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "price.h"

long total_of(struct price *prices, int count)
{
    long total = 0;
    for (int i = 0; i < count; i++)
        total += prices[i].cents * prices[i].of;
    return total;
}
