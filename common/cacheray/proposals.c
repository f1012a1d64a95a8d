/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/proposals.h"

#include <string.h>

#include "containers/hash_map.h"

#define THREADS_MAX 64u        /* all further ones share a history */
#define SIGNIFICANT_PERCENT 2u /* conflicts of two members that are fewer than this part of all in the struct do not count */

/* How two parts of a struct are used. */
typedef struct pair {
    uint32_t together, inside, across; /* conflicts inside of one struct, and between two */
} pair;

typedef struct usage {
    char *name;
    struct_parts *parts;
    uint64_t *accesses; /* by struct_part */
    pair *pairs;        /* by struct_part * count + part; both orders are kept */
    uint64_t contended;
} usage;

/* The last access to a line: type and part. */
typedef struct trace_of {
    uint64_t item;
    uint32_t type, part;
} trace_of;

/* The last accesses of a thread, in a circle. */
typedef struct history {
    trace_of *all;
    unsigned next;
} history;

struct proposals {
    unsigned line_size, within;
    GPtrArray *structs; /* of usage */
    hash_map threads;
    history histories[THREADS_MAX];
    GArray *last; /* of trace_of, by line */
};

static void free_usage(gpointer data)
{
    usage *u = data;
    parts_free(u->parts);
    g_free(u->name);
    g_free(u->accesses);
    g_free(u->pairs);
    g_free(u);
}

proposals *proposals_new(unsigned line_size, unsigned within)
{
    proposals *p = g_new0(proposals, 1);
    p->line_size = line_size;
    p->within = within;
    p->structs = g_ptr_array_new_with_free_func(free_usage);
    p->last = g_array_new(FALSE, TRUE, sizeof(trace_of));
    hash_map_init(&p->threads);
    return p;
}

void proposals_free(proposals *p)
{
    if (!p)
        return;
    for (unsigned i = 0; i < THREADS_MAX; i++)
        g_free(p->histories[i].all);
    g_ptr_array_free(p->structs, TRUE);
    g_array_free(p->last, TRUE);
    hash_map_clear(&p->threads);
    g_free(p);
}

uint32_t proposals_add(proposals *p, const char *name, struct_parts *of)
{
    if (!of || p->structs->len == PROPOSALS_STRUCTS_MAX || of->count > PROPOSALS_PARTS_MAX ||
        of->size > PROPOSALS_SIZE_MAX) {
        parts_free(of);
        return 0;
    }
    usage *u = g_new0(usage, 1);
    u->name = g_strdup(name);
    u->parts = of;
    u->accesses = g_new0(uint64_t, of->count);
    u->pairs = g_new0(pair, (size_t)of->count * of->count);
    g_ptr_array_add(p->structs, u);
    return p->structs->len;
}

static usage *usage_of(const proposals *p, uint32_t type)
{
    return g_ptr_array_index(p->structs, type - 1);
}

