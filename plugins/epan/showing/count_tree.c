/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "showing/count_tree.h"

#include <stdio.h>
#include <string.h>

#include <epan/prefs-int.h>
#include <epan/prefs.h>
#include <epan/stat_tap_ui.h>
#include <epan/stats_tree_priv.h>

#include <math.h>

#include "host/commands.h"
#include "host/listening.h"
#include "host/menus.h"
#include "host/notices.h"
#include "host/printing.h"
#include "showing/drawn_tree.h"

/* --- counting ---------------------------------------------------------------------------------------------------------- */

/* A tree of Wireshark, and what it has not been given yet. */
typedef struct counting {
    drawn_tree drawn; /* first */
    count_cells *cells;
    double from, until; /* the interval of all counts, ms */
    bool far;           /* in time, see is_far() */
} counting;

#define SECONDS_MAX (INT64_C(1) << 45)

/* Wireshark's trees look for bursts, and crash if the time since the first record is so long that a double cannot
 * distinguish tenths of a second. Such records are counted without that. */
static bool is_far(double now)
{
    return fabs(now) > (double)SECONDS_MAX * 1000;
}

/* Adds to the node of a cell and those above it, which are made if they are new; returns its id. */
static int add_to_nodes(const counting *c, count_cell *cell, int count)
{
    const int above = cell->above ? add_to_nodes(c, cell->above, count) : 0;
    if (!cell->shown)
        cell->shown = drawn_tree_node_name(&c->drawn, &cell->name, 0);
    return increase_stat_node(c->drawn.tree, cell->shown, above, cell->inner, count);
}

static void count_tree_take(void *data, count_cell *cell)
{
    const counting *c = data;
    c->drawn.tree->now = cell->first;
    add_to_nodes(c, cell, (int)cell->count);
}

static void count_tree_flush(void *data)
{
    const counting *c = data;
    const double now = c->drawn.tree->now;
    const bool bursts = prefs.st_enable_burstinfo;
    if (c->far)
        prefs.st_enable_burstinfo = FALSE;
    count_cells_take(c->cells, count_tree_take, data);
    c->drawn.tree->now = now;
    prefs.st_enable_burstinfo = bursts;
}

static void next_interval(counting *c, double now)
{
    count_tree_flush(c);
    c->from = floor(now / prefs.st_burst_resolution) * prefs.st_burst_resolution;
    c->until = c->from + prefs.st_burst_resolution;
    c->far = is_far(now);
}

static bool count_tree_count(stats_tree *tree, const void *tapped)
{
    const double now = tree->now;
    counting *c = (counting *)drawn_tree_of(tree);
    if (G_UNLIKELY(now < c->from || now >= c->until))
        next_interval(c, now);
    count_cells_at(c->cells, now);
    return ((const count_tree *)c->drawn.of)->add(c->cells, tapped);
}

static tap_packet_status count_tree_packet(stats_tree *tree, packet_info *pinfo _U_, epan_dissect_t *edt _U_,
                                           const void *tapped, tap_flags_t flags _U_)
{
    return count_tree_count(tree, tapped) ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW;
}

/* Sets what stats_tree_packet() sets. */
static bool count_tree_direct(void *data, const counted_record *r)
{
    stats_tree *tree = data;
    const record_seen *seen = r->reader;
    tree->now = nstime_to_msec(&seen->relative);
    if (tree->start < 0)
        tree->start = tree->now;
    tree->elapsed = tree->now - tree->start;
    return count_tree_count(tree, r->tapped);
}

/* --- beginning and end ------------------------------------------------------------------------------------------------- */

static void count_tree_begin(drawn_tree *t)
{
    const count_tree *of = t->of;
    ((counting *)t)->cells = count_cells_new(of->first, of->first_count);
    for (unsigned i = 0; i < of->first_count; i++)
        stats_tree_create_node(t->tree, of->first[i], 0, STAT_DT_INT, TRUE);
}

static void count_tree_end(drawn_tree *t)
{
    count_cells_free(((counting *)t)->cells);
}

/* --- programs without windows ------------------------------------------------------------------------------------------ */

/* A preference of later versions; earlier ones only have text. */
static st_format_type format_asked(void)
{
    module_t *module = prefs_find_module("statistics");
    pref_t *preference = module ? prefs_find_preference(module, "output_format") : NULL;
    return preference ? (st_format_type)prefs_get_enum_value(preference, pref_current) : ST_FORMAT_PLAIN;
}

static void count_tree_draw(void *data)
{
    const stats_tree *tree = data;
    GString *text = stats_tree_format_as_str(tree, format_asked(), stats_tree_get_default_sort_col(data),
                                             stats_tree_is_default_sort_DESC(data));
    printing_flush(text);
    g_string_free(text, TRUE);
}

static compat_stat_start count_tree_start_from_command(const char *argument, void *which)
{
    const count_tree *t = which;
    argument += strlen(t->name) + strlen(",tree");
    stats_tree *tree = stats_tree_new(stats_tree_get_cfg_by_abbr(t->name), NULL, *argument == ',' ? argument + 1 : NULL);
    g_autoptr(GError) error = NULL;
    static const listening_calls calls = {
        .reset = stats_tree_reset, .packet = stats_tree_packet, .draw = count_tree_draw, .count = count_tree_direct};
    if (listening_add(t->tap, tree, tree->filter, false, &calls, &error))
        tree->cfg->init(tree);
    else
        notices_refuse("%s,tree: %s", t->name, error->message);
    COMPAT_STAT_STARTED;
}

/* The first that registers a command keeps it, and plugins come before tshark. */
static void count_tree_register_command(const count_tree *t)
{
    g_autofree char *command = g_strdup_printf("%s,tree", t->name); /* Wireshark makes a copy */
    stat_tap_ui ui = {
        .group = REGISTER_STAT_GROUP_GENERIC, .cli_string = command, .tap_init_cb = count_tree_start_from_command};
    commands_register(&ui, (void *)(uintptr_t)t);
}

void count_tree_register(const count_tree *t)
{
    static const drawn_tree_kind kind = {sizeof(counting), count_tree_begin, count_tree_packet, count_tree_flush,
                                         count_tree_end};
    drawn_tree_register(&kind, t->tap, t->name, t->title, t);
    if (!menus_windows())
        count_tree_register_command(t);
}
