/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The statistics and pictures of ovni traces. They take a display filter as last argument, like Wireshark's own. */
#ifndef WIRETRACE_OVNI_DISSECTOR_STATISTICS_H
#define WIRETRACE_OVNI_DISSECTOR_STATISTICS_H

#include "picture/picture.h"
#include "showing/diff.h"
#include "showing/statistic.h"

void ovni_statistics_register(int proto);
void ovni_statistics_handoff(void);

extern const picture_source ovni_picture;

/* Those that are in files of their own; the first are the tables of states and tasks. */
void ovni_tables_register(void);
extern statistic ovni_at_statistic, ovni_balance_statistic, ovni_cpus_statistic, ovni_lint_statistic, ovni_paraver_statistic;
extern diff ovni_diff;

#endif
