/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Beat logs (docs/formats/beat.md): a format that nobody uses. It gives the tests one more format than the program has, and
 * docs/adding-a-format.md an example. */
#ifndef WIRETRACE_BEAT_BEAT_H
#define WIRETRACE_BEAT_BEAT_H

#include "beat/context.h"
#include "beat/faults.h"
#include "beat/state.h"
#include "core/format.h"
#include "core/settings.h"
#include "core/trace.h"

#define BEAT_MAGIC "BEATLOG1"
#define BEAT_MAGIC_LENGTH 8

/* Record kinds, as in record_context.kind. */
enum { BEAT_HEADER, BEAT_BEAT, BEAT_KINDS };

/* Field ids of the layout tables. */
typedef enum beat_field { BEAT_FIELD_CLOCK, BEAT_FIELD_ID, BEAT_FIELDS } beat_field;

/* For a beat; a header has no fields. */
extern const layout beat_layout;

/* What statistics get of a beat. */
typedef struct beat_tapped {
    uint32_t id;
} beat_tapped;

/* For the row in the list of formats. */
bool beat_probe(const probe *p);
bool beat_open(trace *t, const trace_input *in, GError **error);
void beat_enter(const trace *t, const stream_range *range, stream_state *state);
step_result beat_step(walk *w);
void beat_time(walk *w);
extern const write_ops beat_write;

#endif
