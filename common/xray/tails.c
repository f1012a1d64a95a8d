/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/tails.h"

#include "containers/hash.h"
#include "core/trace.h"

/* A thread in which fewer exits than one of these show it is left alone: nearly all of its calls are matched rightly. */
#define SWITCHES_MIN 50u

/* A call that is open, or that a tail exit has left. */
typedef struct node {
    uint64_t offset; /* of the tail exit in the file */
    uint32_t function;
    bool open;
} node;

typedef struct scan {
    GArray *nodes;       /* of node, the innermost last */
    GHashTable *open;    /* function -> how many calls of it are open */
    GHashTable *unwound; /* the same of calls that were taken for unwound */
    xray_tails *found;
    uint64_t stack;
    guint suspect; /* at an exit of a call taken for unwound: how many nodes of then are left, and 1; 0: there was none */
    uint64_t exits, resumed; /* exits of the stream; those of calls that were taken for unwound */
    bool middle, switches;   /* the thread begins in the middle of its calls; it switches stacks */
} scan;

static node *xray_tails_node_at(const scan *s, guint i)
{
    return &g_array_index(s->nodes, node, i);
}

static guint count_of(GHashTable *counts, uint32_t function)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(counts, GUINT_TO_POINTER(function)));
}

static void count_more(GHashTable *counts, uint32_t function, int by)
{
    g_hash_table_insert(counts, GUINT_TO_POINTER(function), GUINT_TO_POINTER(count_of(counts, function) + (guint)by));
}

static void forget(scan *s)
{
    g_array_set_size(s->nodes, 0);
    g_hash_table_remove_all(s->open);
    g_hash_table_remove_all(s->unwound);
    s->suspect = 0;
}

static void xray_tails_enter(scan *s, uint32_t function)
{
    const node n = {.function = function, .open = true};
    s->suspect = MIN(s->suspect, s->nodes->len + 1);
    g_array_append_val(s->nodes, n);
    count_more(s->open, function, 1);
}

/* The number of nodes up to the innermost open call; above it are at most TAILS_MAX. */
static guint innermost_open(const scan *s)
{
    guint n = s->nodes->len;
    while (n && !xray_tails_node_at(s, n - 1)->open)
        n--;
    return n;
}

/* Ends the innermost open call of a function. Its calls that tail exits have left stay, should there be an exit too many. */
static void end_open(scan *s, uint32_t function)
{
    guint i = s->nodes->len, kept;
    while (i-- && !(xray_tails_node_at(s, i)->open && xray_tails_node_at(s, i)->function == function))
        continue;
    kept = i;
    s->switches |= i + 1 < s->suspect;
    for (guint own = i; i < s->nodes->len; i++) {
        const node n = *xray_tails_node_at(s, i);
        if (n.open) {
            count_more(s->open, n.function, -1);
            count_more(s->unwound, n.function, i > own);
        } else if (n.function == function) {
            *xray_tails_node_at(s, kept++) = n;
        }
    }
    g_array_set_size(s->nodes, kept);
}

/* Ends the latest call of a function that a tail exit has left inside the innermost open call. False: there is none. */
static bool end_left(scan *s, uint32_t function)
{
    const guint inner = innermost_open(s);
    guint i = s->nodes->len;
    while (i > inner && xray_tails_node_at(s, i - 1)->function != function)
        i--;
    if (i == inner)
        return false;
    g_hash_table_add(s->found->not_taken, g_memdup2(&xray_tails_node_at(s, i - 1)->offset, sizeof(uint64_t)));
    g_array_set_size(s->nodes, i - 1);
    return true;
}

/* An exit that nothing explains. If it is that of a call taken for unwound, the thread switches stacks: for certain if one
 * of the calls that are open now also has an exit, which would have ended with it, or if that happens again and it cannot be
 * a call from before the log. */
static void end_unwound(scan *s, uint32_t function)
{
    if (!count_of(s->unwound, function))
        return;
    count_more(s->unwound, function, -1);
    s->resumed++;
    s->switches |= s->suspect > 0 && !s->middle;
    s->suspect = s->nodes->len + 1;
}

