/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields and expert infos of what ovniemu would say of a record: what it would refuse, and what a record changes of CPUs.
 * The trace is played in the first pass; what was learnt is kept by frame. */
#ifndef WIRETRACE_OVNI_DISSECTOR_EMULATOR_FIELDS_H
#define WIRETRACE_OVNI_DISSECTOR_EMULATOR_FIELDS_H

#include "dissector/protocol.h"

#include <epan/prefs.h>

#include "ovni/session.h"

void ovni_emulator_fields_register(int proto, module_t *module);
/* Returns whether it is asked for. */
bool ovni_emulator_fields_asked(void);
/* The first time a record is seen it is played; in one pass only if somebody asks for what that tells. */
void ovni_emulator_fields_look(const ovni_tapped *r, const record_seen *seen, proto_tree *tree);
void ovni_emulator_fields_add(proto_tree *tree, proto_item *item, const record_seen *seen, tvbuff_t *tvb,
                              const ovni_tapped *r);

#endif
