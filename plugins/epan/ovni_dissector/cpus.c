/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,cpus: what each CPU did (common/ovni/emulator/cpus.h). */
#include "ovni_dissector/counting.h"
#include "ovni_dissector/record.h"
#include "ovni_dissector/statistics.h"

#include "ovni/emulator/cpus.h"
#include "util/fail.h"

static bool cpus_known(const statistic_run *run, GError **error)
{
    return ovni_cpus_known(run->data) ||
           fail_with(error, "CPUs are known from the metadata of ovni 1.11 or later: open a stream.json");
}

static void cpus_after(const statistic_run *run, GString *text)
{
    ovni_cpus_warn(run->data, text);
}

statistic ovni_cpus_statistic = {
    .tap = "ovni",
    .records = OVNI_RECORDS_TAP,
    .counts = &ovni_cpus_counted,
    .from = &ovni_statistics,
    .command = "ovni,cpus",
    .title = "ovni CPUs",
    .asks = (const dialog_field[]){{"Each subsystem and type of tasks (yes or no):", "no", "breakdown"},
                                   {"The CPUs of each node together (yes or no):", "no", "by:node"},
                                   {0}},
    .known = cpus_known,
    .after = cpus_after,
};
