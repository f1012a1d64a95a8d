/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,cpus: what each CPU did (common/ovni/emulator/cpus.h). */
#include "ovni/statistics-ovni.h"
#include "statistics/report.h"

#include "ovni/emulator/cpus.h"

typedef struct cpus_run {
    ovni_cpus *cpus;
    bool split;
} cpus_run;

static const char breakdown[] = "breakdown";

/* With this word, wherever it is, the columns are others. */
static const rows_column *cpus_columns(const char *arguments, unsigned *count)
{
    g_auto(GStrv) words = g_strsplit(arguments, ",", -1);
    const bool split = g_strv_contains((const char *const *)words, breakdown);
    *count = split ? OVNI_CPUS_PART_COLUMNS : OVNI_CPUS_COLUMNS;
    return split ? ovni_cpus_part_columns : ovni_cpus_columns;
}

static void *cpus_start(const void *unused _U_, const char **arguments)
{
    cpus_run *run = g_new0(cpus_run, 1);
    run->split = report_take_word(arguments, breakdown);
    run->cpus = ovni_cpus_new(run->split);
    return run;
}

static void cpus_every(void *data, packet_info *pinfo, const void *tapped)
{
    const cpus_run *run = data;
    const ovni_played p = ovni_played_of(pinfo, tapped);
    ovni_cpus_play(run->cpus, picture_time(pinfo), &p);
}

static bool cpus_packet(void *data, packet_info *pinfo _U_, const void *tapped _U_)
{
    const cpus_run *run = data;
    ovni_cpus_count(run->cpus);
    return true;
}

static const char *cpus_fill(const void *data, rows *to)
{
    const cpus_run *run = data;
    if (!ovni_cpus_known(run->cpus))
        return "CPUs are known from the metadata of ovni 1.11 or later: open a stream.json";
    (run->split ? ovni_cpus_fill_parts : ovni_cpus_fill)(run->cpus, to);
    return NULL;
}

static void cpus_free(void *data)
{
    cpus_run *run = data;
    ovni_cpus_free(run->cpus);
    g_free(run);
}

const report ovni_cpus_report = {
    .tap = "ovni",
    .command = "ovni,cpus",
    .title = "ovni CPUs",
    .asks = (const dialog_field[]){{"Each subsystem and type of tasks (yes or no):", "no", "breakdown"}, {0}},
    .start = cpus_start,
    .every = cpus_every,
    .context = ovni_tapped_context,
    .tapped = ovni_tapped_record,
    .packet = cpus_packet,
    .columns = cpus_columns,
    .own = breakdown,
    .fill = cpus_fill,
    .free = cpus_free,
};
