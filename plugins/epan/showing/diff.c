/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "showing/diff.h"

#include <string.h>

#include "host/notices.h"

#include "core/trace.h"
#include "core/trace_reader.h"
#include "statistics/comparison.h"
#include "util/fail.h"

static const char baseline[] = COMPARISON_BASELINE;

void diff_prepare(const statistic_run *run)
{
    const diff *d = (const diff *)run->of;
    g_autoptr(GError) error = NULL;
    if (!d->read(run, statistic_text(run, baseline), &error))
        notices_say(NOTICE_FAILURE, "%s", error->message);
}

static bool diff_check(const statistic_run *run, GError **error)
{
    const char *path = statistic_text(run, baseline);
    if (!path)
        return fail_with(error, "the baseline is missing: %s,FILE", run->of->command);
    trace_reader r;
    if (!trace_reader_open(&r, path, run->of->protocol, error))
        return false;
    if (r.trace->warnings->len)
        notices_say(NOTICE_WARNING, "The baseline, %s:%s", path, r.trace->warnings->str);
    trace_reader_close(&r);
    return true;
}

/* --- the menu --------------------------------------------------------------------------------------------------------- */

/* Without a file, the filter would be taken for it. */
static void diff_start_from_dialog(const char *words, const char *filter, char *const *answers, void *data)
{
    statistic_start(&((diff *)data)->statistic, words, *answers[0] ? filter : "");
}

/* A filter for single records, such as that of the slowest ones, leaves nothing to compare with. */
static bool diff_fits(const char *filter)
{
    return !strstr(filter, "frame.number");
}

static void diff_ask(void *data)
{
    const diff *d = data;
    const char *earlier = d->statistic.state.run ? statistic_text(d->statistic.state.run, baseline) : NULL;
    dialog_field fields[DIALOG_FIELDS + 1] = {{"File of the earlier trace:", earlier, "\"%s\""}};
    for (unsigned i = 0; d->asks && i + 1 < DIALOG_FIELDS && d->asks[i].label; i++)
        fields[1 + i] = d->asks[i];
    dialog_open(d->statistic.title, fields, diff_fits, diff_start_from_dialog, data);
}

void diff_register(diff *d)
{
    d->statistic.check = diff_check;
    if (!d->statistic.prepare)
        d->statistic.prepare = diff_prepare;
    d->statistic.start = diff_ask;
    d->statistic.filtered = "filter of the later trace only";
    statistic_register(&d->statistic);
}
