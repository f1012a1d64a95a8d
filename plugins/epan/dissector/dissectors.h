/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dissectors of all protocols (protocols.def): a record goes through the functions of its protocol's row (protocol.h).
 */
#ifndef WIRETRACE_DISSECTOR_DISSECTORS_H
#define WIRETRACE_DISSECTOR_DISSECTORS_H

/* Registers all protocols and what they share. */
void dissectors_register(void);
void dissectors_hand_off(void);

#endif
