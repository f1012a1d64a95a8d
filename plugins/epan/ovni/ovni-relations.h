/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What records of an ovni trace have in common: rows for protocol.h. */
#ifndef WIRETRACE_OVNI_RELATIONS_H
#define WIRETRACE_OVNI_RELATIONS_H

#include "protocol.h"

#include "ovni-states.h"

/* What ovni's dissector keeps of a record, as its filters need it. */
const ovni_record *ovni_record_of(const dissection *d);

extern const protocol_filter ovni_filters[];
extern const protocol_follower ovni_follower;

/* Registers their fields. */
void ovni_relations_register(int proto);

#endif
