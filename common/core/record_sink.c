/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/record_sink.h"

#include "core/plugin_shared.h"

record_sink *record_sink_shared(void)
{
    record_sink *s = plugin_shared_get("sink");
    if (!s)
        plugin_shared_set("sink", s = g_new0(record_sink, 1), g_free);
    return s;
}
