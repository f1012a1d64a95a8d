/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of a profile, which has the sums of all calls that took the same path. */
#ifndef WIRETRACE_XRAY_DISSECTOR_PROFILE_H
#define WIRETRACE_XRAY_DISSECTOR_PROFILE_H

#include "dissector/protocol.h"
#include "xray/session.h"

void xray_profile_register(int proto);
/* `asked`: its sums are asked for. */
void xray_profile_look(const xray_tapped *r, bool asked);
/* The Info column, and the fields of a path. */
void xray_profile_inform(info_text *t, const xray_tapped *r);
void xray_profile_add(const tree_protocol *p, dissection *d);
void xray_profile_add_experts(proto_item *item, const record_seen *seen, const xray_tapped *r);
/* Reports, where there is nothing of it, that a profile has no single call. */
void xray_profile_remark(void);
/* The stack of a path. */
unsigned xray_profile_stack(const xray_tapped *r, unsigned most, stack_piece *pieces);

#endif
