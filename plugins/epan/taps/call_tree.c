/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "taps/call_tree.h"

#include <epan/stats_tree.h>
#include <epan/stats_tree_priv.h>
#include <epan/tap.h>

#include <string.h>

#include "containers/hash.h"
#include "host/drawing.h"
#include "host/menus.h"
#include "host/printing.h"
#include "statistics/call_sums.h"
#include "statistics/count_cells.h"
#include "taps/counts.h"
#include "statistics/rows_print.h"

static calltree *registered; /* list of all rows */

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static stack_piece_name naming(const calltree *t, bool full)
{
    return t->label && !full ? t->label : t->stacks->name;
}

/* Of one call, unless it has no self time and that is asked for. Self time is that of all calls with the same name. */
static bool call_tree_add(call_sums *s, const calltree *t, int which, bool in_ticks, const void *tapped, uint32_t i,
                          const call *k)
{
    const bool self = which == CALLTREE_SELF;
    if (!(k->state & CALL_TIMED) || (self && !(k->state & CALL_SELF)))
        return false;
    uint64_t duration = k->duration, own = k->state & CALL_SELF ? k->self : 0;
    if (t->nanoseconds && !in_ticks) {
        duration = t->nanoseconds(tapped, duration);
        own = t->nanoseconds(tapped, own);
    }
    stack_piece pieces[STACKS_PIECES];
    const unsigned n = t->stacks->stack(tapped, i, STACKS_SHORT, pieces), skipped = self && n ? n - 1 : 0;
    s->stacks.owner = t->stacks->thread(tapped).id;
    call_sums_add(s, pieces + skipped, n - skipped, self ? 0 : t->groups, duration, own, tapped);
    return true;
}

static bool add_all(call_sums *s, const calltree *t, int which, bool in_ticks, const packet_info *pinfo, const void *tapped)
{
    bool any = false;
    call k;
    for (uint32_t i = 0; t->stacks->ended(tapped, pinfo, i, &k); i++)
        any |= call_tree_add(s, t, which, in_ticks, tapped, i, &k);
    return any;
}

/* --- Wireshark's trees ------------------------------------------------------------------------------------------------- */

/* For each new node of a window Wireshark measures up to a thousand lines of it. So it has the nodes with most time, and a
 * few that have as much as the last of them, or appear while the file is read. */
enum { WINDOW_NODES = 1000, WINDOW_NODES_MOST = 2 * WINDOW_NODES };

/* A tree of Wireshark, in which nodes appear when it is drawn. */
typedef struct counting {
    const calltree *row;
    int which; /* of the row's trees */
    stats_tree *tree;
    call_sums sums;
    GHashTable *ids;    /* set of shown_node */
    GHashTable *owners; /* of their names */
    int root, others;
    bool listens;
} counting;

typedef struct shown_node {
    hash_pair place; /* first: it is the key. The id of the parent, and the name, which call_sums keeps once */
    int id;
} shown_node;

static GHashTable *countings; /* stats_tree -> counting; replaced when a tree begins again */

static void counting_free(void *data)
{
    counting *c = data;
    if (c->listens)
        remove_tap_listener(c);
    g_hash_table_destroy(c->ids);
    g_hash_table_destroy(c->owners);
    call_sums_clear(&c->sums);
    g_free(c);
}

static counting *counting_new(stats_tree *tree)
{
    counting *c = g_new0(counting, 1);
    c->tree = tree;
    c->ids = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, NULL);
    c->owners = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    for (c->row = registered;; c->row = c->row->next)
        for (c->which = 0; c->which < CALLTREES; c->which++)
            if (strcmp(c->row->trees[c->which].name, tree->cfg->abbr) == 0)
                return c;
}

