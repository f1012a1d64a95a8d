/* SPDX-License-Identifier: GPL-2.0-or-later */
/* At first a line has a single thread, which has touched one run of adjacent bytes and written another. Most lines of a
 * trace stay like this, and little memory is needed for them. Any other line has two sets of bytes for each thread. When
 * a set grows, the relation of its thread to all other threads of the line is computed before and after.
 *
 * In a trace every access of 18 bytes may be to a new line, so memory per line matters: 24 bytes and up to 11 for the
 * index, and 28 per thread once it has sets. */
#include "cacheray/lines.h"

#include <glib.h>

#include "containers/hash_map.h"
#include "containers/pool.h"

#define WORDS_MAX (LINES_SIZE_MAX / 64u)

/* The bytes of a line from `first` to `last`; none if `first` is greater. */
typedef struct run {
    uint8_t first, last;
} run;

static const run no_bytes = {1, 0};

/* Sets of bytes: bit n is byte n of the line. */
typedef struct bytes {
    uint64_t words[WORDS_MAX];
} bytes;

#define FIRST_BITS 8u
#define GROUP_USERS 2u

/* This is in the lowest bit of line.address, which is otherwise 0: the line has sets. */
#define SETS ((uint64_t)1)

typedef struct line {
    uint64_t address;
    union {
        uint64_t thread;
        struct {
            uint32_t more;                    /* number of the first group */
            uint16_t true_pairs, false_pairs; /* of a thread that has written and another one */
        } sets;
    };
    uint32_t note; /* record of the last access, or the caller's number */
    union {
        struct {
            run touched, written;
        };
        struct {
            uint8_t count, writers, copies; /* number of threads */
        };
    };
} line;

_Static_assert(sizeof(line) == 24, "see above");

/* Threads of a line, in the order of their first access. */
typedef struct group {
    uint64_t threads[GROUP_USERS];
    uint32_t more;
    bool copies[GROUP_USERS]; /* the thread has a copy of the line */
    uint64_t words[];         /* two sets per thread: touched, written */
} group;

struct line_table {
    uint32_t *index; /* hash table of 2^bits entries: line number + 1 in the lower bits, further bits of the hash above */
    uint64_t seed;
    unsigned bits;
    pool lines, groups;
    unsigned size, words;
};

/* A thread of a line. */
typedef struct user {
    uint64_t thread;
    uint64_t *touched, *written;
    bool *copy;
} user;

line_table *lines_new(unsigned size)
{
    line_table *t = g_new0(line_table, 1);
    t->size = size;
    t->words = (size + 63) / 64;
    t->bits = FIRST_BITS;
    t->index = pool_new((size_t)1 << FIRST_BITS, sizeof *t->index);
    t->seed = hash_map_seed();
    pool_init(&t->lines, sizeof(line));
    pool_init(&t->groups, sizeof(group) + GROUP_USERS * 2 * t->words * sizeof(uint64_t));
    return t;
}

void lines_free(line_table *t)
{
    if (!t)
        return;
    pool_free(t->index, (size_t)1 << t->bits, sizeof *t->index);
    pool_clear(&t->lines);
    pool_clear(&t->groups);
    g_free(t);
}

/* --- threads of a line ------------------------------------------------------------------------------------------------- */

/* Iterates over the threads of a line with sets. */
typedef struct thread_walk {
    uint32_t *more;
    uint64_t *threads, *words;
    bool *copies;
    unsigned here, left; /* threads left in this group, and in all */
} thread_walk;

static thread_walk thread_walk_start(line *l)
{
    return (thread_walk){.more = &l->sets.more, .left = l->count};
}

static void thread_walk_on(const line_table *t, thread_walk *w)
{
    if (w->here)
        return;
    group *g = pool_at(&t->groups, *w->more);
    *w = (thread_walk){&g->more, g->threads, g->words, g->copies, GROUP_USERS, w->left};
}

