/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The states and tasks of a tapped record, for the statistics and pictures. */
#ifndef WIRETRACE_OVNI_DISSECTOR_SPANS_H
#define WIRETRACE_OVNI_DISSECTOR_SPANS_H

#include "showing/spans.h"

extern const span_source ovni_spans;
void ovni_spans_register_rows(void);

#endif
