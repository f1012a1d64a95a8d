/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wireshark's tables of service response times: its only tables of durations with rows that can be applied as filters, by
 * a field and a number. */
#ifndef WIRETRACE_SHOWING_RESPONSES_H
#define WIRETRACE_SHOWING_RESPONSES_H

#include "showing/spans.h"

void responses_register(int proto, const span_source *from);

#endif
