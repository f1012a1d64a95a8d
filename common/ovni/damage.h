/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the bytes at an offset are an event of a damaged stream (docs/formats/ovni.md, "Damage"). Knows nothing of what an
 * event means. */
#ifndef WIRETRACE_OVNI_DAMAGE_H
#define WIRETRACE_OVNI_DAMAGE_H

#include "layout.h"
#include "stream.h"

/* Neighbouring events lie this close together: 73 minutes. */
#define OVNI_CLOCK_STEP_MAX (UINT64_C(1) << 42)
/* The library refuses larger events. */
#define OVNI_LIBRARY_JUMBO_MAX (2u << 20)
/* First byte of those that it writes. */
#define OVNI_LIBRARY_JUMBO_FLAGS 0x13u

/* Whether none of these flags (of the upper four) is set and the three characters are printable. */
static inline bool ovni_clean(const uint8_t *event, uint32_t flags)
{
    uint32_t w;
    memcpy(&w, event, sizeof w);
    w = GUINT32_FROM_LE(w);
    return !(((w - 0x21212100u) | (w + 0x01010100u) | w) & (0x80808000u | flags));
}

/* Whether two clocks are those of neighbouring events, sorted or not. */
static inline bool ovni_near(int64_t a, int64_t b)
{
    return (uint64_t)a - (uint64_t)b + OVNI_CLOCK_STEP_MAX < 2 * OVNI_CLOCK_STEP_MAX;
}

/* How many bytes from w->state.offset on are no event, at most RECORD_STRETCH_MAX; 0: an event begins here, or nothing
 * better can be said. While skipping, up to where events begin again. */
size_t ovni_lost(walk *w);
/* Whether events begin somewhere in the rest of the file, behind one that does not fit in it. */
bool ovni_events_in_rest(walk *w);
/* Where the first event stands among the first bytes of a stream, at `from` or later; their length where none is sure.
 * `whole`: the file has no more. */
size_t ovni_first_event(const cursor *head, size_t from, bool whole);

#endif
