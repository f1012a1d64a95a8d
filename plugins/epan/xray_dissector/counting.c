/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray_dissector/counting.h"

#include "host/menus.h"
#include "host/notices.h"
#include "host/record_numbers.h"
#include "util/fail.h"
#include "xray/statistics/account.h"
#include "xray_dissector/file.h"
#include "xray_dissector/names.h"

static struct xray_file *const file = &xray_file;

bool xray_counting_single(const statistic_run *run, GError **error)
{
    return !file->profile || file->called ||
           fail_with(error, "%s: a profile has sums of calls and no single call", run->of->command);
}

/* For sources all line tables of the program are read. */
static bool sources_asked(const statistic_run *run)
{
    return run->columns == xray_account_columns &&
           (menus_windows() || rows_words_need(&run->words.asked, XRAY_ACCOUNT_FILE) ||
            rows_words_need(&run->words.asked, XRAY_ACCOUNT_LINE));
}

const void *xray_counting_how(const statistic_run *run)
{
    static xray_display shown;
    if (xray_file_unclocked())
        statistic_show_ticks(run);
    shown = (xray_display){.functions = file->names,
                           .frequency = file->session.frequency,
                           .ticks = statistic_in_ticks(run),
                           .full = xray_names_full() || statistic_in_full(run),
                           .sources = sources_asked(run),
                           .frame_of = record_frame};
    return &shown;
}

const statistic_source xray_statistics = {.how = xray_counting_how};

void xray_counting_note_none(const statistic_run *run, rows *shown)
{
    if (rows_length(shown) || *run->filter || file->profile)
        return;
    notices_say(
        NOTICE_WARNING, "%s",
        file->basic
            ? "No call has ended in this log. Basic mode leaves out calls below 5 microseconds, unless "
              "XRAY_BASIC_OPTIONS has func_duration_threshold_us=0; and a log that has entries or exits only has no calls."
            : "No call has ended in this log. One that has entries or exits only has no calls: "
              "-fxray-instrumentation-bundle must be function, or be left out.");
}
