/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/session.h"

#include "cacheray/context.h"

void cacheray_session_begin(cacheray_session *s, const cacheray_options *o, const record_context *first)
{
    cacheray_options options = *o;
    options.layout = (cacheray_layout)cacheray_context_of(first)->layout;
    s->analysis = cacheray_analysis_new(&options);
}

/* All in one: the compiler need not store what only the view reads, for each record. */
__attribute__((flatten)) void cacheray_session_read(cacheray_tapped *v, const record_context *c, const cursor *bytes)
{
    cacheray_contents r;
    cacheray_contents_read(c, *bytes, &r);
    cacheray_contents_view(&r, v);
}

static void note(cacheray_session *s, const cacheray_tapped *v)
{
    if (!v->is_access)
        return;
    s->has_accesses = true;
    if (v->thread)
        s->numbered = true;
}

void cacheray_session_visit(cacheray_session *s, uint32_t number, cacheray_tapped *v, bool shown)
{
    note(s, v);
    cacheray_analysis_visit(s->analysis, number, v);
    if (v->is_access) {
        if (v->member)
            s->has_members = true;
        if (v->variable)
            s->has_variables = true;
        return;
    }
    if (v->kind == CACHERAY_RTTA_ADD && shown && !s->unknown_struct &&
        cacheray_analysis_problems(s->analysis).unknown_struct == number)
        s->unknown_struct = v->type;
}

bool cacheray_session_find(cacheray_session *s, uint32_t number, cacheray_tapped *v)
{
    note(s, v);
    return cacheray_analysis_find(s->analysis, number, v);
}

void cacheray_session_end(cacheray_session *s)
{
    cacheray_analysis_free(s->analysis);
    *s = (cacheray_session){0};
}
