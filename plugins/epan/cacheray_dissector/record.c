/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record, and how it relates to earlier ones. */
#include "cacheray_dissector/record.h"

#include "cacheray_dissector/file.h"
#include "cacheray_dissector/problems.h"
#include "cacheray_dissector/settings.h"
#include "core/opened_trace.h"

static struct cacheray_file *const file = &cacheray_file;

static void start_file(const record_context *c)
{
    cacheray_options o = cacheray_settings_options();
    o.trace = opened_trace_name(c);
    o.keep = (c->flags & CONTEXT_RANDOM_ACCESS) != 0;
    cacheray_session_begin(&file->session, &o, c);
    cacheray_problems_say();
}

void cacheray_record_look(cacheray_tapped *v, const dissection *d, bool lines)
{
    cacheray_session *session = &file->session;
    const uint32_t place = d->seen->number;
    if (!session->analysis)
        start_file(v->context);
    if (!file->first && !d->hidden)
        file->first = d->seen->frame;
    v->cold = d->unknown;
    if (d->seen->again && cacheray_session_find(session, place, v))
        return;
    /* if results are not kept, only if asked for: the statistics do their own analysis */
    v->touches = v->is_access && !v->cold && (lines || cacheray_analysis_kept(session->analysis));
    cacheray_session_visit(session, place, v, !d->hidden);
    if (session->unknown_struct && !file->unknown_struct)
        file->unknown_struct = cacheray_problems_unknown_struct(cacheray_settings_options().binary, session->unknown_struct);
    if (v->is_access && v->cold)
        lines_place(cacheray_settings_line_size(), v->placed, v->size, &v->line);
}

static void forget_lines(void)
{
    if (file->session.analysis)
        cacheray_analysis_finish(file->session.analysis);
}

void cacheray_record_register(void)
{
    register_postseq_cleanup_routine(forget_lines);
}
