/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/remap/proposals.h"

#include <string.h>

#include "cacheray/remap/rivals.h"
#include "containers/hash_map.h"

#define THREADS_MAX 64u /* all further ones share a history */
#define SIGNIFICANT_PERCENT \
    2u /* conflicts of two members that are fewer than this part of all in the struct do not count \
        */

/* How two parts of a struct are used. */
typedef struct pair {
    uint32_t together, inside, across; /* conflicts inside of one struct, and between two */
} pair;

typedef struct usage {
    char *name;
    struct_parts *parts, *pieces;
    uint64_t *accesses; /* by struct_part */
    pair *pairs;        /* by struct_part * count + part; both orders are kept */
    uint64_t contended;
} usage;

/* An access: type, first part, and how many further parts. */
typedef struct trace_of {
    uint64_t item;
    uint32_t type;
    uint16_t part, more;
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
    GArray *rivals; /* of rivals, by line: as of packed() */
};

static void free_usage(gpointer data)
{
    usage *u = data;
    parts_free(u->parts);
    parts_free(u->pieces);
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
    p->rivals = g_array_new(FALSE, TRUE, sizeof(rivals));
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
    g_array_free(p->rivals, TRUE);
    hash_map_clear(&p->threads);
    g_free(p);
}

uint32_t proposals_add(proposals *p, const char *name, struct_parts *of, struct_parts *pieces)
{
    if (!of || !pieces || p->structs->len == PROPOSALS_STRUCTS_MAX || of->count > PROPOSALS_PARTS_MAX ||
        of->size > PROPOSALS_SIZE_MAX) {
        parts_free(of);
        parts_free(pieces);
        return 0;
    }
    usage *u = g_new0(usage, 1);
    u->name = g_strdup(name);
    u->parts = of;
    u->pieces = pieces;
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

static pair *cacheray_proposals_pair_of(const usage *u, uint32_t a, uint32_t b)
{
    return &u->pairs[(size_t)a * u->parts->count + b];
}

/* A record counts up to 256 times, so there may be more than 32 bits hold. */
static void count_up(uint32_t *n)
{
    *n += *n != UINT32_MAX;
}

static void count_pair(usage *u, uint32_t before, uint32_t now, bool same_item)
{
    for (unsigned turn = 0; turn < (before == now ? 1 : 2); turn++) {
        pair *both = turn ? cacheray_proposals_pair_of(u, now, before) : cacheray_proposals_pair_of(u, before, now);
        count_up(same_item ? &both->inside : &both->across);
    }
}

static void count_conflict(usage *u, const trace_of *before, const trace_of *now)
{
    u->contended++;
    for (uint32_t i = 0; i <= before->more; i++)
        for (uint32_t k = 0; k <= now->more; k++)
            count_pair(u, before->part + i, now->part + k, before->item == now->item);
}

/* There may be very many lines, so an access to one is kept in 32 bits: the struct begins in the line, or before it by less
 * than its size. 0: it is something else. */
enum { PART_BITS = 8, TYPE_BITS = 7, MORE_BITS = 3, MORE_AT = PART_BITS + TYPE_BITS, ITEM_AT = MORE_AT + MORE_BITS };
_Static_assert(PROPOSALS_PARTS_MAX <= 1u << PART_BITS && PROPOSALS_STRUCTS_MAX < 1u << TYPE_BITS, "they have room");
_Static_assert(PROPOSALS_MORE_MAX < 1u << MORE_BITS, "so have further parts");
_Static_assert(PROPOSALS_SIZE_MAX + PROPOSALS_LINE_MAX < 1u << (32 - ITEM_AT), "so has the distance of the struct");

static uint32_t packed(const proposals *p, const proposals_access *access, const trace_of *now)
{
    const uint64_t last = access->address | (p->line_size - 1); /* byte of the line */
    return now->type ? (uint32_t)(last - now->item) << ITEM_AT | (uint32_t)now->more << MORE_AT | now->type << PART_BITS |
                           now->part
                     : 0;
}

static trace_of unpacked(const proposals *p, const proposals_access *access, uint32_t kept)
{
    return (trace_of){(access->address | (p->line_size - 1)) - (kept >> ITEM_AT),
                      kept >> PART_BITS & ((1u << TYPE_BITS) - 1), kept & ((1u << PART_BITS) - 1),
                      kept >> MORE_AT & ((1u << MORE_BITS) - 1)};
}

static void count_line(proposals *p, const proposals_access *access, const trace_of *now)
{
    if (access->line >= p->rivals->len)
        g_array_set_size(p->rivals, access->line + 1);
    rivals *r = &g_array_index(p->rivals, rivals, access->line);
    const trace_of rival = unpacked(p, access, rivals_meet(r, access->thread, access->write, packed(p, access, now)));
    if (access->contended && now->type && rival.type == now->type)
        count_conflict(usage_of(p, now->type), &rival, now);
}

/* Parts of one access are used together as well. */
static void count_together(usage *u, const trace_of *then, const trace_of *now)
{
    for (uint32_t i = then->part; i <= (uint32_t)then->part + then->more; i++)
        for (uint32_t k = then == now ? i + 1 : now->part; k <= (uint32_t)now->part + now->more; k++) {
            if (i == k)
                continue;
            count_up(&cacheray_proposals_pair_of(u, i, k)->together);
            count_up(&cacheray_proposals_pair_of(u, k, i)->together);
        }
}

static void count_history(proposals *p, uint64_t thread, const trace_of *now)
{
    uint32_t known = hash_map_find(&p->threads, thread);
    if (!known && p->threads.count < THREADS_MAX - 1)
        known = hash_map_add(&p->threads, thread);
    history *h = &p->histories[known]; /* 0: of all further ones */
    if (!h->all)
        h->all = g_new0(trace_of, p->within);
    for (unsigned i = 0; now->type && i < p->within; i++)
        if (h->all[i].type == now->type && h->all[i].item == now->item)
            count_together(usage_of(p, now->type), &h->all[i], now);
    if (now->more)
        count_together(usage_of(p, now->type), now, now);
    h->all[h->next] = *now;
    h->next = (h->next + 1) % p->within;
}

void proposals_count(proposals *p, const proposals_access *access)
{
    const trace_of now = {access->item, access->type, (uint16_t)access->part,
                          (uint16_t)(access->type ? MIN(access->more, PROPOSALS_MORE_MAX) : 0)};
    for (uint32_t i = 0; now.type && i <= now.more; i++)
        usage_of(p, now.type)->accesses[now.part + i]++;
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
    bool *starts;      /* by struct_part: it begins a line */
    unsigned groups;
    bool across;          /* structs conflict with each other */
    uint32_t size, align; /* align 0: as it was */
} plan;

static bool is_significant(const usage *u, uint64_t conflicts)
{
    return conflicts && conflicts * 100 >= u->contended * SIGNIFICANT_PERCENT;
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
static int64_t cacheray_proposals_fits(const plan *n, uint32_t which, uint32_t group)
{
    int64_t together = 0;
    for (uint32_t i = 0; i < n->of->parts->count; i++) {
        const pair *both = cacheray_proposals_pair_of(n->of, which, i);
        if (n->group[i] != group || i == which)
            continue;
        if (is_significant(n->of, both->inside))
            return -1;
        together += both->together;
    }
    return together;
}

/* Parts that stay where they are begin the first group, whatever they conflict with. */
static void make_groups(plan *n)
{
    for (uint32_t i = 0; i < n->of->parts->count; i++)
        if (n->of->parts->all[i].fixed)
            n->group[i] = n->groups = 1;
    for (uint32_t which; (which = hottest(n)) != PARTS_NONE;) {
        uint32_t best = 0;
        int64_t most = -1;
        for (uint32_t group = 1; group <= n->groups; group++) {
            int64_t together = cacheray_proposals_fits(n, which, group);
            if (together > most) {
                most = together;
                best = group;
            }
        }
        n->group[which] = best ? best : ++n->groups;
    }
}

/* Returns whether a part comes before another one of its group. */
static bool is_before(const plan *n, const uint64_t *together, uint32_t a, uint32_t b)
{
    const struct_part *all = n->of->parts->all;
    if (all[a].fixed || all[b].fixed)
        return all[a].fixed && (!all[b].fixed || a < b);
    return together[a] > together[b] || (together[a] == together[b] && n->of->accesses[a] > n->of->accesses[b]);
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
                if (best == PARTS_NONE || is_before(n, together, i, best))
                    best = i;
            }
            if (best == PARTS_NONE)
                break;
            done[best] = true;
            n->order[at++] = best;
            for (uint32_t i = 0; i < p->count; i++)
                together[i] += cacheray_proposals_pair_of(n->of, best, i)->together;
        }
}

