/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For each line its threads, each with two sets of bytes. When a set grows, the relation of its thread with every other
 * thread of the line is judged before and after. A trace may touch millions of lines in any order, so what counts is how
 * many places in memory an access goes to: a line and its first two threads lie side by side, in 64 bytes, and the next
 * three threads in 64 others. */
#include "cacheray/lines.h"

#include <glib.h>

#include "numbers.h"
#include "pages.h"

#define WORDS_MAX (LINES_SIZE_MAX / 64u)

/* Sets of bytes: bit n is byte n of the line. */
typedef struct bytes {
    uint64_t words[WORDS_MAX];
} bytes;

#define FIRST_BITS 8u
#define LINE_USERS 2u
#define GROUP_USERS 3u

typedef struct line {
    uint64_t address;
    uint32_t last;                    /* record */
    uint16_t true_pairs, false_pairs; /* of a thread that has written and another */
    uint8_t count, writers;           /* of threads */
    uint32_t more;                    /* group */
    uint32_t threads[LINE_USERS];     /* in the order in which they came, here and in the groups */
    uint64_t words[];                 /* of each thread: touched, written */
} line;

/* Further threads of a line. */
typedef struct group {
    uint32_t more;
    uint32_t threads[GROUP_USERS];
    uint64_t words[];
} group;

struct line_table {
    char *lines; /* 2^bits places of line_size bytes, by hash of the address; free are those without threads */
    size_t line_size;
    uint64_t seed;
    unsigned bits;
    uint32_t count; /* of lines */
    numbers threads; /* thread -> number */
    GArray *thread;  /* uint64_t by number */
    pool groups;
    unsigned size, words;
};

/* A thread of a line. */
typedef struct user {
    uint32_t thread;
    uint64_t *touched, *written;
} user;

line_table *lines_new(unsigned size)
{
    line_table *t = g_new0(line_table, 1);
    t->size = size;
    t->words = (size + 63) / 64;
    const size_t sets = 2 * t->words * sizeof(uint64_t);
    t->line_size = sizeof(line) + LINE_USERS * sets;
    t->bits = FIRST_BITS;
    t->lines = pages_new((size_t)1 << FIRST_BITS, t->line_size);
    t->seed = numbers_seed();
    numbers_init(&t->threads);
    pool_init(&t->groups, sizeof(group) + GROUP_USERS * sets);
    t->thread = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    return t;
}

void lines_free(line_table *t)
{
    if (!t)
        return;
    g_aligned_free(t->lines);
    numbers_clear(&t->threads);
    pool_clear(&t->groups);
    g_array_free(t->thread, TRUE);
    g_free(t);
}

/* --- threads of a line ------------------------------------------------------------------------------------------------------ */

/* Goes through the threads of a line. */
typedef struct thread_walk {
    uint32_t *more, *threads;
    uint64_t *words;
    unsigned here, left; /* threads in this part, in all */
} thread_walk;

static thread_walk thread_walk_start(line *l)
{
    return (thread_walk){&l->more, l->threads, l->words, LINE_USERS, l->count};
}

static void thread_walk_on(const line_table *t, thread_walk *w)
{
    if (w->here)
        return;
    group *g = pool_at(&t->groups, *w->more);
    *w = (thread_walk){&g->more, g->threads, g->words, GROUP_USERS, w->left};
}

static bool thread_walk_next(const line_table *t, thread_walk *w, user *u)
{
    if (!w->left)
        return false;
    thread_walk_on(t, w);
    *u = (user){*w->threads++, w->words, w->words + t->words};
    w->words += 2 * t->words;
    w->here--;
    w->left--;
    return true;
}

/* One more thread, where the walk has ended. */
static user make_user(line_table *t, line *l, thread_walk *w, uint32_t thread)
{
    user u;
    if (!w->here)
        *w->more = pool_add(&t->groups);
    thread_walk_on(t, w);
    *w->threads = thread;
    l->count++;
    w->left = 1;
    thread_walk_next(t, w, &u);
    return u;
}

