/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/record_fields.h"

/* As dissectors.c adds them to a tree. */
void record_fields_set(const protocol *p, const dissection *of, tree_row *row)
{
    dissection d = *of;
    row->bytes = d.bytes;
    row->seen = d.seen;
    d.tree = d.fields = &row->tree;
    d.item = NULL;
    d.covered = 0;
    d.present = 0;
    p->add(&d);
    tree_add_undecoded(&p->tree, d.fields, d.tvb, d.context->kind < KIND_PADDING, d.covered, (unsigned)d.bytes.length);
    if (p->follower)
        tree_generated(d.fields, *p->follower->stream, d.tvb, d.context->stream);
    if (p->add_known)
        p->add_known(&d);
    tree_add_position(&p->tree, d.fields, d.tvb, d.context);
}

bool record_fields_are_plain(const protocol *p, int field)
{
    for (unsigned i = 0; i < p->tree.field_count; i++)
        if (p->tree.fields[i] == field)
            return true;
    return tree_field_marks(field) & TREE_IS_PLAIN;
}

static _Thread_local const dissection *counted_directly;

void record_fields_count_directly(const dissection *d)
{
    counted_directly = d;
}

const dissection *record_fields_counted(void)
{
    return counted_directly;
}
