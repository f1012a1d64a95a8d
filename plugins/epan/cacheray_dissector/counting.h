/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What statistics share: what they are counted and shown with. */
#ifndef WIRETRACE_CACHERAY_DISSECTOR_COUNTING_H
#define WIRETRACE_CACHERAY_DISSECTOR_COUNTING_H

#include "showing/statistic.h"

extern const statistic_source cacheray_statistics;

#endif
