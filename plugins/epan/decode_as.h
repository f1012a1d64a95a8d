/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decode As: which dissector shows the contents of records of a kind. */
#ifndef WIRETRACE_DECODE_AS_H
#define WIRETRACE_DECODE_AS_H

#include "protocol.h"

/* Once, when the protocol has made its table of dissectors; and when those of others are there. */
void decode_as_register(const protocol *p);
void decode_as_hand_off(const protocol *p);
/* Puts aside what a record would be decoded by whose tree is seen (relations.h). */
void decode_as_note(const protocol *p, const dissection *d);

#endif
