/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saving a beat log: a header and the beats. */
#include "beat/beat.h"
#include "util/fail.h"

typedef struct beat_writer {
    bool begun, cut;
} beat_writer;

static void *beat_begin(void)
{
    return g_new0(beat_writer, 1);
}

static bool put_header(beat_writer *w, sink *out)
{
    bool begun = w->begun;
    w->begun = true;
    return begun || sink_put(out, BEAT_MAGIC, BEAT_MAGIC_LENGTH);
}

/* Returns whether the record can be saved. */
static bool beat_check(const beat_writer *w, const write_record *r, GError **error)
{
    const cursor c = {r->data, r->length, false};
    uint64_t clock = layout_value(&beat_layout.rows[BEAT_FIELD_CLOCK], &c);
    int64_t seconds = (int64_t)(clock / 1000000000);
    if (w->cut)
        return fail_with(error, "Nothing can follow a beat that is cut.");
    if (r->context->kind == BEAT_BEAT && !(r->context->flags & CONTEXT_TIME_CUT) &&
        (r->seconds != seconds || r->nanoseconds != (int32_t)(clock % 1000000000)))
        return fail_with(error, "The time of a beat has been changed: its clock still has the old one.");
    return true;
}

static bool beat_record(void *state, sink *out, const write_record *r, GError **error)
{
    beat_writer *w = state;
    if (!beat_check(w, r, error))
        return false;
    w->cut = r->context->kind == KIND_CUT;
    return put_header(w, out) && (r->context->kind == BEAT_HEADER || sink_put(out, r->data, r->length));
}

static bool beat_finish(void *state, sink *out)
{
    return put_header(state, out);
}

const write_ops beat_write = {beat_begin, beat_record, beat_finish, g_free};
