/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The meaning of ovni events in context (common/ovni/states.h), as fields and for statistics: state and CPU of the
 * thread, regions, tasks, names of marks and counters. The analysis is per open file: each record is visited in the first
 * pass, and results are looked up afterwards. */
#ifndef WIRETRACE_OVNI_DISSECTOR_RECORD_H
#define WIRETRACE_OVNI_DISSECTOR_RECORD_H

#include "dissector/idle_field.h"
#include "dissector/protocol.h"
#include "showing/diff.h"
#include "showing/spans.h"

#include <epan/prefs.h>

#include "ovni/emulator/emulator.h"
#include "ovni/session.h"
#include "ovni/statistics/display.h"

/* What is kept of the open file. */
struct ovni_file {
    ovni_session session;
    idle_field idle;
    /* emulator_fields.c */
    enum { OVNI_UNKNOWN, OVNI_ASKED, OVNI_NOT_ASKED } asked; /* in one pass the trace is played only if somebody asks */
    bool found;                                              /* there are findings in one of these */
    ovni_emulator *emulator;
    uint32_t emulated;    /* frame */
    uint32_t end;         /* the last frame when `at_end` was found */
    GHashTable *findings; /* frame -> GArray of ovni_finding */
    GHashTable *at_end;   /* the same: what is wrong at the end of the records so far */
    GArray *cpus;         /* of kept_cpu, in order of frames */
    /* packet.c */
    GArray *places; /* of thread_place, by stream number */
    GStringChunk *texts;
    uint32_t changes; /* how many texts of CPUs have been made */
    /* spans.c */
    GPtrArray *owners; /* of owner, by stream number: of what may be open at the end; some are NULL */
};
extern struct ovni_file ovni_file;
/* Call when a file is opened or closed. */
void ovni_forget_file(void);

/* Register fields and expert infos; and the preference. */
void ovni_fields_register(int proto);
void ovni_record_register(module_t *module);

/* Returns whether states are followed, and what ovniemu would say. */
bool ovni_record_asked(void);
bool ovni_emulator_asked(void);
/* Fills in what the record itself has; then visits it if this is its first dissection and what it means is asked for. */
void ovni_record_read(ovni_tapped *r, const record_context *c, const cursor *bytes, const record_seen *seen);
void ovni_record_look(ovni_tapped *r, const record_seen *seen, const proto_tree *tree, bool asked);
/* Gets labels for the event's numbers: the type of a task, title and value of a mark. False if none are known. */
bool ovni_record_labels(const ovni_tapped *r, const cursor *bytes, ovni_labels *labels);
/* Adds everything known as generated fields; those about the thread go to `thread`. */
void ovni_fields_add(proto_tree *tree, proto_tree *thread, proto_item *item, const record_seen *seen, tvbuff_t *tvb,
                     const cursor *bytes, const ovni_tapped *r);
/* Adds the fields of a metadata record. */
void ovni_fields_add_metadata(proto_tree *tree, tvbuff_t *tvb, const cursor *bytes);
extern const picture_source ovni_picture;
/* What the dissector knows about a record begins with this. */
static inline const ovni_tapped *ovni_tapped_of(const dissection *d)
{
    return d->record;
}
/* Relations between records: rows for protocol.h, and the fields that they need. */
extern const protocol_filter ovni_filters[];
extern const protocol_follower ovni_follower;
void ovni_relations_register(int proto);
/* The states and tasks of a tapped record, for the statistics and pictures. */
extern const span_source ovni_spans;
void ovni_spans_register_rows(void);
/* The statistics. They listen to the tap "ovni", whose data is an ovni_tapped; or to this one, where `known` may be missing.
 */
#define OVNI_RECORDS_TAP "ovni_records"
void ovni_statistics_register(int proto);
void ovni_statistics_handoff(void);

/* What ovniemu would say of a record: fields and expert infos (emulator_fields.c). */
void ovni_emulator_fields_register(int proto, module_t *module);
/* The first time a record is seen it is played; in one pass only if somebody asks for what that tells. */
void ovni_emulator_look(const ovni_tapped *r, const record_seen *seen, proto_tree *tree);
void ovni_emulator_add(proto_tree *tree, proto_item *item, const record_seen *seen, tvbuff_t *tvb, const ovni_tapped *r);
/* What an emulator says: ovni,lint, ovni,cpus, ovni,at and ovni,paraver. */
extern statistic ovni_at_statistic, ovni_balance_statistic, ovni_cpus_statistic, ovni_lint_statistic, ovni_paraver_statistic;
/* The tables of states and tasks. */
void ovni_tables_register(void);
extern diff ovni_diff;

/* The name of a region in the open file, and its model; the result may point into `text`. */
const char *ovni_region_name(uint32_t function, char *text, size_t size, char *model);
/* The name of a counter in the record, or NULL. */
const char *ovni_counter_name(const ovni_tapped *r, uint32_t index);
/* The regions around the record's region, outermost first (calls.h). */
unsigned ovni_region_stack(const ovni_tapped *r, uint32_t functions[CALLS_STACK_MAX], uint32_t *left_out);

#endif
