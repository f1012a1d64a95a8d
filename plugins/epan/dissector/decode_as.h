/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decode As: lets users choose the dissector for the contents of records. */
#ifndef WIRETRACE_DISSECTOR_DECODE_AS_H
#define WIRETRACE_DISSECTOR_DECODE_AS_H

#include "dissector/protocol.h"

/* Call the first when the protocol has made its dissector table, and the second when all other protocols are registered. */
void decode_as_register(const protocol *p);
void decode_as_hand_off(const protocol *p);
/* Remembers the value that the displayed record would be decoded by (see relations.h). */
void decode_as_note(const protocol *p, const dissection *d);

#endif
