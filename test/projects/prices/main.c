/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "price.h"

int main(void)
{
    struct price *prices = calloc(10, sizeof *prices);
    for (int i = 0; i < 10; i++)
        prices[i] = (struct price){100 + i, i};
    printf("%ld\n", total_of(prices, 10));
    free(prices);
}
