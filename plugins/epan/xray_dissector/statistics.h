/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The statistics and pictures of XRay logs. They take a display filter as last argument, like Wireshark's own. */
#ifndef WIRETRACE_XRAY_DISSECTOR_STATISTICS_H
#define WIRETRACE_XRAY_DISSECTOR_STATISTICS_H

#include "picture/picture.h"
#include "showing/diff.h"
#include "showing/statistic.h"

void xray_statistics_register(int proto);
void xray_statistics_handoff(void);

extern const picture_source xray_picture;

/* Those that are in files of their own. */
extern statistic xray_account_statistic, xray_call_statistic, xray_gaps_statistic, xray_graph_statistic;
extern diff xray_diff;

#endif
