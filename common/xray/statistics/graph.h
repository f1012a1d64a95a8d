/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who calls whom in a log, as a graph (DOT): a node per function, an edge per caller and function. */
#ifndef WIRETRACE_XRAY_STATISTICS_GRAPH_H
#define WIRETRACE_XRAY_STATISTICS_GRAPH_H

#include "analysis/calls.h"
#include "xray/names/display.h"

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

typedef struct xray_graph xray_graph;

xray_graph *xray_graph_new(xray_graph_label label);
void xray_graph_free(xray_graph *g);
/* A call that has ended, in ticks of the log. `caller`: 0: there is none. False: it does not count. */
bool xray_graph_add(xray_graph *g, uint32_t function, uint32_t caller, const call *k);
/* Of an empty one: it has room for a `share`th of the usual number of sums. */
void xray_graph_share(xray_graph *g, unsigned share);
/* Returns whether there was no room for a sum. */
bool xray_graph_full(const xray_graph *g);
/* Adds what another one has counted, with the same label, of other stacks of the same log. */
void xray_graph_merge(xray_graph *g, const xray_graph *other);
/* Writes the text. `flush` is called after every line, as there may be millions. */
void xray_graph_write(const xray_graph *g, const xray_display *shown, GString *text, void (*flush)(GString *text));

#endif
