/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cacheray,whatif: what types miss and contend for as traced and with cacheray.remap, then which structs should change, as lines for such
 * a file (common/cacheray/whatif.h). */
#include "cacheray/analysis-cacheray.h"
#include "statistics/report.h"

#include <string.h>

#include "cacheray/whatif.h"

typedef struct whatif {
    unsigned within;
    cacheray_whatif *counted;
} whatif;

/* `within:N` */
static void take_within(whatif *w, const char **arguments)
{
    static const char word[] = "within:";
    char *rest = NULL;
    if (!g_str_has_prefix(*arguments, word))
        return;
    uint64_t within = g_ascii_strtoull(*arguments + strlen(word), &rest, 10);
    if (within < 1 || within > PROPOSALS_WITHIN_MAX || (*rest && *rest != ','))
        return; /* then it is a wrong filter, and reported as one */
    w->within = (unsigned)within;
    *arguments = rest + (*rest == ',');
}

static void *whatif_start(const void *unused _U_, const char **arguments)
{
    whatif *w = g_new0(whatif, 1);
    w->within = PROPOSALS_WITHIN;
    take_within(w, arguments);
    w->counted = cacheray_whatif_new(cacheray_analysis_line_size(), w->within);
    return w;
}

static void whatif_free(void *data)
{
    whatif *w = data;
    cacheray_whatif_free(w->counted);
    g_free(w);
}

static bool whatif_packet(void *data, packet_info *pinfo _U_, const void *tapped)
{
    const whatif *w = data;
    const cacheray_analysis *a = cacheray_analysis_of_file();
    return a && cacheray_whatif_add(w->counted, a, tapped);
}

static const char *whatif_fill(const void *data, rows *to)
{
    cacheray_whatif_fill(((const whatif *)data)->counted, to);
    return NULL;
}

static void whatif_after(const void *data, GString *text)
{
    const cacheray_whatif *counted = ((const whatif *)data)->counted;
    if (!cacheray_whatif_remaps(counted))
        g_string_append(text, "\n# Nothing is moved, since cacheray.remap is not set, or not usable.\n");
    g_string_append(text, "\n# Proposals, as a file for cacheray.remap:\n");
    if (!cacheray_whatif_propose(counted, text))
        g_string_append(text, "# none\n");
}

const report cacheray_whatif_report = {
    .tap = "cacheray",
    .command = "cacheray,whatif",
    .title = "Cacheray What If",
    .asks = (const dialog_field[]){{"Accesses within which members are used together:", "16", "within:%s"}, {0}},
    .start = whatif_start,
    .packet = whatif_packet,
    .fixed_columns = cacheray_whatif_columns,
    .fixed_count = CACHERAY_WHATIF_COLUMNS,
    .usual = "accesses,contended_before,contended_after,missed_level_1_before,missed_level_1_after,missed_all_levels_before,"
             "missed_all_levels_after,type",
    .own = "within:N",
    .fill = whatif_fill,
    .after = whatif_after,
    .free = whatif_free,
};
