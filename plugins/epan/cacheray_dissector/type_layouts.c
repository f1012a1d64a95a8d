/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How cacheray,types,layout is shown, and below it which orders of members would need fewer cache lines:
 * common/cacheray/statistics/type_layouts.h counts. */
#include "cacheray_dissector/counting.h"
#include "cacheray_dissector/file.h"
#include "cacheray_dissector/names.h"
#include "cacheray_dissector/statistics.h"

#include "cacheray/statistics/type_layouts.h"
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
};

void cacheray_type_layouts_register(void)
{
    statistic_register(&type_layouts_statistic);
}
