/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "showing/drawn_tree.h"

#include <epan/stats_tree_priv.h>
#include <epan/tap.h>

#include <string.h>

#include "host/drawing.h"
#include "host/menus.h"
#include "util/short_name.h"

static GHashTable *registered; /* name -> drawn_tree as it begins, never freed */
static GHashTable *trees;      /* stats_tree -> drawn_tree */
static drawn_tree *recent;     /* the one that was asked for last; NULL: none */

static void drawn_tree_free(void *data)
{
    drawn_tree *t = data;
    if (t->listens)
        remove_tap_listener(t);
    if (recent == t)
        recent = NULL;
    t->kind->end(t);
    g_hash_table_destroy(t->owners);
    g_free(t);
}

static void drawn_tree_init(stats_tree *tree)
{
    const drawn_tree *of = g_hash_table_lookup(registered, tree->cfg->abbr);
    drawn_tree *t = g_malloc0(of->kind->size);
    *t = *of;
    t->tree = tree;
    t->owners = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_hash_table_replace(trees, tree, t);
    t->kind->begin(t);
}

static void drawn_tree_cleanup(stats_tree *tree)
{
    g_hash_table_remove(trees, tree);
}

static void drawn_tree_gone(void *data)
{
    ((drawn_tree *)data)->listens = false;
}

drawn_tree *drawn_tree_of(const stats_tree *tree)
{
    if (G_UNLIKELY(!recent || recent->tree != tree))
        recent = g_hash_table_lookup(trees, tree);
    if (G_UNLIKELY(!recent->listens))
        recent->listens = drawing_listen(tree->cfg->tapname, recent, recent->kind->draw, drawn_tree_gone);
    return recent;
}

enum { NAME_MOST = 48, NAME_LEAST = 16, NAME_INDENT = 3 }; /* in characters; a level is indented by about 3 of them */

/* NULL: another name has been cut to the same. */
static const char *drawn_tree_cut(const drawn_tree *t, const shown_name *name, unsigned width)
{
    g_autoptr(GString) cut = g_string_new(NULL);
    short_name_append_cut(cut, name, width, 0);
    gpointer known, owner;
    if (!g_hash_table_lookup_extended(t->owners, cut->str, &known, &owner))
        g_hash_table_insert(t->owners, known = g_strdup(cut->str), owner = g_strdup(name->text));
    return strcmp(owner, name->text) == 0 ? known : NULL;
}

const char *drawn_tree_node_name(const drawn_tree *t, const shown_name *name, unsigned depth)
{
    if (!menus_windows())
        return name->text;
    unsigned width = NAME_MOST - MIN(depth * NAME_INDENT, NAME_MOST - NAME_LEAST);
    const char *cut;
    while (!(cut = drawn_tree_cut(t, name, width)) && width < NAME_MOST)
        width = MIN(width + NAME_INDENT, NAME_MOST);
    return cut ? cut : name->text;
}

void drawn_tree_register(const drawn_tree_kind *kind, const char *tap, const char *name, const char *title, const void *of)
{
    enum { LARGEST_FIRST = ST_FLG_SORT_DESC | ST_SORT_COL_COUNT << ST_FLG_SRTCOL_SHIFT };
    if (!registered) {
        registered = g_hash_table_new(g_str_hash, g_str_equal);
        trees = g_hash_table_new_full(NULL, NULL, NULL, drawn_tree_free);
    }
    drawn_tree *t = g_new(drawn_tree, 1);
    *t = (drawn_tree){.kind = kind, .of = of};
    g_hash_table_insert(registered, (void *)(uintptr_t)name, t);
    stats_tree_register_plugin(tap, name, title, LARGEST_FIRST, kind->packet, drawn_tree_init, drawn_tree_cleanup);
}
