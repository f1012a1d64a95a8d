/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics that compare the open trace with a baseline, an earlier one that is read in addition
 * (common/statistics/comparison.h). A filter selects records of the open trace only. Knows nothing of formats, nor of what
 * is compared. */
#ifndef WIRETRACE_SHOWING_DIFF_H
#define WIRETRACE_SHOWING_DIFF_H

#include "showing/statistic.h"

/* A comparison. All pointers have static storage. */
typedef struct diff {
    statistic statistic; /* its protocol is that of the baseline, its last word that of comparison.h; some more are set by
                            diff_register() */
    const dialog_field *asks; /* in the dialog, for further words, fewer than DIALOG_FIELDS; NULL: nothing */
    bool (*read)(const statistic_run *run, const char *path, GError **error); /* counts the baseline */
} diff;

/* Registers the statistic. Its menu entry asks for the baseline. */
void diff_register(diff *d);
/* Reads the baseline: its statistic.prepare, unless that does more. */
void diff_prepare(const statistic_run *run);

#endif
