/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of a record, as fields; and the relations between records. */
#ifndef WIRETRACE_OVNI_DISSECTOR_FIELDS_H
#define WIRETRACE_OVNI_DISSECTOR_FIELDS_H

#include "dissector/protocol.h"

#include "ovni/session.h"

void ovni_fields_register(int proto);
/* Adds everything known as generated fields; those about the thread go to `thread`. */
void ovni_fields_add(proto_tree *tree, proto_tree *thread, proto_item *item, const record_seen *seen, tvbuff_t *tvb,
                     const cursor *bytes, const ovni_tapped *r);
/* Fields that metadata have as well. */
extern int ovni_hf_mark_title, ovni_hf_mark_label, ovni_hf_counter_name;
/* Relations between records: rows for protocol.h, and the fields that they need. */
extern const protocol_filter ovni_filters[];
extern const protocol_follower ovni_follower;
void ovni_relations_register(int proto);

#endif
