/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What statistics share: what they are counted and shown with. */
#ifndef WIRETRACE_OVNI_DISSECTOR_COUNTING_H
#define WIRETRACE_OVNI_DISSECTOR_COUNTING_H

#include "showing/statistic.h"

#include "ovni/statistics/interval.h"

extern const statistic_source ovni_statistics;
/* For statistic.check of those with the word OVNI_WITHIN. */
bool ovni_within_check(const statistic_run *run, GError **error);
/* For statistic.plain of them: an interval has states of its own. */
bool ovni_within_asked(const statistic_run *run);
/* For statistic.known of them; `w`: what is counted, or NULL. */
bool ovni_within_known(const statistic_run *run, const ovni_interval *w, GError **error);

#endif
