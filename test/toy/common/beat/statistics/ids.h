/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many beats each id has: a row per id, in the order in which they were first seen. */
#ifndef WIRETRACE_BEAT_STATISTICS_IDS_H
#define WIRETRACE_BEAT_STATISTICS_IDS_H

#include "beat/beat.h"
#include "statistics/counted.h"

enum { BEAT_IDS_ID, BEAT_IDS_BEATS, BEAT_IDS_COLUMNS };
extern const counted beat_ids_counted;

#endif
