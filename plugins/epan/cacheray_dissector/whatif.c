/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cacheray,whatif: what types miss and contend for as traced and with cacheray.remap, then which structs should change, as
 * lines for such a file (common/cacheray/statistics/whatif.h). */
#include "cacheray_dissector/record.h"

#include "cacheray/statistics/whatif.h"
#include "util/fail.h"

/* 0: not a number that is possible. */
static unsigned within_of(const statistic_run *run)
{
    const char *text = statistic_text(run, "within:N");
    guint64 within;
    if (!text)
        return PROPOSALS_WITHIN;
    return g_ascii_string_to_unsigned(text, 10, 1, PROPOSALS_WITHIN_MAX, &within, NULL) ? (unsigned)within : 0;
}

static bool whatif_check(const statistic_run *run, GError **error)
{
    return within_of(run) || fail_with(error, "within:N needs a number from 1 to %u", PROPOSALS_WITHIN_MAX);
}

static void *whatif_begin(const statistic_run *run)
{
    return cacheray_whatif_new(cacheray_analysis_line_size(), within_of(run));
}

static void whatif_free(void *data)
{
    cacheray_whatif_free(data);
}

static bool whatif_count(const statistic_run *run, const packet_info *pinfo _U_, const void *tapped)
{
    const cacheray_analysis *a = cacheray_analysis_of_file();
    return a && cacheray_whatif_add(run->data, a, tapped);
}

static void whatif_fill(const statistic_run *run, rows *to)
{
    cacheray_whatif_fill(run->data, to);
    cacheray_shorten_names(run, to, CACHERAY_WHATIF_TYPE, 1);
}

static void whatif_after(const statistic_run *run, GString *text)
{
    if (!cacheray_whatif_remaps(run->data))
        g_string_append(text, "\n# Nothing is moved, since cacheray.remap is not set, or not usable.\n");
    g_string_append(text, "\n# Proposals, as a file for cacheray.remap:\n");
    if (cacheray_analysis_of_file())
        cacheray_whatif_propose(run->data, cacheray_analysis_of_file(), text);
    else
        g_string_append(text, "# none\n");
}

statistic cacheray_whatif_statistic = {
    .tap = "cacheray",
    .command = "cacheray,whatif",
    .title = "Cacheray What If",
    .asks = (const dialog_field[]){{"Accesses within which members are used together:", "16", "within:%s"}, {0}},
    .columns = cacheray_whatif_columns,
    .column_count = CACHERAY_WHATIF_COLUMNS,
    .usual = "accesses,contended_before,contended_after,missed_level_1_before,missed_level_1_after,missed_all_levels_before,"
             "missed_all_levels_after,type",
    .words = "within:N",
    .check = whatif_check,
    .begin = whatif_begin,
    .count = whatif_count,
    .fill = whatif_fill,
    .after = whatif_after,
    .free = whatif_free,
};
