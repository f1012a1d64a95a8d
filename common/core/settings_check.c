/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/settings_check.h"

#include <string.h>

#include "core/exported.h"
#include "core/formats.h"
#include "core/settings.h"
#include "core/trace_part.h"
#include "util/fail.h"
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

static bool blame(const setting *s, const char *preference, const char *value, GError **error)
{
    g_autofree char *beginning = g_strndup(value, text_fitting(value, strlen(value), VALUE_SHOWN));
    g_autofree char *shown = text_show(beginning, -1);
    g_autofree char *all = s->usable ? g_strdup(s->usable) : g_strjoinv(", ", (char **)(guintptr)s->values);
    return fail_with(error, "%s (preference %s) is '%s%s', but %s %s", s->variable, preference, shown,
                     strlen(beginning) < strlen(value) ? "..." : "", s->usable ? "must be" : "may be", all);
}

static bool settings_check_value(const setting *s, const char *preference, const char *value, GError **error)
{
    return !value || settings_check_is_known(s, value) || blame(s, preference, value, error);
}

bool settings_check(const format *f, GError **error)
{
    const setting *own = f->setting;
    bool valid = settings_check_value(&for_all, for_all.preference, settings_read(for_all.variable), error);
    if (valid && own)
        valid = settings_check_value(own, own->preference, settings_read(own->variable), error);
    for (unsigned i = 0; i < G_N_ELEMENTS(for_each) && valid; i++) {
        g_autofree char *preference = g_strconcat(f->protocol, ".", for_each[i]->preference, NULL);
        valid = settings_check_value(for_each[i], preference, settings_value(for_each[i], f->protocol), error);
    }
    return valid;
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
