/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The statistics and pictures of Cacheray traces. They take a display filter as last argument, like Wireshark's own. */
#ifndef WIRETRACE_CACHERAY_DISSECTOR_STATISTICS_H
#define WIRETRACE_CACHERAY_DISSECTOR_STATISTICS_H

#include "picture/picture.h"
#include "showing/diff.h"
#include "showing/statistic.h"

void cacheray_statistics_register(void);
void cacheray_statistics_handoff(void);

extern const picture_source cacheray_picture;

/* Those that are in files of their own. */
void cacheray_tables_register(void);
void cacheray_type_layouts_register(void);
void cacheray_curve_register(void);
extern statistic cacheray_whatif_statistic;
extern diff cacheray_diff;

#endif
