/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the labels of a graph of calls show: both who counts for it and who writes it must know. */
#ifndef WIRETRACE_XRAY_STATISTICS_GRAPH_LABEL_H
#define WIRETRACE_XRAY_STATISTICS_GRAPH_LABEL_H

#include "statistics/statistic_words.h"

/* The word of `xray,account` for which it counts for a graph, and those of the labels. */
#define XRAY_GRAPH_DOT "dot"
#define XRAY_GRAPH_LABEL_WORDS \
    "label:calls|label:min|label:median|label:p90|label:p99|label:max|label:sum|label:90_percent|label:99_percent"

/* Calls and their sum, or one of these words. */
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

/* What labels are asked for. */
xray_graph_label xray_graph_asked(const statistic_words *words);
/* Which percentile labels show; 0: none. */
unsigned xray_graph_percent(xray_graph_label label);

#endif
