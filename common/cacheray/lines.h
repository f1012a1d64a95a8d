/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which threads have touched which bytes of which cache line. A thread that has written to a line shares it with another
 * thread
 *   truly    if that has touched a byte which the first has written,
 *   falsely  if that has touched only other bytes.
 * A line with one thread is private. One with several threads that never write is read-only. Any other is true, false or
 * both, since pairs of threads may differ, and even the two directions of a pair. The order of accesses does not matter,
 * only what has been touched so far.
 *
 * A line is contended for where it would have to move between caches, if each thread had one without limit: a thread reads
 * it that has no copy, and another one has written since; or a thread writes while others have copies, which are lost.
 *
 * An access touches at most two lines; anything beyond is ignored. In each line LINES_THREADS threads are distinguished; all
 * further ones count as one. Knows nothing of fields of records or of annotations. */
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
/* All of them with their names. */
#define SHARING_NAMES(NAME) \
    NAME(SHARING_PRIVATE, "private") \
    NAME(SHARING_READ_ONLY, "read-only") \
    NAME(SHARING_TRUE, "true") NAME(SHARING_FALSE, "false") NAME(SHARING_BOTH, "true and false")

typedef struct line_table line_table;

/* `size`: of a line in bytes, a power of two from LINES_SIZE_MIN to LINES_SIZE_MAX. */
line_table *lines_new(unsigned size);
void lines_free(line_table *t);

typedef struct line_touch {
    uint64_t address;
    uint64_t thread;
    uint32_t record; /* record number from 1; 0: not recorded, see lines_note() */
    uint8_t size;    /* bytes; 0 counts as 1 */
    bool write;
} line_touch;

/* What an access did to one line. */
typedef struct line_touched {
    uint32_t number; /* lines are numbered from 0, in order of their first access */
    bool contended;  /* the line had to come from another thread's cache, or others lost their copies; see above */
} line_touched;

/* The result of an access: for the first line that it touches, except `touched`, which is for both. */
typedef struct line_result {
    uint64_t line;
    uint32_t before; /* record of the previous access to the line; 0: none */
    sharing sharing; /* including this access */
    bool split;      /* the access touches a second line */
    line_touched touched[2];
} line_result;

void lines_touch(line_table *t, const line_touch *access, line_result *result);
static inline bool lines_contended(const line_result *r)
{
    return r->touched[0].contended || (r->split && r->touched[1].contended);
}
/* Sets only `line` and `split`, which depend on nothing but the access. */
void lines_place(unsigned size, uint64_t address, uint8_t length, line_result *result);

/* A number per line for the caller's use if records are not recorded; initially 0. The pointer stays valid. */
uint32_t *lines_note(const line_table *t, uint32_t number);

/* The number of lines touched so far. */
uint32_t lines_count(const line_table *t);
/* The first address of a line. */
uint64_t lines_address(const line_table *t, uint32_t number);

typedef struct line_summary {
    sharing sharing;
    uint32_t threads; /* at most LINES_THREADS + 1 */
    uint32_t writers; /* how many of them have written */
} line_summary;

/* Sums up the line that begins at this address; it has no threads if it was never touched. */
line_summary lines_summary(const line_table *t, uint64_t line);
typedef struct line_thread {
    uint64_t thread;
    bool writes;
} line_thread;

/* The threads of a line in the order of their first access, `most` at most. Returns how many. */
unsigned lines_threads(const line_table *t, uint64_t line, line_thread *threads, unsigned most);

#endif
