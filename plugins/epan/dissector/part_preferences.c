/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat.h"

#include "dissector/part_preferences.h"

#include "host/environment.h"
#include "core/trace_part.h"

void part_preferences_register(part_preferences *p, module_t *module)
{
    prefs_register_string_preference(
        module, part_time_setting.preference, "Open only these seconds",
        "FROM,TO in seconds from the beginning of the trace, such as 3.2,3.4: only records from "
        "FROM to before TO are opened; -1: only the last second, -1,-0.5: its first half; empty: all. "
        "Takes effect at the next open or reload.",
        &p->time);
    prefs_register_string_preference(
        module, part_streams_setting.preference, "Open only these streams",
        "Names of streams (frame.interface_name) separated by commas, or a share K/N: every Nth "
        "stream, beginning with number K; empty: all. Takes effect at the next open or reload.",
        &p->streams);
}

static void prefer(const setting *s, const char *protocol, const char *value, bool *set)
{
    g_autofree char *variable = settings_variable(s, protocol);
    environment_prefer(variable, value, !*value, set);
}

void part_preferences_apply(part_preferences *p, const char *protocol)
{
    prefer(&part_time_setting, protocol, p->time, &p->time_set);
    prefer(&part_streams_setting, protocol, p->streams, &p->streams_set);
}
