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

/* A name below a node. */
typedef struct counts_place {
    int parent;
    const char *name;
} place;

static guint hash_place(gconstpointer p)
{
    const place *key = p;
    return hash_text(key->name) ^ (guint)key->parent * 2654435761u;
}

static gboolean equal_places(gconstpointer a, gconstpointer b)
{
    const place *x = a, *y = b;
    return x->parent == y->parent && strcmp(x->name, y->name) == 0;
}

/* The name stands behind it. */
static place *keep_place(const place *like)
{
    size_t size = strlen(like->name) + 1;
    place *p = g_malloc(sizeof *p + size);
    *p = (place){like->parent, memcpy(p + 1, like->name, size)};
    return p;
}

void counts_begin(counts *c)
{
    if (c->names)
        g_hash_table_destroy(c->names);
    c->names = g_hash_table_new_full(hash_place, equal_places, g_free, NULL);
    memset(c->recent, 0, sizeof c->recent);
}

/* Where the place is, if it was asked for lately: a hash of the last two letters is enough, and much quicker than one of all. */
static const place **recent_place(counts *c, const place *key)
{
    size_t length = strlen(key->name);
    unsigned last = length ? (uint8_t)key->name[length - 1] : 0, other = length > 1 ? (uint8_t)key->name[length - 2] : 0;
    return &c->recent[(last + 7 * other + (unsigned)key->parent) % G_N_ELEMENTS(c->recent)];
}

/* Whether the name has a node, or there is room for one. */
static bool has_room(counts *c, int parent, const char *name)
{
    const place key = {parent, name};
    const place **recent = recent_place(c, &key);
    if (*recent && equal_places(*recent, &key))
        return true;
    gpointer known = NULL;
    if (!g_hash_table_lookup_extended(c->names, &key, &known, NULL) && g_hash_table_size(c->names) < COUNTS_MAX)
        g_hash_table_add(c->names, known = keep_place(&key));
    if (known)
        *recent = known;
    return known != NULL;
}

int counts_tick(counts *c, stats_tree *tree, int parent, const char *name, bool inner)
{
    return tick_stat_node(tree, has_room(c, parent, name) ? name : COUNTS_OTHERS, parent, inner);
}
