/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/statistics/late_rank.h"

#include <glib.h>
#include <string.h>

#include "containers/hash_map.h"

/* A rank, and how many calls it has entered and left. */
typedef struct caller {
    int32_t rank;
    uint32_t stream, entered, left;
} caller;

struct late_rank {
    hash_map ranks;  /* rank -> number of the caller + 1 */
    GArray *callers; /* of caller */
    uint32_t last;   /* number of the caller whose first call comes last, + 1; 0: none yet */
    bool late;       /* all its calls came after those of the others so far */
    bool none;       /* calls cannot be counted */
};

late_rank *late_rank_new(void)
{
    late_rank *l = g_new0(late_rank, 1);
    hash_map_init(&l->ranks);
    l->callers = g_array_new(FALSE, FALSE, sizeof(caller));
    return l;
}

void late_rank_free(late_rank *l)
{
    if (!l)
        return;
    hash_map_clear(&l->ranks);
    g_array_free(l->callers, TRUE);
    g_free(l);
}

static caller *late_rank_caller(const late_rank *l, guint i)
{
    return &g_array_index(l->callers, caller, i);
}

/* Returns whether all others have left as many calls. */
static bool others_left(const late_rank *l, uint32_t but, uint32_t calls)
{
    for (guint i = 0; i < l->callers->len; i++)
        if (i + 1 != but && late_rank_caller(l, i)->left < calls)
            return false;
    return true;
}

static void enter(late_rank *l, uint32_t number)
{
    const uint32_t calls = ++late_rank_caller(l, number - 1)->entered;
    const bool first = calls == 1;
    if (first)
        l->last = number;
    if (number == l->last)
        l->late = (first || l->late) && others_left(l, number, calls);
}

void late_rank_visit(late_rank *l, const record_context *c, const ovni_event *event)
{
    const ovni_context *own = ovni_context_of(c);
    const bool enters = strcmp(event->mcv, "MAr") == 0;
    if (l->none || !(own->known & OVNI_KNOWN_RANK) || (!enters && strcmp(event->mcv, "MAR") != 0))
        return;
    const uint32_t number = hash_map_add(&l->ranks, (uint32_t)own->rank);
    const caller first = {own->rank, c->stream, 0, 0};
    if (number > l->callers->len)
        g_array_append_val(l->callers, first);
    caller *one = late_rank_caller(l, number - 1);
    l->none |= one->stream != c->stream || (enters ? one->entered != one->left : one->entered != one->left + 1);
    if (enters)
        enter(l, number);
    else
        one->left++;
}

bool late_rank_find(const late_rank *l, int32_t *rank, uint32_t *calls)
{
    if (l->none || !l->late || l->callers->len < 2)
        return false;
    const caller *last = late_rank_caller(l, l->last - 1);
    for (guint i = 0; i < l->callers->len; i++)
        if (late_rank_caller(l, i)->entered != last->entered || late_rank_caller(l, i)->left != last->entered)
            return false;
    *rank = last->rank;
    *calls = last->entered;
    return *calls >= LATE_RANK_CALLS;
}
