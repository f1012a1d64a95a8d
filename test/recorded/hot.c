/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One program in two builds (-DMOVED): the members of a struct are in another order. It prints where it was loaded. */
#include <stdio.h>
#include <stdlib.h>

#include "cacheray-types.h"

#ifdef MOVED
struct thing {
    long cold;
    char gap[64];
    long hot;
};
long padding[8];
#else
struct thing {
    long hot;
    char gap[64];
    long cold;
};
#endif

struct thing one;
long table[4];

int main(void)
{
    struct thing *all = calloc(10, sizeof *all);
    FILE *maps = fopen("/proc/self/maps", "r");
    unsigned long start = 0;
    if (!all || !maps || fscanf(maps, "%lx", &start) != 1)
        return 1;
    printf("%lx\n", start);
    fclose(maps);
    WIRETRACE_ALLOCATED(all, struct thing, 10);
    all[0].cold = 1;
    for (int i = 0; i < 1000; i++) {
        all[i % 10].hot = i;
        *(volatile long *)&one.hot = i;
    }
    *(volatile long *)&one.cold = 1;
    table[3] = start != 0;
#ifdef MOVED
    padding[0] = 1;
#endif
    free(all);
    return 0;
}
