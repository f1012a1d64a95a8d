/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of Cacheray traces: cacheray,tree (counts), and registration. All of them use the tap "cacheray" and take a
 * display filter as last argument. Only the accesses that pass it decide how a line is shared. */
#include "cacheray/tables-cacheray.h"
#include "statistics/count_tree.h"
#include "statistics/counts.h"

#include <epan/stats_tree.h>
#include <epan/tap.h>

#include "cacheray/cacheray.h"

/* --- tree: counts by kind, thread, type and member --------------------------------------------------------------------- */

/* The first nodes are cells 1 to 3; see also counts_cell(). */
enum { TREE_FIRST, TREE_THREADS, TREE_TYPES, TREE_MEMBERS };
enum { CELL_KINDS = 1, CELL_THREADS, CELL_TYPES };

static void tree_init(stats_tree *tree)
{
    static const char *const names[] = {
        [CELL_KINDS] = "Kinds", [CELL_THREADS] = "Threads", [CELL_TYPES] = "Accesses by type"};
    counts_batch *b = counts_batch_begin(tree);
    for (unsigned i = CELL_KINDS; i <= CELL_TYPES; i++) {
        stats_tree_create_node(tree, names[i], 0, STAT_DT_INT, TRUE); /* even if nothing is counted there */
        counts_cell(b, TREE_FIRST, COUNTS_TOP, i, names[i], true);
    }
}

static void tree_cleanup(stats_tree *tree)
{
    counts_batch_end(tree);
}

static void count_kind(counts_batch *b, uint8_t kind)
{
    uint32_t cell = counts_known(b, CELL_KINDS, kind);
    if (!cell)
        cell = counts_cell(b, TREE_FIRST, CELL_KINDS, kind, val_to_str_const(kind, cacheray_events, "Unknown"), false);
    counts_add(b, CELL_KINDS);
    counts_add(b, cell);
}

static void count_thread(counts_batch *b, uint64_t thread)
{
    uint32_t cell = counts_known(b, CELL_THREADS, thread);
    if (!cell) {
        char text[24];
        snprintf(text, sizeof text, "%" PRIu64, thread);
        cell = counts_cell(b, TREE_THREADS, CELL_THREADS, thread, text, false);
    }
    counts_add(b, CELL_THREADS);
    counts_add(b, cell);
}

/* Each name is stored once per file, so its address tells it apart. */
static void count_data(counts_batch *b, const cacheray_view *v)
{
    const uint64_t key = (uintptr_t)(v->variable ? v->variable : v->type);
    uint32_t data = counts_known(b, CELL_TYPES, key);
    if (!data) {
        g_autofree char *name = cacheray_data_name(v);
        data = counts_cell(b, TREE_TYPES, CELL_TYPES, key, name, true);
    }
    counts_add(b, CELL_TYPES);
    counts_add(b, data);
    if (!v->member)
        return;
    uint32_t cell = counts_known(b, data, (uintptr_t)v->member);
    if (!cell)
        cell = counts_cell(b, TREE_MEMBERS, data, (uintptr_t)v->member, v->member, false);
    counts_add(b, cell);
}

static tap_packet_status tree_packet(stats_tree *tree, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                     tap_flags_t flags)
{
    (void)edt;
    (void)flags;
    const cacheray_view *v = tapped;
    counts_batch *b = counts_batch_of(tree);
    counts_batch_enter(b, pinfo);
    count_kind(b, v->context->kind);
    if (v->kind < CACHERAY_KINDS)
        count_thread(b, v->thread);
    if (v->is_access)
        count_data(b, v);
    return TAP_PACKET_REDRAW;
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

void cacheray_taps_register(void)
{
    cacheray_tables_register();
    cacheray_whatif_register();
    cacheray_diff_register();
}

void cacheray_taps_handoff(void)
{
    static const count_tree tree = {"cacheray",  "cacheray", COMPAT_TREES("Cacheray") "Records",
                                    tree_packet, tree_init,  tree_cleanup};
    count_tree_register(&tree);
}
