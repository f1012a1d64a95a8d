/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "counts.h"

#include <epan/prefs.h>

#include "hash.h"

#define SECONDS_MAX (INT64_C(1) << 45)

bool counts_enter(const packet_info *pinfo)
{
    bool bursts = prefs.st_enable_burstinfo;
    const int64_t seconds = pinfo->rel_ts.secs;
    if (seconds > SECONDS_MAX || seconds < -SECONDS_MAX)
        prefs.st_enable_burstinfo = FALSE;
    return bursts;
}

void counts_leave(bool bursts)
{
    prefs.st_enable_burstinfo = bursts;
}

void counts_begin(counts *c)
{
    if (c->names)
        g_hash_table_destroy(c->names);
    c->names = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
}

/* Whether the name has a node, or there is room for one. */
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
