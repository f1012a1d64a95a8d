/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/notices.h"

#include <stdlib.h>
#include <unistd.h>

#include <epan/epan.h>
#include <epan/tap.h>
#include <wsutil/filesystem.h>
#include <wsutil/wslog.h>

#include "host/menus.h"
#include "core/trace_part.h"
#include "core/settings_check.h"

static uint32_t first; /* frame; 0: none seen yet */

static void notices_forget_file(void)
{
    first = 0;
}

bool notices_due(const packet_info *pinfo)
{
    if (!first)
        first = pinfo->num;
    return pinfo->num == first;
}

const char *notices_profile(const packet_info *pinfo, const char *profile)
{
    if (!notices_due(pinfo) || !menus_windows() || !is_default_profile())
        return NULL;
    if (!compat_profile_exists(profile, FALSE) && !compat_profile_exists(profile, TRUE))
        return NULL;
    return wmem_strdup_printf(pinfo->pool, "[The profile %s (lower right) has columns and colours for this trace]", profile);
}

bool notices_counted(void)
{
    static int tap; /* cannot be found before all protocols are registered */
    if (!tap)
        tap = find_tap_id("expert");
    return have_tap_listener(tap);
}

void notices_add_settings(packet_info *pinfo, proto_item *item, expert_field *field, const char *protocol,
                          const record_context *c)
{
    const bool is_exported = c->flags & CONTEXT_EXPORTED;
    g_autofree char *ignored = is_exported ? settings_ignored(protocol) : NULL;
    if (ignored)
        expert_add_info_format(pinfo, item, field, "%s", ignored);
    else if (!is_exported && c->flags & CONTEXT_EMPTY_SHARE)
        expert_add_info_format(pinfo, item, field, "%s", PART_EMPTY_SHARE);
}

void notices_print(const char *sentence)
{
    ws_log("Wiretrace", LOG_LEVEL_WARNING, "%s", sentence);
}

/* At exit the status can be changed only by ending here: what was registered before does not run, so files are flushed
 * first. */
static void end_badly(void)
{
    fflush(NULL);
    _exit(2);
}

void notices_fail(const char *sentence)
{
    static bool failed;
    notices_print(sentence);
    if (!failed && !menus_windows())
        failed = atexit(end_badly) == 0;
}

void notices_register(void)
{
    register_init_routine(notices_forget_file);
    register_cleanup_routine(notices_forget_file);
}
