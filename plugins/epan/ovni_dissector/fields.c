/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What events mean in context, as fields and expert infos. */
#include "ovni_dissector/fields.h"
#include "ovni_dissector/file.h"
#include "ovni_dissector/names.h"

#include <epan/tap.h>
#include <wiretap/wtap.h>

#include "host/hidden_records.h"
#include "ovni/events/layout.h"
#include "dissector/pdu.h"

static int hf_state = -1;
static int hf_state_number = -1;
static int hf_thread_state = -1;
static int hf_cpu = -1;
static int hf_unsorted = -1;
static int hf_idle = -1;
static int hf_region_depth = -1;
static int hf_region_duration = -1;
static int hf_region_duration_us = -1;
static int hf_region_active = -1;
static int hf_region_begin = -1;
static int hf_region_end = -1;
static int hf_left_state = -1;
static int hf_left_duration = -1;
static int hf_left_active = -1;
static int hf_task_id = -1;
static int hf_task_type = -1;
static int hf_task_label = -1;
static int hf_task_duration = -1;
static int hf_task_active = -1;
static int hf_task_on_cpu = -1;
static int hf_task_created = -1;
static int hf_task_begun = -1;
static int hf_task_ended = -1;
int ovni_hf_mark_title = -1;
int ovni_hf_mark_label = -1;
int ovni_hf_counter_name = -1;

static int ett_state = -1;
static int ett_task = -1;
static int ett_counters = -1;

static expert_field ei_unmatched = EI_INIT;
static expert_field ei_unsure = EI_INIT;

static struct ovni_file *const file = &ovni_file;

static void add_string(proto_tree *tree, int hf, tvbuff_t *tvb, const char *text)
{
    if (text)
        tree_generated_string(tree, hf, tvb, text);
}

static void ovni_fields_add_thread(proto_tree *tree, tvbuff_t *tvb, const ovni_thread_now *now)
{
    if (now->state != OVNI_THREAD_UNKNOWN)
        tree_generated_string(tree, hf_thread_state, tvb, ovni_thread_state_name(now->state));
    if (now->cpu_known)
        tree_generated(tree, hf_cpu, tvb, (uint64_t)now->cpu);
    if (now->unsorted)
        tree_generated(tree, hf_unsorted, tvb, true);
}

static void add_region(proto_tree *tree, tvbuff_t *tvb, const record_seen *seen, const call *k)
{
    if (k->begin == 0)
        return;
    tree_generated(tree, hf_region_depth, tvb, k->depth);
    if (k->state & CALL_TIMED) {
        tree_generated_time(tree, hf_region_duration, tvb, k->duration);
        tree_generated_us(tree, hf_region_duration_us, tvb, k->duration);
        tree_generated_time(tree, hf_region_active, tvb, k->duration - k->away);
    }
    if (k->end == seen->number)
        tree_generated_frame(tree, hf_region_begin, tvb, k->begin);
    else
        tree_generated_frame(tree, hf_region_end, tvb, k->end);
}

static void add_left(proto_tree *tree, tvbuff_t *tvb, const ovni_known *known)
{
    char text[TEXT_PAIR], model;
    if (!known->previous_function)
        return;
    if (tree_field_needed(tree, hf_left_state))
        add_string(tree, hf_left_state, tvb, ovni_region_name(known->previous_function, text, sizeof text, &model));
    if (known->left.state & CALL_TIMED) {
        tree_generated_time(tree, hf_left_duration, tvb, known->left.duration);
        tree_generated_time(tree, hf_left_active, tvb, known->left.duration - known->left.away);
    }
}

static void ovni_fields_add_task(proto_tree *tree, tvbuff_t *tvb, const ovni_task *task)
{
    tree = tree_branch(tree, tvb, ett_task, "Task");
    if (task->has_id)
        tree_generated(tree, hf_task_id, tvb, task->id);
    if (task->has_type)
        tree_generated(tree, hf_task_type, tvb, task->type);
    if (task->label && tree_field_needed(tree, hf_task_label))
        tree_generated_string(tree, hf_task_label, tvb, task->label);
    if (task->timed)
        tree_generated_time(tree, hf_task_duration, tvb, task->running);
    if (task->has_active)
        tree_generated_time(tree, hf_task_active, tvb, task->active);
    if (task->has_on_cpu)
        tree_generated_time(tree, hf_task_on_cpu, tvb, task->on_cpu);
    tree_generated_frame(tree, hf_task_created, tvb, task->created);
    tree_generated_frame(tree, hf_task_begun, tvb, task->begun);
    tree_generated_frame(tree, hf_task_ended, tvb, task->ended);
}

static void add_mark(proto_tree *tree, tvbuff_t *tvb, const cursor *bytes, const ovni_tapped *r)
{
    add_string(tree, ovni_hf_mark_title, tvb, ovni_states_mark_name(file->session.states, OVNI_NAMED_MARK, r->event, bytes));
    add_string(tree, ovni_hf_mark_label, tvb,
               ovni_states_mark_name(file->session.states, OVNI_NAMED_VALUE, r->event, bytes));
}

