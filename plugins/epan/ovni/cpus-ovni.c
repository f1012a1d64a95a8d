/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,cpus: what each CPU did (common/ovni/emulator/cpus.h). */
#include "host/menus.h"
#include "host/notices.h"
#include "ovni/statistics-ovni.h"
#include "statistics/report.h"
#include "statistics/statistic.h"

#include "ovni/emulator/cpus.h"

typedef struct cpus_run {
    ovni_cpus *cpus;
    bool split;
    statistic *printed; /* its rows are printed, with the words that were given; NULL: as text */
} cpus_run;

/* For programs: with a word that all statistics with rows take, these are printed instead of the text. */
static bool cpus_split;
static statistic cpus_statistic = {.title = "ovni CPUs",
                                   .table = "ovni CPUs",
                                   .command = "ovni,cpus",
                                   .columns = ovni_cpus_columns,
                                   .column_count = OVNI_CPUS_COLUMNS,
                                   .flag = "breakdown",
                                   .flagged = &cpus_split},
                 parts_statistic = {.title = "ovni CPUs",
                                    .table = "ovni breakdown of CPUs",
                                    .command = "ovni,cpus",
                                    .columns = ovni_cpus_part_columns,
                                    .column_count = OVNI_CPUS_PART_COLUMNS,
                                    .flag = "breakdown",
                                    .flagged = &cpus_split};

/* With the word `breakdown`, wherever it is, the columns are others. */
static statistic *statistic_asked(const char *arguments)
{
    g_auto(GStrv) words = g_strsplit(arguments, ",", -1);
    return g_strv_contains((const char *const *)words, "breakdown") ? &parts_statistic : &cpus_statistic;
}

static bool prints_rows(const statistic *s)
{
    const rows_words none = {0};
    return !menus_windows() && memcmp(&s->asked, &none, sizeof none) != 0;
}

static void *cpus_start(const void *unused, const char **arguments)
{
    (void)unused;
    statistic *asked = statistic_asked(*arguments);
    statistic_take(asked, arguments);
    cpus_run *run = g_new0(cpus_run, 1);
    run->split = cpus_split;
    run->cpus = ovni_cpus_new(run->split);
    run->printed = prints_rows(asked) ? g_memdup2(asked, sizeof *asked) : NULL;
    return run;
}

static void cpus_every(void *data, packet_info *pinfo, const void *tapped)
{
    const cpus_run *run = data;
    const ovni_played p = ovni_played_of(pinfo, tapped);
    ovni_cpus_play(run->cpus, picture_time(pinfo), &p);
}

static bool cpus_packet(void *data, packet_info *pinfo, const void *tapped)
{
    const cpus_run *run = data;
    (void)pinfo;
    (void)tapped;
    ovni_cpus_count(run->cpus);
    return true;
}

static void cpus_write(const void *data, GString *text)
{
    const cpus_run *run = data;
    if (!ovni_cpus_known(run->cpus)) {
        static const char words[] = "CPUs are known from the metadata of ovni 1.11 or later: open a stream.json";
        if (run->printed)
            notices_print(words);
        else
            g_string_append_printf(text, "%s\n", words);
        return;
    }
    rows *cpus = rows_new(ovni_cpus_columns, OVNI_CPUS_COLUMNS),
         *parts = rows_new(ovni_cpus_part_columns, OVNI_CPUS_PART_COLUMNS);
    ovni_cpus_fill(run->cpus, cpus);
    if (run->split)
        ovni_cpus_fill_parts(run->cpus, parts);
    if (run->printed) {
        statistic_print(run->printed, run->split ? parts : cpus, NULL);
    } else {
        report_rows(text, cpus);
        if (run->split) {
            g_string_append_c(text, '\n');
            report_rows(text, parts);
        }
    }
    rows_free(cpus);
    rows_free(parts);
}

static void cpus_free(void *data)
{
    cpus_run *run = data;
    ovni_cpus_free(run->cpus);
    g_free(run->printed);
    g_free(run);
}

static const report cpus_report = {
    .tap = "ovni",
    .command = "ovni,cpus",
    .title = "ovni CPUs",
    .words = "Each subsystem and type of tasks: breakdown",
    .typed = "",
    .start = cpus_start,
    .every = cpus_every,
    .context = ovni_tapped_context,
    .tapped = ovni_tapped_record,
    .packet = cpus_packet,
    .write = cpus_write,
    .free = cpus_free,
};

void ovni_cpus_register(void)
{
    report_register(&cpus_report);
}
