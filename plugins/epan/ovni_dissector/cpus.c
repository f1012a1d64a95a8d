/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,cpus: what each CPU did (common/ovni/emulator/cpus.h). */
#include "ovni_dissector/counting.h"

#include "ovni/emulator/cpus.h"
#include "util/fail.h"

static const char breakdown[] = "breakdown";

/* With this word, wherever it is, the columns are others. */
static const rows_column *cpus_columns(const statistic *s _U_, const char *arguments, unsigned *count)
{
    g_auto(GStrv) words = g_strsplit(arguments, ",", -1);
    const bool split = g_strv_contains((const char *const *)words, breakdown);
    *count = split ? OVNI_CPUS_PART_COLUMNS : OVNI_CPUS_COLUMNS;
    return split ? ovni_cpus_part_columns : ovni_cpus_columns;
}

static void *cpus_begin(const statistic_run *run)
{
    return ovni_cpus_new(statistic_has(run, breakdown));
}

static void cpus_each_record(void *data, const packet_info *pinfo, const void *tapped)
{
    const ovni_played p = ovni_played_of(pinfo, tapped);
    ovni_cpus_play(data, picture_time(pinfo), &p);
}

static bool cpus_count(const statistic_run *run, const packet_info *pinfo _U_, const void *tapped _U_)
{
    ovni_cpus_count(run->data);
    return true;
}

static bool cpus_known(const statistic_run *run, GError **error)
{
    return ovni_cpus_known(run->data) ||
           fail_with(error, "CPUs are known from the metadata of ovni 1.11 or later: open a stream.json");
}

static void cpus_fill(const statistic_run *run, rows *to)
{
    (statistic_has(run, breakdown) ? ovni_cpus_fill_parts : ovni_cpus_fill)(run->data, to);
}

static void cpus_after(const statistic_run *run, GString *text)
{
    ovni_cpus_warn(run->data, text);
}

static void ovni_cpus_cpus_free(void *data)
{
    ovni_cpus_free(data);
}

statistic ovni_cpus_statistic = {
    .tap = "ovni",
    .records = OVNI_RECORDS_TAP,
    .command = "ovni,cpus",
    .title = "ovni CPUs",
    .asks = (const dialog_field[]){{"Each subsystem and type of tasks (yes or no):", "no", "breakdown"}, {0}},
    .columns_for = cpus_columns,
    .words = breakdown,
    .begin = cpus_begin,
    .each_record = cpus_each_record,
    .context = ovni_tapped_context,
    .tapped = ovni_tapped_record,
    .count = cpus_count,
    .known = cpus_known,
    .fill = cpus_fill,
    .after = cpus_after,
    .free = ovni_cpus_cpus_free,
};
