/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What records of an XRay log have in common: rows for protocol.h. */
#ifndef WIRETRACE_XRAY_RELATIONS_H
#define WIRETRACE_XRAY_RELATIONS_H

#include "protocol.h"

extern const protocol_filter xray_filters[];
extern const protocol_follower xray_follower;

/* Registers their fields. */
void xray_relations_register(int proto);

#endif
