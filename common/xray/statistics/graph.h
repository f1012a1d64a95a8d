/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who calls whom in a log, as a graph (DOT): a node per function, an edge per caller and function.
 * They are the sums of account.h, written in another form. */
#ifndef WIRETRACE_XRAY_STATISTICS_GRAPH_H
#define WIRETRACE_XRAY_STATISTICS_GRAPH_H

#include "xray/statistics/account.h"
#include "xray/statistics/graph_label.h"

/* Writes the text. `a`: of xray_account_new_graph(), with percentiles if the label shows one. `write`: a rows_writer. */
void xray_graph_write(const xray_account *a, xray_graph_label label, const xray_display *shown, GString *text,
                      void (*write)(GString *text));

#endif
