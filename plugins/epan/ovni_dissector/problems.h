/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong outside of a stream's file, and with the settings. */
#ifndef WIRETRACE_OVNI_DISSECTOR_PROBLEMS_H
#define WIRETRACE_OVNI_DISSECTOR_PROBLEMS_H

#include "host/record_seen.h"

#include "core/record.h"

void ovni_problems_register(int proto);
/* Shows it once per stream or trace, at the first record. */
void ovni_problems_add(proto_item *item, const record_seen *seen, const record_context *c);

#endif
