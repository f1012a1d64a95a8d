/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which threads have touched which bytes of which cache line. A thread that has written to a line shares it with another one
 *   truly    where that has touched a byte that the first has written,
 *   falsely  where that has touched other bytes only.
 * A line is private with one thread, read-only with several of which none writes, else true, false, or both: pairs of threads
 * differ, and so do the two directions of a pair. Order does not matter, only what has been touched so far.
 *
 * An access touches at most two lines; what it would reach behind them is left out. Of a line LINES_THREADS threads are told
 * apart; all further ones count as one. Knows nothing of records' fields or annotations. */
#ifndef WIRETRACE_CACHERAY_LINES_H
#define WIRETRACE_CACHERAY_LINES_H

#include <stdbool.h>
#include <stdint.h>

#define LINES_SIZE_MIN 16u
#define LINES_SIZE_MAX 256u
#ifndef LINES_THREADS
#define LINES_THREADS 64u
#endif

typedef enum sharing { SHARING_PRIVATE, SHARING_READ_ONLY, SHARING_TRUE, SHARING_FALSE, SHARING_BOTH } sharing;

typedef struct line_table line_table;

/* `size` of a line in bytes: a power of two from LINES_SIZE_MIN to LINES_SIZE_MAX. */
line_table *lines_new(unsigned size);
void lines_free(line_table *t);

typedef struct line_touch {
    uint64_t address;
    uint64_t thread;
    uint32_t record; /* number, from 1; 0: not wanted, see lines_note() */
    uint8_t size;    /* bytes; 0 counts as 1 */
    bool write;
} line_touch;

/* Of one line. */
typedef struct line_touched {
    uint32_t number; /* as lines come, from 0 */
    bool contended;  /* right after a touch of another thread, one of the two a write */
} line_touched;

/* What an access finds: of the first line that it touches, but for what stands for each. */
typedef struct line_result {
    uint64_t line;
    uint32_t before; /* record that touched the line last; 0: none */
    sharing sharing; /* with this access */
    bool split;      /* touches a second line */
    line_touched touched[2];
} line_result;

void lines_touch(line_table *t, const line_touch *access, line_result *result);
/* The first part of the result, which needs no history. */
void lines_place(unsigned size, uint64_t address, uint8_t length, line_result *result);

/* Room beside a line for whoever gives no records, 0 at first; stays where it is. */
uint32_t *lines_note(const line_table *t, uint32_t number);

/* Lines that have been touched. */
uint32_t lines_count(const line_table *t);

typedef struct line_summary {
    sharing sharing;
    uint32_t threads; /* at most LINES_THREADS + 1 */
    uint32_t writers; /* of these */
} line_summary;

/* Of the line that begins at an address: no threads where it was never touched. */
line_summary lines_summary(const line_table *t, uint64_t line);
typedef struct line_thread {
    uint64_t thread;
    bool writes;
} line_thread;

/* Threads of a line, in the order in which they came, at most `most` of them; returns how many. */
unsigned lines_threads(const line_table *t, uint64_t line, line_thread *threads, unsigned most);

#endif
