/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/tails.h"

#include "containers/hash.h"
#include "core/trace.h"
#include "core/trace_reader.h"
#include "xray/analysis.h"
#include "xray/missing_exits.h"

/* A call that is open, or that a tail exit has left. */
typedef struct node {
    uint64_t offset; /* of the tail exit in the file */
    uint32_t function;
    bool open;
} node;

typedef struct scan {
    GArray *nodes;    /* of node, the innermost last */
    GHashTable *open; /* function -> how many calls of it are open */
    GHashTable *found;
    uint64_t stack;
} scan;

static node *xray_tails_node_at(const scan *s, guint i)
{
    return &g_array_index(s->nodes, node, i);
}

static guint open_calls(const scan *s, uint32_t function)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(s->open, GUINT_TO_POINTER(function)));
}

static void count_open(scan *s, uint32_t function, guint now)
{
    g_hash_table_insert(s->open, GUINT_TO_POINTER(function), GUINT_TO_POINTER(now));
}

static void forget(scan *s)
{
    g_array_set_size(s->nodes, 0);
    g_hash_table_remove_all(s->open);
}

static void xray_tails_enter(scan *s, uint32_t function)
{
    const node n = {.function = function, .open = true};
    g_array_append_val(s->nodes, n);
    count_open(s, function, open_calls(s, function) + 1);
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
    for (; i < s->nodes->len; i++) {
        const node n = *xray_tails_node_at(s, i);
        if (n.open)
            count_open(s, n.function, open_calls(s, n.function) - 1);
        else if (n.function == function)
            *xray_tails_node_at(s, kept++) = n;
    }
    g_array_set_size(s->nodes, kept);
}

/* Ends the latest call of a function that a tail exit has left inside the innermost open call, if there is one. */
static void end_left(scan *s, uint32_t function)
{
    const guint inner = innermost_open(s);
    guint i = s->nodes->len;
    while (i > inner && xray_tails_node_at(s, i - 1)->function != function)
        i--;
    if (i == inner)
        return;
    g_hash_table_add(s->found, g_memdup2(&xray_tails_node_at(s, i - 1)->offset, sizeof(uint64_t)));
    g_array_set_size(s->nodes, i - 1);
}

static void xray_tails_leave(scan *s, uint32_t function)
{
    if (open_calls(s, function))
        end_open(s, function);
    else
        end_left(s, function);
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
    if (c->kind >= KIND_CUT || xray_loses_end(c) || xray_analysis_stack(c) != s->stack)
        forget(s);
    s->stack = xray_analysis_stack(c);
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

static void xray_tails_scan_stream(scan *s, trace *t, stream *from)
{
    walk w;
    walk_init(&w, t, from, false);
    w.checkpoint_at = UINT64_MAX;
    forget(s);
    while (walk_next(&w) == STEP_RECORD) {
        cursor bytes = {.big_endian = (w.record.context.flags & CONTEXT_BIG_ENDIAN) != 0};
        bytes.length = walk_bytes(&w, &bytes.data);
        xray_tails_visit(s, &w.record.context, &bytes);
    }
    walk_clear(&w);
}

GHashTable *xray_tails_read(trace *t)
{
    scan s = {.nodes = g_array_new(FALSE, FALSE, sizeof(node)),
              .open = g_hash_table_new(hash_pointer, NULL),
              .found = g_hash_table_new_full(hash_number, g_int64_equal, g_free, NULL)};
    for (uint32_t i = 0; i < t->streams->len; i++)
        if (!trace_stream(t, i)->left_out)
            xray_tails_scan_stream(&s, t, trace_stream(t, i));
    g_array_free(s.nodes, TRUE);
    g_hash_table_destroy(s.open);
    if (g_hash_table_size(s.found) == 0)
        g_clear_pointer(&s.found, g_hash_table_destroy);
    return s.found;
}

GHashTable *xray_tails_read_path(const char *path)
{
    trace_reader r;
    GHashTable *found = NULL;
    if (trace_reader_open(&r, path, "xray", NULL)) {
        found = xray_missing_exits_any(r.trace) ? xray_tails_read(r.trace) : NULL;
        trace_reader_close(&r);
    }
    return found;
}
