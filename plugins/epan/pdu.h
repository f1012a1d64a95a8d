/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two doors of every dissector. Records of a trace come with their context beside them; exported records
 * (common/exported.h) carry it in front of their bytes, may come from anybody, and several traces may stand in one file. Behind
 * the doors both are the same. Also the way out: the tap "Wiretrace" for File > Export PDUs and `tshark -U Wiretrace`. */
#ifndef WIRETRACE_PDU_H
#define WIRETRACE_PDU_H

#include "protocol.h"

/* Shows one record; all that both doors lead to. `tvb` holds the bytes of the record alone. The context lives as long as the
 * packet. */
typedef int (*pdu_core)(const protocol *p, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const record_context *c);

void pdu_register(void);

/* The door for records of an open trace: `data` is what Wireshark hands to dissectors by encapsulation. */
int pdu_native(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, const protocol *p, pdu_core core);
/* The door for exported records: of a foreign or broken one only what is wrong is shown. */
int pdu_exported(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const protocol *p, pdu_core core);

/* Name and description of the record's stream (its interface); NULL where unknown. */
const char *pdu_stream_name(const packet_info *pinfo, const record_context *c);
const char *pdu_stream_description(const packet_info *pinfo, const record_context *c);

#endif
