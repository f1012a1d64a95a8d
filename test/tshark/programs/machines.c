/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A struct with a different layout on each machine, for programs that are never run: no C library, no start-up code. */
struct layout {
    unsigned a : 3, b : 10, c : 7, d : 12; /* in memory order on all machines, though their bits are counted differently */
    char e;
    short f;
    void *pointer;
    union {
        int whole;
        char parts[4];
    };
    struct {
        char first;
        long long second;
    } pairs[2];
};
struct layout known[3];

int _start(void)
{
    return known[1].e;
}
