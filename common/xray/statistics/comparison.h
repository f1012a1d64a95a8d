/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of two logs side by side, or who calls whom: paired by their names, as their ids change from build to build;
 * if the names of only one log are known, or of none, by their ids. */
#ifndef WIRETRACE_XRAY_STATISTICS_COMPARISON_H
#define WIRETRACE_XRAY_STATISTICS_COMPARISON_H

#include "statistics/comparison.h"
#include "xray/statistics/account.h"

enum {
    XRAY_COMPARISON_CALLS,
    XRAY_COMPARISON_SUM,
    XRAY_COMPARISON_SELF,
    XRAY_COMPARISON_TYPICAL, /* what a few calls do not decide of the self time */
    XRAY_COMPARISON_MEAN,
    XRAY_COMPARISON_MEDIAN,
    XRAY_COMPARISON_99,
    XRAY_COMPARISON_UNWOUND, /* calls without an exit */
    XRAY_COMPARISON_MEASURES
};
enum { XRAY_COMPARISON_COLUMNS = COMPARISON_COLUMNS(XRAY_COMPARISON_MEASURES) };
/* Its words `graph` (by caller), binary:FILE and BASELINE; the last two are for whoever reads the baseline. */
extern const counted xray_comparison_counted;

/* An earlier log. All zero: it has not been read. */
typedef struct xray_baseline {
    xray_account *account;
    xray_functions *functions; /* NULL: not known */
    uint64_t frequency;        /* of its first record, ticks per second */
    bool loses_ends;           /* see xray_loses_end() */
} xray_baseline;

/* Counts it, by caller if `callers`. `binary`: the program that wrote it, with its libraries; NULL: it is looked for beside
 * the log. Lines about what is wrong with programs are appended to `problems`. Also if it fails, xray_baseline_clear() it.
 */
bool xray_baseline_read(xray_baseline *b, const char *path, bool callers, const char *binary, bool demangle,
                        GString *problems, GError **error);
void xray_baseline_clear(xray_baseline *b);
/* Which functions have no names, of the baseline or of a log after it, although the two are of different builds
 * (program/objects.h): matched by their ids, they would be others. In words; NULL: there are none. `after`: the path of that
 * log; NULL: it is not known. */
const char *xray_baseline_unmatched(const xray_baseline *b, const char *path, const char *after,
                                    const xray_functions *names);

/* Its data. Rows have full names. If only one of the programs is known, it names the functions of both. */
typedef struct xray_comparison {
    xray_baseline before;
    xray_account *after;
    bool unmatched; /* functions cannot be matched: there are no rows */
} xray_comparison;

#endif
