/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/settings_check.h"

#include <string.h>

#include "core/exported.h"
#include "core/formats.h"
#include "core/settings.h"
#include "core/trace_part.h"
#include "util/text.h"

/* At most this many bytes of a value are shown. */
#define VALUE_SHOWN 64

/* The setting for all formats. */
static const setting for_all = {.variable = EXPORTED_VARIABLE, .preference = "wiretrace.pdu", .values = {"0", "1"}};

/* Those for all formats of which each protocol has its own preference. */
static const setting *const for_each[] = {&part_time_setting, &part_streams_setting};

static bool settings_check_is_known(const setting *s, const char *value)
{
    unsigned i = 0;
    if (s->is_usable)
        return s->is_usable(value);
    while (s->values[i] && strcmp(s->values[i], value) != 0)
        i++;
    return s->values[i] != NULL;
}

static char *blame(const setting *s, const char *preference, const char *value)
{
    g_autofree char *beginning = g_strndup(value, text_fitting(value, strlen(value), VALUE_SHOWN));
    g_autofree char *shown = text_show(beginning, -1);
    g_autofree char *all = s->usable ? g_strdup(s->usable) : g_strjoinv(", ", (char **)(guintptr)s->values);
    return g_strdup_printf("%s (preference %s) is '%s%s', but %s %s", s->variable, preference, shown,
                           strlen(beginning) < strlen(value) ? "..." : "", s->usable ? "must be" : "may be", all);
}

static char *settings_check_problem_of(const setting *s, const char *preference, const char *value)
{
    return value && !settings_check_is_known(s, value) ? blame(s, preference, value) : NULL;
}

static const setting *own_setting(const char *protocol)
{
    unsigned i = 0;
    while (i < FORMAT_COUNT && strcmp(formats[i]->protocol, protocol) != 0)
        i++;
    return i < FORMAT_COUNT ? formats[i]->setting : NULL;
}

char *settings_problem(const char *protocol)
{
    const setting *own = own_setting(protocol);
    char *problem = settings_check_problem_of(&for_all, for_all.preference, settings_read(for_all.variable));
    if (!problem && own)
        problem = settings_check_problem_of(own, own->preference, settings_read(own->variable));
    for (unsigned i = 0; i < G_N_ELEMENTS(for_each) && !problem; i++) {
        g_autofree char *preference = g_strconcat(protocol, ".", for_each[i]->preference, NULL);
        problem = settings_check_problem_of(for_each[i], preference, settings_value(for_each[i], protocol));
    }
    return problem;
}

/* Where WIRETRACE_PDU is set, the exported records may be those of the part. */
char *settings_ignored(const char *protocol)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(for_each) && !settings_switch(EXPORTED_VARIABLE, false); i++)
        if (settings_value(for_each[i], protocol))
            return g_strdup_printf("%s (preference %s.%s) has no effect on exported records: use a display filter",
                                   for_each[i]->variable, protocol, for_each[i]->preference);
    return NULL;
}
