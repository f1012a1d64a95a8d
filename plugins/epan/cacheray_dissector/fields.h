/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of a record, as fields; and the relations between records. */
#ifndef WIRETRACE_CACHERAY_DISSECTOR_FIELDS_H
#define WIRETRACE_CACHERAY_DISSECTOR_FIELDS_H

#include "dissector/protocol.h"

#include "cacheray/session.h"

/* The values of cacheray.event; end with {0, NULL}. */
extern const value_string cacheray_events[];

void cacheray_fields_register(int proto);
/* Returns whether somebody looks at fields of cache lines. */
bool cacheray_fields_want_lines(proto_tree *tree);
/* Adds everything known as generated fields. */
void cacheray_fields_add(proto_tree *tree, proto_item *item, const record_seen *seen, tvbuff_t *tvb,
                         const cacheray_tapped *v);
/* Relations between records: rows for protocol.h. */
extern const protocol_filter cacheray_filters[];
/* Threads, lines and types as conversations and endpoints; and the field for filters from these tables. */
void cacheray_endpoints_register(int proto);
void cacheray_endpoints_add(proto_tree *tree, tvbuff_t *tvb, const record_seen *seen, const cacheray_tapped *v);

#endif
