/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/profile_self.h"

#include "containers/hash.h"

/* The time of a path without that of the paths directly inside it. */
typedef struct self_time {
    uint64_t offset, ticks; /* offset: the key, of the record */
} self_time;

typedef struct scan {
    GHashTable *found;
    GArray *functions; /* uint32_t: of the last path, outermost first */
    GPtrArray *around; /* self_time: of the last path and those around it, by depth; NULL: there is none */
} scan;

/* How many functions the path begins with that the last one begins with; the path becomes the last one. */
static uint32_t keep_functions(scan *s, const cursor *bytes, uint32_t n)
{
    uint32_t same = 0;
    while (same < MIN(n, s->functions->len) &&
           g_array_index(s->functions, uint32_t, same) == xray_path_function(bytes, n - 1 - same))
        same++;
    g_array_set_size(s->functions, n);
    for (uint32_t i = same; i < n; i++)
        g_array_index(s->functions, uint32_t, i) = xray_path_function(bytes, n - 1 - i);
    return same;
}

static void visit_path(scan *s, const record_context *c, const cursor *bytes)
{
    const uint32_t n = xray_path_functions(c, bytes);
    uint64_t values[XRAY_FIELD_COUNT];
    if (n == 0)
        return;
    xray_read(c, bytes, values);
    const uint64_t ticks = xray_profile_is_unsure(values) ? 0 : values[XRAY_FIELD_PROFILE_TICKS];
    const uint32_t same = keep_functions(s, bytes, n);
    g_ptr_array_set_size(s->around, (int)MIN(MIN(same, n - 1), s->around->len));
    g_ptr_array_set_size(s->around, (int)n - 1);
    self_time *parent = n > 1 ? g_ptr_array_index(s->around, n - 2) : NULL, *own = g_new(self_time, 1);
    if (parent)
        parent->ticks -= MIN(parent->ticks, ticks);
    *own = (self_time){c->offset, ticks};
    g_hash_table_insert(s->found, &own->offset, own);
    g_ptr_array_add(s->around, own);
}

static void scan_stream(scan *s, trace *t, stream *from)
{
    walk w;
    walk_init(&w, t, from, false);
    w.checkpoint_at = UINT64_MAX;
    while (walk_next(&w) == STEP_RECORD) {
        cursor bytes = {.big_endian = (w.record.context.flags & CONTEXT_BIG_ENDIAN) != 0};
        bytes.length = walk_bytes(&w, &bytes.data);
        if (w.record.context.kind == XRAY_PROFILE_PATH) {
            visit_path(s, &w.record.context, &bytes);
        } else {
            g_array_set_size(s->functions, 0);
            g_ptr_array_set_size(s->around, 0);
        }
    }
    walk_clear(&w);
}

GHashTable *xray_profile_self_read(trace *t)
{
    scan s = {.found = g_hash_table_new_full(hash_number, g_int64_equal, NULL, g_free),
              .functions = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
              .around = g_ptr_array_new()};
    for (uint32_t i = 0; i < t->streams->len; i++)
        scan_stream(&s, t, trace_stream(t, i));
    g_array_free(s.functions, TRUE);
    g_ptr_array_free(s.around, TRUE);
    return s.found;
}

bool xray_profile_sum(GHashTable *self, const record_context *c, const cursor *bytes, const uint64_t *values, span *s)
{
    const uint32_t n = xray_path_functions(c, bytes);
    if (!n || !values[XRAY_FIELD_PROFILE_CALLS])
        return false;
    const bool unsure = xray_profile_is_unsure(values);
    const self_time *own = self ? g_hash_table_lookup(self, &c->offset) : NULL;
    *s = (span){.function = xray_path_function(bytes, 0), .nests = true, .many = values[XRAY_FIELD_PROFILE_CALLS]};
    s->call.state = (uint8_t)(CALL_TIMED | (unsure ? CALL_UNATTRIBUTED : 0) | (own ? CALL_SELF : 0));
    s->call.depth = n - 1;
    s->call.duration = unsure ? 0 : values[XRAY_FIELD_PROFILE_TICKS];
    s->call.self = own ? own->ticks : 0;
    return true;
}
