/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with the settings, and with the files that they name. */
#include "cacheray_dissector/problems.h"

#include "cacheray_dissector/file.h"
#include "cacheray_dissector/settings.h"
#include "host/hidden_records.h"
#include "host/notices.h"

static expert_field ei_caches = EI_INIT;
static expert_field ei_settings = EI_INIT;
static expert_field ei_remap = EI_INIT;
static expert_field ei_thread = EI_INIT;
static expert_field ei_objects = EI_INIT;
static expert_field ei_binary = EI_INIT;

static struct cacheray_file *const file = &cacheray_file;

#define REMAP_LINES 10u /* that are wrong are reported one by one */

/* Reports problems with files that change what is known of a trace. */
static void add_of_files(proto_item *item, const record_seen *seen, const cacheray_problems *p)
{
    const cacheray_options o = cacheray_settings_options();
    for (guint i = 0; i < p->binaries->len; i++)
        notices_say_at(seen, item, *o.binary ? &ei_binary : &ei_objects, *o.binary ? NOTICE_FAILURE : NOTICE_WARNING, "%s",
                       (const char *)g_ptr_array_index(p->binaries, i));
    for (guint i = 0; p->notices && i < p->notices->len; i++)
        notices_say_at(seen, item, &ei_objects, NOTICE_WARNING, "%s", (const char *)g_ptr_array_index(p->notices, i));
    if (p->remap)
        notices_say_at(seen, item, &ei_remap, NOTICE_FAILURE, "%s: %s, so nothing is moved", o.remap, p->remap);
    for (guint i = 0; i < MIN(p->remap_lines->len, REMAP_LINES); i++)
        notices_say_at(seen, item, &ei_remap, NOTICE_FAILURE, "%s: %s, so this line is not used", o.remap,
                       (const char *)g_ptr_array_index(p->remap_lines, i));
    if (p->remap_lines->len > REMAP_LINES)
        notices_say_at(seen, item, &ei_remap, NOTICE_FAILURE, "%s: %u further lines are not used", o.remap,
                       p->remap_lines->len - REMAP_LINES);
}

static bool has_private_cache(void)
{
    const caches_config *c = cacheray_analysis_caches(file->session.analysis);
    for (unsigned i = 0; c && i < c->count; i++)
        if (c->levels[i].per_thread)
            return true;
    return false;
}

/* Reports problems with the files named by preferences, and with preferences that need them. */
static void add_all(proto_item *item, const record_seen *seen)
{
    const cacheray_options o = cacheray_settings_options();
    const cacheray_problems p = cacheray_analysis_problems(file->session.analysis);
    add_of_files(item, seen, &p);
    const bool no_binary = !*o.binary && p.no_members;
    if (*o.load_bias && no_binary)
        notices_say_at(seen, item, &ei_settings, NOTICE_WARNING, "cacheray.load_bias is not used without cacheray.binary");
    if (p.caches)
        notices_say_at(seen, item, &ei_caches, NOTICE_FAILURE, "%s: %s, so no caches are simulated", o.caches, p.caches);
    if (o.coherence && cacheray_file_levels() && !has_private_cache())
        notices_say_at(seen, item, &ei_settings, NOTICE_WARNING,
                       "cacheray.coherence changes nothing: no cache is \"private\" in %s", o.caches);
    if ((o.coherence || o.no_write_allocate) && !*o.caches)
        notices_say_at(seen, item, &ei_settings, NOTICE_WARNING,
                       "cacheray.coherence and cacheray.write_allocate are not used without cacheray.caches");
    if (*o.remap && no_binary)
        notices_say_at(seen, item, &ei_settings, NOTICE_WARNING, "cacheray.remap is not used without cacheray.binary");
    if (*o.remap && !o.annotations)
        notices_say_at(seen, item, &ei_settings, NOTICE_WARNING,
                       "cacheray.remap moves variables only without cacheray.annotations");
}

void cacheray_problems_say(void)
{
    add_all(NULL, NULL);
}

void cacheray_problems_add(proto_item *item, const record_seen *seen, const record_context *c)
{
    g_autofree char *line_size = cacheray_settings_line_size_problem();
    notices_add_settings(seen, item, &ei_settings, "cacheray", c);
    if (line_size)
        notices_say_at(seen, item, &ei_settings, NOTICE_WARNING, "%s", line_size);
    add_all(item, seen);
    if (seen->again && file->session.has_accesses && !file->session.numbered &&
        cacheray_analysis_kept(file->session.analysis) && !hidden_end_unread() &&
        !cacheray_analysis_recorded(file->session.analysis))
        expert_add_info_format(seen->packet, item, &ei_thread, "%s", CACHERAY_UNNUMBERED);
}

void cacheray_problems_print(const cacheray_analysis *a)
{
    const cacheray_problems p = cacheray_analysis_problems(a);
    add_of_files(NULL, NULL, &p);
}

char *cacheray_problems_unknown_struct(const char *binary, const char *type)
{
    return g_strdup_printf("%s: it does not know %s, so there are no members: is it the traced program?", binary, type);
}

void cacheray_problems_add_struct(proto_item *item, const record_seen *seen)
{
    if (seen->number == cacheray_analysis_problems(file->session.analysis).unknown_struct && file->unknown_struct)
        expert_add_info_format(seen->packet, item, &ei_binary, "%s", file->unknown_struct);
}

/* clang-format off */
static ei_register_info ei[] = {
    {&ei_binary, {"cacheray.binary.unusable", PI_UNDECODED, PI_WARN, "Types of the executable are not known", EXPFILL}},
    {&ei_caches, {"cacheray.caches.unusable", PI_UNDECODED, PI_WARN, "No caches", EXPFILL}},
    {&ei_settings, {"cacheray.settings.unusable", PI_UNDECODED, PI_WARN, "A setting is not used", EXPFILL}},
    {&ei_remap, {"cacheray.remap.unusable", PI_UNDECODED, PI_WARN, "Members are not moved", EXPFILL}},
    {&ei_thread, {"cacheray.thread.unnumbered", PI_UNDECODED, PI_NOTE, "Threads may not be numbered", EXPFILL}},
    {&ei_objects, {"cacheray.objects.notice", PI_UNDECODED, PI_NOTE, "What is known of the traced program", EXPFILL}},
};
/* clang-format on */

void cacheray_problems_register(int proto)
{
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
}
