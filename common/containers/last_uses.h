/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order in which things were used last: how many were used since one of them was. Uses are numbered from 0, and whoever
 * uses something keeps the number of its last use. A bit per use, and sums of 256 bits each in a Fenwick tree, of which a
 * use needs O(log n). Numbers run out: then all things are numbered again, closely. */
#ifndef WIRETRACE_CONTAINERS_LAST_USES_H
#define WIRETRACE_CONTAINERS_LAST_USES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct last_uses {
    uint64_t *bits;  /* by use: it is the last one of something */
    uint32_t *sums;  /* the tree: by block, from 1; of the blocks before that of `next` */
    uint32_t blocks; /* room */
    uint32_t next;   /* number of the next use */
    uint32_t count;  /* of things */
} last_uses;

/* `count` things, whose last uses are 0, 1, 2 and so on, and room for as many uses again. */
void last_uses_init(last_uses *u, uint32_t count);
void last_uses_clear(last_uses *u);
/* Returns whether there is no room for another use. Then last_uses_rank() gives each thing a new number, and the order is
 * made again for them. */
bool last_uses_full(const last_uses *u);
/* Uses something that has no last use. Returns the number. */
uint32_t last_uses_add(last_uses *u);
/* The thing with this last use has none anymore. */
void last_uses_remove(last_uses *u, uint32_t use);
/* How many things were used last before the one with this last use; all others were used after it. */
uint32_t last_uses_rank(const last_uses *u, uint32_t use);

#endif
