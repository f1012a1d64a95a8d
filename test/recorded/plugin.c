/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library that allocates while it is loaded, and whose accesses and allocations are recorded if it is instrumented. */
#include <stdlib.h>
#include <string.h>

#ifndef NAME
#define NAME plugin
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

char plugin_data[64];
static void *volatile kept;

__attribute__((constructor)) static void load(void)
{
    for (int i = 0; i < 200; i++) {
        kept = malloc(10 + (size_t)i);
        free(kept);
    }
}

__attribute__((noinline)) long *JOIN(NAME, _allocate)(void)
{
    long *p = malloc(32);
    p[1] = 7;
    return p;
}

void run(size_t size);
void run(size_t size)
{
    long *p = JOIN(NAME, _allocate)();
    memset(plugin_data, 1, size); /* not last: a jump there returns to the program */
    free(p);
}
