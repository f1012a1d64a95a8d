/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads and CPUs as conversations and endpoints. */
#ifndef WIRETRACE_ENDPOINTS_XRAY_H
#define WIRETRACE_ENDPOINTS_XRAY_H

#include <epan/packet.h>

#include "core/record.h"

void xray_threads_register(int proto);
/* Adds the field for filters from these tables. */
void xray_threads_add(proto_tree *tree, tvbuff_t *tvb, const record_context *c);

#endif