static bool thread_walk_next(const line_table *t, thread_walk *w, user *u)
{
    if (!w->left)
        return false;
    thread_walk_on(t, w);
    *u = (user){*w->threads++, w->words, w->words + t->words, w->copies++};
    w->words += 2 * t->words;
    w->here--;
    w->left--;
    return true;
}

/* Adds a thread at the end of the iteration. */
static user make_user(line_table *t, line *l, thread_walk *w, uint64_t thread)
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

/* The thread in a line with sets, added if necessary. The last one stands for all threads beyond LINES_THREADS. */
static user user_for(line_table *t, line *l, uint64_t thread)
{
    user u;
    thread_walk w = thread_walk_start(l);
    while (thread_walk_next(t, &w, &u))
        if (u.thread == thread)
            return u;
    return l->count > LINES_THREADS ? u : make_user(t, l, &w, thread);
}

/* --- sharing ----------------------------------------------------------------------------------------------------------- */

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

/* Counts the relation between a writer and another thread, or with `by` -1 takes it back. A new thread has touched
 * nothing and counts for nothing. */
static void count_relation(const line_table *t, line *l, const user *writer, const user *other, int by)
{
    if (!any(t, writer->written) || !any(t, other->touched))
        return;
    uint16_t *pairs = intersect(t, writer->written, other->touched) ? &l->sets.true_pairs : &l->sets.false_pairs;
    *pairs = (uint16_t)(*pairs + by);
}

/* Counts or takes back all relations of a thread. */
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

static bool has_sets(const line *l)
{
    return l->address & SETS;
}

static sharing sharing_of(const line *l)
{
    if (!has_sets(l) || l->count < 2)
        return SHARING_PRIVATE;
    if (l->sets.true_pairs)
        return l->sets.false_pairs ? SHARING_BOTH : SHARING_TRUE;
    return l->sets.false_pairs ? SHARING_FALSE : SHARING_READ_ONLY;
}

/* --- finding a line ---------------------------------------------------------------------------------------------------- */

static line *line_at(const line_table *t, uint32_t number)
{
    return pool_at(&t->lines, number);
}

static uint64_t cacheray_lines_address_of(const line *l)
{
    return l->address & ~SETS;
}

/* The position of a line in the hash table, and the bits of the hash that entries contain. */
typedef struct place {
    uint64_t at, mask;
    uint32_t tag;
} place;

static place cacheray_lines_place_of(const line_table *t, uint64_t address)
{
    uint64_t hash = hash_map_hash(address, t->seed), mask = ((uint64_t)1 << t->bits) - 1;
    return (place){hash >> (64 - t->bits), mask, (uint32_t)(hash << t->bits >> 32 & ~mask)};
}

/* Moves to the next entry that may be the line's, and returns its number + 1; 0: none, and the entry is free. */
static uint32_t candidate(const line_table *t, place *p)
{
    for (;; p->at = (p->at + 1) & p->mask) {
        uint32_t entry = t->index[p->at];
        if (!entry || (entry & ~p->mask) == p->tag)
            return (uint32_t)(entry & p->mask);
    }
}

/* The number + 1 of a line; 0: there is none. */
static uint32_t cacheray_lines_find(const line_table *t, uint64_t address, place *p)
{
    uint32_t number;
    *p = cacheray_lines_place_of(t, address);
    for (; (number = candidate(t, p)); p->at = (p->at + 1) & p->mask)
        if (cacheray_lines_address_of(line_at(t, number - 1)) == address)
            return number;
    return 0;
}

static line *known_line(const line_table *t, uint64_t address)
{
    place p;
    uint32_t number = cacheray_lines_find(t, address, &p);
    return number ? line_at(t, number - 1) : NULL;
}

