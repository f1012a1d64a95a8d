/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The states of the open file: each record is visited in the first pass, and results are looked up afterwards. */
#include "ovni_dissector/record.h"

#include "dissector/pdu.h"
#include "host/hidden_records.h"

static wsbool preference_states = TRUE;

struct ovni_file ovni_file;
static struct ovni_file *const file = &ovni_file;

void ovni_forget_file(void)
{
    idle_field_forget(&file->idle);
    ovni_session_end(&file->session);
    ovni_emulator_free(file->emulator);
    g_clear_pointer(&file->findings, g_hash_table_destroy);
    g_clear_pointer(&file->at_end, g_hash_table_destroy);
    g_clear_pointer(&file->cpus, g_array_unref);
    g_clear_pointer(&file->places, g_array_unref);
    g_clear_pointer(&file->texts, g_string_chunk_free);
    g_clear_pointer(&file->owners, g_ptr_array_unref);
    *file = (struct ovni_file){.idle.hf = file->idle.hf};
}

bool ovni_record_asked(void)
{
    return preference_states;
}

/* --- looking at a record ----------------------------------------------------------------------------------------------- */

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
    file->session.name_of = name_of;
    file->session.loom_of = loom_of;
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

const char *ovni_region_name(uint32_t function, char *text, size_t size, char *model)
{
    return file->session.states ? ovni_states_name(file->session.states, function, text, size, model) : NULL;
}

const char *ovni_counter_name(const ovni_tapped *r, uint32_t counter)
{
    return counter < OVNI_COUNTERS_MAX ? ovni_states_counter(file->session.states, r->context, counter) : NULL;
}

unsigned ovni_region_stack(const ovni_tapped *r, uint32_t functions[CALLS_STACK_MAX], uint32_t *left_out)
{
    return ovni_states_stack(file->session.states, &r->known, functions, left_out);
}

static bool has_argument(const ovni_event *event, uint8_t id)
{
    for (unsigned i = 0; i < OVNI_ARGUMENTS_MAX && event->arguments[i].type != OVNI_NO_ARGUMENT; i++)
        if (event->arguments[i].type != OVNI_REPEAT && event->arguments[i].id == id)
            return true;
    return false;
}

bool ovni_record_labels(const ovni_tapped *r, const cursor *bytes, ovni_labels *labels)
{
    *labels = (ovni_labels){{NULL}};
    if (!r->has_state || !r->event)
        return false;
    if (r->event->channels & OVNI_MARK) {
        labels->of[OVNI_TYPE] = ovni_states_mark_name(file->session.states, OVNI_NAMED_MARK, r->event, bytes);
        labels->of[OVNI_VALUE] = ovni_states_mark_name(file->session.states, OVNI_NAMED_VALUE, r->event, bytes);
        return labels->of[OVNI_TYPE] || labels->of[OVNI_VALUE];
    }
    if (!r->known.has_task || !r->known.task.label || has_argument(r->event, OVNI_LABEL)) /* the event has the label
                                                                                           * itself */
        return false;
    labels->of[has_argument(r->event, OVNI_TYPEID) ? OVNI_TYPEID : OVNI_TASKID] = r->known.task.label;
    return true;
}

/* --- fields ------------------------------------------------------------------------------------------------------------ */

void ovni_record_register(module_t *module)
{
    prefs_register_bool_preference(module, "states", "Follow states and tasks",
                                   "State and CPU of threads, begin and end of states, tasks, names of marks.",
                                   &preference_states);
}