/* The thread's part of a line. */
static user user_for(line_table *t, line *l, uint32_t thread)
{
    user u;
    thread_walk w = thread_walk_start(l);
    while (thread_walk_next(t, &w, &u))
        if (u.thread == thread)
            return u;
    return l->count > LINES_THREADS ? u : make_user(t, l, &w, thread);
}

/* --- sharing --------------------------------------------------------------------------------------------------------------- */

static bool intersect(const line_table *t, const uint64_t *a, const uint64_t *b)
{
    uint64_t common = 0;
    for (unsigned i = 0; i < t->words; i++)
        common |= a[i] & b[i];
    return common != 0;
}

static bool any(const line_table *t, const uint64_t *a)
{
    return intersect(t, a, a);
}

/* Counts what one thread's writing is to another thread on the line. One that has just come has touched nothing yet. */
static void count_relation(const line_table *t, line *l, const user *writer, const user *other, int by)
{
    if (!any(t, writer->written) || !any(t, other->touched))
        return;
    uint16_t *pairs = intersect(t, writer->written, other->touched) ? &l->true_pairs : &l->false_pairs;
    *pairs = (uint16_t)(*pairs + by);
}

/* Adds or takes off what a thread has to do with all others. */
static void count_relations(const line_table *t, line *l, const user *u, int by)
{
    user other;
    for (thread_walk w = thread_walk_start(l); thread_walk_next(t, &w, &other);) {
        if (other.touched == u->touched)
            continue;
        count_relation(t, l, u, &other, by);
        count_relation(t, l, &other, u, by);
    }
}

static sharing sharing_of(const line *l)
{
    if (l->count < 2)
        return SHARING_PRIVATE;
    if (l->true_pairs)
        return l->false_pairs ? SHARING_BOTH : SHARING_TRUE;
    return l->false_pairs ? SHARING_FALSE : SHARING_READ_ONLY;
}

/* --- touching -------------------------------------------------------------------------------------------------------------- */

static line *line_at(const line_table *t, uint64_t place)
{
    return (line *)(void *)(t->lines + place * t->line_size);
}

/* The place of a line, or the free one where it belongs. */
static line *place_of(const line_table *t, uint64_t address)
{
    uint64_t mask = ((uint64_t)1 << t->bits) - 1, at = numbers_home(address, t->seed, t->bits);
    line *l = line_at(t, at);
    while (l->count && l->address != address) {
        at = (at + 1) & mask;
        l = line_at(t, at);
    }
    return l;
}

static void grow(line_table *t)
{
    line_table old = *t;
    t->bits++;
    t->lines = pages_new((size_t)1 << t->bits, t->line_size);
    for (uint64_t at = 0; at < (uint64_t)1 << old.bits; at++) {
        const line *l = line_at(&old, at);
        if (l->count)
            memcpy(place_of(t, l->address), l, t->line_size);
    }
    g_aligned_free(old.lines);
}

static line *line_for(line_table *t, uint64_t address)
{
    line *l = place_of(t, address);
    if (l->count)
        return l;
    if (t->count >= ((uint64_t)3 << t->bits) / 4) {
        grow(t);
        l = place_of(t, address);
    }
    t->count++;
    l->address = address;
    return l;
}

/* Number of a thread. */
static uint32_t thread_for(line_table *t, uint64_t thread)
{
    uint32_t number = numbers_add(&t->threads, thread);
    if (number > t->thread->len)
        g_array_append_val(t->thread, thread);
    return number;
}

static bool contains(const line_table *t, const uint64_t *set, const bytes *b)
{
    for (unsigned i = 0; i < t->words; i++)
        if (b->words[i] & ~set[i])
            return false;
    return true;
}

static void unite(const line_table *t, uint64_t *set, const bytes *b)
{
    for (unsigned i = 0; i < t->words; i++)
        set[i] |= b->words[i];
}

