/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of two logs side by side, or who calls whom: paired by their names, as their ids change from build to build; if the
 * names of only one log are known, or of none, by their ids. */
#ifndef WIRETRACE_XRAY_COMPARISON_H
#define WIRETRACE_XRAY_COMPARISON_H

#include "analysis/calls.h"
#include "statistics/comparison.h"
#include "xray/shown.h"

enum {
    XRAY_COMPARISON_CALLS,
    XRAY_COMPARISON_SUM,
    XRAY_COMPARISON_MEAN,
    XRAY_COMPARISON_MEDIAN,
    XRAY_COMPARISON_99,
    XRAY_COMPARISON_UNWOUND, /* calls without an exit */
    XRAY_COMPARISON_MEASURES
};
enum { XRAY_COMPARISON_COLUMNS = COMPARISON_COLUMNS(XRAY_COMPARISON_MEASURES) };
extern const rows_column xray_comparison_columns[XRAY_COMPARISON_COLUMNS];

typedef struct xray_comparison xray_comparison;

/* `callers`: there is a row per function and caller. */
xray_comparison *xray_comparison_new(bool callers);
void xray_comparison_free(xray_comparison *c);
/* A call that has ended, in ticks of the log. `caller`: NULL: there is none; not looked at without callers. `open`: the functions of the
 * log after the baseline; NULL: not known, then those of the baseline name them. False: the call does not count. */
bool xray_comparison_add(xray_comparison *c, comparison_side side, const xray_functions *open, uint32_t function,
                         const uint32_t *caller, const call *k);
/* Counts the baseline. `binary`: the program that wrote it, with its libraries; NULL: it is looked for beside the log. Lines about what
 * is wrong with programs are appended to `problems`. NULL, or what is wrong with the log; g_free() it. */
char *xray_comparison_read(xray_comparison *c, const char *path, const char *binary, bool demangle,
                           const xray_functions *open, GString *problems);
/* Whether the functions of the baseline are known. */
bool xray_comparison_named(const xray_comparison *c);
/* Adds what another one has counted of other stacks of the same logs. */
void xray_comparison_merge(xray_comparison *c, const xray_comparison *other);
/* Forgets the log after the baseline. */
void xray_comparison_forget(xray_comparison *c);
/* Adds rows. `after`: how the times of the log after the baseline are shown. */
void xray_comparison_fill(xray_comparison *c, const xray_shown *after, rows *to);

#endif
