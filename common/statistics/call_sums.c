/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/call_sums.h"

#include "util/math128.h"

const rows_column call_sums_columns[CALL_SUMS_COLUMNS] = {
    [CALL_SUMS_OF_CALLS] = {"Calls", ROWS_COUNT, ROWS_EACH},
    [CALL_SUMS_OF_TIME] = {"Time", ROWS_TIME, ROWS_EACH},
    [CALL_SUMS_OF_SELF] = {"Self", ROWS_TIME, ROWS_EACH},
    [CALL_SUMS_OF_SHARE] = {"Share (%)", ROWS_PERCENT, ROWS_EACH},
    [CALL_SUMS_OF_AVERAGE] = {"Average", ROWS_TIME, ROWS_EACH},
    [CALL_SUMS_OF_MIN] = {"Min", ROWS_TIME, ROWS_EACH},
    [CALL_SUMS_OF_MAX] = {"Max", ROWS_TIME, ROWS_EACH},
    [CALL_SUMS_OF_NAME] = {"Name", ROWS_TEXT, ROWS_EACH},
    [CALL_SUMS_OF_DEPTH] = {"Depth", ROWS_NUMBER, ROWS_EACH},
};

void call_sums_init(call_sums *s, stack_piece_name name)
{
    *s = (call_sums){0};
    stack_tree_init(&s->stacks, CALL_SUMS_NUMBERS, name);
}

void call_sums_clear(call_sums *s)
{
    stack_tree_clear(&s->stacks);
}

void call_sums_join(uint64_t *to, const uint64_t *from)
{
    if (!from[CALL_SUMS_CALLS])
        return;
    to[CALL_SUMS_MIN] = to[CALL_SUMS_CALLS] ? MIN(to[CALL_SUMS_MIN], from[CALL_SUMS_MIN]) : from[CALL_SUMS_MIN];
    to[CALL_SUMS_MAX] = MAX(to[CALL_SUMS_MAX], from[CALL_SUMS_MAX]);
    to[CALL_SUMS_CALLS] = sum_saturated(to[CALL_SUMS_CALLS], from[CALL_SUMS_CALLS]);
    to[CALL_SUMS_TIME] = sum_saturated(to[CALL_SUMS_TIME], from[CALL_SUMS_TIME]);
    to[CALL_SUMS_SELF] = sum_saturated(to[CALL_SUMS_SELF], from[CALL_SUMS_SELF]);
}

void call_sums_add(call_sums *s, const stack_piece *pieces, unsigned n, unsigned groups, uint64_t many, uint64_t time,
                   uint64_t self, const void *data)
{
    const uint64_t calls = many ? many : 1, min = many ? UINT64_MAX : time, max = many ? 0 : time;
    const uint64_t one[CALL_SUMS_NUMBERS] = {calls, time, self, min, max},
                   in_group[CALL_SUMS_NUMBERS] = {calls, time, 0, min, max};
    const bool outermost = n == groups + 1;
    for (unsigned above = 1; outermost && above < n; above++)
        call_sums_join(stack_tree_of(&s->stacks, pieces, above, data), in_group);
    call_sums_join(stack_tree_of(&s->stacks, pieces, n, data), one);
    if (outermost)
        call_sums_join(s->all, one);
}

void call_sums_merge(call_sums *s, const call_sums *other)
{
    call_sums_join(s->all, other->all);
    stack_tree_merge(&s->stacks, &other->stacks, call_sums_join);
}

/* --- rows and choice --------------------------------------------------------------------------------------------------- */

/* A row to be, or a node of a window. It is followed by all that are inside it. */
typedef struct node {
    shown_name name;
    const uint64_t *numbers; /* NULL: no call has ended here */
    uint64_t whole;          /* its time; at least that of what is inside */
    unsigned depth, length;  /* `length`: of nodes, with those inside */
} node;

typedef struct filling {
    GArray *nodes; /* of node */
    GArray *path;  /* unsigned: nodes */
    unsigned by;
    bool indented;
    rows *to;
} filling;

static node *call_sums_node_at(const filling *f, unsigned i)
{
    return &g_array_index(f->nodes, node, i);
}

static void call_sums_enter(void *data, shown_name name, const uint64_t *numbers, bool first)
{
    (void)first;
    const filling *f = data;
    const node n = {name, numbers, 0, f->path->len, 0};
    g_array_append_val(f->path, f->nodes->len);
    g_array_append_val(f->nodes, n);
}

static void call_sums_leave(void *data, shown_name name)
{
    (void)name;
    const filling *f = data;
    const unsigned i = g_array_index(f->path, unsigned, f->path->len - 1);
    node *n = call_sums_node_at(f, i);
    n->whole = MAX(n->whole, n->numbers ? n->numbers[f->by] : 0);
    n->length = f->nodes->len - i;
    g_array_set_size(f->path, f->path->len - 1);
    if (f->path->len) {
        node *above = call_sums_node_at(f, g_array_index(f->path, unsigned, f->path->len - 1));
        above->whole = sum_saturated(above->whole, n->whole);
    }
}