static line *touch(line_table *t, uint64_t address, const bytes *b, const line_touch *access)
{
    line *l = line_for(t, address);
    user u = user_for(t, l, thread_for(t, access->thread));
    if (contains(t, u.touched, b) && (!access->write || contains(t, u.written, b)))
        return l;
    if (l->count > 1)
        count_relations(t, l, &u, -1);
    unite(t, u.touched, b);
    if (access->write && !any(t, u.written))
        l->writers++;
    if (access->write)
        unite(t, u.written, b);
    if (l->count > 1)
        count_relations(t, l, &u, 1);
    return l;
}

/* Bytes first to last of a line. */
static bytes bytes_from(unsigned first, unsigned last)
{
    bytes b = {{0}};
    for (unsigned i = first / 64; i <= last / 64; i++) {
        unsigned low = i == first / 64 ? first % 64 : 0, high = i == last / 64 ? last % 64 : 63;
        b.words[i] = (UINT64_MAX >> (63 - (high - low))) << low;
    }
    return b;
}

/* Byte of its line; sizes are powers of two. */
static unsigned byte_of(unsigned size, uint64_t address)
{
    return (unsigned)(address & (size - 1));
}

/* The last byte that counts: within the next line, and not behind the last address. */
static uint64_t last_of(unsigned size, uint64_t address, uint8_t length)
{
    uint64_t reach = length ? length - 1u : 0, room = size - byte_of(size, address) + (size - 1);
    uint64_t last = address + MIN(reach, room);
    return last < address ? UINT64_MAX : last;
}

void lines_place(unsigned size, uint64_t address, uint8_t length, line_result *result)
{
    uint64_t mask = ~(uint64_t)(size - 1);
    result->line = address & mask;
    result->split = (last_of(size, address, length) & mask) != result->line;
}

void lines_expect(const line_table *t, uint64_t address)
{
    address &= ~(uint64_t)(t->size - 1);
    uint64_t home = numbers_home(address, t->seed, t->bits);
    __builtin_prefetch(line_at(t, home), 1);
    __builtin_prefetch(line_at(t, (home + 1) & (((uint64_t)1 << t->bits) - 1)), 1); /* where many lie that find it taken */
}

void lines_expect_threads(const line_table *t, uint64_t address)
{
    const line *l = place_of(t, address & ~(uint64_t)(t->size - 1));
    if (l->count > LINE_USERS)
        __builtin_prefetch(pool_at(&t->groups, l->more), 1);
}

void lines_touch(line_table *t, const line_touch *access, line_result *result)
{
    unsigned first = byte_of(t->size, access->address);
    uint64_t last = last_of(t->size, access->address, access->size);
    lines_place(t->size, access->address, access->size, result);
    bytes b = bytes_from(first, result->split ? t->size - 1 : byte_of(t->size, last));
    line *l = touch(t, result->line, &b, access);
    result->before = l->last;
    result->sharing = sharing_of(l);
    l->last = access->record;
    if (result->split) {
        b = bytes_from(0, byte_of(t->size, last));
        touch(t, last - byte_of(t->size, last), &b, access)->last = access->record;
    }
}

/* --- summaries ------------------------------------------------------------------------------------------------------------- */

uint32_t lines_count(const line_table *t)
{
    return t->count;
}

line_summary lines_summary(const line_table *t, uint64_t address)
{
    const line *l = place_of(t, address);
    return (line_summary){.sharing = sharing_of(l), .threads = l->count, .writers = l->writers};
}

unsigned lines_threads(const line_table *t, uint64_t address, line_thread *threads, unsigned most)
{
    unsigned n = 0;
    user u;
    for (thread_walk w = thread_walk_start(place_of(t, address)); n < most && thread_walk_next(t, &w, &u);)
        threads[n++] = (line_thread){g_array_index(t->thread, uint64_t, u.thread - 1), any(t, u.written)};
    return n;
}