/* Frees the old table first: the new one can be made from the lines. */
static void cacheray_lines_grow(line_table *t)
{
    pool_free(t->index, (size_t)1 << t->bits, sizeof *t->index);
    t->bits++;
    t->index = pool_new((size_t)1 << t->bits, sizeof *t->index);
    for (uint32_t number = 0; number < t->lines.count; number++) {
        place p = cacheray_lines_place_of(t, cacheray_lines_address_of(line_at(t, number)));
        while (t->index[p.at])
            p.at = (p.at + 1) & p.mask;
        t->index[p.at] = p.tag | (number + 1);
    }
}

/* The number of a line, created if necessary for this thread. */
static uint32_t line_for(line_table *t, uint64_t address, uint64_t thread)
{
    place p;
    uint32_t number = cacheray_lines_find(t, address, &p);
    if (number)
        return number - 1;
    if (t->lines.count >= ((uint64_t)3 << t->bits) / 4) {
        cacheray_lines_grow(t);
        cacheray_lines_find(t, address, &p);
    }
    number = pool_add(&t->lines);
    t->index[p.at] = p.tag | (number + 1);
    *line_at(t, number) = (line){.address = address, .thread = thread, .touched = no_bytes, .written = no_bytes};
    return number;
}

/* --- touching ---------------------------------------------------------------------------------------------------------- */

static bool cacheray_lines_is_empty(run r)
{
    return r.first > r.last;
}

/* Extends a run; false if that would leave a gap. */
static bool join(run *r, run more)
{
    if (!cacheray_lines_is_empty(*r) && (more.first > r->last + 1 || r->first > more.last + 1))
        return false;
    *r = cacheray_lines_is_empty(*r) ? more : (run){MIN(r->first, more.first), MAX(r->last, more.last)};
    return true;
}

/* Records an access to a line without sets; false if it needs them. */
static bool touch_alone(line *l, run r, const line_touch *access)
{
    run touched = l->touched, written = l->written;
    if (access->thread != l->thread || !join(&touched, r) || (access->write && !join(&written, r)))
        return false;
    l->touched = touched;
    l->written = written;
    return true;
}

