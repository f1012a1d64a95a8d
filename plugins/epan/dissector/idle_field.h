/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The field P.idle: the time since the record before on the same thread (common/analysis/idle_time.h). Where records can be
 * read again it is computed for every record, as it may be needed later, otherwise only if it is needed now. */
#ifndef WIRETRACE_DISSECTOR_IDLE_FIELD_H
#define WIRETRACE_DISSECTOR_IDLE_FIELD_H

#include "compat.h"

#include <epan/packet.h>

#include "host/record_seen.h"
#include "analysis/idle_time.h"
#include "core/record.h"
#include "dissector/tree.h"

typedef struct idle_field {
    const int *hf;
    idle *idle;     /* private, like the rest: of the open file; made for its first record */
    uint32_t frame; /* the latest record visited, and what was found */
    bool known;
    uint64_t ns;
} idle_field;

void idle_field_visit(idle_field *f, const record_context *c, const record_seen *seen, uint64_t thread);
/* Looks at a record of a thread; `tree`: of the packet, or NULL. */
static inline void idle_field_look(idle_field *f, const record_context *c, const record_seen *seen, const proto_tree *tree,
                                   uint64_t thread)
{
    if (c->flags & CONTEXT_RANDOM_ACCESS ? !seen->again : tree_field_needed(tree, *f->hf))
        idle_field_visit(f, c, seen, thread);
}
void idle_field_add(const idle_field *f, proto_tree *tree, tvbuff_t *tvb, const record_seen *seen);
void idle_field_forget(idle_field *f);

#endif