static void add_counters(proto_tree *tree, tvbuff_t *tvb, const cursor *bytes, const ovni_tapped *r)
{
    ovni_arguments a;
    ovni_value v;
    uint32_t counter = 0;
    if (!tree_field_needed(tree, ovni_hf_counter_name))
        return;
    tree = tree_branch(tree, tvb, ett_counters, "Counters");
    ovni_arguments_init(&a, r->event, bytes);
    while (ovni_arguments_next(&a, &v) && counter < OVNI_COUNTERS_MAX)
        add_string(tree, ovni_hf_counter_name, tvb, ovni_states_counter(file->session.states, r->context, counter++));
}

static void ovni_fields_add_state(proto_tree *tree, tvbuff_t *tvb, const cursor *bytes, const ovni_tapped *r)
{
    char text[64];
    if (!tree_field_needed(tree, hf_state) || !r->event)
        return;
    if (r->has_state)
        add_string(tree, hf_state, tvb,
                   ovni_states_text(file->session.states, &r->known, r->event, bytes, text, sizeof text));
    else if (r->event->role != OVNI_POINT)
        add_string(tree, hf_state, tvb, r->event->state);
}

static void ovni_fields_add_unsure(proto_item *item, const record_seen *seen, const call *k)
{
    if (k->state & CALL_UNSURE)
        expert_add_info_format(seen->packet, item, &ei_unsure,
                               "no duration: the stream is damaged between begin and end, or its clock went back");
    else if (!(k->state & CALL_TIMED))
        expert_add_info_format(seen->packet, item, &ei_unsure,
                               "no duration: the clock of the end is before that of the begin");
}

/* A region without an end is known only after all records have been seen. */
static void ovni_fields_add_experts(proto_item *item, const record_seen *seen, const call *k)
{
    bool ends = k->end == seen->number;
    if (k->state & CALL_UNMATCHED && ends)
        expert_add_info_format(seen->packet, item, &ei_unmatched, "end of a state whose begin is not in this stream");
    else if (k->state & CALL_CLOSED)
        expert_add_info_format(seen->packet, item, &ei_unmatched,
                               "the end of this state is missing: the state around it has ended");
    else if (k->state & CALL_UNMATCHED && seen->again && ovni_states_kept(file->session.states) && !hidden_end_unread())
        expert_add_info_format(seen->packet, item, &ei_unmatched, "this state does not end in this stream");
    else if (ends)
        ovni_fields_add_unsure(item, seen, k);
}

/* Returns whether there is a state to show: one that the event enters, leaves or sets. */
static bool shows_state(const ovni_tapped *r)
{
    return (r->event && r->event->role != OVNI_POINT) ||
           (r->has_state && ((r->known.has_region && r->known.region.begin) || r->known.previous_function));
}

static void add_states(proto_tree *tree, const record_seen *seen, tvbuff_t *tvb, const cursor *bytes, const ovni_tapped *r)
{
    if (shows_state(r))
        tree = tree_branch(tree, tvb, ett_state, "State");
    ovni_fields_add_state(tree, tvb, bytes, r);
    if (!r->has_state)
        return;
    if (r->known.has_region || r->known.has_left)
        tree_generated(tree, hf_state_number, tvb, r->known.function);
    if (r->known.has_region)
        add_region(tree, tvb, seen, &r->known.region);
    add_left(tree, tvb, &r->known);
    if (r->event && r->event->channels & OVNI_MARK)
        add_mark(tree, tvb, bytes, r);
}

