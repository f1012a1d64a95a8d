/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,at: what each thread was in at a moment (common/ovni/emulator/at.h). */
#include "host/hidden_records.h"
#include "ovni_dissector/counting.h"

#include "ovni/emulator/at.h"
#include "util/fail.h"

static bool ovni_at_seconds_of(const statistic_run *run, double *seconds)
{
    const char *text = statistic_text(run, "SECONDS");
    char *end;
    *seconds = text ? g_ascii_strtod(text, &end) : 0;
    return text && *end == '\0' && *seconds >= 0 && *seconds <= 1e9;
}

static bool at_check(const statistic_run *run, GError **error)
{
    double seconds;
    return ovni_at_seconds_of(run, &seconds) ||
           fail_with(error, "a time in seconds since the first record is missing: ovni,at,3.25");
}

static void *at_begin(const statistic_run *run)
{
    double seconds;
    ovni_at_seconds_of(run, &seconds);
    return ovni_at_new((int64_t)(seconds * 1e9 + 0.5));
}

static void at_each_record(void *data, const packet_info *pinfo, const void *tapped)
{
    const ovni_played p = ovni_played_of(pinfo, tapped);
    ovni_at_play(data, picture_time(pinfo), &p);
}

static bool at_count(const statistic_run *run, const packet_info *pinfo _U_, const void *tapped)
{
    const ovni_tapped *r = tapped;
    return r->is_event && ovni_at_count(run->data, r->context->stream);
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

static void at_fill(const statistic_run *run, rows *to)
{
    ovni_at_fill(run->data, to);
}

static void at_free(void *data)
{
    ovni_at_free(data);
}

statistic ovni_at_statistic = {
    .tap = "ovni",
    .records = OVNI_RECORDS_TAP,
    .command = "ovni,at",
    .title = "ovni At a Moment",
    .asks = (const dialog_field[]){{"Seconds since the first record:", "0", "%s"}, {0}},
    .words = "SECONDS",
    .check = at_check,
    .begin = at_begin,
    .each_record = at_each_record,
    .context = ovni_tapped_context,
    .tapped = ovni_tapped_record,
    .count = at_count,
    .columns = ovni_at_columns,
    .column_count = OVNI_AT_COLUMNS,
    .folds = true,
    .known = at_known,
    .fill = at_fill,
    .free = at_free,
};
