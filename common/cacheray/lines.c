/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For each line a list of its threads, each with two sets of bytes. When a set grows, the relation of its thread with
 * every other thread of the line is judged before and after; sets grow rarely, so most accesses cost one look-up.
 * A trace may touch millions of lines in any order, so what counts is how many places in memory an access goes to: a line and
 * its first thread lie side by side, in 64 bytes where a line has no more. */
#include "cacheray/lines.h"

#include <glib.h>

#include "numbers.h"
#include "pages.h"

#define WORDS_MAX (LINES_SIZE_MAX / 64u)

/* Sets of bytes: bit n is byte n of the line. */
typedef struct bytes {
    uint64_t words[WORDS_MAX];
} bytes;

typedef struct user {
    uint64_t thread;
    uint32_t next;    /* of the line; 0: last */
    bool is_others;   /* stands for all threads after the first LINES_THREADS */
    uint64_t words[]; /* touched, then written */
} user;
#define FURTHER 0x80000000u /* in the number of a user: not the first of its line, whose number is that of the line */

typedef struct line {
    uint64_t address;
    uint32_t users; /* list, the one of the last access first */
    uint32_t last;  /* record */
    uint32_t count; /* of users */
    uint32_t writers;
    uint32_t true_pairs, false_pairs; /* of a thread that has written and another */
} line;

/* Lines in blocks that stay where they are. */
#ifndef LINES_BLOCK_BITS
#define LINES_BLOCK_BITS 15u /* 2 MiB of lines of 64 bytes */
#endif

struct line_table {
    numbers index; /* line address -> number */
    GPtrArray *blocks; /* of lines, each with its first user behind it */
    size_t line_size;  /* of both */
    char *users;       /* all further ones, of user_size bytes each */
    size_t user_size;
    uint32_t user_count, user_room;
    unsigned size, words;
};

line_table *lines_new(unsigned size)
{
    line_table *t = g_new0(line_table, 1);
    numbers_init(&t->index);
    t->size = size;
    t->words = (size + 63) / 64;
    t->user_size = sizeof(user) + 2 * t->words * sizeof(uint64_t);
    t->line_size = sizeof(line) + t->user_size;
    t->blocks = g_ptr_array_new_with_free_func(g_aligned_free);
    return t;
}

void lines_free(line_table *t)
{
    if (!t)
        return;
    numbers_clear(&t->index);
    g_ptr_array_free(t->blocks, TRUE);
    g_free(t->users);
    g_free(t);
}

/* --- sharing --------------------------------------------------------------------------------------------------------------- */

static line *line_at(const line_table *t, uint32_t number)
{
    char *block = g_ptr_array_index(t->blocks, number >> LINES_BLOCK_BITS);
    return (line *)(void *)(block + (number & ((1u << LINES_BLOCK_BITS) - 1)) * t->line_size);
}

static user *user_at(const line_table *t, uint32_t i)
{
    if (i & FURTHER)
        return (user *)(void *)(t->users + (i & ~FURTHER) * t->user_size);
    return (user *)(void *)(line_at(t, i) + 1);
}

static uint64_t *touched(user *u)
{
    return u->words;
}

static uint64_t *written(const line_table *t, user *u)
{
    return u->words + t->words;
}

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
static void count_relation(const line_table *t, line *l, user *writer, user *other, uint32_t by)
{
    if (!any(t, written(t, writer)) || !any(t, touched(other)))
        return;
    if (intersect(t, written(t, writer), touched(other)))
        l->true_pairs += by;
    else
        l->false_pairs += by;
}

