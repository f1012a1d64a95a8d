/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cacheray,whatif: what types miss and contend for as traced and with cacheray.remap, then which structs should change, as
 * lines for such a file (common/cacheray/statistics/whatif.h). */
#include "cacheray_dissector/counting.h"
#include "cacheray_dissector/file.h"
#include "cacheray_dissector/names.h"
#include "cacheray_dissector/statistics.h"

#include "cacheray/statistics/whatif.h"
#include "util/fail.h"

static bool whatif_check(const statistic_run *run, GError **error)
{
    return cacheray_whatif_within(&run->words) ||
           fail_with(error, "within:N needs a number from 1 to %u", PROPOSALS_WITHIN_MAX);
}

static void whatif_filled(const statistic_run *run, rows *to)
{
    cacheray_names_shorten(run, to, CACHERAY_WHATIF_TYPE, 1);
}

static void whatif_after(const statistic_run *run, GString *text)
{
    if (!cacheray_whatif_remaps(run->data))
        g_string_append(text, "\n# Nothing is moved, since cacheray.remap is not set, or not usable.\n");
    g_string_append(text, "\n# Proposals, as a file for cacheray.remap:\n");
    if (cacheray_file_analysis())
        cacheray_whatif_propose(run->data, text);
    else
        g_string_append(text, "# none\n");
}

statistic cacheray_whatif_statistic = {
    .tap = "cacheray",
    .counts = &cacheray_whatif_counted,
    .from = &cacheray_statistics,
    .command = "cacheray,whatif",
    .title = "Cacheray What If",
    .asks = (const dialog_field[]){{"Accesses within which members are used together:", "16", "within:%s"}, {0}},
    .usual = "accesses,contended_before,contended_after,missed_level_1_before,missed_level_1_after,missed_all_levels_before,"
             "missed_all_levels_after,type",
    .check = whatif_check,
    .filled = whatif_filled,
    .after = whatif_after,
};
