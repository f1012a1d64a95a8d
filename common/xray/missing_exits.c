/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/missing_exits.h"

#include "containers/hash_map.h"
#include "core/trace.h"
#include "xray/layouts.h"

typedef struct scan {
    GArray
        *open; /* uint32_t: functions of the open calls of a stream, the innermost at `depth` - 1; longer if it was deeper */
    guint depth;
    uint64_t stack; /* of the stream (xray_stack_of()) */
    bool begun;
    bool tails;      /* the stream has had a tail exit */
    hash_map stacks; /* of all streams so far */
} scan;

LAYOUT_INLINE uint32_t xray_missing_exits_read_function(const uint8_t *data, bool big_endian, enum xray_layout_id id)
{
    const cursor c = {data, XRAY_FUNCTION_LENGTH, big_endian};
    return (uint32_t)xray_value(&c, id, XRAY_FIELD_FUNCTION);
}

/* Returns the function id of a record, all of which is there. */
static inline uint32_t xray_missing_exits_function_of(const record_context *c, const uint8_t *data)
{
    const bool big_endian = (c->flags & CONTEXT_BIG_ENDIAN) != 0;
    if (xray_context_of(c)->type == XRAY_TYPE_FDR)
        return big_endian ? xray_missing_exits_read_function(data, true, XRAY_LAYOUT_LEAD_FUNCTION_BE)
                          : xray_missing_exits_read_function(data, false, XRAY_LAYOUT_LEAD_FUNCTION_LE);
    return xray_missing_exits_read_function(data, big_endian, XRAY_LAYOUT_BASIC_FUNCTION_V1);
}

/* Returns whether the calls of a stack may be in more than one stream, or the other way round. */
static bool is_mixed(scan *s, const record_context *c)
{
    const uint64_t stack = xray_stack_of(c);
    const uint32_t before = s->stacks.count;
    if (s->begun)
        return stack != s->stack;
    s->begun = true;
    s->stack = stack;
    hash_map_add(&s->stacks, stack);
    return s->stacks.count == before;
}

static inline void scan_entry(scan *s, uint32_t function)
{
    if (s->depth == s->open->len)
        g_array_set_size(s->open, MAX(2 * s->depth, 64));
    g_array_index(s->open, uint32_t, s->depth++) = function;
}

/* False: the exit is that of another call than the innermost one, which may be one that a tail exit has left. */
static inline bool scan_exit(scan *s, uint32_t function)
{
    if (s->depth == 0)
        return !s->tails;
    return g_array_index(s->open, uint32_t, --s->depth) == function;
}

static bool xray_missing_exits_scan_stream(scan *s, trace *t, stream *from)
{
    walk w;
    bool any = false, checked = false; /* for this buffer; in basic mode streams were made by thread */
    step_result got = STEP_RECORD;
    walk_init(&w, t, from, false);
    w.checkpoint_at = UINT64_MAX;
    s->depth = 0;
    s->begun = false;
    s->tails = false;
    while (!any && (got = walk_next(&w)) == STEP_RECORD) {
        const record_context *c = &w.record.context;
        const uint8_t *data;
        if (!xray_is_function(c->kind)) {
            checked = false;
        } else if (!(xray_context_of(c)->known & XRAY_REPEATED)) {
            any = !checked && is_mixed(s, c);
            checked = true;
            walk_bytes(&w, &data);
            if (c->kind == XRAY_ENTRY || c->kind == XRAY_ENTRY_ARGUMENTS)
                scan_entry(s, xray_missing_exits_function_of(c, data));
            else {
                any |= !scan_exit(s, xray_missing_exits_function_of(c, data));
                s->tails |= c->kind == XRAY_TAIL_EXIT;
            }
        }
    }
    walk_clear(&w);
    return any || got == STEP_BAD;
}

bool xray_missing_exits_any(trace *t)
{
    scan s = {.open = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
    bool any = ((const xray_log *)t->detail)->too_many_threads; /* some share a stream */
    hash_map_init(&s.stacks);
    for (uint32_t i = 0; i < t->streams->len && !any; i++)
        any = !trace_stream(t, i)->left_out && xray_missing_exits_scan_stream(&s, t, trace_stream(t, i));
    hash_map_clear(&s.stacks);
    g_array_free(s.open, TRUE);
    return any;
}
