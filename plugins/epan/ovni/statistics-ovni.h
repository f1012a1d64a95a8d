/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the statistics of ovni traces share: what their modules in common/ovni/ need of a record. */
#ifndef WIRETRACE_STATISTICS_OVNI_H
#define WIRETRACE_STATISTICS_OVNI_H

#include "ovni/states-ovni.h"

#include "ovni/groups.h"

/* The name of a record's stream, never NULL. */
const char *ovni_stream_words(const ovni_record *r);
/* Announces the stream of a record, if it has a state or a task. */
void ovni_announce(ovni_groups *g, const packet_info *pinfo, const ovni_record *r);

/* For statistics that play every record, whatever the filter (statistic.h, `context` and `tapped`). */
const record_context *ovni_tapped_context(const void *tapped);
const void *ovni_tapped_record(packet_info *hidden, const record_context *c, const cursor *bytes);

#endif