static void xray_tails_leave(scan *s, uint32_t function)
{
    s->exits++;
    if (count_of(s->open, function))
        end_open(s, function);
    else if (!end_left(s, function))
        end_unwound(s, function);
}

static void leave_by_tail(scan *s, uint32_t function, uint64_t offset)
{
    const node n = {.offset = offset, .function = function};
    xray_tails_leave(s, function);
    g_array_append_val(s->nodes, n);
    const guint inner = innermost_open(s);
    if (s->nodes->len - inner > TAILS_MAX)
        g_array_remove_range(s->nodes, inner, TAILS_MAX / 2);
}

static void xray_tails_visit(scan *s, const record_context *c, const cursor *bytes)
{
    const bool reused = c->kind == XRAY_NEW_BUFFER && xray_context_of(c)->known & XRAY_REUSED;
    if (c->kind >= KIND_CUT || reused || xray_loses_end(c) || xray_stack_of(c) != s->stack)
        forget(s);
    s->stack = xray_stack_of(c);
    s->middle = xray_depth_unknown(c);
    if (c->kind == XRAY_TAIL_EXIT && g_hash_table_contains(s->found->not_taken, &c->offset))
        return;
    if (!xray_is_function(c->kind) || xray_context_of(c)->known & XRAY_REPEATED)
        return;
    uint64_t values[XRAY_FIELD_COUNT];
    xray_read(c, bytes, values);
    const uint32_t function = (uint32_t)values[XRAY_FIELD_FUNCTION];
    if (c->kind == XRAY_EXIT)
        xray_tails_leave(s, function);
    else if (c->kind == XRAY_TAIL_EXIT)
        leave_by_tail(s, function, c->offset);
    else
        xray_tails_enter(s, function);
}

static void xray_tails_read_stream(scan *s, trace *t, stream *from)
{
    walk w;
    walk_init(&w, t, from, false);
    w.checkpoint_at = UINT64_MAX;
    s->switches = false;
    s->exits = s->resumed = 0;
    forget(s);
    while (walk_next(&w) == STEP_RECORD) {
        cursor bytes = {.big_endian = (w.record.context.flags & CONTEXT_BIG_ENDIAN) != 0};
        bytes.length = walk_bytes(&w, &bytes.data);
        xray_tails_visit(s, &w.record.context, &bytes);
    }
    walk_clear(&w);
}

/* Reads the stream once more if tail exits that were not taken may be why calls seem to be unwound. */
static void xray_tails_scan_stream(scan *s, trace *t, stream *from)
{
    const guint before = g_hash_table_size(s->found->not_taken);
    xray_tails_read_stream(s, t, from);
    if (s->switches && g_hash_table_size(s->found->not_taken) > before)
        xray_tails_read_stream(s, t, from);
    if (s->switches && s->resumed > s->exits / SWITCHES_MIN)
        g_hash_table_add(s->found->switching, g_memdup2(&s->stack, sizeof s->stack));
}

xray_tails *xray_tails_read(trace *t)
{
    scan s = {.nodes = g_array_new(FALSE, FALSE, sizeof(node)),
              .open = g_hash_table_new(hash_pointer, NULL),
              .unwound = g_hash_table_new(hash_pointer, NULL),
              .found = g_new(xray_tails, 1)};
    *s.found = (xray_tails){g_hash_table_new_full(hash_number, g_int64_equal, g_free, NULL),
                            g_hash_table_new_full(hash_number, g_int64_equal, g_free, NULL)};
    for (uint32_t i = 0; i < t->streams->len; i++)
        if (!trace_stream(t, i)->left_out)
            xray_tails_scan_stream(&s, t, trace_stream(t, i));
    g_array_free(s.nodes, TRUE);
    g_hash_table_destroy(s.open);
    g_hash_table_destroy(s.unwound);
    return s.found;
}

void xray_tails_free(xray_tails *found)
{
    if (!found)
        return;
    g_hash_table_destroy(found->not_taken);
    g_hash_table_destroy(found->switching);
    g_free(found);
}
