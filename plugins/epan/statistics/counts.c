/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/counts.h"

#include <epan/prefs.h>
#include <epan/stats_tree_priv.h>
#include <epan/tap.h>

#include <math.h>

#include "host/drawing.h"
#include "containers/hash.h"

#define SECONDS_MAX (INT64_C(1) << 45)

static bool is_far(const packet_info *pinfo)
{
    const int64_t seconds = pinfo->rel_ts.secs;
    return seconds > SECONDS_MAX || seconds < -SECONDS_MAX;
}

bool counts_enter(const packet_info *pinfo)
{
    bool bursts = prefs.st_enable_burstinfo;
    if (is_far(pinfo))
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

/* The name follows it. */
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
}

/* Whether the name has a node, or there is room for one. */
static bool has_room(counts *c, int parent, const char *name)
{
    const place key = {parent, name};
    if (g_hash_table_contains(c->names, &key))
        return true;
    return g_hash_table_size(c->names) < COUNTS_MAX && g_hash_table_add(c->names, keep_place(&key));
}

int counts_tick(counts *c, stats_tree *tree, int parent, const char *name, bool inner)
{
    return tick_stat_node(tree, has_room(c, parent, name) ? name : COUNTS_OTHERS, parent, inner);
}

/* --- many records ------------------------------------------------------------------------------------------------------ */

typedef struct cell {
    char *name;
    uint32_t parent; /* cell */
    uint32_t count;  /* of what is not yet in the tree */
    double first;    /* time of the first of these */
    int node;        /* id; 0: none yet */
    bool inner;
} cell;

struct counts_batch {
    stats_tree *tree;
    GArray *cells;     /* of cell */
    GArray *counted;   /* uint32_t: cells with a count, in the order of their first */
    GHashTable *known; /* hash_pair of key and parent -> cell */
    unsigned made[COUNTS_KINDS];
    double interval; /* of all counts */
    bool far;        /* in time, see counts_enter() */
    bool listens;
};

static GHashTable *batches; /* stats_tree -> counts_batch */

static cell *cell_at(const counts_batch *b, uint32_t number)
{
    return &g_array_index(b->cells, cell, number);
}

/* Parents come before their children, as they were counted before them. */
static void flush(counts_batch *b)
{
    const double now = b->tree->now;
    const bool bursts = prefs.st_enable_burstinfo;
    if (b->far)
        prefs.st_enable_burstinfo = FALSE;
    for (guint i = 0; i < b->counted->len; i++) {
        cell *c = cell_at(b, g_array_index(b->counted, uint32_t, i));
        b->tree->now = c->first;
        c->node = increase_stat_node(b->tree, c->name, cell_at(b, c->parent)->node, c->inner, (int)c->count);
        c->count = 0;
    }
    g_array_set_size(b->counted, 0);
    b->tree->now = now;
    prefs.st_enable_burstinfo = bursts;
}

static void before_drawing(void *data)
{
    flush(data);
}

static void listener_gone(void *data)
{
    ((counts_batch *)data)->listens = false;
}

static void clear_cell(gpointer data)
{
    g_free(((cell *)data)->name);
}

static void free_batch(gpointer data)
{
    counts_batch *b = data;
    if (b->listens)
        remove_tap_listener(b);
    g_array_free(b->cells, TRUE);
    g_array_free(b->counted, TRUE);
    g_hash_table_destroy(b->known);
    g_free(b);
}

counts_batch *counts_batch_begin(stats_tree *tree)
{
    if (!batches)
        batches = g_hash_table_new_full(NULL, NULL, NULL, free_batch);
    counts_batch *b = g_new0(counts_batch, 1);
    b->tree = tree;
    b->cells = g_array_new(FALSE, TRUE, sizeof(cell));
    g_array_set_clear_func(b->cells, clear_cell);
    g_array_set_size(b->cells, 1); /* COUNTS_TOP */
    b->counted = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    b->known = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, NULL);
    g_hash_table_replace(batches, tree, b);
    return b;
}

void counts_batch_end(stats_tree *tree)
{
    if (batches)
        g_hash_table_remove(batches, tree);
}

counts_batch *counts_batch_of(const stats_tree *tree)
{
    return batches ? g_hash_table_lookup(batches, tree) : NULL;
}

uint32_t counts_known(const counts_batch *b, uint32_t parent, uint64_t key)
{
    const hash_pair pair = {key, parent};
    return GPOINTER_TO_UINT(g_hash_table_lookup(b->known, &pair));
}

static uint32_t make_cell(counts_batch *b, const hash_pair *pair, const char *name, bool inner)
{
    const cell c = {.name = g_strdup(name), .parent = (uint32_t)pair->second, .inner = inner};
    g_array_append_val(b->cells, c);
    g_hash_table_insert(b->known, g_memdup2(pair, sizeof *pair), GUINT_TO_POINTER(b->cells->len - 1));
    return b->cells->len - 1;
}

uint32_t counts_cell(counts_batch *b, unsigned kind, uint32_t parent, uint64_t key, const char *name, bool inner)
{
    const hash_pair pair = {key, parent}, others = {0, parent | UINT64_C(1) << 32};
    if (b->made[kind] < COUNTS_MAX) {
        b->made[kind]++;
        return make_cell(b, &pair, name, inner);
    }
    uint32_t known = GPOINTER_TO_UINT(g_hash_table_lookup(b->known, &others));
    return known ? known : make_cell(b, &others, COUNTS_OTHERS, inner);
}

void counts_batch_enter(counts_batch *b, const packet_info *pinfo)
{
    const double interval = floor(b->tree->now / prefs.st_burst_resolution);
    const bool far = is_far(pinfo);
    if (!b->listens)
        b->listens = drawing_listen(b->tree->cfg->tapname, b, before_drawing, listener_gone);
    if (interval != b->interval || far != b->far)
        flush(b);
    b->interval = interval;
    b->far = far;
}

void counts_add(counts_batch *b, uint32_t number)
{
    cell *c = cell_at(b, number);
    if (!c->count++) {
        c->first = b->tree->now;
        g_array_append_val(b->counted, number);
    }
}
