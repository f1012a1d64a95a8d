/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "showing/call_tree.h"

#include <epan/stats_tree.h>
#include <epan/stats_tree_priv.h>

#include "containers/hash.h"
#include "host/menus.h"
#include "host/printing.h"
#include "statistics/call_sums.h"
#include "statistics/count_cells.h"
#include "showing/drawn_tree.h"
#include "statistics/rows_print.h"

/* A tree, in windows and in programs. */
typedef struct call_tree {
    const span_source *from;
    int which;
    const char *name; /* for -z */
    statistic printed;
} call_tree;

static const char root_name[] = "All";

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static stack_piece_name naming(const span_source *from, bool full)
{
    return from->label && !full ? from->label : from->name;
}

/* Adds a span, unless it has no self time and that is asked for. Self time is that of all with the same name. */
static bool call_tree_add(call_sums *s, const call_tree *t, bool in_ticks, const void *tapped, const span *one)
{
    const call *k = &one->call;
    const bool self = t->which == CALLTREE_SELF;
    if (!one->nests || !(k->state & CALL_TIMED) || (self && !(k->state & CALL_SELF)))
        return false;
    uint64_t duration = k->duration, own = k->state & CALL_SELF ? k->self : 0;
    if (!in_ticks) {
        duration = spans_nanoseconds(t->from, duration);
        own = spans_nanoseconds(t->from, own);
    }
    stack_piece pieces[STACKS_PIECES];
    const unsigned n = t->from->stack(tapped, one, STACKS_SHORT, pieces), skipped = self && n ? n - 1 : 0;
    s->stacks.owner = t->from->thread(tapped).id;
    call_sums_add(s, pieces + skipped, n - skipped, self ? 0 : t->from->groups, one->many, duration, own, tapped);
    return true;
}

static bool add_all(call_sums *s, const call_tree *t, bool in_ticks, const void *tapped)
{
    bool any = false;
    span one;
    for (uint32_t i = 0; t->from->span(tapped, i, &one); i++)
        any |= call_tree_add(s, t, in_ticks, tapped, &one);
    return any;
}

/* --- Wireshark's trees ------------------------------------------------------------------------------------------------- */

/* For each new node of a window Wireshark measures up to a thousand lines of it. So it has the nodes with most time, and a
 * few that have as much as the last of them, or appear while the file is read. */
enum { WINDOW_NODES = 1000, WINDOW_NODES_MOST = 2 * WINDOW_NODES };

/* A tree of Wireshark, in which nodes appear when it is drawn. */
typedef struct counting {
    drawn_tree drawn; /* first */
    const call_tree *of;
    call_sums sums;
    GHashTable *ids; /* set of shown_node */
    int root, others;
} counting;

typedef struct shown_node {
    hash_pair place; /* first: it is the key. The id of the parent, and the name, which call_sums keeps once */
    int id;
} shown_node;

static void call_tree_begin(drawn_tree *t)
{
    counting *c = (counting *)t;
    c->of = t->of;
    c->ids = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, NULL);
    call_sums_init(&c->sums, naming(c->of->from, false));
    c->root = stats_tree_create_node(t->tree, root_name, 0, STAT_DT_FLOAT, TRUE);
    stat_node *root = g_ptr_array_index(t->tree->parents, (guint)c->root);
    root->st_flags |= ST_FLG_SORT_TOP; /* the others may be more */
}

static void call_tree_end(drawn_tree *t)
{
    counting *c = (counting *)t;
    g_hash_table_destroy(c->ids);
    call_sums_clear(&c->sums);
}

