/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long the functions of a log ran: a row per function, or per function and caller (docs/xray.md, "Statistics"). */
#ifndef WIRETRACE_XRAY_STATISTICS_ACCOUNT_H
#define WIRETRACE_XRAY_STATISTICS_ACCOUNT_H

#include "analysis/span.h"
#include "containers/percentiles.h"
#include "statistics/counted.h"
#include "xray/statistics/display.h"
#include "xray/session.h"

enum {
    XRAY_ACCOUNT_FUNCTION,
    XRAY_ACCOUNT_ID,
    XRAY_ACCOUNT_CALLS,
    XRAY_ACCOUNT_MIN,
    XRAY_ACCOUNT_MEDIAN,
    XRAY_ACCOUNT_90,
    XRAY_ACCOUNT_99,
    XRAY_ACCOUNT_MAX,
    XRAY_ACCOUNT_SUM,
    XRAY_ACCOUNT_SELF,
    XRAY_ACCOUNT_UNWOUND, /* calls without an exit */
    XRAY_ACCOUNT_UNSURE,  /* calls whose self time is unsure */
    XRAY_ACCOUNT_FILE,
    XRAY_ACCOUNT_LINE,
    XRAY_ACCOUNT_CALLER,
    XRAY_ACCOUNT_COLUMNS,
    XRAY_ACCOUNT_TYPICAL =
        XRAY_ACCOUNT_COLUMNS, /* percentiles_typical_sum() of the self times, only of an account for comparison */
    XRAY_ACCOUNT_COMPARED
};
extern const rows_column xray_account_columns[XRAY_ACCOUNT_COMPARED];

/* Which calls count: all; only those of functions that have called themselves, as `llvm-xray account
 * --recursive-calls-only`; only the outermost of such calls, which contain the others. */
typedef enum xray_account_counts { XRAY_COUNT_ALL, XRAY_COUNT_RECURSIVE, XRAY_COUNT_OUTERMOST } xray_account_counts;

/* The sums of a row, in ticks. */
typedef struct xray_account_sums {
    uint32_t function, caller; /* XRAY_OTHER_FUNCTIONS: as function, those without room; as caller, there is none, or in
                                * a graph those without room */
    uint64_t count, unsure;
    uint32_t unwound;
    bool has_sums; /* of sums: there is no time of a single call */
    uint64_t min, max, sum, self;
    percentiles spread;
    percentiles self_spread; /* if they are compared */
} xray_account_sums;

typedef struct xray_account xray_account;

/* `callers`: there is a row per function and caller. */
xray_account *xray_account_new(bool callers, xray_account_counts which);
void xray_account_free(void *account); /* NULL is allowed */
/* The same for a graph (graph.h): caller 0 means that there is none. It has more room. Where there is none, a function with
 * other callers keeps its calls: their caller is XRAY_OTHER_FUNCTIONS. `spread`: there are percentiles. */
xray_account *xray_account_new_graph(bool spread);
/* The same with a column more, XRAY_ACCOUNT_TYPICAL, and all calls. */
xray_account *xray_account_new_compared(bool callers);
/* An entry on a stack. Needed only if not all calls count. */
void xray_account_enter(xray_account *a, uint64_t stack, uint32_t function);
/* A call that has ended on a stack, or a sum of calls, in ticks of the log. `caller`: NULL: there is none; not looked at
 * without callers. False: it does not count. */
bool xray_account_add(xray_account *a, uint64_t stack, const uint32_t *caller, const span *ended);
/* The calls that a record, an xray_tapped, has ended; false: none counts. */
bool xray_account_count(void *account, const counted_record *of);
/* Adds the sums of one row to those of another. */
void xray_account_join(xray_account_sums *to, const xray_account_sums *from);
/* All rows, sorted, since several threads may have counted. g_ptr_array_unref() them; they live as long as nothing is added.
 */
GPtrArray *xray_account_rows(const xray_account *a, GCompareFunc compare);
int xray_account_compare(gconstpointer a, gconstpointer b); /* by function and caller */
/* The same sums, without callers. */
xray_account *xray_account_by_function(const xray_account *a);
/* Gives one that is empty room for a `share`th of the usual number of rows. */
void xray_account_share(void *account, unsigned share);
/* Returns whether there was no room for a row. */
bool xray_account_full(const void *account);
/* Adds what another one has counted, with the same options, of other stacks of the same log. */
void xray_account_merge(void *account, const void *other);
/* The same sums, where functions of the same name are one. */
xray_account *xray_account_by_name(const xray_account *a, const xray_functions *names);
/* Adds rows, in the order of functions, then callers. `how`: an xray_display. */
void xray_account_fill(void *account, const void *how, rows *to);

/* With the words `graph`, `recursive` or `outermost`; with XRAY_GRAPH_DOT it counts for a graph. */
extern const counted xray_account_counted;

#endif
