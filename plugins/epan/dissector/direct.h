/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records that are counted without Wireshark's dissection (host/listening.h): the reader gives them out, `look` of their
 * protocol makes them known, and who listens counts them; or threads do (host/parallel.h). Whether Wireshark dissects
 * instead is known when it has dissected the first record, or asks for the second; or before, if it does so for -Y, whose
 * result nobody sees. */
#ifndef WIRETRACE_DISSECTOR_DIRECT_H
#define WIRETRACE_DISSECTOR_DIRECT_H

#include "dissector/protocol.h"

/* `protocols`: all there are; they last as long as the program. */
void direct_register(const protocol *const *protocols);
/* To be called for each record that Wireshark dissects, before it is looked at. Returns whether it is counted directly
 * nevertheless, so that it must not be looked at again. */
bool direct_counts_dissected(void);
/* Ends counting, and listening: the file is closed. */
void direct_end(void);

#endif
