/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two ways to open ovni traces: one event file, or all streams of a directory through one of its metadata files. */
#ifndef WIRETRACE_OVNI_OVNI_H
#define WIRETRACE_OVNI_OVNI_H

#include "core/format.h"
#include "core/settings.h"
#include "core/trace.h"
#include "ovni/context.h"
#include "ovni/state.h"

bool ovni_stream_probe(const probe *p);
bool ovni_stream_open(trace *t, const trace_input *in, GError **error);

bool ovni_trace_probe(const probe *p);
bool ovni_trace_open(trace *t, const trace_input *in, GError **error);

step_result ovni_step(walk *w);
void ovni_time(walk *w);
void ovni_near_end(walk *w);
void ovni_close(trace *t);
extern const write_ops ovni_write;

#endif
