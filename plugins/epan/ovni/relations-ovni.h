/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Relations between records of an ovni trace: rows for protocol.h. */
#ifndef WIRETRACE_RELATIONS_OVNI_H
#define WIRETRACE_RELATIONS_OVNI_H

#include "dissector/protocol.h"

#include "ovni/states-ovni.h"

/* What the dissector knows about a record begins with this. */
static inline const ovni_record *ovni_record_of(const dissection *d)
{
    return d->record;
}

extern const protocol_filter ovni_filters[];
extern const protocol_follower ovni_follower;

/* Registers the fields that they need. */
void ovni_relations_register(int proto);

#endif