/* The row of all calls has only the time that rows are sorted by: calls have others inside them. */
static void call_sums_add_row(const filling *f, const node *n)
{
    rows_cell *row = rows_add(f->to);
    const uint64_t calls = n->numbers ? n->numbers[CALL_SUMS_CALLS] : 0;
    row[CALL_SUMS_OF_CALLS] = rows_known(calls);
    if (calls && (n->depth || f->by == CALL_SUMS_SELF))
        row[CALL_SUMS_OF_SELF] = rows_known(n->numbers[CALL_SUMS_SELF]);
    if (calls && (n->depth || f->by == CALL_SUMS_TIME)) {
        const uint64_t time = n->numbers[CALL_SUMS_TIME];
        row[CALL_SUMS_OF_TIME] = rows_known(time);
        row[CALL_SUMS_OF_AVERAGE] = rows_known(MAX(time, calls) == UINT64_MAX ? UINT64_MAX : time / calls);
    }
    if (calls && n->numbers[CALL_SUMS_MIN] <= n->numbers[CALL_SUMS_MAX] && (n->depth || f->by == CALL_SUMS_TIME)) {
        row[CALL_SUMS_OF_MIN] = rows_known(n->numbers[CALL_SUMS_MIN]);
        row[CALL_SUMS_OF_MAX] = rows_known(n->numbers[CALL_SUMS_MAX]);
    }
    const uint64_t all = call_sums_node_at(f, 0)->whole;
    row[CALL_SUMS_OF_SHARE] = all == UINT64_MAX ? rows_unknown() : rows_ratio(all, n->whole);
    row[CALL_SUMS_OF_NAME] = f->indented ? rows_name_at(f->to, &n->name, n->depth) : rows_name(f->to, &n->name);
    row[CALL_SUMS_OF_DEPTH] = rows_number(n->depth);
}

/* Those that are equal stay in the order of their names. */
static int call_sums_compare(gconstpointer a, gconstpointer b, gpointer data)
{
    const unsigned one = *(const unsigned *)a, other = *(const unsigned *)b;
    const uint64_t x = call_sums_node_at(data, one)->whole, y = call_sums_node_at(data, other)->whole;
    return x != y ? (x < y) - (x > y) : (one > other) - (one < other);
}

/* Stacks are limited in depth, and so is this recursion. */
static void add_rows(filling *f, unsigned i)
{
    GArray *inside = g_array_new(FALSE, FALSE, sizeof(unsigned));
    call_sums_add_row(f, call_sums_node_at(f, i));
    for (unsigned at = i + 1; at < i + call_sums_node_at(f, i)->length; at += call_sums_node_at(f, at)->length)
        g_array_append_val(inside, at);
    g_array_sort_with_data(inside, call_sums_compare, f);
    for (guint k = 0; k < inside->len; k++)
        add_rows(f, g_array_index(inside, unsigned, k));
    g_array_free(inside, TRUE);
}

/* All stacks, and first the root. Free the arrays. */
static filling nodes_of(const call_sums *s, const char *root, unsigned by)
{
    static const stack_tree_visitor visitor = {call_sums_enter, call_sums_leave};
    filling f = {
        .nodes = g_array_new(FALSE, FALSE, sizeof(node)), .path = g_array_new(FALSE, FALSE, sizeof(unsigned)), .by = by};
    call_sums_enter(&f, shown_name_of(root), s->all, true);
    stack_tree_visit(&s->stacks, &visitor, &f);
    call_sums_leave(&f, shown_name_of(root));
    return f;
}

static void filling_clear(filling *f)
{
    g_array_free(f->nodes, TRUE);
    g_array_free(f->path, TRUE);
}

void call_sums_fill(const call_sums *s, const char *root, unsigned by, bool indented, rows *to)
{
    filling f = nodes_of(s, root, by);
    f.indented = indented;
    f.to = to;
    add_rows(&f, 0);
    filling_clear(&f);
}

static int longer_first(gconstpointer a, gconstpointer b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

bool *call_sums_choose(const call_sums *s, unsigned by, unsigned most)
{
    filling f = nodes_of(s, "", by);
    const guint count = f.nodes->len - 1;
    g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    for (guint i = 1; i <= count; i++)
        g_array_append_val(times, call_sums_node_at(&f, i)->whole);
    g_array_sort(times, longer_first);
    const uint64_t least = count > most ? g_array_index(times, uint64_t, most - 1) : 0;
    bool *chosen = g_new(bool, count);
    for (guint i = 0; i < count; i++)
        chosen[i] = call_sums_node_at(&f, i + 1)->whole >= least;
    filling_clear(&f);
    return chosen;
}