const struct_parts *proposals_parts(const proposals *p, uint32_t type)
{
    return usage_of(p, type)->parts;
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static pair *pair_of(const usage *u, uint32_t a, uint32_t b)
{
    return &u->pairs[(size_t)a * u->parts->count + b];
}

static void count_conflict(usage *u, const trace_of *before, const trace_of *now)
{
    u->contended++;
    for (unsigned turn = 0; turn < 2; turn++) {
        pair *fight = turn ? pair_of(u, now->part, before->part) : pair_of(u, before->part, now->part);
        if (turn && now->part == before->part)
            return;
        fight->inside += before->item == now->item;
        fight->across += before->item != now->item;
    }
}

static void count_line(proposals *p, const proposals_access *access, const trace_of *now)
{
    if (access->line >= p->last->len)
        g_array_set_size(p->last, access->line + 1);
    trace_of *last = &g_array_index(p->last, trace_of, access->line);
    if (access->contended && now->type && last->type == now->type)
        count_conflict(usage_of(p, now->type), last, now);
    *last = *now;
}

static void count_history(proposals *p, uint64_t thread, const trace_of *now)
{
    uint32_t known = hash_map_find(&p->threads, thread);
    if (!known && p->threads.count < THREADS_MAX - 1)
        known = hash_map_add(&p->threads, thread);
    history *h = &p->histories[known]; /* 0: of all further ones */
    if (!h->all)
        h->all = g_new0(trace_of, p->within);
    for (unsigned i = 0; now->type && i < p->within; i++) {
        const trace_of *then = &h->all[i];
        if (then->type != now->type || then->item != now->item || then->part == now->part)
            continue;
        pair_of(usage_of(p, now->type), then->part, now->part)->together++;
        pair_of(usage_of(p, now->type), now->part, then->part)->together++;
    }
    h->all[h->next] = *now;
    h->next = (h->next + 1) % p->within;
}

void proposals_count(proposals *p, const proposals_access *access)
{
    const trace_of now = {access->item, access->type, access->part};
    if (now.type)
        usage_of(p, now.type)->accesses[now.part]++;
    count_line(p, access, &now);
    count_history(p, access->thread, &now);
}

/* --- proposing --------------------------------------------------------------------------------------------------------- */

/* A new order of parts. */
typedef struct plan {
    const usage *of;
    uint32_t *group;   /* by part: its group + 1; 0: none yet */
    uint32_t *order;   /* parts, group by group */
    uint32_t *offsets; /* by struct_part */
    unsigned groups;
    bool across; /* structs conflict with each other */
    uint32_t size, align;
    unsigned lines, lines_now; /* with parts that are used */
} plan;

static bool is_significant(const usage *u, uint64_t fights)
{
    return fights && fights * 100 >= u->contended * SIGNIFICANT_PERCENT;
}

/* The unused part with the most accesses; of equal ones the first. */
static uint32_t hottest(const plan *n)
{
    uint32_t best = PARTS_NONE;
    for (uint32_t i = 0; i < n->of->parts->count; i++)
        if (!n->group[i] && (best == PARTS_NONE || n->of->accesses[i] > n->of->accesses[best]))
            best = i;
    return best;
}

/* How much a part is used together with those of a group; -1 if it conflicts with one of them. */
static int64_t fits(const plan *n, uint32_t which, uint32_t group)
{
    int64_t together = 0;
    for (uint32_t i = 0; i < n->of->parts->count; i++) {
        const pair *both = pair_of(n->of, which, i);
        if (n->group[i] != group || i == which)
            continue;
        if (is_significant(n->of, both->inside))
            return -1;
        together += both->together;
    }
    return together;
}

static void make_groups(plan *n)
{
    for (uint32_t which; (which = hottest(n)) != PARTS_NONE;) {
        uint32_t best = 0;
        int64_t most = -1;
        for (uint32_t group = 1; group <= n->groups; group++) {
            int64_t together = fits(n, which, group);
            if (together > most) {
                most = together;
                best = group;
            }
        }
        n->group[which] = best ? best : ++n->groups;
    }
}

/* In each group each next part is the one used most together with those before it. */
static void make_order(plan *n)
{
    const struct_parts *p = n->of->parts;
    g_autofree bool *done = g_new0(bool, p->count);
    g_autofree uint64_t *together = g_new0(uint64_t, p->count);
    uint32_t at = 0;
    for (uint32_t group = 1; group <= n->groups; group++)
        for (;;) {
            uint32_t best = PARTS_NONE;
            for (uint32_t i = 0; i < p->count; i++) {
                if (done[i] || n->group[i] != group)
                    continue;
                if (best == PARTS_NONE || together[i] > together[best] ||
                    (together[i] == together[best] && n->of->accesses[i] > n->of->accesses[best]))
                    best = i;
            }
            if (best == PARTS_NONE)
                break;
            done[best] = true;
            n->order[at++] = best;
            for (uint32_t i = 0; i < p->count; i++)
                together[i] += pair_of(n->of, best, i)->together;
        }
}

static uint32_t round_up(uint32_t n, uint32_t to)
{
    return (n + to - 1) / to * to;
}

static void make_offsets(plan *n, unsigned line_size)
{
    const struct_parts *p = n->of->parts;
    uint32_t at = 0, align = 1;
    bool lines = n->across || n->groups > 1;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct_part *here = &p->all[n->order[i]];
        if (i && n->group[n->order[i]] != n->group[n->order[i - 1]])
            at = round_up(at, line_size);
        at = round_up(at, here->align);
        n->offsets[n->order[i]] = at;
        at += here->size;
        align = MAX(align, here->align);
    }
    n->align = lines ? line_size : 0;
    n->size = round_up(at, lines ? line_size : align);
}