static bytes cacheray_lines_bytes_of(run r)
{
    bytes b = {{0}};
    for (unsigned i = r.first / 64; !cacheray_lines_is_empty(r) && i <= r.last / 64; i++) {
        unsigned low = i == r.first / 64 ? r.first % 64 : 0, high = i == r.last / 64 ? r.last % 64 : 63;
        b.words[i] = (UINT64_MAX >> (63 - (high - low))) << low;
    }
    return b;
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

/* Converts a line to one with sets. */
static void allocate_sets(line_table *t, line *l)
{
    const line alone = *l;
    const bytes touched = cacheray_lines_bytes_of(alone.touched), written = cacheray_lines_bytes_of(alone.written);
    *l = (line){.address = alone.address | SETS, .note = alone.note};
    l->writers = !cacheray_lines_is_empty(alone.written);
    user u = user_for(t, l, alone.thread);
    *u.copy = true;
    l->copies = 1;
    unite(t, u.touched, &touched);
    unite(t, u.written, &written);
}

/* Returns whether the line is contended for. Of a line that was written at least the last writer has a copy. */
static bool move_copies(const line_table *t, line *l, const user *u, bool write)
{
    const bool has = *u->copy, others = l->copies > has, contended = write ? others : !has && l->writers;
    user other;
    for (thread_walk w = thread_walk_start(l); write && others && thread_walk_next(t, &w, &other);)
        *other.copy = false;
    *u->copy = true;
    l->copies = write ? 1 : (uint8_t)(l->copies + !has);
    return contended;
}

static void touch_sets(line_table *t, line *l, const user *u, const bytes *b, const line_touch *access)
{
    if (contains(t, u->touched, b) && (!access->write || contains(t, u->written, b)))
        return;
    if (l->count > 1)
        count_relations(t, l, u, -1);
    unite(t, u->touched, b);
    if (access->write && !any(t, u->written))
        l->writers++;
    if (access->write)
        unite(t, u->written, b);
    if (l->count > 1)
        count_relations(t, l, u, 1);
}

/* Returns whether the line is contended for. */
static bool touch_bytes(line_table *t, line *l, run r, const line_touch *access)
{
    if (!has_sets(l)) {
        if (touch_alone(l, r, access))
            return false;
        allocate_sets(t, l);
    }
    const bytes b = cacheray_lines_bytes_of(r);
    const user u = user_for(t, l, access->thread);
    const bool contended = move_copies(t, l, &u, access->write);
    touch_sets(t, l, &u, &b, access);
    return contended;
}

static line *cacheray_lines_touch(line_table *t, uint64_t address, run r, const line_touch *access, line_touched *touched)
{
    touched->number = line_for(t, address, access->thread);
    line *l = line_at(t, touched->number);
    touched->contended = touch_bytes(t, l, r, access);
    return l;
}

/* The offset of an address in its line. */
static unsigned byte_of(unsigned size, uint64_t address)
{
    return (unsigned)(address & (size - 1));
}

/* The last address that counts: not beyond the next line or the end of the address space. */
static uint64_t cacheray_lines_last_of(unsigned size, uint64_t address, uint8_t length)
{
    uint64_t reach = length ? length - 1u : 0, room = size - byte_of(size, address) + (size - 1);
    uint64_t last = address + MIN(reach, room);
    return last < address ? UINT64_MAX : last;
}

void lines_place(unsigned size, uint64_t address, uint8_t length, line_result *result)
{
    uint64_t mask = ~(uint64_t)(size - 1);
    result->line = address & mask;
    result->split = (cacheray_lines_last_of(size, address, length) & mask) != result->line;
}

static void note_record(line *l, const line_touch *access)
{
    if (access->record)
        l->note = access->record;
}

void lines_touch(line_table *t, const line_touch *access, line_result *result)
{
    unsigned first = byte_of(t->size, access->address);
    uint64_t last = cacheray_lines_last_of(t->size, access->address, access->size);
    lines_place(t->size, access->address, access->size, result);
    run r = {(uint8_t)first, (uint8_t)(result->split ? t->size - 1 : byte_of(t->size, last))};
    line *l = cacheray_lines_touch(t, result->line, r, access, &result->touched[0]);
    result->before = access->record ? l->note : 0;
    result->sharing = sharing_of(l);
    note_record(l, access);
    if (result->split) {
        r = (run){0, (uint8_t)byte_of(t->size, last)};
        note_record(cacheray_lines_touch(t, last - byte_of(t->size, last), r, access, &result->touched[1]), access);
    }
}

/* --- summaries --------------------------------------------------------------------------------------------------------- */

uint32_t *lines_note(const line_table *t, uint32_t number)
{
    return &line_at(t, number)->note;
}

uint32_t lines_count(const line_table *t)
{
    return t->lines.count;
}

uint64_t lines_address(const line_table *t, uint32_t number)
{
    return cacheray_lines_address_of(line_at(t, number));
}

line_summary lines_summary(const line_table *t, uint64_t address)
{
    const line *l = known_line(t, address);
    if (!l)
        return (line_summary){0};
    if (!has_sets(l))
        return (line_summary){SHARING_PRIVATE, 1, !cacheray_lines_is_empty(l->written)};
    return (line_summary){sharing_of(l), l->count, l->writers};
}

unsigned lines_threads(const line_table *t, uint64_t address, line_thread *threads, unsigned most)
{
    unsigned n = 0;
    user u;
    line *l = known_line(t, address);
    if (!l || !most)
        return 0;
    if (!has_sets(l)) {
        *threads = (line_thread){l->thread, !cacheray_lines_is_empty(l->written)};
        return 1;
    }
    for (thread_walk w = thread_walk_start(l); n < most && thread_walk_next(t, &w, &u);)
        threads[n++] = (line_thread){u.thread, any(t, u.written)};
    return n;
}
