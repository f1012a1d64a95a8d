/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables cacheray,types, cacheray,lines, cacheray,lines,offsets, cacheray,regions and cacheray,slowest: common/cacheray/ counts and fills them. */
#include "cacheray/analysis-cacheray.h"

#include "cacheray/line_sums.h"
#include "cacheray/offsets.h"
#include "cacheray/regions.h"
#include "cacheray/slowest.h"
#include "cacheray/types.h"
#include "host/hidden_records.h"
#include "host/menus.h"
#include "host/notices.h"
#include "statistics/record_list.h"

/* --- types ------------------------------------------------------------------------------------------------------------- */

static cacheray_types *types;
static bool types_elements;
static statistic types_statistic;

static void types_forget(void)
{
    cacheray_types_free(types);
    types = cacheray_types_new(types_elements);
}

static bool types_add(const packet_info *pinfo _U_, const void *tapped)
{
    return cacheray_types_add(types, tapped);
}

static void types_fill(rows *to)
{
    cacheray_types_fill(types, cacheray_coherence(), to);
    cacheray_shorten_names(&types_statistic, to, CACHERAY_TYPES_TYPE);
    cacheray_shorten_names(&types_statistic, to, CACHERAY_TYPES_MEMBER);
}

static statistic types_statistic = {
    .title = "Cacheray Types",
    .table = "Cacheray types",
    .tap = "cacheray",
    .command = "cacheray,types",
    .columns = cacheray_types_columns,
    .column_count = CACHERAY_TYPES_COLUMNS,
    .usual = "reads,writes,threads,misses,invalidations,atomic,unaligned,type,member",
    .seldom = "misses,invalidations",
    .sorted_by = {CACHERAY_TYPES_READS, CACHERAY_TYPES_WRITES},
    .count = types_add,
    .fill = types_fill,
    .forget = types_forget,
    .flag = "elements",
    .flagged = &types_elements,
};

/* --- lines ------------------------------------------------------------------------------------------------------------- */

static cacheray_line_sums *lines;

static void lines_forget(void)
{
    cacheray_line_sums_free(lines);
    lines = cacheray_line_sums_new(cacheray_analysis_line_size());
}

static bool lines_add(const packet_info *pinfo _U_, const void *tapped)
{
    return cacheray_line_sums_add(lines, tapped);
}

static void lines_fill(rows *to)
{
    cacheray_line_sums_fill(lines, to);
}

static statistic lines_statistic = {
    .title = "Cacheray Lines",
    .table = "Cacheray lines",
    .tap = "cacheray",
    .command = "cacheray,lines",
    .columns = cacheray_line_sums_columns,
    .column_count = LINE_ROWS_COLUMNS,
    .usual = "line,contended,reads,writes,threads,atomic,sharing,shared_by",
    .first = LINE_ROWS_CONTENDED,
    .sorted_by = {LINE_ROWS_READS, LINE_ROWS_WRITES},
    .count = lines_add,
    .fill = lines_fill,
    .forget = lines_forget,
};

/* --- lines by offset --------------------------------------------------------------------------------------------------- */

static cacheray_offsets *offsets;

static void offsets_forget(void)
{
    cacheray_offsets_free(offsets);
    offsets = cacheray_offsets_new(cacheray_analysis_line_size());
}

static bool offsets_add(const packet_info *pinfo _U_, const void *tapped)
{
    return cacheray_offsets_add(offsets, tapped);
}

static void offsets_fill(rows *to)
{
    cacheray_offsets_fill(offsets, to);
}

static statistic offsets_statistic = {
    .title = "Cacheray Lines by Offset",
    .table = "Cacheray lines by offset",
    .tap = "cacheray",
    .command = "cacheray,lines,offsets",
    .columns = cacheray_offsets_columns,
    .column_count = CACHERAY_OFFSETS_COLUMNS,
    .usual = "line,offset,times,contended,reads,writes,data,against,shared_by",
    .count = offsets_add,
    .fill = offsets_fill,
    .forget = offsets_forget,
};

/* --- regions ----------------------------------------------------------------------------------------------------------- */

static cacheray_regions *regions;
static bool regions_by_type;
static statistic regions_statistic;

static void regions_forget(void)
{
    cacheray_regions_free(regions);
    regions = cacheray_regions_new(regions_by_type);
}

static bool regions_add(const packet_info *pinfo _U_, const void *tapped)
{
    return cacheray_regions_add(regions, tapped);
}

static void regions_fill(rows *to)
{
    hidden_finish();
    cacheray_regions_fill(regions, cacheray_analysis_of_file(), record_frame, to);
    cacheray_shorten_names(&regions_statistic, to, CACHERAY_REGIONS_TYPE);
}

static statistic regions_statistic = {
    .title = "Cacheray Regions",
    .table = "Cacheray regions",
    .tap = "cacheray",
    .command = "cacheray,regions",
    .columns = cacheray_regions_columns,
    .column_count = CACHERAY_REGIONS_COLUMNS,
    .usual = "reads,writes,regions,bytes,threads,misses,added,removed,lifetime,address,type",
    .seldom = "misses",
    .sorted_by = {CACHERAY_REGIONS_READS, CACHERAY_REGIONS_WRITES},
    .count = regions_add,
    .fill = regions_fill,
    .forget = regions_forget,
    .flag = "by:type",
    .flagged = &regions_by_type,
};

/* --- slowest ----------------------------------------------------------------------------------------------------------- */

static cacheray_slowest *slowest;
static bool slowest_elements;
static statistic slowest_statistic;

static void slowest_forget(void)
{
    cacheray_slowest_free(slowest);
    slowest = cacheray_slowest_new(cacheray_analysis_line_size(), slowest_elements);
}

static bool slowest_add(const packet_info *pinfo, const void *tapped)
{
    return cacheray_slowest_add(slowest, tapped, record_number(pinfo));
}

static void slowest_fill(rows *to)
{
    const largest_by by = statistic_largest(&slowest_statistic, CACHERAY_SLOWEST_SLOW);
    cacheray_slowest_fill(slowest, &by, record_frame, to);
    cacheray_shorten_names(&slowest_statistic, to, CACHERAY_SLOWEST_TYPE);
    cacheray_shorten_names(&slowest_statistic, to, CACHERAY_SLOWEST_MEMBER);
    if (rows_length(to) == 0 && !cacheray_levels() && !menus_windows())
        notices_print(
            "No access is contended, and without cacheray.caches none is known to miss a cache: there are no rows.");
}

static statistic slowest_statistic = {
    .title = "Cacheray Slowest Accesses",
    .table = "Cacheray data with the most slow accesses",
    .tap = "cacheray",
    .command = "cacheray,slowest",
    .columns = cacheray_slowest_columns,
    .column_count = CACHERAY_SLOWEST_COLUMNS,
    .usual = "slow,share,first,missed,contended,accesses,threads,type,element,member",
    .seldom = "missed",
    .count = slowest_add,
    .fill = slowest_fill,
    .forget = slowest_forget,
    .flag = "elements",
    .flagged = &slowest_elements,
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
