/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Display filters of records that are not dissected: those that name only fields of ours, and those of `frame` that are
 * known without a frame. Wireshark has compiled them; they are asked of a tree that has just these fields
 * (host/shortcuts.h). */
#ifndef WIRETRACE_DISSECTOR_RECORD_FILTERS_H
#define WIRETRACE_DISSECTOR_RECORD_FILTERS_H

#include "dissector/protocol.h"

/* NULL: the filter is wrong, or needs a dissected record. dfilter_free() it. */
dfilter_t *record_filters_compile(const char *text);

/* Filters that are asked of the same records. */
typedef struct record_filters record_filters;
/* `all`: of dfilter_t, which need not last. */
record_filters *record_filters_new(const GPtrArray *all);
void record_filters_free(record_filters *f); /* NULL is allowed */

/* The record that is asked about next has been looked at; `d` is valid until the next one. */
void record_filters_see(record_filters *f, const protocol *p, const dissection *d);
bool record_filters_pass(record_filters *f, dfilter_t *filter);

#endif
