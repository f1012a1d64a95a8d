/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who calls whom in a log, as a graph (DOT): a node per function, an edge per caller and function.
 * They are the sums of account.h, written in another form. */
#ifndef WIRETRACE_XRAY_STATISTICS_GRAPH_H
#define WIRETRACE_XRAY_STATISTICS_GRAPH_H

#include "xray/statistics/account.h"

/* What labels say: calls and their sum, or one of these words. */
typedef enum xray_graph_label {
    XRAY_GRAPH_BOTH,
    XRAY_GRAPH_CALLS,
    XRAY_GRAPH_MIN,
    XRAY_GRAPH_MEDIAN,
    XRAY_GRAPH_90,
    XRAY_GRAPH_99,
    XRAY_GRAPH_MAX,
    XRAY_GRAPH_SUM,
    XRAY_GRAPH_LABELS
} xray_graph_label;
extern const char *const xray_graph_words[XRAY_GRAPH_LABELS]; /* NULL for both */

/* The sums as rows, with the words `graph`, `recursive` or `outermost`; or with XRAY_GRAPH_DOT for the graph, with a word
 * for labels. */
#define XRAY_GRAPH_DOT "dot"
extern const counted xray_account_counted;
/* What labels are asked for. */
xray_graph_label xray_graph_asked(const statistic_words *words);

/* Which percentile labels show; 0: none. */
unsigned xray_graph_percent(xray_graph_label label);
/* Writes the text. `a`: of xray_account_new_graph(), with percentiles if the label shows one. `write`: a rows_writer. */
void xray_graph_write(const xray_account *a, xray_graph_label label, const xray_display *shown, GString *text,
                      void (*write)(GString *text));

#endif
