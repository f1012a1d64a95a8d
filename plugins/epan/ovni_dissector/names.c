/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni_dissector/names.h"

#include "ovni_dissector/file.h"

static struct ovni_file *const file = &ovni_file;

const char *ovni_region_name(uint32_t function, char *text, size_t size, char *model)
{
    return file->session.states ? ovni_states_name(file->session.states, function, text, size, model) : NULL;
}

const char *ovni_counter_name(const ovni_tapped *r, uint32_t counter)
{
    return counter < OVNI_COUNTERS_MAX ? ovni_states_counter(file->session.states, r->context, counter) : NULL;
}

static bool has_argument(const ovni_event *event, uint8_t id)
{
    for (unsigned i = 0; i < OVNI_ARGUMENTS_MAX && event->arguments[i].type != OVNI_NO_ARGUMENT; i++)
        if (event->arguments[i].type != OVNI_REPEAT && event->arguments[i].id == id)
            return true;
    return false;
}

bool ovni_names_labels(const ovni_tapped *r, const cursor *bytes, ovni_labels *labels)
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
