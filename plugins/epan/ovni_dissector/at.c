/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,at: what each thread was in at a moment (common/ovni/emulator/at.h). */
#include "host/hidden_records.h"
#include "ovni_dissector/counting.h"
#include "ovni_dissector/record.h"
#include "ovni_dissector/statistics.h"

#include "ovni/emulator/at.h"
#include "util/fail.h"

static bool at_check(const statistic_run *run, GError **error)
{
    int64_t ns;
    return ovni_at_moment(&run->words, &ns) ||
           fail_with(error, "a time in seconds since the first record is missing: ovni,at,3.25");
}

static bool at_known(const statistic_run *run, GError **error)
{
    if (ovni_at_is_late(run->data) && hidden_end_missing())
        return fail_with(error, "unknown: the moment is after the last record that has been read");
    if (ovni_at_is_late(run->data) && ovni_at_known(run->data))
        return fail_with(error, "unknown: the moment is after the last record of the trace");
    return ovni_at_known(run->data) ||
           fail_with(error, "Threads are known from the metadata of ovni 1.11 or later: open a stream.json");
}

statistic ovni_at_statistic = {
    .tap = "ovni",
    .records = OVNI_RECORDS_TAP,
    .counts = &ovni_at_counted,
    .from = &ovni_statistics,
    .command = "ovni,at",
    .title = "ovni At a Moment",
    .asks = (const dialog_field[]){{"Seconds since the first record:", "0", "%s"}, {0}},
    .check = at_check,
    .folds = true,
    .known = at_known,
};
