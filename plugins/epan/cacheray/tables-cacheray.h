/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The statistics of Cacheray traces. They listen to the tap "cacheray", whose data is a cacheray_view. */
#ifndef WIRETRACE_TABLES_CACHERAY_H
#define WIRETRACE_TABLES_CACHERAY_H

#include "cacheray/analysis-cacheray.h"

#include "cacheray/shown.h"
#include "statistics/diff.h"
#include "statistics/report.h"

void cacheray_tables_register(void);
extern diff cacheray_diff;
extern const report cacheray_whatif_report;

#endif
