/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/ranks.h"

#include "containers/hash.h"

void ovni_ranks_init(ovni_ranks *r)
{
    r->programs = g_hash_table_new(g_direct_hash, g_direct_equal);
    r->found = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    r->processes = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
}

void ovni_ranks_clear(ovni_ranks *r)
{
    g_hash_table_destroy(r->programs);
    g_hash_table_destroy(r->found);
    g_hash_table_destroy(r->processes);
}

/* Since 1.11.0 only one thread of a process may have its rank. */
static void add_process(ovni_ranks *r, const ovni_location *p, const ovni_metadata *m, bool has_rank)
{
    const ovni_context *c = m->identity.known & OVNI_KNOWN_PROCESS ? &m->identity : &p->identity;
    const char *loom = m->loom ? m->loom : p->loom ? p->loom : "";
    g_autofree char *process = g_strdup_printf("%d %s", c->known & OVNI_KNOWN_PROCESS ? c->process : -1, loom);
    has_rank = has_rank || g_hash_table_lookup(r->processes, process);
    g_hash_table_insert(r->processes, g_steal_pointer(&process), GINT_TO_POINTER(has_rank));
}

void ovni_ranks_add(ovni_ranks *r, const ovni_location *p, const ovni_metadata *m)
{
    const ovni_context *c = &m->identity;
    const bool has_rank = c->known & OVNI_KNOWN_RANK && m->ranks > 0;
    add_process(r, p, m, has_rank);
    if (!has_rank)
        return;
    g_hash_table_add(r->programs, GINT_TO_POINTER(m->ranks));
    g_hash_table_add(r->found, g_strdup_printf("%d of %d", c->rank, m->ranks));
}

unsigned ovni_ranks_found(const ovni_ranks *r)
{
    return g_hash_table_size(r->found);
}

unsigned ovni_ranks_declared(const ovni_ranks *r)
{
    unsigned sum = 0;
    GHashTableIter i;
    gpointer ranks;
    for (g_hash_table_iter_init(&i, r->programs); g_hash_table_iter_next(&i, &ranks, NULL);)
        sum += GPOINTER_TO_UINT(ranks);
    return sum;
}

bool ovni_ranks_are_one_run(const ovni_ranks *r)
{
    GHashTableIter i;
    gpointer has_rank = GINT_TO_POINTER(1);
    for (g_hash_table_iter_init(&i, r->processes); has_rank && g_hash_table_iter_next(&i, NULL, &has_rank);)
        ;
    return has_rank && g_hash_table_size(r->programs) == 1 && g_hash_table_size(r->processes) == ovni_ranks_found(r);
}
