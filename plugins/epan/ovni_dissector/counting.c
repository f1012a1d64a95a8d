/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni_dissector/counting.h"
#include "ovni_dissector/file.h"
#include "ovni_dissector/record.h"

#include "host/hidden_records.h"
#include "host/record_numbers.h"
#include "host/menus.h"

#include "util/fail.h"

static bool is_part(void)
{
    return hidden_part_text() != NULL;
}

static const void *counting_how(const statistic_run *run _U_)
{
    static const ovni_display shown = {.session = &ovni_file.session,
                                       .streams_missing = hidden_streams_missing,
                                       .end_missing = hidden_end_missing,
                                       .part = is_part,
                                       .frame_of = record_frame};
    return &shown;
}

static const record_context *counting_context(const void *tapped)
{
    return ((const ovni_tapped *)tapped)->context;
}

static const void *counting_hidden(const record_seen *hidden, const record_context *c, const cursor *bytes)
{
    static ovni_tapped r;
    r = (ovni_tapped){0};
    ovni_record_read(&r, c, bytes, hidden);
    return &r;
}

const statistic_source ovni_statistics = {.how = counting_how, .context = counting_context, .tapped = counting_hidden};

bool ovni_within_check(const statistic_run *run, GError **error)
{
    if (!statistic_has(run, OVNI_WITHIN))
        return true;
    if (menus_windows() && run->of->table)
        return fail_with(
            error,
            "within: is known to programs only; this table of a part of the time is the one of the trace opened with ovni.time_range");
    return ovni_interval_can(&run->words) ||
           fail_with(error, "two times in seconds since the first record, or a mark, are missing: within:0.5,1.25 or "
                            "'within:Phase=compute'");
}

bool ovni_within_asked(const statistic_run *run)
{
    return statistic_has(run, OVNI_WITHIN);
}

bool ovni_within_known(const statistic_run *run, const ovni_interval *w, GError **error)
{
    return !w || ovni_interval_found(w) ||
           fail_with(error, "no event sets the mark \"%s\"", statistic_text(run, OVNI_WITHIN));
}
