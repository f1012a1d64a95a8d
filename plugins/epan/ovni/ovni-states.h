/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ovni events mean in their context, as fields and for the statistics: state and CPU of the thread, regions,
 * tasks, names of marks and counters (common/ovni/states.h). State is that of the open file; first-pass results are
 * stored once and read back. */
#ifndef WIRETRACE_OVNI_STATES_PLUGIN_H
#define WIRETRACE_OVNI_STATES_PLUGIN_H

#include "picture/picture.h"
#include "stacks.h"
#include "tree.h"

#include <epan/prefs.h>

#include "ovni/emulator.h"
#include "ovni/states.h"

/* What is known of one record. Lives as long as its dissection. */
typedef struct ovni_record {
    const record_context *context;
    cursor bytes;
    const ovni_event *event; /* NULL: no event, or an unknown one */
    bool is_event;           /* a whole one */
    bool has_state;          /* `known` holds */
    char mcv[4];             /* of an event */
    const char *stream;      /* name of the stream, or NULL; only for taps */
    ovni_known known;
} ovni_record;

/* Registers fields, expert infos, and the preference. */
void ovni_states_register(int proto, module_t *module);

/* Works out what is known of the record; the first time a record is seen, it is followed. `event` belongs to a whole
 * event. */
void ovni_states_look(ovni_record *r, const record_context *c, const ovni_event *event, const cursor *bytes,
                      packet_info *pinfo);
/* What its numbers stand for: the type of a task, title and value of a mark. False where nothing is known. */
bool ovni_states_labels(const ovni_record *r, const cursor *bytes, ovni_labels *labels);
/* Adds what is known as generated fields; of its thread to `thread`. */
void ovni_states_add(proto_tree *tree, proto_tree *thread, proto_item *item, packet_info *pinfo, tvbuff_t *tvb,
                     const cursor *bytes, const ovni_record *r);
/* Adds what metadata say. */
void ovni_states_add_metadata(proto_tree *tree, tvbuff_t *tvb, const cursor *bytes);
extern const picture_source ovni_picture;
/* What the statistics and pictures call a stack. */
extern const stacks_protocol ovni_stacks;
/* The statistics, which are told of records by the tap "ovni" (its data: ovni_record). */
void ovni_taps_register(int proto);
void ovni_taps_handoff(void);

/* What holds, is open or runs when all records of this file have been seen; either visitor may be NULL. */
void ovni_each_open(ovni_states_visitor visitor, ovni_states_task_visitor task, void *data);
/* Whether a record ends a nested state, any state or value, a run of a task, and how long that was; only what has a duration. */
bool ovni_ends_region(const ovni_record *r, const packet_info *pinfo);
bool ovni_ends_state(const ovni_record *r, const packet_info *pinfo, uint32_t *function, call *k);
bool ovni_ends_task(const ovni_record *r, const packet_info *pinfo);
/* Name of a model, never NULL. */
const char *ovni_model_words(char model);
/* What ovniemu would say of a record: fields and expert infos (emulator-fields.c). */
void ovni_emulator_fields_register(int proto, module_t *module);
/* The first time a record is seen it is played. */
void ovni_emulator_look(const ovni_record *r, const packet_info *pinfo);
void ovni_emulator_add(proto_tree *tree, proto_item *item, packet_info *pinfo, tvbuff_t *tvb, const ovni_record *r);
/* What an emulator says: ovni,lint, ovni,cpus, ovni,at and ovni,paraver. */
void ovni_emulation_register(void);
void ovni_paraver_register(void);
/* Plays a record. */
void ovni_play(ovni_emulator *e, const packet_info *pinfo, const ovni_record *r);
/* The tables of states and tasks. */
void ovni_tables_register(void);

/* Name of a region in this file, and its model; `text` may be used. */
const char *ovni_region_name(uint32_t function, char *text, size_t size, char *model);
/* Name of a counter of the record, or NULL. */
const char *ovni_counter_name(const ovni_record *r, uint32_t index);
/* The regions that the record's region is in, outermost first (calls.h). */
unsigned ovni_region_stack(const ovni_record *r, uint32_t functions[CALLS_STACK_MAX], uint32_t *left_out);

#endif
