/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A binary heap in an array, lowest element first. Which of equal elements comes first is part of the contract, as it
 * depends on all that was done before: an element rises only above greater ones, and the left one of two equal children is
 * preferred. The textbook's heap, and so most, do the same. */
#ifndef WIRETRACE_CONTAINERS_HEAP_H
#define WIRETRACE_CONTAINERS_HEAP_H

#include <stdint.h>

#include "util/math128.h"

/* The order, which alone is compared, and what the caller knows the element by. */
typedef wide128 heap_element;

/* Puts the element at the end of a heap of `length`, from where it rises. The root is heap[1]; below [n] are [2n] and [2n +
 * 1]. */
static inline void heap_insert(heap_element *heap, uint32_t length, heap_element e)
{
    uint32_t at = length + 1;
    for (; at > 1 && e.high < heap[at / 2].high; at /= 2)
        heap[at] = heap[at / 2];
    heap[at] = e;
}

/* Replaces the root, which was removed, by an element that sinks from there. The lower child takes each place on the way
 * down without a branch that nobody could predict; what sinks most often comes from the bottom, and does not rise much from
 * there. */
static inline void heap_sink(heap_element *heap, uint32_t length, heap_element e)
{
    uint32_t at = 1, child;
    while ((child = 2 * at) < length) {
        child += heap[child + 1].high < heap[child].high;
        heap[at] = heap[child];
        at = child;
    }
    if (child == length) {
        heap[at] = heap[child];
        at = child;
    }
    for (; at > 1 && e.high <= heap[at / 2].high; at /= 2)
        heap[at] = heap[at / 2];
    heap[at] = e;
}

/* Removes the root: what is at the end goes to the top. `length` is not 0. */
static inline heap_element heap_pop(heap_element *heap, uint32_t length)
{
    heap_element root = heap[1];
    heap_sink(heap, length - 1, heap[length]);
    return root;
}

#endif
