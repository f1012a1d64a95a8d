/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data that a record accesses, as a stack of its type and member: for flame graphs. */
#ifndef WIRETRACE_CACHERAY_DISSECTOR_SPANS_H
#define WIRETRACE_CACHERAY_DISSECTOR_SPANS_H

#include "showing/spans.h"

extern const span_source cacheray_spans;

#endif
