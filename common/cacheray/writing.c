/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saving a Cacheray trace, which consists only of its records. */
#include "cacheray/cacheray.h"
#include "util/fail.h"

typedef struct cacheray_writer {
    bool begun;
    uint8_t layout;
} cacheray_writer;

static void *cacheray_begin(void)
{
    return g_new0(cacheray_writer, 1);
}

static bool cacheray_record(void *state, sink *out, const write_record *r, GError **error)
{
    cacheray_writer *w = state;
    uint8_t layout_number = cacheray_context_of(r->context)->layout;
    if (w->begun && w->layout != layout_number)
        return fail_with(error, "Records of different layouts cannot be saved in one Cacheray trace.");
    w->begun = true;
    w->layout = layout_number;
    return sink_put(out, r->data, r->length);
}

static bool cacheray_finish(void *state, sink *out)
{
    (void)state;
    (void)out;
    return true;
}

const write_ops cacheray_write = {cacheray_begin, cacheray_record, cacheray_finish, g_free};
