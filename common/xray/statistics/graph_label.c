/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/statistics/graph_label.h"

const char *const xray_graph_words[XRAY_GRAPH_LABELS] = {NULL, "calls", "min", "median", "p90", "p99", "max", "sum"};

unsigned xray_graph_percent(xray_graph_label label)
{
    static const unsigned percents[XRAY_GRAPH_LABELS] = {
        [XRAY_GRAPH_MEDIAN] = 50, [XRAY_GRAPH_90] = 90, [XRAY_GRAPH_99] = 99};
    return percents[label];
}

xray_graph_label xray_graph_asked(const statistic_words *words)
{
    static const char *const earlier[XRAY_GRAPH_LABELS] = {
        [XRAY_GRAPH_90] = "label:90_percent", [XRAY_GRAPH_99] = "label:99_percent"};
    xray_graph_label label = XRAY_GRAPH_LABELS - 1;
    for (; label > XRAY_GRAPH_BOTH; label--) {
        g_autofree char *word = g_strconcat("label:", xray_graph_words[label], NULL);
        if (statistic_words_has(words, word) || (earlier[label] && statistic_words_has(words, earlier[label])))
            break;
    }
    return label;
}
