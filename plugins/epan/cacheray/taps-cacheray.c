/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tables of Cacheray traces share, and cacheray,tree (counts). All of them use the tap "cacheray" and take a
 * display filter as last argument. Only the accesses that pass it decide how a line is shared. */
#include "cacheray-tables.h"
#include "counts.h"

#include <epan/stats_tree.h>
#include <epan/tap.h>

#include "cacheray/cacheray.h"

/* --- cells and names --------------------------------------------------------------------------------------------------- */

void cacheray_table_number(stat_tap_table *table, guint row, guint column, unsigned value)
{
    stat_tap_get_field_data(table, row, column)->value.uint_value = value;
}

void cacheray_table_row(stat_tap_table *table, guint row, const stat_tap_table_item *columns, guint count)
{
    stat_tap_table_item_type *cells = g_new0(stat_tap_table_item_type, count);
    for (guint i = 0; i < count; i++) {
        if (columns[i].type == TABLE_ITEM_STRING && columns[i].align == TAP_ALIGN_RIGHT)
            cells[i] = table_number();
        else if (columns[i].type == TABLE_ITEM_STRING)
            cells[i] = table_text("");
        else
            cells[i].type = columns[i].type;
    }
    stat_tap_init_table_row(table, row, count, cells);
    g_free(cells);
}

char *cacheray_data_name(const cacheray_view *v)
{
    if (v->variable)
        return g_strdup_printf("variable %s", v->variable);
    return g_strdup(v->type ? v->type : "(not annotated)");
}

/* --- tree: counts by kind, thread, type and member --------------------------------------------------------------------- */

static int node_kinds = -1, node_threads = -1, node_types = -1;
static const char *const name_kinds = "Kinds", *const name_threads = "Threads", *const name_types = "Accesses by type";
static counts tree_threads, tree_types, tree_members;

static void tree_init(stats_tree *tree)
{
    node_kinds = stats_tree_create_node(tree, name_kinds, 0, STAT_DT_INT, TRUE);
    node_threads = stats_tree_create_node(tree, name_threads, 0, STAT_DT_INT, TRUE);
    node_types = stats_tree_create_node(tree, name_types, 0, STAT_DT_INT, TRUE);
    counts_begin(&tree_threads);
    counts_begin(&tree_types);
    counts_begin(&tree_members);
}

static tap_packet_status tree_packet(stats_tree *tree, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                     tap_flags_t flags)
{
    (void)edt;
    (void)flags;
    const cacheray_view *v = tapped;
    bool bursts = counts_enter(pinfo);
    tick_stat_node(tree, name_kinds, 0, TRUE);
    tick_stat_node(tree, val_to_str_const(v->context->kind, cacheray_events, "Unknown"), node_kinds, FALSE);
    if (v->kind < CACHERAY_KINDS) {
        char text[24];
        snprintf(text, sizeof text, "%" PRIu64, v->thread);
        tick_stat_node(tree, name_threads, 0, TRUE);
        counts_tick(&tree_threads, tree, node_threads, text, false);
    }
    if (v->is_access) {
        char *data = cacheray_data_name(v);
        tick_stat_node(tree, name_types, 0, TRUE);
        int node = counts_tick(&tree_types, tree, node_types, data, true);
        if (v->member)
            counts_tick(&tree_members, tree, node, v->member, false);
        g_free(data);
    }
    counts_leave(bursts);
    return TAP_PACKET_REDRAW;
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

void cacheray_taps_register(void)
{
    cacheray_types_register();
    cacheray_lines_register();
    cacheray_offsets_register();
    cacheray_regions_register();
    cacheray_whatif_register();
}

void cacheray_taps_handoff(void)
{
    stats_tree_register_plugin("cacheray", "cacheray", COMPAT_TREES("Cacheray") "Records", COUNTS_LARGEST_FIRST, tree_packet,
                               tree_init, NULL);
}
