/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,at: what each thread was in at a moment (common/ovni/emulator/at.h). */
#include "host/hidden_records.h"
#include "ovni/statistics-ovni.h"
#include "statistics/report.h"

#include "ovni/emulator/at.h"

typedef struct at_run {
    ovni_at *threads;
    bool wrong; /* no time was given */
} at_run;

static void *at_start(const void *unused _U_, const char **arguments)
{
    at_run *run = g_new0(at_run, 1);
    char *end;
    double seconds = g_ascii_strtod(*arguments, &end);
    run->wrong = end == *arguments || (*end && *end != ',') || !(seconds >= -1e9 && seconds <= 1e9);
    *arguments = run->wrong ? *arguments : *end ? end + 1 : end;
    run->threads = ovni_at_new(run->wrong ? 0 : (int64_t)(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5)));
    return run;
}

static void at_every(void *data, packet_info *pinfo, const void *tapped)
{
    const ovni_played p = ovni_played_of(pinfo, tapped);
    ovni_at_play(((at_run *)data)->threads, picture_time(pinfo), &p);
}

static bool at_packet(void *data, packet_info *pinfo _U_, const void *tapped)
{
    const ovni_record *r = tapped;
    return r->is_event && ovni_at_count(((at_run *)data)->threads, r->context->stream);
}

static const char *at_fill(const void *data, rows *to)
{
    const at_run *run = data;
    if (run->wrong)
        return "ovni,at needs a time in seconds: ovni,at,3.25";
    if (ovni_at_is_late(run->threads) && hidden_end_missing())
        return "unknown: the moment is after the last record that has been read";
    if (!ovni_at_known(run->threads))
        return "Threads are known from the metadata of ovni 1.11 or later: open a stream.json";
    ovni_at_fill(run->threads, to);
    return NULL;
}

static void at_free(void *data)
{
    ovni_at_free(((at_run *)data)->threads);
    g_free(data);
}

const report ovni_at_report = {
    .tap = "ovni",
    .command = "ovni,at",
    .title = "ovni At a Moment",
    .asks = (const dialog_field[]){{"Seconds since the first record:", "0", "%s"}, {0}},
    .start = at_start,
    .every = at_every,
    .context = ovni_tapped_context,
    .tapped = ovni_tapped_record,
    .packet = at_packet,
    .fixed_columns = ovni_at_columns,
    .fixed_count = OVNI_AT_COLUMNS,
    .own = "SECONDS",
    .fill = at_fill,
    .free = at_free,
};
