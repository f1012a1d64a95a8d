/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/diff.h"

#include "host/notices.h"

#include "core/trace_reader.h"

void diff_prepare(diff *d)
{
    if (d->was_read)
        return;
    d->was_read = true;
    g_autofree char *problem = d->read(d->baseline);
    if (problem)
        notices_fail(problem);
}

/* The first word that is not another one is the baseline. */
static bool take_word(statistic *s, const char *word)
{
    diff *d = (diff *)s;
    if (!word) {
        g_clear_pointer(&d->baseline, g_free);
        d->was_read = false;
    }
    const bool own = d->word && d->word(word);
    if (own || !word || d->baseline)
        return own;
    d->baseline = g_strdup(word);
    return true;
}

static char *begin(const statistic *s)
{
    const diff *d = (const diff *)s;
    if (!d->baseline)
        return g_strdup_printf("the baseline is missing: %s,FILE", s->command);
    return trace_reader_read(d->baseline, d->protocol, NULL, NULL);
}

/* --- the menu --------------------------------------------------------------------------------------------------------- */

static void start_from_dialog(const char *words, const char *filter, char *const *answers _U_, void *data)
{
    diff *d = data;
    g_autofree char *problem = statistic_start(&d->statistic, words, filter);
    if (problem)
        dialog_say(d->statistic.title, problem);
}

static void ask(void *data)
{
    const diff *d = data;
    dialog_field fields[DIALOG_FIELDS + 1] = {{"File of the earlier trace:", d->baseline, "%s"}};
    for (unsigned i = 0; d->asks && i + 1 < DIALOG_FIELDS && d->asks[i].label; i++)
        fields[1 + i] = d->asks[i];
    dialog_open(d->statistic.title, fields, start_from_dialog, data);
}

void diff_register(diff *d)
{
    d->statistic.word = take_word;
    d->statistic.begin = begin;
    d->statistic.start = ask;
    d->statistic.filtered = "filter of the later trace only";
    statistic_register(&d->statistic);
}
