/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How cacheray,types,layout is shown, and below it which orders of members would need fewer cache lines:
 * common/cacheray/statistics/type_layouts.h counts. */
#include "cacheray_dissector/counting.h"
#include "cacheray_dissector/file.h"
#include "cacheray_dissector/names.h"
#include "cacheray_dissector/settings.h"
#include "cacheray_dissector/statistics.h"

#include "cacheray/statistics/type_layouts.h"
#include "cacheray/statistics/type_layouts_picture.h"
#include "host/menus.h"
#include "host/notices.h"

static void type_layouts_filled(const statistic_run *run, rows *to)
{
    cacheray_names_shorten(run, to, CACHERAY_TYPE_LAYOUTS_TYPE, 1);
    cacheray_names_shorten(run, to, CACHERAY_TYPE_LAYOUTS_MEMBER, 1);
    if (cacheray_type_layouts_unknown(run->data) && !menus_windows())
        notices_say(NOTICE_WARNING, "The members of no struct are known: cacheray.binary must be the program, with debug "
                                    "information (-g).");
}

static void type_layouts_after(const statistic_run *run, GString *text)
{
    g_autoptr(GString) orders = g_string_new(NULL);
    if (cacheray_file_analysis())
        cacheray_type_layouts_propose(run->data, orders);
    if (orders->len)
        g_string_append_printf(text, "\n# Orders with fewer cache lines or bytes, as a file for cacheray.remap:\n%s",
                               orders->str);
}

static void type_layouts_write(const statistic_run *run, GString *text)
{
    rows *r = statistic_run_rows(run);
    cacheray_type_layouts_draw(r, cacheray_settings_line_size(), run->of->title, text);
    rows_free(r);
}

static statistic type_layouts_statistic = {
    .tap = "cacheray",
    .counts = &cacheray_type_layouts_counted,
    .from = &cacheray_statistics,
    .command = "cacheray,types,layout",
    .title = "Cacheray Layout of Types",
    .table = "Cacheray layout of types",
    .usual =
        "offset,bytes,line,begins,reads,writes,share,threads,missed_level_1,missed_all_levels,contended,new_offset,heat,"
        "member,type",
    .seldom = "begins,missed_level_1,missed_all_levels,contended,new_offset",
    .filled = type_layouts_filled,
    .after = type_layouts_after,
    .write = type_layouts_write,
    .written = CACHERAY_TYPE_LAYOUTS_SVG,
};

void cacheray_type_layouts_register(void)
{
    statistic_register(&type_layouts_statistic);
}
