/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics that compare the open trace with a baseline, an earlier one that is read in addition (common/statistics/comparison.h). A
 * filter selects records of the open trace only. Knows nothing of formats, nor of what is compared. */
#ifndef WIRETRACE_DIFF_H
#define WIRETRACE_DIFF_H

#include "host/dialog.h"
#include "statistics/statistic.h"

/* A comparison. The first members have static storage. */
typedef struct diff {
    statistic statistic;             /* its `start`, `word` and `begin` are set here */
    bool (*word)(const char *word);  /* as in statistic.h: takes its further words; NULL: there are none */
    const dialog_field *asks;        /* in the dialog, for further words, fewer than DIALOG_FIELDS; NULL: nothing */
    const char *protocol;            /* of the baseline */
    char *(*read)(const char *path); /* counts the baseline, instead of an earlier one. NULL, or what is wrong */
    char *baseline;                  /* private, like the rest: its path */
    bool was_read;
} diff;

/* Registers the statistic. Its menu entry asks for the baseline. */
void diff_register(diff *d);
/* Reads the baseline if that has not been done: to be called before rows are filled. */
void diff_prepare(diff *d);

#endif
