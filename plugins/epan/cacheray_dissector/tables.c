/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables cacheray,types, cacheray,lines, cacheray,lines,offsets, cacheray,regions and cacheray,slowest: common/cacheray/
 * counts and fills them. */
#include "cacheray_dissector/record.h"

#include "cacheray/statistics/line_sums.h"
#include "cacheray/statistics/offsets.h"
#include "cacheray/statistics/regions.h"
#include "cacheray/statistics/slowest.h"
#include "cacheray/statistics/types.h"
#include "host/hidden_records.h"
#include "host/menus.h"
#include "host/notices.h"
#include "taps/record_list.h"

/* --- types ------------------------------------------------------------------------------------------------------------- */

static void *types_begin(const statistic_run *run)
{
    return cacheray_types_new(statistic_has(run, "elements"));
}

static bool types_count(const statistic_run *run, const packet_info *pinfo _U_, const void *tapped)
{
    return cacheray_types_add(run->data, tapped);
}

static void types_fill(const statistic_run *run, rows *to)
{
    cacheray_types_fill(run->data, cacheray_coherence(), to);
    cacheray_shorten_names(run, to, CACHERAY_TYPES_TYPE, 1);
    cacheray_shorten_names(run, to, CACHERAY_TYPES_MEMBER, 1);
}

static void types_free(void *data)
{
    cacheray_types_free(data);
}

static statistic types_statistic = {
    .title = "Cacheray Types",
    .table = "Cacheray types",
    .tap = "cacheray",
    .command = "cacheray,types",
    .columns = cacheray_types_columns,
    .column_count = CACHERAY_TYPES_COLUMNS,
    .usual = "reads,writes,threads,misses,invalidations,atomic,unaligned,bytes,type,member",
    .seldom = "misses,invalidations",
    .sorted_by = {CACHERAY_TYPES_READS, CACHERAY_TYPES_WRITES},
    .begin = types_begin,
    .count = types_count,
    .fill = types_fill,
    .free = types_free,
    .words = "elements",
};

/* --- lines ------------------------------------------------------------------------------------------------------------- */

static void *line_sums_begin(const statistic_run *run _U_)
{
    return cacheray_line_sums_new(cacheray_analysis_line_size());
}

static bool line_sums_count(const statistic_run *run, const packet_info *pinfo _U_, const void *tapped)
{
    return cacheray_line_sums_add(run->data, tapped);
}

static bool is_of_thread_0(const rows *of, unsigned row)
{
    const rows_cell *by = &rows_at(of, row)[LINE_ROWS_WHO];
    return by->state == ROWS_IS_TEXT && (strcmp(by->text, "0") == 0 || strcmp(by->text, "0*") == 0);
}

static void line_sums_fill(const statistic_run *run, rows *to)
{
    cacheray_line_sums_fill(run->data, to);
    unsigned n = 0;
    while (n < rows_length(to) && is_of_thread_0(to, n))
        n++;
    const cacheray_analysis *a = cacheray_analysis_of_file();
    if (n && n == rows_length(to) && !menus_windows() && !*run->filter && !(a && cacheray_analysis_recorded(a)))
        notices_say(NOTICE_WARNING, "%s", CACHERAY_UNNUMBERED);
}

static void line_sums_free(void *data)
{
    cacheray_line_sums_free(data);
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
    .begin = line_sums_begin,
    .count = line_sums_count,
    .fill = line_sums_fill,
    .free = line_sums_free,
};

/* --- lines by offset --------------------------------------------------------------------------------------------------- */

static void *offsets_begin(const statistic_run *run _U_)
{
    return cacheray_offsets_new(cacheray_analysis_line_size());
}

static bool offsets_count(const statistic_run *run, const packet_info *pinfo _U_, const void *tapped)
{
    return cacheray_offsets_add(run->data, tapped);
}

static void offsets_fill(const statistic_run *run, rows *to)
{
    cacheray_offsets_fill(run->data, to);
    cacheray_shorten_names(run, to, CACHERAY_OFFSETS_DATA, 2); /* and that against which it is */
}

static void offsets_free(void *data)
{
    cacheray_offsets_free(data);
}

static statistic offsets_statistic = {
    .title = "Cacheray Lines by Offset",
    .table = "Cacheray lines by offset",
    .tap = "cacheray",
    .command = "cacheray,lines,offsets",
    .columns = cacheray_offsets_columns,
    .column_count = CACHERAY_OFFSETS_COLUMNS,
    .usual = "line,offset,times,contended,reads,writes,data,against,shared_by",
    .names_first = true,
    .begin = offsets_begin,
    .count = offsets_count,
    .fill = offsets_fill,
    .free = offsets_free,
};

/* --- regions ----------------------------------------------------------------------------------------------------------- */

static void *regions_begin(const statistic_run *run)
{
    return cacheray_regions_new(statistic_has(run, "by:type"));
}

static bool regions_count(const statistic_run *run, const packet_info *pinfo _U_, const void *tapped)
{
    return cacheray_regions_add(run->data, tapped);
}

static void regions_fill(const statistic_run *run, rows *to)
{
    hidden_finish();
    cacheray_regions_fill(run->data, cacheray_analysis_of_file(), record_frame, to);
    cacheray_shorten_names(run, to, CACHERAY_REGIONS_TYPE, 1);
}

static void regions_free(void *data)
{
    cacheray_regions_free(data);
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
    .begin = regions_begin,
    .count = regions_count,
    .fill = regions_fill,
    .free = regions_free,
    .words = "by:type",
};

/* --- slowest ----------------------------------------------------------------------------------------------------------- */

static void *cacheray_tables_slowest_begin(const statistic_run *run)
{
    return cacheray_slowest_new(cacheray_analysis_line_size(), statistic_has(run, "elements"));
}

static bool cacheray_tables_slowest_count(const statistic_run *run, const packet_info *pinfo, const void *tapped)
{
    return cacheray_slowest_add(run->data, tapped, record_number(pinfo));
}

static void cacheray_tables_slowest_fill(const statistic_run *run, rows *to)
{
    const top_n_by by = statistic_largest(run, CACHERAY_SLOWEST_SLOW);
    cacheray_slowest_fill(run->data, &by, record_frame, to);
    cacheray_shorten_names(run, to, CACHERAY_SLOWEST_TYPE, 1);
    cacheray_shorten_names(run, to, CACHERAY_SLOWEST_MEMBER, 1);
    if (rows_length(to) == 0 && !cacheray_levels() && !menus_windows())
        notices_say(NOTICE_WARNING,
                    "No access is contended, and without cacheray.caches none is known to miss a cache: there are no rows.");
}

static void cacheray_tables_slowest_free(void *data)
{
    cacheray_slowest_free(data);
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
    .begin = cacheray_tables_slowest_begin,
    .count = cacheray_tables_slowest_count,
    .fill = cacheray_tables_slowest_fill,
    .free = cacheray_tables_slowest_free,
    .words = "elements",
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
