/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses of C: unaligned, through a structure that is copied, and what a program leaves when it forks or aborts (memory
 * fork, memory abort). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cacheray-types.h"

struct __attribute__((packed)) packed {
    char one;
    uint32_t four;
};
struct large {
    long values[40];
};

struct large a, b;
struct packed p;
int written;

int main(int argc, char **argv)
{
    struct large *copy = calloc(3, sizeof *copy);
    WIRETRACE_ALLOCATED(copy, struct large, 3);
    WIRETRACE_REGION(&a, struct large, 1);
    a.values[7] = 5;
    b = a;
    copy[1] = b;
    p.four = (uint32_t)copy[1].values[7];
    WIRETRACE_FORGET(&a);
    if (argc > 1 && !strcmp(argv[1], "fork")) {
        if (fork() == 0) {
            written = 1;
            return 0;
        }
        wait(NULL);
    }
    written = 2;
    if (argc > 1 && !strcmp(argv[1], "abort"))
        abort();
    free(copy);
    printf("%u\n", (unsigned)p.four);
    return 0;
}
