/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "taps/counts.h"

#include <epan/prefs.h>
#include <epan/stats_tree_priv.h>
#include <epan/tap.h>

#include <math.h>
#include <string.h>

#include "host/drawing.h"
#include "host/menus.h"
#include "util/short_name.h"

#define SECONDS_MAX (INT64_C(1) << 45)

/* Wireshark's trees look for bursts, and crash if the time since the first record is so long that a double cannot
 * distinguish tenths of a second. Such records are counted without that. */
static bool is_far(double now)
{
    return fabs(now) > (double)SECONDS_MAX * 1000;
}

typedef struct counts_batch {
    stats_tree *tree;
    count_cells *cells;
    GArray *nodes;      /* int: ids, by cell; 0: none yet */
    GHashTable *owners; /* of their names */
    double from, until; /* the interval of all counts, ms */
    bool far;           /* in time, see is_far() */
    bool listens;
} counts_batch;

static GHashTable *batches;  /* stats_tree -> counts_batch */
static counts_batch *recent; /* the one that was asked for last; NULL: none */

const char *counts_node_name(GHashTable *owners, const char *name)
{
    enum { WINDOW_NAME = 48 };
    if (!menus_windows())
        return name;
    g_autoptr(GString) cut = g_string_new(NULL);
    short_name_append_cut(cut, name, WINDOW_NAME, 0);
    gpointer known, owner;
    if (!g_hash_table_lookup_extended(owners, cut->str, &known, &owner))
        g_hash_table_insert(owners, known = g_strdup(cut->str), owner = g_strdup(name));
    return strcmp(owner, name) == 0 ? known : name;
}

static void counts_take(void *data, const count_cells_counted *counted)
{
    const counts_batch *b = data;
    if (counted->cell >= b->nodes->len)
        g_array_set_size(b->nodes, counted->cell + 1);
    b->tree->now = counted->first;
    const int parent = g_array_index(b->nodes, int, counted->parent);
    g_array_index(b->nodes, int, counted->cell) = increase_stat_node(b->tree, counts_node_name(b->owners, counted->name),
                                                                     parent, counted->inner, (int)counted->count);
}

static void flush(counts_batch *b)
{
    const double now = b->tree->now;
    const bool bursts = prefs.st_enable_burstinfo;
    if (b->far)
        prefs.st_enable_burstinfo = FALSE;
    count_cells_take(b->cells, counts_take, b);
    b->tree->now = now;
    prefs.st_enable_burstinfo = bursts;
}

static void counts_before_drawing(void *data)
{
    flush(data);
}

static void counts_listener_gone(void *data)
{
    ((counts_batch *)data)->listens = false;
}

static void free_batch(gpointer data)
{
    counts_batch *b = data;
    if (b->listens)
        remove_tap_listener(b);
    if (recent == b)
        recent = NULL;
    count_cells_free(b->cells);
    g_array_free(b->nodes, TRUE);
    g_hash_table_destroy(b->owners);
    g_free(b);
}

void counts_batch_begin(stats_tree *tree, count_cells *cells, const char *const *names, unsigned count)
{
    if (!batches)
        batches = g_hash_table_new_full(NULL, NULL, NULL, free_batch);
    counts_batch *b = g_new0(counts_batch, 1);
    b->tree = tree;
    b->cells = cells;
    b->nodes = g_array_new(FALSE, TRUE, sizeof(int));
    g_array_set_size(b->nodes, 1);
    b->owners = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_hash_table_replace(batches, tree, b);
    for (unsigned i = 0; i < count; i++)
        stats_tree_create_node(tree, names[i], 0, STAT_DT_INT, TRUE);
}

void counts_batch_end(stats_tree *tree)
{
    if (batches)
        g_hash_table_remove(batches, tree);
}

static void next_interval(counts_batch *b, double now)
{
    if (!b->listens)
        b->listens = drawing_listen(b->tree->cfg->tapname, b, counts_before_drawing, counts_listener_gone);
    flush(b);
    b->from = floor(now / prefs.st_burst_resolution) * prefs.st_burst_resolution;
    b->until = b->from + prefs.st_burst_resolution;
    b->far = is_far(now);
}

count_cells *counts_batch_enter(const stats_tree *tree)
{
    const double now = tree->now;
    if (G_UNLIKELY(!recent || recent->tree != tree))
        recent = g_hash_table_lookup(batches, tree);
    counts_batch *b = recent;
    if (G_UNLIKELY(now < b->from || now >= b->until || !b->listens))
        next_interval(b, now);
    count_cells_at(b->cells, now);
    return b->cells;
}
