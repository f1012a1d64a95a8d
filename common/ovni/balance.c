/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/balance.h"

#include <string.h>

const rows_column ovni_balance_columns[OVNI_BALANCE_COLUMNS] = {
    [OVNI_BALANCE_NAME] = {"Rank", ROWS_TEXT, ROWS_EACH},
    [OVNI_BALANCE_RUNNING] = {"Running", ROWS_TIME, ROWS_ADDS},
    [OVNI_BALANCE_MPI] = {"MPI", ROWS_TIME, ROWS_ADDS},
    [OVNI_BALANCE_OUTSIDE] = {"Outside", ROWS_TIME, ROWS_ADDS},
};

/* In ns. */
typedef struct load {
    const char *name; /* NULL: nothing was counted */
    int64_t running, mpi;
} load;

struct ovni_balance {
    ovni_groups *groups;
    GArray *loads; /* of load, by group */
};

ovni_balance *ovni_balance_new(void)
{
    ovni_balance *b = g_new0(ovni_balance, 1);
    b->groups = ovni_groups_new(OVNI_BY_LOAD);
    b->loads = g_array_new(FALSE, TRUE, sizeof(load));
    return b;
}

void ovni_balance_free(ovni_balance *b)
{
    if (!b)
        return;
    ovni_groups_free(b->groups);
    g_array_free(b->loads, TRUE);
    g_free(b);
}

ovni_groups *ovni_balance_groups(ovni_balance *b)
{
    return b->groups;
}

static load *load_of(ovni_balance *b, uint32_t group)
{
    if (group >= b->loads->len)
        g_array_set_size(b->loads, group + 1);
    load *l = &g_array_index(b->loads, load, group);
    l->name = ovni_groups_text(b->groups, group);
    return l;
}

bool ovni_balance_add(ovni_balance *b, const record_context *c, uint32_t frame, const ovni_event *event,
                      const ovni_known *known)
{
    const call *k = &known->region;
    if (known->has_left && event->channels & OVNI_THREAD_STATE && known->left.state & CALL_TIMED) {
        const ovni_event *left = ovni_event_numbered(known->previous_function);
        if (!left || g_strcmp0(left->state, "Running") != 0)
            return false;
        load_of(b, ovni_groups_of(b->groups, c, known))->running += (int64_t)known->left.duration;
        return true;
    }
    if (!(event->channels & OVNI_FUNCTION) || !ovni_known_region_ends(known, frame) || k->depth)
        return false;
    load_of(b, ovni_groups_of(b->groups, c, known))->mpi += (int64_t)(k->duration - k->away);
    return true;
}

void ovni_balance_merge(ovni_balance *b, const ovni_balance *other)
{
    for (guint i = 0; i < other->loads->len; i++) {
        const load *from = &g_array_index(other->loads, load, i);
        if (!from->name)
            continue;
        load *to = load_of(b, ovni_groups_number(b->groups, from->name));
        to->running += from->running;
        to->mpi += from->mpi;
    }
}

static gint compare_loads(gconstpointer a, gconstpointer b)
{
    const char *p = ((const load *)a)->name, *q = ((const load *)b)->name;
    const size_t x = strlen(p), y = strlen(q);
    return x != y && g_str_has_prefix(p, "rank ") && g_str_has_prefix(q, "rank ") ? (x > y) - (x < y) : strcmp(p, q);
}

static rows_cell signed_number(int64_t value)
{
    return value < 0 ? rows_change(0 - (uint64_t)value, 0) : rows_number((uint64_t)value);
}

bool ovni_balance_fill(const ovni_balance *b, rows *to, double *ratio)
{
    int64_t most = 0, all = 0;
    g_autoptr(GArray) sorted = g_array_new(FALSE, FALSE, sizeof(load));
    for (guint i = 0; i < b->loads->len; i++)
        if (g_array_index(b->loads, load, i).name)
            g_array_append_val(sorted, g_array_index(b->loads, load, i));
    g_array_sort(sorted, compare_loads);
    for (guint i = 0; i < sorted->len; i++) {
        const load *l = &g_array_index(sorted, load, i);
        const int64_t outside = l->running - l->mpi;
        rows_cell *cells = rows_add(to);
        most = MAX(most, outside);
        all += outside;
        cells[OVNI_BALANCE_NAME] = rows_text(to, l->name);
        cells[OVNI_BALANCE_RUNNING] = signed_number(l->running);
        cells[OVNI_BALANCE_MPI] = signed_number(l->mpi);
        cells[OVNI_BALANCE_OUTSIDE] = signed_number(outside);
    }
    *ratio = most ? (double)all / sorted->len / (double)most : 0;
    return most != 0;
}
