/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names in the open file: of states, marks, counters and types of tasks. */
#ifndef WIRETRACE_OVNI_DISSECTOR_NAMES_H
#define WIRETRACE_OVNI_DISSECTOR_NAMES_H

#include "ovni/events/describe.h"
#include "ovni/session.h"

/* The name of a region, and its model; the result may point into `text`. */
const char *ovni_region_name(uint32_t function, char *text, size_t size, char *model);
/* The name of a counter in the record, or NULL. */
const char *ovni_counter_name(const ovni_tapped *r, uint32_t index);
/* Gets labels for the event's numbers: the type of a task, title and value of a mark. False if none are known. */
bool ovni_names_labels(const ovni_tapped *r, const cursor *bytes, ovni_labels *labels);

#endif
