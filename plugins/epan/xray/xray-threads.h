/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads and CPUs as Wireshark's tables of conversations and endpoints know them. */
#ifndef WIRETRACE_XRAY_THREADS_H
#define WIRETRACE_XRAY_THREADS_H

#include <epan/packet.h>

#include "record.h"

void xray_threads_register(int proto);
/* Adds the fields that the filters of these tables name. */
void xray_threads_add(proto_tree *tree, tvbuff_t *tvb, const record_context *c);

#endif
