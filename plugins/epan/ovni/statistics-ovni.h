/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the statistics of ovni traces share: which record ends what, and names. */
#ifndef WIRETRACE_STATISTICS_OVNI_H
#define WIRETRACE_STATISTICS_OVNI_H

#include "ovni/states-ovni.h"

/* Whether a record ends a nested state; any state or value (with its duration); a run of a task. Only if the duration is
 * known. */
bool ovni_ends_region(const ovni_record *r, const packet_info *pinfo);
bool ovni_ends_state(const ovni_record *r, const packet_info *pinfo, uint32_t *function, call *k);
bool ovni_ends_task(const ovni_record *r, const packet_info *pinfo);
/* The name of a record's stream, never NULL. */
const char *ovni_stream_words(const ovni_record *r);
/* "CPU 0.3", to be freed. */
char *ovni_cpu_words(const ovni_emulated_cpu *cpu);

/* For reports that play every record, whatever the filter (report.h, `context` and `tapped`). */
const record_context *ovni_tapped_context(const void *tapped);
const void *ovni_tapped_record(packet_info *hidden, const record_context *c, const cursor *bytes);

#endif