/* Adds or takes off what a thread has to do with all others. */
static void count_relations(const line_table *t, line *l, user *u, uint32_t by)
{
    for (uint32_t i = l->users; i; i = user_at(t, i)->next) {
        user *other = user_at(t, i);
        if (other == u)
            continue;
        count_relation(t, l, u, other, by);
        count_relation(t, l, other, u, by);
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

static line *line_for(line_table *t, uint64_t address, uint32_t *number)
{
    uint32_t known = t->index.count;
    *number = numbers_add(&t->index, address);
    if (*number >> LINES_BLOCK_BITS >= t->blocks->len)
        g_ptr_array_add(t->blocks, pages_new(1u << LINES_BLOCK_BITS, t->line_size));
    line *l = line_at(t, *number);
    if (*number > known)
        *l = (line){.address = address};
    return l;
}

static user *make_user(line_table *t, line *l, uint32_t number, uint64_t thread)
{
    uint32_t i = number;
    if (l->count) {
        if (t->user_count == t->user_room) {
            t->user_room = t->user_room * 2 + 64;
            t->users = g_realloc_n(t->users, t->user_room, t->user_size);
        }
        i = FURTHER | t->user_count++;
    }
    user *u = user_at(t, i);
    memset(u, 0, t->user_size);
    u->thread = thread;
    u->next = l->users;
    u->is_others = l->count == LINES_THREADS;
    l->users = i;
    l->count++;
    return u;
}

/* The thread's part of a line, moved to the front of the list. */
static user *user_for(line_table *t, line *l, uint32_t number, uint64_t thread)
{
    uint32_t before = 0, others = 0;
    for (uint32_t i = l->users; i; before = i, i = user_at(t, i)->next) {
        user *u = user_at(t, i);
        if (u->is_others) {
            others = i;
        } else if (u->thread == thread) {
            if (before) {
                user_at(t, before)->next = u->next;
                u->next = l->users;
                l->users = i;
            }
            return u;
        }
    }
    return others ? user_at(t, others) : make_user(t, l, number, thread);
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
    uint32_t number;
    line *l = line_for(t, address, &number);
    user *u = user_for(t, l, number, access->thread);
    bool grows = !contains(t, touched(u), b) || (access->write && !contains(t, written(t, u), b));
    if (grows) {
        if (l->count > 1)
            count_relations(t, l, u, UINT32_MAX); /* minus one */
        unite(t, touched(u), b);
        l->writers += access->write && !any(t, written(t, u));
        if (access->write)
            unite(t, written(t, u), b);
        if (l->count > 1)
            count_relations(t, l, u, 1);
    }
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

/* The last byte that counts: within the next line, and not behind the last address. */
static uint64_t last_of(unsigned size, uint64_t address, uint8_t length)
{
    uint64_t reach = length ? length - 1u : 0, room = size - address % size + (size - 1);
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
    numbers_expect(&t->index, address & ~(uint64_t)(t->size - 1));
}

void lines_touch(line_table *t, const line_touch *access, line_result *result)
{
    unsigned first = (unsigned)(access->address % t->size);
    uint64_t last = last_of(t->size, access->address, access->size);
    lines_place(t->size, access->address, access->size, result);
    bytes b = bytes_from(first, result->split ? t->size - 1 : (unsigned)(last % t->size));
    line *l = touch(t, result->line, &b, access);
    result->before = l->last;
    result->sharing = sharing_of(l);
    l->last = access->record;
    if (result->split) {
        b = bytes_from(0, (unsigned)(last % t->size));
        touch(t, last - last % t->size, &b, access)->last = access->record;
    }
}

/* --- summaries ------------------------------------------------------------------------------------------------------------- */

uint32_t lines_count(const line_table *t)
{
    return t->index.count;
}

uint32_t lines_number(const line_table *t, uint64_t address)
{
    return numbers_find(&t->index, address);
}

line_summary lines_summary(const line_table *t, uint32_t number)
{
    const line *l = line_at(t, number);
    return (line_summary){.line = l->address, .sharing = sharing_of(l), .threads = l->count,
                          .writers = l->writers};
}

unsigned lines_threads(const line_table *t, uint32_t number, line_thread *threads, unsigned most)
{
    unsigned n = 0;
    for (uint32_t i = line_at(t, number)->users; i && n < most; i = user_at(t, i)->next) {
        user *u = user_at(t, i);
        threads[n++] = (line_thread){u->thread, any(t, written(t, u))};
    }
    return n;
}
