/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of a record, as fields; and the relations between records. */
#ifndef WIRETRACE_XRAY_DISSECTOR_FIELDS_H
#define WIRETRACE_XRAY_DISSECTOR_FIELDS_H

#include "dissector/protocol.h"
#include "xray/session.h"

/* Adds everything known as generated fields. */
void xray_fields_register(int proto);
void xray_fields_add(proto_tree *tree, proto_item *item, const record_seen *seen, tvbuff_t *tvb, const xray_tapped *r);
/* Relations between records: rows for protocol.h, and the fields that they need. */
extern const protocol_filter xray_filters[];
extern const protocol_follower xray_follower;
void xray_relations_register(int proto);
/* Threads and CPUs as conversations and endpoints; and the field for filters from these tables. */
void xray_endpoints_register(int proto);
void xray_endpoints_add(proto_tree *tree, tvbuff_t *tvb, const record_context *c);

#endif