/* Wireshark's nodes add up single-precision numbers, so sums are set. */
static void call_tree_show(const counting *c, int id, const uint64_t *numbers)
{
    static const int column[] = {CALL_SUMS_CALLS, CALL_SUMS_TIME, CALL_SUMS_SELF};
    const uint64_t count = numbers[column[c->which]] / (c->which == CALLTREE_CALLS ? 1 : 1000);
    stat_node *shown = g_ptr_array_index(c->tree->parents, (guint)id);
    shown->counter = (int)MIN(count, INT32_MAX);
    if (c->which != CALLTREE_CALLS)
        return;
    shown->st_flags |= ST_FLG_AVERAGE;
    shown->total.float_total = (float)((double)numbers[CALL_SUMS_TIME] / 1000);
    shown->minvalue.float_min = (float)((double)numbers[CALL_SUMS_MIN] / 1000);
    shown->maxvalue.float_max = (float)((double)numbers[CALL_SUMS_MAX] / 1000);
}

typedef struct showing {
    counting *counting;
    GArray *path;       /* int: ids; -1: there was no room */
    const bool *chosen; /* of the nodes as they are visited; NULL: all */
    guint visited;      /* nodes */
    uint64_t others[CALL_SUMS_NUMBERS];
} showing;

/* The node of a name; -1: it is not there, and there is no room: for a new node Wireshark searches all of its siblings.
 * `fits`: it may be added. */
static int call_tree_node_below(counting *c, int parent, const char *name, bool fits)
{
    const shown_node key = {.place = {(uint64_t)parent, (uintptr_t)name}}, *known = g_hash_table_lookup(c->ids, &key);
    const guint most = menus_windows() ? WINDOW_NODES_MOST : COUNT_CELLS_MAX;
    if (known || !fits || parent < 0 || g_hash_table_size(c->ids) + 1 >= most)
        return known ? known->id : -1;
    shown_node *made = g_memdup2(&key, sizeof key);
    made->id = stats_tree_create_node(c->tree, counts_node_name(c->owners, name), parent, STAT_DT_FLOAT, TRUE);
    g_hash_table_add(c->ids, made);
    return made->id;
}

static void show_enter(void *data, const char *name, const uint64_t *numbers, bool first _U_)
{
    showing *s = data;
    const bool fits = !s->chosen || s->chosen[s->visited++];
    const int id = call_tree_node_below(s->counting, g_array_index(s->path, int, s->path->len - 1), name, fits);
    g_array_append_val(s->path, id);
    if (numbers && id >= 0)
        call_tree_show(s->counting, id, numbers);
    else if (numbers)
        call_sums_join(s->others, numbers);
}

static void show_leave(void *data, const char *name _U_)
{
    const showing *s = data;
    g_array_set_size(s->path, s->path->len - 1);
}

static void call_tree_before_drawing(void *data)
{
    static const stack_tree_visitor visitor = {show_enter, show_leave};
    counting *c = data;
    const unsigned by = c->which == CALLTREE_SELF ? CALL_SUMS_SELF : CALL_SUMS_TIME;
    g_autofree bool *chosen = menus_windows() ? call_sums_choose(&c->sums, by, WINDOW_NODES) : NULL;
    showing s = {.counting = c, .path = g_array_new(FALSE, FALSE, sizeof(int)), .chosen = chosen};
    g_array_append_val(s.path, c->root);
    if (c->sums.all[CALL_SUMS_CALLS])
        call_tree_show(c, c->root, c->sums.all);
    stack_tree_visit(&c->sums.stacks, &visitor, &s);
    if (s.others[CALL_SUMS_CALLS] && !c->others)
        c->others = stats_tree_create_node(c->tree, TEXT_OTHERS, 0, STAT_DT_FLOAT, TRUE);
    if (c->others)
        call_tree_show(c, c->others, s.others);
    g_array_free(s.path, TRUE);
}

static void call_tree_listener_gone(void *data)
{
    ((counting *)data)->listens = false;
}

