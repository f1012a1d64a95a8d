/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "counts.h"

#include "hash.h"

void counts_begin(counts *c)
{
    if (c->names)
        g_hash_table_destroy(c->names);
    c->names = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
}

/* Whether the name has a node, or may get one. */
static bool has_room(counts *c, int parent, const char *name)
{
    char *key = g_strdup_printf("%d %s", parent, name);
    bool known = g_hash_table_contains(c->names, key), room = known || g_hash_table_size(c->names) < COUNTS_MAX;
    if (!known && room)
        g_hash_table_add(c->names, key);
    else
        g_free(key);
    return room;
}

int counts_tick(counts *c, stats_tree *tree, int parent, const char *name, bool inner)
{
    return tick_stat_node(tree, has_room(c, parent, name) ? name : COUNTS_OTHERS, parent, inner);
}
