/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How threads count (host/parallel.h) for a listener with a filter: each has a copy of the filter. */
#ifndef WIRETRACE_DISSECTOR_FILTERED_SUMS_H
#define WIRETRACE_DISSECTOR_FILTERED_SUMS_H

#include "dissector/protocol.h"
#include "host/listening.h"

/* Returns whether threads know what the filter names. `analyses`: records are looked at among others. */
bool filtered_sums_known(const listener *l, const protocol *p, bool analyses);
/* What counts for it, as long as the listener. */
parallel_listener filtered_sums(listener *l, const protocol *p);

#endif
