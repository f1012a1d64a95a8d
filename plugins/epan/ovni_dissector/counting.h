/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the statistics of ovni traces share: what their modules in common/ovni/ need of a record. */
#ifndef WIRETRACE_OVNI_DISSECTOR_COUNTING_H
#define WIRETRACE_OVNI_DISSECTOR_COUNTING_H

#include "ovni_dissector/record.h"

#include "ovni/statistics/groups.h"
#include "ovni/statistics/window.h"
#include "taps/statistic.h"

/* The name of a record's stream, never NULL. */
const char *ovni_stream_words(const ovni_tapped *r);
/* Announces the stream of a record; only if that has a state or a task, and it has not been announced. */
void ovni_announce_stream(ovni_groups *g, const packet_info *pinfo, const ovni_tapped *r);
static inline void ovni_announce(ovni_groups *g, const packet_info *pinfo, const ovni_tapped *r)
{
    if ((r->known.has_region || r->known.has_left || r->known.has_task) && ovni_groups_unannounced(g, r->context->stream))
        ovni_announce_stream(g, pinfo, r);
}

/* The word for a part of the time, in seconds since the first record; the window for it, or NULL; and, for statistic.check,
 * whether it can be used. */
#define OVNI_WITHIN "within:FROM,TO"
ovni_window *ovni_window_asked(const statistic_run *run);
bool ovni_window_check(const statistic_run *run, GError **error);
void ovni_window_see(ovni_window *w, const packet_info *pinfo, const ovni_tapped *r);

/* The word for `ovniemu -a`. */
#define OVNI_ALL_MODELS "models:all"

/* For statistics that play every record, whatever the filter (statistic.h, `context` and `tapped`). */
const record_context *ovni_tapped_context(const void *tapped);
const void *ovni_tapped_record(packet_info *hidden, const record_context *c, const cursor *bytes);

#endif
