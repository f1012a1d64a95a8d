/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record, and its meaning in context. */
#include "ovni_dissector/record.h"

#include "dissector/pdu.h"
#include "ovni_dissector/file.h"

static wsbool preference_states = TRUE;

static struct ovni_file *const file = &ovni_file;

bool ovni_record_asked(void)
{
    return preference_states;
}

static const char *name_of(const ovni_tapped *r)
{
    return pdu_stream_name(r->reader, r->context);
}

static const char *loom_of(const ovni_tapped *r)
{
    return pdu_stream_description(r->reader, r->context);
}

void ovni_record_read(ovni_tapped *r, const record_context *c, const cursor *bytes, const record_seen *seen)
{
    r->reader = seen;
    ovni_session_read(&file->session, r, c, seen->number, bytes);
}

void ovni_record_look(ovni_tapped *r, const record_seen *seen, const proto_tree *tree, bool asked)
{
    if (r->is_event)
        idle_field_look(&file->idle, r->context, seen, tree, r->context->stream);
    if (!r->is_event || !preference_states || !asked)
        r->known = (ovni_known){0};
    if (!preference_states || !asked)
        return;
    ovni_session_look(r, (r->context->flags & CONTEXT_RANDOM_ACCESS) != 0, seen->again);
}

void ovni_record_register(module_t *module)
{
    file->session.name_of = name_of;
    file->session.loom_of = loom_of;
    prefs_register_bool_preference(module, "states", "Follow states and tasks",
                                   "State and CPU of threads, begin and end of states, tasks, names of marks.",
                                   &preference_states);
}
