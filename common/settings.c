/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "settings.h"

#include <string.h>

#include "exported.h"
#include "formats.h"
#include "text.h"

/* At most this many bytes of a value are shown. */
#define VALUE_SHOWN 64

/* The setting for all formats. */
static const setting for_all = {
    EXPORTED_VARIABLE, "wiretrace.pdu", {"0", "1"}, NULL, NULL, "records are not opened as exported PDUs"};

bool settings_switch(const char *variable, bool usual)
{
    const char *value = g_getenv(variable);
    if (!value || (strcmp(value, "0") != 0 && strcmp(value, "1") != 0))
        return usual;
    return *value == '1';
}

static bool is_known(const setting *s, const char *value)
{
    unsigned i = 0;
    if (s->is_usable)
        return s->is_usable(value);
    while (s->values[i] && strcmp(s->values[i], value) != 0)
        i++;
    return s->values[i] != NULL;
}

static void blame(const setting *s, const char *value, settings_visitor visitor, void *data)
{
    g_autofree char *beginning = g_strndup(value, text_fitting(value, strlen(value), VALUE_SHOWN));
    g_autofree char *shown = text_show(beginning, -1);
    g_autofree char *all = s->usable ? g_strdup(s->usable) : g_strjoinv(", ", (char **)(guintptr)s->values);
    g_autofree char *sentence = g_strdup_printf("%s (preference %s) is '%s%s', but %s %s: %s", s->variable, s->preference,
                                                shown, strlen(beginning) < strlen(value) ? "..." : "",
                                                s->usable ? "must be" : "may be", all, s->consequence);
    visitor(data, sentence);
}

static void check(const setting *s, settings_visitor visitor, void *data)
{
    const char *value = g_getenv(s->variable);
    if (value && *value && !is_known(s, value))
        blame(s, value, visitor, data);
}

void settings_check(const char *protocol, settings_visitor visitor, void *data)
{
    unsigned i = 0;
    while (i < FORMAT_COUNT && strcmp(formats[i]->protocol, protocol) != 0)
        i++;
    if (i < FORMAT_COUNT && formats[i]->setting)
        check(formats[i]->setting, visitor, data);
    check(&for_all, visitor, data);
}
