/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "taps/count_tree.h"

#include <stdio.h>
#include <string.h>

#include <epan/prefs-int.h>
#include <epan/prefs.h>
#include <epan/stat_tap_ui.h>
#include <epan/stats_tree_priv.h>
#include <wsutil/report_message.h>

#include "host/commands.h"
#include "host/listening.h"
#include "host/menus.h"
#include "host/printing.h"
#include "taps/counts.h"

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

/* Starts a tree as tshark starts its own: with an invalid filter it goes on without the tree. */
static compat_stat_start count_tree_start_from_command(const char *argument, void *which)
{
    const count_tree *t = which;
    argument += strlen(t->name) + strlen(",tree");
    stats_tree *tree = stats_tree_new(stats_tree_get_cfg_by_abbr(t->name), NULL, *argument == ',' ? argument + 1 : NULL);
    g_autoptr(GError) error = NULL;
    if (listening_add(t->tap, tree, tree->filter, false, stats_tree_reset, stats_tree_packet, count_tree_draw, NULL, &error))
        t->init(tree);
    else
        report_failure("stats_tree for: %s failed to attach to the tap: %s", t->title, error->message);
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
    stats_tree_register_plugin(t->tap, t->name, t->title, COUNTS_LARGEST_FIRST, t->packet, t->init, t->cleanup);
    if (!menus_windows())
        count_tree_register_command(t);
}