/* The order with the fewest gaps: by alignment, else as it is. */
static void make_dense(plan *n)
{
    const struct_parts *p = n->of->parts;
    uint32_t at = 0;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->all[i].fixed)
            n->order[at++] = i;
    for (uint32_t align = 1u << 31; align; align /= 2)
        for (uint32_t i = 0; i < p->count; i++)
            if (!p->all[i].fixed && p->all[i].align == align)
                n->order[at++] = i;
}

/* Each group begins a line. False: one cannot, since bit-fields and what has no name cannot be aligned. */
static bool make_starts(plan *n)
{
    bool possible = true;
    for (uint32_t i = 0; i < n->of->parts->count; i++) {
        const struct_part *part = &n->of->parts->all[n->order[i]];
        const bool starts = i && n->group[n->order[i]] != n->group[n->order[i - 1]];
        n->starts[n->order[i]] = starts || i == 0;
        possible &= !starts || !(part->bits || part->names[1]);
    }
    return possible;
}

static bool moves(const plan *n)
{
    bool found = n->size != n->of->parts->size || n->align > n->of->parts->align;
    for (uint32_t i = 0; i < n->of->parts->count; i++)
        found |= n->offsets[i] != n->of->parts->all[i].offset;
    return found;
}

static const char *cacheray_proposals_name_of(const usage *u, uint32_t which)
{
    return u->parts->all[which].shown;
}

