/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/unwound.h"

#include "analysis/calls.h"
#include "core/trace_reader.h"
#include "xray/analysis.h"

typedef struct reading {
    calls *calls;
    GArray *found;
} reading;

static void visit(void *data, uint32_t frame, const record_context *c, const cursor *bytes, const stream *from, bool outside)
{
    (void)from;
    (void)outside;
    reading *r = data;
    uint64_t values[XRAY_FIELD_COUNT];
    uint32_t function;
    call k;
    xray_read(c, bytes, values);
    if (!xray_analysis_visit(r->calls, frame, c, xray_analysis_stack(c), (uint32_t)values[XRAY_FIELD_FUNCTION], &k))
        return;
    for (uint32_t i = 0; calls_closed(r->calls, frame, i, &k, &function); i++) {
        const calls_unwound one = {k.begin, k.last, k.until, k.state};
        g_array_append_val(r->found, one);
    }
}

static int compare(gconstpointer a, gconstpointer b)
{
    const calls_unwound *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

GArray *xray_unwound_read(const char *path)
{
    reading r = {calls_new(CALLS_UNWIND), g_array_new(FALSE, FALSE, sizeof(calls_unwound))};
    char *problem = whole_read(path, "xray", visit, &r);
    calls_free(r.calls);
    g_array_sort(r.found, compare);
    if (problem)
        g_array_free(r.found, TRUE);
    const bool readable = !problem;
    g_free(problem);
    return readable ? r.found : NULL;
}
