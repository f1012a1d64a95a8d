/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of a trace have their context in the pseudo-header. Exported records
 * (common/core/exported.h) have it before their bytes, may come from anybody, and may be from several traces in one file.
 * Once they are read, both are treated alike. Also registers the tap "Wiretrace" for File > Export PDUs and `tshark -U
 * Wiretrace`. */
#ifndef WIRETRACE_DISSECTOR_PDU_H
#define WIRETRACE_DISSECTOR_PDU_H

#include "host/record_seen.h"
#include "dissector/protocol.h"

void pdu_register(void);

/* Queues a record of an open trace for those who export. */
void pdu_export(tvbuff_t *tvb, packet_info *pinfo, const record_context *c);
/* Reads the context before an exported record, and queues it for those who export. *tvb: then only the bytes of the record.
 * NULL for a foreign or damaged one, of which only what is wrong is shown. Valid as long as the packet. */
const record_context *pdu_read(tvbuff_t **tvb, packet_info *pinfo, proto_tree *tree, const protocol *p);

/* Name and description of the record's stream (its interface); NULL if unknown. */
const char *pdu_stream_name(const record_seen *seen, const record_context *c);
const char *pdu_stream_description(const record_seen *seen, const record_context *c);
/* To be called for records that Wireshark does not have, with the trace that they come from: all its names. */
void pdu_note_streams(const record_context *c, const trace *from);

#endif
