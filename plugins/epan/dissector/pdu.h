/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two entry points of every dissector. Records of a trace have their context in the pseudo-header. Exported records
 * (common/core/exported.h) have it before their bytes, may come from anybody, and may be from several traces in one file.
 * After the entry points both are treated alike. Also registers the tap "Wiretrace" for File > Export PDUs and `tshark -U
 * Wiretrace`. */
#ifndef WIRETRACE_DISSECTOR_PDU_H
#define WIRETRACE_DISSECTOR_PDU_H

#include "dissector/protocol.h"

/* Dissects one record; called by both entry points. `tvb` contains only the bytes of the record. The context is valid as
 * long as the packet. */
typedef int (*pdu_core)(const protocol *p, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const record_context *c);

void pdu_register(void);

/* The entry point for records of an open trace. `data`: what Wireshark passes to dissectors by encapsulation. */
int pdu_native(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, const protocol *p, pdu_core core);
/* The entry point for exported records. For a foreign or damaged one, only what is wrong is shown. */
int pdu_exported(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const protocol *p, pdu_core core);

/* Name and description of the record's stream (its interface); NULL if unknown. */
const char *pdu_stream_name(const packet_info *pinfo, const record_context *c);
const char *pdu_stream_description(const packet_info *pinfo, const record_context *c);
/* To be called before for records that Wireshark does not have, with the trace that they come from: all its names. */
void pdu_note_streams(const record_context *c, const trace *from);
/* The description of the first interface of an open trace, which must not be exported; NULL: there is none. */
const char *pdu_first_description(const packet_info *pinfo, const record_context *c);

#endif
