/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the tables cacheray,types, cacheray,lines, cacheray,lines,offsets, cacheray,regions and cacheray,slowest are shown:
 * common/cacheray/statistics/ counts. */
#include "cacheray_dissector/counting.h"
#include "cacheray_dissector/file.h"
#include "cacheray_dissector/names.h"
#include "cacheray_dissector/problems.h"
#include "cacheray_dissector/statistics.h"

#include "cacheray/statistics/line_sums.h"
#include "cacheray/statistics/offsets.h"
#include "cacheray/statistics/regions.h"
#include "cacheray/statistics/slowest.h"
#include "cacheray/statistics/types.h"
#include "host/menus.h"
#include "host/notices.h"
#include "showing/record_list.h"

static void types_filled(const statistic_run *run, rows *to)
{
    cacheray_names_shorten(run, to, CACHERAY_TYPES_TYPE, 1);
    cacheray_names_shorten(run, to, CACHERAY_TYPES_MEMBER, 1);
}

static statistic types_statistic = {
    .tap = "cacheray",
    .counts = &cacheray_types_counted,
    .from = &cacheray_statistics,
    .command = "cacheray,types",
    .title = "Cacheray Types",
    .table = "Cacheray types",
    .usual = "reads,writes,threads,misses,invalidations,atomic,unaligned,bytes,type,member",
    .seldom = "misses,invalidations",
    .sorted_by = {CACHERAY_TYPES_READS, CACHERAY_TYPES_WRITES},
    .filled = types_filled,
};

static bool is_of_thread_0(const rows *of, unsigned row)
{
    const rows_cell *by = &rows_at(of, row)[LINE_ROWS_WHO];
    return by->state == ROWS_IS_TEXT && (strcmp(by->text, "0") == 0 || strcmp(by->text, "0*") == 0);
}

static void lines_filled(const statistic_run *run, rows *to)
{
    unsigned n = 0;
    while (n < rows_length(to) && is_of_thread_0(to, n))
        n++;
    const cacheray_analysis *a = cacheray_file_analysis();
    if (n && n == rows_length(to) && !menus_windows() && !*run->filter && !(a && cacheray_analysis_recorded(a)))
        notices_say(NOTICE_WARNING, "%s", CACHERAY_UNNUMBERED);
}

static statistic lines_statistic = {
    .tap = "cacheray",
    .counts = &cacheray_line_sums_counted,
    .from = &cacheray_statistics,
    .command = "cacheray,lines",
    .title = "Cacheray Lines",
    .table = "Cacheray lines",
    .usual = "line,contended,reads,writes,threads,atomic,sharing,shared_by",
    .first = LINE_ROWS_CONTENDED,
    .sorted_by = {LINE_ROWS_READS, LINE_ROWS_WRITES},
    .filled = lines_filled,
};

static void offsets_filled(const statistic_run *run, rows *to)
{
    cacheray_names_shorten(run, to, CACHERAY_OFFSETS_DATA, 2); /* and that against which it is */
}

static statistic offsets_statistic = {
    .tap = "cacheray",
    .counts = &cacheray_offsets_counted,
    .from = &cacheray_statistics,
    .command = "cacheray,lines,offsets",
    .title = "Cacheray Lines by Offset",
    .table = "Cacheray lines by offset",
    .usual = "line,offset,times,contended,reads,writes,data,against,shared_by",
    .names_first = true,
    .filled = offsets_filled,
};

static void regions_filled(const statistic_run *run, rows *to)
{
    cacheray_names_shorten(run, to, CACHERAY_REGIONS_TYPE, 1);
}

static statistic regions_statistic = {
    .tap = "cacheray",
    .counts = &cacheray_regions_counted,
    .from = &cacheray_statistics,
    .command = "cacheray,regions",
    .title = "Cacheray Regions",
    .table = "Cacheray regions",
    .to_the_end = true,
    .usual = "reads,writes,regions,bytes,threads,misses,added,removed,lifetime,address,type",
    .seldom = "misses",
    .sorted_by = {CACHERAY_REGIONS_READS, CACHERAY_REGIONS_WRITES},
    .filled = regions_filled,
};

static void slowest_filled(const statistic_run *run, rows *to)
{
    cacheray_names_shorten(run, to, CACHERAY_SLOWEST_TYPE, 1);
    cacheray_names_shorten(run, to, CACHERAY_SLOWEST_MEMBER, 1);
    if (rows_length(to) == 0 && !cacheray_file_levels() && !menus_windows())
        notices_say(NOTICE_WARNING,
                    "No access is contended, and without cacheray.caches none is known to miss a cache: there are no rows.");
}

static statistic slowest_statistic = {
    .tap = "cacheray",
    .counts = &cacheray_slowest_counted,
    .from = &cacheray_statistics,
    .command = "cacheray,slowest",
    .title = "Cacheray Slowest Accesses",
    .table = "Cacheray data with the most slow accesses",
    .usual = "slow,share,first,missed,contended,accesses,threads,type,element,member",
    .seldom = "missed",
    .filled = slowest_filled,
};

/* --- registration ------------------------------------------------------------------------------------------------------ */

void cacheray_tables_register(void)
{
    static const char elements_title[] = "Cacheray Types by Element", by_type_title[] = "Cacheray Regions by Type",
                      by_element_title[] = "Cacheray Slowest Accesses by Element",
                      list_title[] = "Cacheray Slowest Accesses in the List";
    statistic_register(&types_statistic);
    statistic_add_entry(&types_statistic, elements_title, "elements");
    statistic_register(&lines_statistic);
    statistic_register(&offsets_statistic);
    statistic_register(&regions_statistic);
    statistic_add_entry(&regions_statistic, by_type_title, "by:type");
    statistic_register(&slowest_statistic);
    statistic_add_entry(&slowest_statistic, by_element_title, "elements");
    record_list_add(&slowest_statistic, list_title, CACHERAY_SLOWEST_FIRST);
}
