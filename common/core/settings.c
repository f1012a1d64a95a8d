/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/settings.h"

#include <string.h>

char *settings_variable(const setting *s, const char *protocol)
{
    g_autofree char *upper = g_ascii_strup(protocol, -1);
    return g_strconcat(s->variable, "_", upper, NULL);
}

const char *settings_read(const char *variable)
{
    const char *value = g_getenv(variable);
    return value && *value ? value : NULL;
}

const char *settings_value(const setting *s, const char *protocol)
{
    g_autofree char *own = settings_variable(s, protocol);
    const char *value = settings_read(own);
    return value ? value : settings_read(s->variable);
}

bool settings_switch(const char *variable, bool usual)
{
    const char *value = g_getenv(variable);
    if (!value || (strcmp(value, "0") != 0 && strcmp(value, "1") != 0))
        return usual;
    return *value == '1';
}