/* Wireshark's nodes add up single-precision numbers, so sums are set. */
static void call_tree_show(const counting *c, int id, const uint64_t *numbers)
{
    static const int column[] = {CALL_SUMS_CALLS, CALL_SUMS_TIME, CALL_SUMS_SELF};
    const uint64_t count = numbers[column[c->of->which]] / (c->of->which == CALLTREE_CALLS ? 1 : 1000);
    stat_node *shown = g_ptr_array_index(c->drawn.tree->parents, (guint)id);
    shown->counter = (int)MIN(count, INT32_MAX);
    /* Of sums of many (a profile) the shortest and longest are not known: a node has all three or none, and JSON has no NaN.
     */
    if (c->of->which != CALLTREE_CALLS || numbers[CALL_SUMS_MIN] > numbers[CALL_SUMS_MAX])
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
static int call_tree_node_below(counting *c, int parent, unsigned depth, const shown_name *name, bool fits)
{
    const shown_node key = {.place = {(uint64_t)parent, (uintptr_t)name->text}}, *known = g_hash_table_lookup(c->ids, &key);
    const guint most = menus_windows() ? WINDOW_NODES_MOST : COUNT_CELLS_MAX;
    if (known || !fits || parent < 0 || g_hash_table_size(c->ids) + 1 >= most)
        return known ? known->id : -1;
    shown_node *made = g_memdup2(&key, sizeof key);
    const char *shown = drawn_tree_node_name(&c->drawn, name, depth);
    made->id = stats_tree_create_node(c->drawn.tree, shown, parent, STAT_DT_FLOAT, TRUE);
    g_hash_table_add(c->ids, made);
    return made->id;
}

static void show_enter(void *data, shown_name name, const uint64_t *numbers, bool first _U_)
{
    showing *s = data;
    const bool fits = !s->chosen || s->chosen[s->visited++];
    const guint depth = s->path->len - 1; /* below the root */
    const int id = call_tree_node_below(s->counting, g_array_index(s->path, int, depth), depth, &name, fits);
    g_array_append_val(s->path, id);
    if (numbers && id >= 0)
        call_tree_show(s->counting, id, numbers);
    else if (numbers)
        call_sums_join(s->others, numbers);
}

static void show_leave(void *data, shown_name name _U_)
{
    const showing *s = data;
    g_array_set_size(s->path, s->path->len - 1);
}

static void call_tree_before_drawing(void *data)
{
    static const stack_tree_visitor visitor = {show_enter, show_leave};
    counting *c = data;
    const unsigned by = c->of->which == CALLTREE_SELF ? CALL_SUMS_SELF : CALL_SUMS_TIME;
    g_autofree bool *chosen = menus_windows() ? call_sums_choose(&c->sums, by, WINDOW_NODES) : NULL;
    showing s = {.counting = c, .path = g_array_new(FALSE, FALSE, sizeof(int)), .chosen = chosen};
    g_array_append_val(s.path, c->root);
    if (c->sums.all[CALL_SUMS_CALLS])
        call_tree_show(c, c->root, c->sums.all);
    stack_tree_visit(&c->sums.stacks, &visitor, &s);
    if (s.others[CALL_SUMS_CALLS] && !c->others)
        c->others = stats_tree_create_node(c->drawn.tree, TEXT_OTHERS, 0, STAT_DT_FLOAT, TRUE);
    if (c->others)
        call_tree_show(c, c->others, s.others);
    g_array_free(s.path, TRUE);
}

static tap_packet_status call_tree_tree_packet(stats_tree *tree, packet_info *pinfo _U_, epan_dissect_t *edt _U_,
                                               const void *tapped, tap_flags_t flags _U_)
{
    counting *c = (counting *)drawn_tree_of(tree);
    return add_all(&c->sums, c->of, false, tapped) ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW;
}

/* --- printing ---------------------------------------------------------------------------------------------------------- */

typedef struct printed_tree {
    call_sums sums;
    const call_tree *of;
    bool ticks;
} printed_tree;

static void *printed_begin(const statistic_words *words, const void *how)
{
    printed_tree *p = g_new0(printed_tree, 1);
    p->of = ((const statistic_run *)how)->of->protocol;
    p->ticks = words->asked.unit == ROWS_TICKS;
    call_sums_init(&p->sums, naming(p->of->from, rows_words_full(&words->asked)));
    return p;
}

static bool printed_count(void *data, const counted_record *r)
{
    printed_tree *p = data;
    return add_all(&p->sums, p->of, p->ticks, r->tapped);
}

/* People see the depth of a name, unless rows are sorted in another order. */
static void printed_fill(void *data, const void *how, rows *to)
{
    const printed_tree *p = data;
    const statistic_run *run = how;
    if (spans_unclocked(p->of->from))
        statistic_show_ticks(run);
    const rows_words *asked = &run->words.asked;
    const bool indented = asked->form == ROWS_AS_TEXT && asked->order == ROWS_OWN_ORDER;
    call_sums_fill(&p->sums, root_name, p->of->which == CALLTREE_SELF ? CALL_SUMS_SELF : CALL_SUMS_TIME, indented, to);
}

static void printed_merge(void *data, const void *other)
{
    call_sums_merge(&((printed_tree *)data)->sums, &((const printed_tree *)other)->sums);
}

static void printed_share(void *data, unsigned share)
{
    limit_share(&((printed_tree *)data)->sums.stacks.limit, share);
}

static bool printed_full(const void *data)
{
    return ((const printed_tree *)data)->sums.stacks.limit.full;
}

static void printed_free(void *data)
{
    call_sums_clear(&((printed_tree *)data)->sums);
    g_free(data);
}

static const counted printed = {.columns = call_sums_columns,
                                .column_count = CALL_SUMS_COLUMNS,
                                .begin = printed_begin,
                                .count = printed_count,
                                .merge = printed_merge,
                                .share = printed_share,
                                .full = printed_full,
                                .fill = printed_fill,
                                .free = printed_free};

/* --- registration ------------------------------------------------------------------------------------------------------ */

/* The first that registers a command keeps it, and plugins come before tshark, which would print Wireshark's tree. */
static void call_tree_register_command(call_tree *t, const char *title)
{
    t->printed = (statistic){.tap = t->from->tap,
                             .counts = &printed,
                             .command = wmem_strdup_printf(wmem_epan_scope(), "%s,tree", t->name),
                             .title = title,
                             .protocol = t,
                             .usual = CALL_SUMS_USUAL};
    statistic_register(&t->printed);
}

void call_tree_register(const span_source *from)
{
    static const drawn_tree_kind kind = {sizeof(counting), call_tree_begin, call_tree_tree_packet, call_tree_before_drawing,
                                         call_tree_end};
    const char *const names[] = {from->many, "time", "self"}, *const titles[] = {from->tree, "Time Tree", "Self Time"};
    for (int which = 0; which < CALLTREES; which++) {
        call_tree *t = wmem_new0(wmem_epan_scope(), call_tree);
        *t = (call_tree){.from = from, .which = which};
        t->name = wmem_strdup_printf(wmem_epan_scope(), "%s.%s", from->tap, names[which]);
        drawn_tree_register(&kind, from->tap, t->name,
                            wmem_strdup_printf(wmem_epan_scope(), "%s%s", from->menu, titles[which]), t);
        if (!menus_windows())
            call_tree_register_command(t, titles[which]);
    }
}