static void call_tree_tree_init(stats_tree *tree)
{
    if (!countings)
        countings = g_hash_table_new_full(NULL, NULL, NULL, counting_free);
    counting *c = counting_new(tree);
    call_sums_init(&c->sums, naming(c->row, false));
    g_hash_table_insert(countings, tree, c);
    c->root = stats_tree_create_node(tree, c->row->root, 0, STAT_DT_FLOAT, TRUE);
    stat_node *root = g_ptr_array_index(tree->parents, (guint)c->root);
    root->st_flags |= ST_FLG_SORT_TOP; /* the others may be more */
}

static void tree_forget(stats_tree *tree)
{
    g_hash_table_remove(countings, tree);
}

static tap_packet_status call_tree_tree_packet(stats_tree *tree, packet_info *pinfo, epan_dissect_t *edt _U_,
                                               const void *tapped, tap_flags_t flags _U_)
{
    counting *c = g_hash_table_lookup(countings, tree);
    if (!c->listens)
        c->listens = drawing_listen(tree->cfg->tapname, c, call_tree_before_drawing, call_tree_listener_gone);
    return add_all(&c->sums, c->row, c->which, false, pinfo, tapped) ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW;
}

/* --- printing ---------------------------------------------------------------------------------------------------------- */

/* One of a row's trees, in programs. */
typedef struct calltree_view {
    const calltree *row;
    int which;
    statistic printed;
} calltree_view;

static void *printed_begin(const statistic_run *run)
{
    const calltree_view *view = run->of->protocol;
    call_sums *sums = g_new0(call_sums, 1);
    call_sums_init(sums, naming(view->row, statistic_in_full(run)));
    return sums;
}

static bool printed_count(const statistic_run *run, const packet_info *pinfo, const void *tapped)
{
    const calltree_view *view = run->of->protocol;
    return add_all(run->data, view->row, view->which, statistic_in_ticks(run), pinfo, tapped);
}

/* People see the depth of a name, unless rows are sorted in another order. */
static void printed_fill(const statistic_run *run, rows *to)
{
    const calltree_view *view = run->of->protocol;
    const bool indented = run->asked.form == ROWS_AS_TEXT && run->asked.order == ROWS_OWN_ORDER;
    call_sums_fill(run->data, view->row->root, view->which == CALLTREE_SELF ? CALL_SUMS_SELF : CALL_SUMS_TIME, indented, to);
}

static void printed_merge(void *data, const void *other)
{
    call_sums_merge(data, other);
}

static void printed_share(void *data, unsigned share)
{
    limit_share(&((call_sums *)data)->stacks.limit, share);
}

static bool printed_full(const void *data)
{
    return ((const call_sums *)data)->stacks.limit.full;
}

static void printed_free(void *data)
{
    call_sums_clear(data);
    g_free(data);
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

/* The first that registers a command keeps it, and plugins come before tshark, which would print Wireshark's tree. */
static void call_tree_register_command(const calltree *t, int which)
{
    const char *path = t->trees[which].title, *title = strrchr(path, '/');
    calltree_view *view = wmem_new(wmem_epan_scope(), calltree_view);
    *view = (calltree_view){.row = t, .which = which};
    view->printed = (statistic){.tap = t->stacks->tap,
                                .command = wmem_strdup_printf(wmem_epan_scope(), "%s,tree", t->trees[which].name),
                                .title = title ? title + 1 : path,
                                .protocol = view,
                                .columns = call_sums_columns,
                                .column_count = CALL_SUMS_COLUMNS,
                                .usual = CALL_SUMS_USUAL,
                                .begin = printed_begin,
                                .count = printed_count,
                                .merge = printed_merge,
                                .share = printed_share,
                                .full = printed_full,
                                .fill = printed_fill,
                                .free = printed_free};
    statistic_register(&view->printed);
}

void calltree_register(calltree *t)
{
    t->next = registered;
    registered = t;
    for (int which = 0; which < CALLTREES; which++) {
        stats_tree_register_plugin(t->stacks->tap, t->trees[which].name, t->trees[which].title, COUNTS_LARGEST_FIRST,
                                   call_tree_tree_packet, call_tree_tree_init, tree_forget);
        if (!menus_windows())
            call_tree_register_command(t, which);
    }
}