static void append_reasons(const plan *n, GString *text)
{
    const usage *u = n->of;
    uint64_t across = 0;
    uint32_t a = 0, b = 0;
    for (uint32_t i = 0; i < u->parts->count; i++)
        for (uint32_t k = i; k < u->parts->count; k++) {
            const pair *both = cacheray_proposals_pair_of(u, i, k);
            across += both->across;
            if (i != k && is_significant(u, both->inside))
                g_string_append_printf(text, "# %s and %s conflict %u times\n", cacheray_proposals_name_of(u, i),
                                       cacheray_proposals_name_of(u, k), both->inside);
            if (i != k && both->together > cacheray_proposals_pair_of(u, a, b)->together) {
                a = i;
                b = k;
            }
        }
    if (n->across)
        g_string_append_printf(text, "# different structs conflict %" G_GUINT64_FORMAT " times: each gets whole lines\n",
                               across);
    if (a != b)
        g_string_append_printf(text, "# most used together: %s and %s, %u times\n", cacheray_proposals_name_of(u, a),
                               cacheray_proposals_name_of(u, b), cacheray_proposals_pair_of(u, a, b)->together);
}

static bool is_declared(const plan *n, uint32_t i)
{
    return !n->of->parts->all[n->order[i]].implicit;
}

static void append_order(const plan *n, GString *text)
{
    const char *separator = "";
    if (n->size != n->of->parts->size)
        g_string_append_printf(text, "# %u instead of %u bytes\n", n->size, n->of->parts->size);
    if (n->align)
        g_string_append_printf(text, "# with alignas(%u), in this order: ", n->align);
    else
        g_string_append(text, "# in this order: ");
    for (uint32_t i = 0; i < n->of->parts->count; i++) {
        if (!is_declared(n, i))
            continue;
        g_string_append(text, separator);
        if (n->align && i && n->starts[n->order[i]])
            g_string_append_printf(text, "alignas(%u) ", n->align);
        g_string_append(text, cacheray_proposals_name_of(n->of, n->order[i]));
        separator = ", ";
    }
    g_string_append_c(text, '\n');
}

