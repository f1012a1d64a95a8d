/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/diff.h"

#include "host/menus.h"
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
bool diff_word(diff *d, const char *word)
{
    if (!word) {
        g_clear_pointer(&d->baseline, g_free);
        d->was_read = false;
    }
    if (!word || d->baseline)
        return false;
    d->baseline = g_strdup(word);
    return true;
}

char *diff_begin(const diff *d)
{
    if (!d->baseline)
        return g_strdup_printf("the baseline is missing: %s,FILE", d->statistic.command);
    return trace_reader_read(d->baseline, d->protocol, NULL, NULL);
}

/* --- the menu --------------------------------------------------------------------------------------------------------- */

enum { FIELD_BASELINE, FIELD_FILTER, FIELD_MORE };

static void start_from_dialog(char **fields, void *data)
{
    diff *d = data;
    const funnel_ops_t *ops = menus_windows();
    const char *more = d->more ? g_strstrip(fields[FIELD_MORE]) : "";
    g_autofree char *words = g_strdup_printf("%s%s%s", g_strstrip(fields[FIELD_BASELINE]), *more ? "," : "", more);
    g_autofree char *problem = statistic_start(&d->statistic, words, g_strstrip(fields[FIELD_FILTER]));
    if (problem)
        ops->append_text(ops->new_text_window(ops->ops_id, d->statistic.title), problem);
    g_strfreev(fields);
}

static void ask(void *data)
{
    const diff *d = data;
    const funnel_ops_t *ops = menus_windows();
    if (!ops)
        return;
    const char *filter = ops->get_filter(ops->ops_id);
    const char *names[] = {"Earlier trace:", "Display filter:", d->more, NULL};
    const char *values[] = {d->baseline ? d->baseline : "", filter ? filter : "", "", NULL};
    ops->new_dialog(ops->ops_id, d->statistic.title, names, values, start_from_dialog, data, NULL);
}

void diff_register(diff *d)
{
    d->statistic.start = ask;
    d->statistic.filtered = "filter of the later trace only";
    statistic_register(&d->statistic);
}
