/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How cacheray,reuse is shown: common/cacheray/statistics/curve.h counts. */
#include "cacheray_dissector/counting.h"
#include "cacheray_dissector/names.h"
#include "cacheray_dissector/settings.h"
#include "cacheray_dissector/statistics.h"

#include "cacheray/statistics/curve.h"
#include "cacheray/statistics/curve_picture.h"
#include "host/menus.h"
#include "host/notices.h"
#include "util/fail.h"

static bool curve_check(const statistic_run *run, GError **error)
{
    if (!cacheray_curve_block(&run->words, cacheray_settings_line_size()))
        return fail_with(error, "block:N needs a power of two from %u to %u", CACHERAY_CURVE_BLOCK_MIN,
                         CACHERAY_CURVE_BLOCK_MAX);
    return cacheray_curve_keep(&run->words) ||
           fail_with(error, "keep:N needs a number from %u to %u", CACHERAY_CURVE_KEEP_MIN, CACHERAY_CURVE_KEEP_MAX);
}

/* g_free() it; NULL: nothing is estimated. */
static char *estimate_of(const statistic_run *run)
{
    const unsigned halvings = cacheray_curve_halvings(run->data);
    return halvings ? g_strdup_printf("Misses are estimated from one of %u lines, as there are more than are kept (keep:N): "
                                      "Error is by how much they may be off.",
                                      1u << halvings)
                    : NULL;
}

static void curve_filled(const statistic_run *run, rows *to)
{
    g_autofree char *estimate = estimate_of(run);
    cacheray_names_shorten(run, to, CACHERAY_CURVE_TYPE, 1);
    if (estimate && (menus_windows() || run->kind != STATISTIC_ROWS || run->words.asked.form != ROWS_AS_TEXT))
        notices_say(NOTICE_REMARK, "%s", estimate);
}

/* Below the table that people read. */
static void curve_after(const statistic_run *run, GString *text)
{
    g_autofree char *estimate = estimate_of(run);
    if (estimate)
        g_string_append_printf(text, "%s\n", estimate);
}

static void curve_write(const statistic_run *run, GString *text)
{
    rows *r = statistic_run_rows(run);
    cacheray_curve_draw(r, run->of->title, text);
    rows_free(r);
}

static statistic curve_statistic = {
    .tap = "cacheray",
    .counts = &cacheray_curve_counted,
    .from = &cacheray_statistics,
    .command = "cacheray,reuse",
    .title = "Cacheray Miss-Ratio Curve",
    .table = "Cacheray miss-ratio curve",
    .usual = "size,lines,miss_ratio,misses,error,hits,type",
    .seldom = "error,type",
    .check = curve_check,
    .filled = curve_filled,
    .after = curve_after,
    .write = curve_write,
    .written = CACHERAY_CURVE_SVG,
};

void cacheray_curve_register(void)
{
    static const char by_type_title[] = "Cacheray Miss-Ratio Curve by Type";
    statistic_register(&curve_statistic);
    statistic_add_entry(&curve_statistic, by_type_title, "by:type");
}
