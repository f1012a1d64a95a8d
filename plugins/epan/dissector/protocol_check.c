/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/protocol_check.h"

#include <string.h>

char *protocol_check(const protocol *p)
{
    const bool tapped = p->tap != NULL;
    const struct {
        const char *member;
        bool there;
    } needed[] = {
        {"filter", p->filter != NULL},
        {"name", p->name != NULL},
        {"column", p->column != NULL},
        {"ett", p->ett != NULL},
        {"look", p->look != NULL},
        {"inform", p->inform != NULL},
        {"add", p->add != NULL},
        {"tapped, which the tap needs,", !tapped || p->tapped},
        {"tap, which the follower needs,", tapped || !p->follower},
        {"tap, which the pictures need,", tapped || !p->picture},
    };
    const char *name = p->filter ? p->filter : p->name ? p->name : "?";
    for (size_t i = 0; i < G_N_ELEMENTS(needed); i++)
        if (!needed[i].there)
            return g_strdup_printf("the dissector %s has no member %s", name, needed[i].member);
    return p->record_size > PROTOCOL_RECORD_MAX
               ? g_strdup_printf("the dissector %s has a record_size of more than %d", name, PROTOCOL_RECORD_MAX)
               : NULL;
}

static bool shows(const protocol *p, const format *f)
{
    return f->protocol && strcmp(p->filter, f->protocol) == 0;
}

char *protocol_check_formats(const protocol *const *all, size_t count, const format *const *formats, size_t format_count)
{
    for (size_t f = 0; f < format_count; f++) {
        size_t i = 0;
        while (i < count && !shows(all[i], formats[f]))
            i++;
        if (i == count)
            return g_strdup_printf("the format %s has the protocol %s, but no dissector has this filter", formats[f]->name,
                                   formats[f]->protocol ? formats[f]->protocol : "NULL");
    }
    for (size_t i = 0; i < count; i++) {
        size_t f = 0;
        while (f < format_count && !shows(all[i], formats[f]))
            f++;
        if (f == format_count)
            return g_strdup_printf("the dissector %s has a filter that no format has as its protocol", all[i]->filter);
    }
    return NULL;
}