void ovni_fields_add(proto_tree *tree, proto_tree *thread, proto_item *item, const record_seen *seen, tvbuff_t *tvb,
                     const cursor *bytes, const ovni_tapped *r)
{
    const bool experts = r->has_state && !tree_row_of(tree);
    if (experts && r->known.has_region)
        ovni_fields_add_experts(item, seen, &r->known.region);
    if (experts && r->known.previous_function)
        ovni_fields_add_unsure(item, seen, &r->known.left);
    if (!r->is_event || !tree_fields_needed(tree, hf_state, ovni_hf_counter_name))
        return;
    idle_field_add(&file->idle, tree, tvb, seen);
    add_states(tree, seen, tvb, bytes, r);
    if (!r->has_state)
        return;
    ovni_fields_add_thread(thread, tvb, &r->known.thread);
    if (r->known.has_task)
        ovni_fields_add_task(tree, tvb, &r->known.task);
    if (r->event && r->event->channels & OVNI_COUNTERS)
        add_counters(tree, tvb, bytes, r);
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

static hf_register_info hf[] = {
    {&hf_state, {"State", "ovni.state", FT_STRING, BASE_NONE, NULL, 0, "State that begins, ends or is set", HFILL}},
    {&hf_state_number,
     {"State number", "ovni.state.number", FT_UINT32, BASE_DEC, NULL, 0, "Number of the state in the open file", HFILL}},
    {&hf_thread_state,
     {"Thread state", "ovni.thread.state", FT_STRING, BASE_NONE, NULL, 0,
      "State of the thread at the event: running, paused, cooling (about to pause), warming (about to run) or dead", HFILL}},
    {&hf_cpu,
     {"CPU", "ovni.cpu", FT_INT32, BASE_DEC, NULL, 0,
      "Logical index of the CPU that the thread is on at the event; -1: no binding", HFILL}},
    {&hf_unsorted,
     {"In sort region", "ovni.unsorted", FT_BOOLEAN, BASE_NONE, NULL, 0,
      "Between OU[ and OU]: the clock may be before that of earlier events", HFILL}},
    {&hf_idle,
     {"Since previous", "ovni.idle", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
      "Time since the previous event of the same thread", HFILL}},
    {&hf_region_depth,
     {"Depth", "ovni.region.depth", FT_UINT32, BASE_DEC, NULL, 0, "0 for the outermost state of the thread and model",
      HFILL}},
    {&hf_region_duration,
     {"Duration", "ovni.region.duration", FT_RELATIVE_TIME, BASE_NONE, NULL, 0, "From begin to end", HFILL}},
    {&hf_region_duration_us,
     {"Duration (us)", "ovni.region.duration.us", FT_DOUBLE, BASE_CUSTOM, CF_FUNC(tree_label_us), 0,
      "The duration in microseconds, for a column", HFILL}},
    {&hf_region_active,
     {"Active", "ovni.region.active", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
      "The part of the duration in which ovniemu shows the state: its thread was running", HFILL}},
    {&hf_region_begin,
     {"Begin", "ovni.region.begin", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_REQUEST), 0,
      "The event that entered the state", HFILL}},
    {&hf_region_end,
     {"End", "ovni.region.end", FT_FRAMENUM, BASE_NONE, FRAMENUM_TYPE(FT_FRAMENUM_RESPONSE), 0,
      "The event that leaves the state", HFILL}},
    {&hf_left_state,
     {"State before", "ovni.left.state", FT_STRING, BASE_NONE, NULL, 0,
      "The previous state or value, for those that are set and not nested", HFILL}},
    {&hf_left_duration,
     {"Time in it", "ovni.left.duration", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
      "How long the thread was in the previous state", HFILL}},
    {&hf_left_active,
     {"Active time in it", "ovni.left.active", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
      "The part of that time in which ovniemu shows the previous state", HFILL}},
    {&hf_task_id, {"Task", "ovni.task.id", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL}},
    {&hf_task_type, {"Task type", "ovni.task.type", FT_UINT32, BASE_DEC, NULL, 0, NULL, HFILL}},
    {&hf_task_label, {"Task label", "ovni.task.label", FT_STRING, BASE_NONE, NULL, 0, "Label of the task's type", HFILL}},
    {&hf_task_duration,
     {"Running time", "ovni.task.duration", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
      "From start to end of the task, without pauses", HFILL}},
    {&hf_task_active,
     {"Active", "ovni.task.active", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
      "The part of the running time in which the thread was running", HFILL}},
    {&hf_task_on_cpu,
     {"On a CPU", "ovni.task.on_cpu", FT_RELATIVE_TIME, BASE_NONE, NULL, 0,
      "The part of the active time in which the kernel had not switched to another thread", HFILL}},
    {&hf_task_created, {"Task created", "ovni.task.created", FT_FRAMENUM, BASE_NONE, NULL, 0, NULL, HFILL}},
    {&hf_task_begun, {"Task begun", "ovni.task.begun", FT_FRAMENUM, BASE_NONE, NULL, 0, NULL, HFILL}},
    {&hf_task_ended, {"Task ended", "ovni.task.ended", FT_FRAMENUM, BASE_NONE, NULL, 0, NULL, HFILL}},
    {&ovni_hf_mark_title,
     {"Mark", "ovni.mark.title", FT_STRING, BASE_NONE, NULL, 0, "Title of the mark's type, from metadata", HFILL}},
    {&ovni_hf_mark_label,
     {"Mark label", "ovni.mark.label", FT_STRING, BASE_NONE, NULL, 0, "Label of the value, from metadata", HFILL}},
    {&ovni_hf_counter_name,
     {"Counter", "ovni.counter.name", FT_STRING, BASE_NONE, NULL, 0, "Name of a hardware counter", HFILL}},
};

static ei_register_info ei[] = {
    {&ei_unmatched, {"ovni.unmatched", PI_SEQUENCE, PI_NOTE, "Begin without an end, or end without a begin", EXPFILL}},
    {&ei_unsure, {"ovni.unsure", PI_SEQUENCE, PI_NOTE, "Duration missing", EXPFILL}},
};

void ovni_fields_register(int proto)
{
    static int *ett[] = {&ett_state, &ett_task, &ett_counters};
    tree_fields_register(proto, hf, array_length(hf));
    proto_register_subtree_array(ett, array_length(ett));
    expert_register_field_array(expert_register_protocol(proto), ei, array_length(ei));
    file->idle.hf = &hf_idle;
}
