/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/idle_field.h"

#include "host/hidden_records.h"

#define NANOSECONDS 1000000000
/* Records this many seconds from 1970 and more have no such time. */
#define SECONDS_MAX (INT64_MAX / NANOSECONDS)

void idle_field_visit(idle_field *f, const record_context *c, const record_seen *seen, uint64_t thread)
{
    const int64_t seconds = seen->absolute.secs;
    if (seconds >= SECONDS_MAX || seconds <= -SECONDS_MAX)
        return;
    if (!f->idle)
        f->idle = idle_new(c->flags & CONTEXT_RANDOM_ACCESS);
    f->known = idle_visit(f->idle, seen->number, thread, seconds * NANOSECONDS + seen->absolute.nsecs, &f->ns);
    f->frame = seen->number;
}

void idle_field_add(const idle_field *f, proto_tree *tree, tvbuff_t *tvb, const record_seen *seen)
{
    uint64_t ns = f->ns;
    if (!f->idle || !tree_field_needed(tree, *f->hf))
        return;
    bool latest = f->frame == seen->number;
    if (latest ? f->known : idle_find(f->idle, seen->number, &ns))
        tree_generated_time(tree, *f->hf, tvb, ns);
}

void idle_field_forget(idle_field *f)
{
    idle_free(f->idle);
    f->idle = NULL;
    f->frame = 0;
}
