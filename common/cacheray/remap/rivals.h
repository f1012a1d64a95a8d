/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between which two accesses to a line it had to move (lines.h): a read that is contended for takes what the last write has
 * left, a write takes the line away from whoever had it last. */
#ifndef WIRETRACE_CACHERAY_REMAP_RIVALS_H
#define WIRETRACE_CACHERAY_REMAP_RIVALS_H

#include <stdbool.h>
#include <stdint.h>

/* The caller's numbers of accesses to a line; 0: none yet, or not known. All zero: no access yet. */
typedef struct rivals {
    uint64_t thread;      /* of the last access */
    uint32_t last, other; /* that one, and the last one of another thread */
    uint32_t write;       /* the last write */
} rivals;

/* Notes an access as `number`. Returns the one with which it conflicts if it is contended for. */
static inline uint32_t rivals_meet(rivals *r, uint64_t thread, bool write, uint32_t number)
{
    const uint32_t other = r->thread == thread ? r->other : r->last, rival = write ? other : r->write;
    *r = (rivals){thread, number, other, write ? number : r->write};
    return rival;
}

#endif
