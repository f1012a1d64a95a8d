/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metadata of a stream, as JSON, and what is understood of it as fields. */
#ifndef WIRETRACE_OVNI_DISSECTOR_METADATA_FIELDS_H
#define WIRETRACE_OVNI_DISSECTOR_METADATA_FIELDS_H

#include "dissector/protocol.h"

void ovni_metadata_fields_register(int proto);
void ovni_metadata_fields_hand_off(void);
/* For a record that is metadata and has no fault. */
void ovni_metadata_fields_add(dissection *d);
void ovni_metadata_fields_add_experts(const tree_protocol *p, proto_item *item, const record_seen *seen,
                                      const cursor *bytes);
void ovni_metadata_fields_call_json(const dissection *d);

#endif
