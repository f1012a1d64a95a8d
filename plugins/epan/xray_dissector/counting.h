/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What statistics share: what they are counted and shown with. */
#ifndef WIRETRACE_XRAY_DISSECTOR_COUNTING_H
#define WIRETRACE_XRAY_DISSECTOR_COUNTING_H

#include "showing/statistic.h"

extern const statistic_source xray_statistics;
/* How ticks and functions are shown by a statistic, as its words and xray.names ask for it: an xray_display. */
const void *xray_counting_how(const statistic_run *run);
/* For statistics of single calls: false if the file has none, as it is a profile. */
bool xray_counting_single(const statistic_run *run, GError **error);
/* Reports why a table of calls may have none, unless it has a filter. */
void xray_counting_note_none(const statistic_run *run, rows *shown);

#endif