/* How many lines have parts that are used, if the struct begins with a line. */
static unsigned lines_used(const usage *u, const uint32_t *offsets, unsigned line_size)
{
    g_autoptr(GHashTable) lines = g_hash_table_new(NULL, NULL);
    for (uint32_t i = 0; i < u->parts->count; i++) {
        uint32_t at = offsets ? offsets[i] : u->parts->all[i].offset;
        for (uint32_t line = at / line_size; u->accesses[i] && line <= (at + u->parts->all[i].size - 1) / line_size; line++)
            g_hash_table_add(lines, GUINT_TO_POINTER(line + 1));
    }
    return g_hash_table_size(lines);
}

static bool is_better(const plan *n)
{
    bool moves = n->size != n->of->parts->size;
    for (uint32_t i = 0; i < n->of->parts->count; i++)
        moves |= n->offsets[i] != n->of->parts->all[i].offset;
    return moves && (n->align || n->size < n->of->parts->size || n->lines < n->lines_now);
}

static const char *name_of(const usage *u, uint32_t which)
{
    return u->parts->all[which].names;
}

static void append_reasons(const plan *n, GString *text)
{
    const usage *u = n->of;
    uint64_t across = 0;
    uint32_t a = 0, b = 0;
    for (uint32_t i = 0; i < u->parts->count; i++)
        for (uint32_t k = i; k < u->parts->count; k++) {
            const pair *both = pair_of(u, i, k);
            across += both->across;
            if (i != k && is_significant(u, both->inside))
                g_string_append_printf(text, "# %s and %s conflict %u times\n", name_of(u, i), name_of(u, k), both->inside);
            if (i != k && both->together > pair_of(u, a, b)->together) {
                a = i;
                b = k;
            }
        }
    if (n->across)
        g_string_append_printf(text, "# different structs conflict %" G_GUINT64_FORMAT " times: each gets whole lines\n",
                               across);
    if (a != b)
        g_string_append_printf(text, "# most used together: %s and %s, %u times\n", name_of(u, a), name_of(u, b),
                               pair_of(u, a, b)->together);
    if (!n->align && n->size < u->parts->size)
        g_string_append_printf(text, "# %u instead of %u bytes\n", n->size, u->parts->size);
    if (!n->align && n->lines < n->lines_now)
        g_string_append_printf(text, "# what is used is in %u instead of %u lines\n", n->lines, n->lines_now);
}

static void append_plan(const plan *n, GString *text)
{
    const usage *u = n->of;
    append_reasons(n, text);
    g_string_append_printf(text, "struct %s=", u->name);
    for (uint32_t i = 0; i < u->parts->count; i++) {
        const char *names = name_of(u, n->order[i]);
        g_string_append_printf(text, "%.*s,%u;", (int)strcspn(names, "|"), names, n->offsets[n->order[i]]);
    }
    g_string_append_printf(text, "sizeof,%u", n->size);
    if (n->align)
        g_string_append_printf(text, ";alignof,%u", n->align);
    g_string_append_c(text, '\n');
}

static bool write_one(const proposals *p, const usage *u, GString *text)
{
    unsigned count = u->parts->count;
    g_autofree uint32_t *group = g_new0(uint32_t, count), *order = g_new0(uint32_t, count),
                        *offsets = g_new0(uint32_t, count);
    plan n = {.of = u, .group = group, .order = order, .offsets = offsets};
    uint64_t across = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i; k < count; k++)
            across += pair_of(u, i, k)->across;
    n.across = is_significant(u, across);
    make_groups(&n);
    make_order(&n);
    make_offsets(&n, p->line_size);
    n.lines = lines_used(u, offsets, p->line_size);
    n.lines_now = lines_used(u, NULL, p->line_size);
    if (!is_better(&n))
        return false;
    append_plan(&n, text);
    return true;
}

unsigned proposals_write(const proposals *p, GString *text)
{
    unsigned written = 0;
    for (guint i = 0; i < p->structs->len; i++)
        written += write_one(p, g_ptr_array_index(p->structs, i), text);
    return written;
}
