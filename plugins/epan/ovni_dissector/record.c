/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The states of the open file: each record is visited in the first pass, and results are looked up afterwards. */
#include "ovni_dissector/record.h"

#include "dissector/pdu.h"
#include "host/hidden_records.h"
#include "ovni/events/layout.h"

static wsbool preference_states = TRUE;

struct ovni_file ovni_file;
static struct ovni_file *const file = &ovni_file;

void ovni_forget_file(void)
{
    idle_field_forget(&file->idle);
    ovni_states_free(file->states);
    ovni_emulator_free(file->emulator);
    g_clear_pointer(&file->findings, g_hash_table_destroy);
    g_clear_pointer(&file->at_end, g_hash_table_destroy);
    g_clear_pointer(&file->cpus, g_array_unref);
    g_clear_pointer(&file->places, g_array_unref);
    g_clear_pointer(&file->texts, g_string_chunk_free);
    g_clear_pointer(&file->owners, g_ptr_array_unref);
    *file = (struct ovni_file){.idle.hf = file->idle.hf};
}

bool ovni_states_asked(void)
{
    return preference_states;
}

/* --- looking at a record ----------------------------------------------------------------------------------------------- */

static void record_visit(ovni_tapped *r, const cursor *bytes, packet_info *pinfo)
{
    const record_context *c = r->context;
    if (!file->states)
        file->states = ovni_states_new((c->flags & CONTEXT_RANDOM_ACCESS) != 0);
    if (c->kind == OVNI_METADATA) {
        if (!c->fault)
            ovni_states_metadata(file->states, c, pdu_stream_description(pinfo, c), (const char *)bytes->data,
                                 bytes->length);
        return;
    }
    if (!ovni_states_stream_known(file->states, c))
        ovni_states_stream(file->states, c, pdu_stream_description(pinfo, c));
    if (r->is_event)
        ovni_states_visit(file->states, c, record_number(pinfo), r->event, bytes, &r->known);
}

void ovni_states_look(ovni_tapped *r, const record_context *c, const ovni_event *event, const cursor *bytes,
                      packet_info *pinfo, const proto_tree *tree, bool asked)
{
    r->pinfo = pinfo;
    r->context = c;
    r->bytes = *bytes;
    r->event = event;
    r->has_state = false;
    memset(r->mcv, 0, sizeof r->mcv);
    r->is_event = ovni_states_is_event(c, bytes);
    if (r->is_event) {
        memcpy(r->mcv, ovni_mcv(bytes), 3);
        idle_field_look(&file->idle, c, pinfo, tree, c->stream);
    }
    if (!r->is_event || !preference_states || !asked)
        r->known = (ovni_known){0};
    if (!preference_states || !asked)
        return;
    if (!PINFO_FD_VISITED(pinfo) || !file->states || !ovni_states_kept(file->states))
        record_visit(r, bytes, pinfo);
    else if (r->is_event)
        ovni_states_find(file->states, c, record_number(pinfo), event, bytes, &r->known);
    r->has_state = r->is_event;
}

const ovni_states *ovni_states_of_file(void)
{
    return file->states;
}

const char *ovni_region_name(uint32_t function, char *text, size_t size, char *model)
{
    return file->states ? ovni_states_name(file->states, function, text, size, model) : NULL;
}

const char *ovni_counter_name(const ovni_tapped *r, uint32_t counter)
{
    return counter < OVNI_COUNTERS_MAX ? ovni_states_counter(file->states, r->context, counter) : NULL;
}

unsigned ovni_region_stack(const ovni_tapped *r, uint32_t functions[CALLS_STACK_MAX], uint32_t *left_out)
{
    return ovni_states_stack(file->states, &r->known, functions, left_out);
}

static bool has_argument(const ovni_event *event, uint8_t id)
{
    for (unsigned i = 0; i < OVNI_ARGUMENTS_MAX && event->arguments[i].type != OVNI_NO_ARGUMENT; i++)
        if (event->arguments[i].type != OVNI_REPEAT && event->arguments[i].id == id)
            return true;
    return false;
}

bool ovni_states_labels(const ovni_tapped *r, const cursor *bytes, ovni_labels *labels)
{
    *labels = (ovni_labels){{NULL}};
    if (!r->has_state || !r->event)
        return false;
    if (r->event->channels & OVNI_MARK) {
        labels->of[OVNI_TYPE] = ovni_states_mark_name(file->states, OVNI_NAMED_MARK, r->event, bytes);
        labels->of[OVNI_VALUE] = ovni_states_mark_name(file->states, OVNI_NAMED_VALUE, r->event, bytes);
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
