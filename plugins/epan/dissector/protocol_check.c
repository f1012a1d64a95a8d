/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dissector/protocol_check.h"

#include <string.h>

#include "util/fail.h"

bool protocol_check(const protocol *p, GError **error)
{
    const bool tapped = p->tap != NULL;
    const struct {
        const char *member;
        bool there;
    } needed[] = {
        {"filter", p->filter != NULL},
        {"name", p->name != NULL},
        {"column", p->column != NULL},
        {"layouts", p->layouts != NULL},
        {"tree.proto", p->tree.proto != NULL},
        {"tree.kinds", p->tree.kinds != NULL},
        {"tree.number", p->tree.number != NULL},
        {"tree.fields", p->tree.fields != NULL},
        {"look", p->look != NULL},
        {"inform", p->inform != NULL},
        {"add", p->add != NULL},
        {"record_size, which the tap needs,", !tapped || p->record_size > 0},
        {"tap, which the follower needs,", tapped || !p->follower},
        {"tap, which the pictures need,", tapped || !p->picture},
    };
    const char *name = p->filter ? p->filter : p->name ? p->name : "?";
    for (size_t i = 0; i < G_N_ELEMENTS(needed); i++)
        if (!needed[i].there)
            return fail_with(error, "the dissector %s has no member %s", name, needed[i].member);
    return p->record_size <= PROTOCOL_RECORD_MAX ||
           fail_with(error, "the dissector %s has a record_size of more than %d", name, PROTOCOL_RECORD_MAX);
}

static bool check_format(const format *f, GError **error)
{
    const struct {
        const char *member;
        bool there;
    } needed[] = {
        {"name", f->name != NULL},         {"description", f->description != NULL},
        {"protocol", f->protocol != NULL}, {"min_length", f->min_length != NULL},
        {"layouts", f->layouts != NULL},   {"probe", f->probe != NULL},
        {"open", f->open != NULL},         {"step", f->step != NULL},
        {"time", f->time != NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(needed); i++)
        if (!needed[i].there)
            return fail_with(error, "the format %s has no member %s", f->name ? f->name : "?", needed[i].member);
    return true;
}

/* A kind that `least` accepts and the dissector does not name, or -1. */
static int kind_without_name(const protocol *p, const format *f)
{
    for (int kind = 0; kind <= UINT8_MAX; kind++) {
        const record_context c = {.kind = (uint8_t)kind};
        const value_string *named = p->tree.kinds;
        while (named->strptr && (int)named->value != kind)
            named++;
        if (!named->strptr && f->min_length(&c) != UINT64_MAX)
            return kind;
    }
    return -1;
}

/* Returns whether a layout of the dissector has such a row, whose field is then compared with it. */
static bool lists(const protocol *p, const layout_row *r)
{
    unsigned count = 0;
    const layout *const *all = p->layouts(&count);
    for (unsigned i = 0; i < count; i++)
        for (const layout_row *one = all[i]->rows; one < all[i]->rows + all[i]->count; one++)
            if (one->field == r->field && one->width == r->width)
                return true;
    return false;
}

/* A kind with a row that the dissector does not list, or -1. */
static int kind_without_layout(const protocol *p, const format *f)
{
    for (int kind = 0; kind <= UINT8_MAX; kind++) {
        const record_context c = {.kind = (uint8_t)kind};
        const layout *found[FORMAT_LAYOUTS_MAX];
        const unsigned count = f->min_length(&c) == UINT64_MAX ? 0 : f->layouts(&c, found);
        for (unsigned i = 0; i < count; i++)
            for (const layout_row *r = found[i]->rows; r < found[i]->rows + found[i]->count; r++)
                if (!lists(p, r))
                    return kind;
    }
    return -1;
}

static bool shows(const protocol *p, const format *f)
{
    return strcmp(p->filter, f->protocol) == 0;
}

static bool check_shown(const protocol *const *all, size_t count, const format *f, GError **error)
{
    size_t i = 0;
    if (!check_format(f, error))
        return false;
    while (i < count && !shows(all[i], f))
        i++;
    if (i == count)
        return fail_with(error, "the format %s has the protocol %s, but no dissector has this filter", f->name, f->protocol);
    int kind = kind_without_name(all[i], f);
    if (kind >= 0)
        return fail_with(error, "the dissector %s has no name for kind %d of the format %s", all[i]->filter, kind, f->name);
    kind = kind_without_layout(all[i], f);
    if (kind >= 0)
        return fail_with(error, "the layouts of the dissector %s are without those of kind %d of the format %s",
                         all[i]->filter, kind, f->name);
    return true;
}

bool protocol_check_formats(const protocol *const *all, size_t count, const format *const *formats, size_t format_count,
                            GError **error)
{
    for (size_t f = 0; f < format_count; f++)
        if (!check_shown(all, count, formats[f], error))
            return false;
    for (size_t i = 0; i < count; i++) {
        size_t f = 0;
        while (f < format_count && !shows(all[i], formats[f]))
            f++;
        if (f == format_count)
            return fail_with(error, "the dissector %s has a filter that no format has as its protocol", all[i]->filter);
    }
    return true;
}
