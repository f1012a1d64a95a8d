/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Relations between records of an XRay log: rows for protocol.h. */
#ifndef WIRETRACE_RELATIONS_XRAY_H
#define WIRETRACE_RELATIONS_XRAY_H

#include "dissector/protocol.h"

extern const protocol_filter xray_filters[];
extern const protocol_follower xray_follower;

/* Registers the fields that they need. */
void xray_relations_register(int proto);

#endif
