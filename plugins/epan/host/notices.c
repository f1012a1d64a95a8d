/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/notices.h"

#include <epan/epan.h>
#include <epan/tap.h>
#include <wsutil/filesystem.h>
#include <wsutil/wslog.h>

#include <stdio.h>
#include <stdlib.h>

#include "host/menus.h"
#include "host/open_file.h"
#include "host/shortcuts.h"
#include "core/trace_part.h"
#include "core/settings_check.h"

bool notices_due(const record_seen *seen)
{
    if (!open_file.first)
        open_file.first = seen->frame;
    return seen->frame == open_file.first;
}

const char *notices_profile(const record_seen *seen, const char *profile)
{
    if (!notices_due(seen) || !menus_windows() || !is_default_profile())
        return NULL;
    if (!compat_profile_exists(profile, FALSE) && !compat_profile_exists(profile, TRUE))
        return NULL;
    return wmem_strdup_printf(seen->pool, "[The profile %s (lower right) has columns and colours for this trace]", profile);
}

bool notices_counted(void)
{
    static int tap; /* cannot be found before all protocols are registered */
    if (!tap)
        tap = find_tap_id("expert");
    return have_tap_listener(tap);
}

void notices_add_settings(const record_seen *seen, proto_item *item, expert_field *field, const char *protocol,
                          const record_context *c)
{
    const bool is_exported = c->flags & CONTEXT_EXPORTED;
    g_autofree char *ignored = is_exported ? settings_ignored(protocol) : NULL;
    if (ignored)
        expert_add_info_format(seen->packet, item, field, "%s", ignored);
    else if (!is_exported && c->flags & CONTEXT_EMPTY_SHARE)
        expert_add_info_format(seen->packet, item, field, "%s", PART_EMPTY_SHARE);
}

static void keep_remark(const char *sentence)
{
    GString **remarks = &open_file.remarks;
    if (!*remarks)
        *remarks = g_string_new(NULL);
    g_string_append_printf(*remarks, "%s%s", (*remarks)->len ? " " : "", sentence);
}

static void say(notice_level level, const char *sentence)
{
    if (level == NOTICE_REMARK && !menus_windows()) {
        keep_remark(sentence);
        return;
    }
    if (level == NOTICE_COMMAND) {
        fprintf(stderr, "%s\n", sentence);
        return;
    }
    ws_log("Wiretrace", LOG_LEVEL_WARNING, "%s", sentence);
    if (level == NOTICE_FAILURE && !menus_windows())
        shortcuts_fail();
}

void notices_say(notice_level level, const char *words, ...)
{
    va_list arguments;
    va_start(arguments, words);
    g_autofree char *sentence = g_strdup_vprintf(words, arguments);
    va_end(arguments);
    say(level, sentence);
}

void notices_say_at(const record_seen *seen, proto_item *item, expert_field *field, notice_level level, const char *words,
                    ...)
{
    va_list arguments;
    va_start(arguments, words);
    g_autofree char *sentence = g_strdup_vprintf(words, arguments);
    va_end(arguments);
    if (seen)
        expert_add_info_format(seen->packet, item, field, "%s", sentence);
    else
        say(level, sentence);
}

void notices_refuse(const char *words, ...)
{
    va_list arguments;
    va_start(arguments, words);
    g_autofree char *sentence = g_strdup_vprintf(words, arguments);
    va_end(arguments);
    say(NOTICE_COMMAND, sentence);
    exit(1);
}

char *notices_take_remarks(void)
{
    GString *remarks = g_steal_pointer(&open_file.remarks);
    return remarks ? g_string_free(remarks, FALSE) : NULL;
}

void notices_end(void)
{
    g_autofree char *remarks = notices_take_remarks();
    if (remarks)
        fprintf(stderr, "%s\n", remarks);
}