/* The members of a part, each by its first name, at their new offsets. False: another member has that name, too. */
static bool cacheray_proposals_append_pieces(const plan *n, uint32_t which, GString *text)
{
    const struct_part *part = &n->of->parts->all[which];
    const struct_parts *pieces = n->of->pieces;
    for (uint32_t i = 0; i < pieces->count; i++) {
        const struct_part *piece = &pieces->all[i];
        if (piece->offset - part->offset >= part->size)
            continue;
        if (parts_named(pieces, piece->names[0]) != i)
            return false;
        g_string_append_printf(text, "%s,%u;", piece->names[0], n->offsets[which] + piece->offset - part->offset);
    }
    return true;
}

/* g_malloc'ed; NULL: it cannot be written. */
static char *line_of(const plan *n)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_printf(text, "struct %s=", n->of->name);
    for (uint32_t i = 0; i < n->of->parts->count; i++)
        if (is_declared(n, i) && !cacheray_proposals_append_pieces(n, n->order[i], text))
            return NULL;
    g_string_append_printf(text, "sizeof,%u", n->size);
    if (n->align)
        g_string_append_printf(text, ";alignof,%u", n->align);
    return g_strdup(text->str);
}

static void free_proposal(gpointer data)
{
    proposal *p = data;
    g_free(p->reasons);
    g_free(p->order);
    g_free(p->line);
    g_free(p);
}

static uint64_t accesses_of(const usage *u)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < u->parts->count; i++)
        all += u->accesses[i];
    return all;
}

/* Adds the layout, unless it is the present one or the same as another one. `lines`: groups begin lines. */
static void add_layout(plan *n, uint32_t type, uint32_t lines, GPtrArray *to)
{
    n->align = lines;
    if ((!make_starts(n) && lines) ||
        !parts_place(n->of->parts, n->order, lines ? n->starts : NULL, MAX(lines, 1), n->offsets, &n->size) || !moves(n))
        return;
    g_autofree char *line = line_of(n);
    for (guint i = to->len; line && i-- > 0 && ((proposal *)g_ptr_array_index(to, i))->type == type;)
        if (strcmp(line, ((proposal *)g_ptr_array_index(to, i))->line) == 0)
            return;
    if (!line)
        return;
    g_autoptr(GString) reasons = g_string_new(NULL), order = g_string_new(NULL);
    append_reasons(n, reasons);
    append_order(n, order);
    proposal *p = g_new0(proposal, 1);
    *p = (proposal){type, accesses_of(n->of), g_strdup(reasons->str), g_strdup(order->str), g_steal_pointer(&line)};
    g_ptr_array_add(to, p);
}

static void add_layouts(const proposals *p, uint32_t type, GPtrArray *to)
{
    const usage *u = usage_of(p, type);
    unsigned count = u->parts->count;
    g_autofree uint32_t *group = g_new0(uint32_t, count), *order = g_new0(uint32_t, count),
                        *offsets = g_new0(uint32_t, count);
    g_autofree bool *starts = g_new0(bool, count);
    plan n = {.of = u, .group = group, .order = order, .offsets = offsets, .starts = starts};
    uint64_t across = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i; k < count; k++)
            across += cacheray_proposals_pair_of(u, i, k)->across;
    n.across = is_significant(u, across);
    make_groups(&n);
    make_order(&n);
    add_layout(&n, type, 0, to);
    add_layout(&n, type, p->line_size,
               to); /* if nothing conflicts, it depends on where the struct begins whether this is better */
    make_dense(&n);
    add_layout(&n, type, 0, to);
}

static gint compare_types(gconstpointer a, gconstpointer b, gpointer accesses)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const uint64_t p = ((const uint64_t *)accesses)[x - 1], q = ((const uint64_t *)accesses)[y - 1];
    return p != q ? (p < q) - (p > q) : (x > y) - (x < y);
}

GPtrArray *proposals_made(const proposals *p)
{
    GPtrArray *made = g_ptr_array_new_with_free_func(free_proposal);
    g_autoptr(GArray) types = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    uint64_t accesses[PROPOSALS_STRUCTS_MAX];
    for (uint32_t type = 1; type <= p->structs->len; type++) {
        accesses[type - 1] = accesses_of(usage_of(p, type));
        g_array_append_val(types, type);
    }
    g_array_sort_with_data(types, compare_types, accesses);
    for (guint i = 0; i < types->len; i++)
        add_layouts(p, g_array_index(types, uint32_t, i), made);
    return made;
}
