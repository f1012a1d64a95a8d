/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decides whether the bytes at an offset of a damaged stream are an event (docs/formats/ovni.md, "Damage"). Knows nothing of
 * what events mean. */
#ifndef WIRETRACE_OVNI_DAMAGE_H
#define WIRETRACE_OVNI_DAMAGE_H

#include "ovni/events/layout.h"
#include "core/stream.h"

/* The largest difference between the clocks of neighbouring events, in ns: 73 minutes. */
#define OVNI_CLOCK_STEP_MAX (UINT64_C(1) << 42)
/* libovni refuses to write larger jumbo events; bytes of data. */
#define OVNI_LIBRARY_JUMBO_MAX (2u << 20)
/* The first byte of the jumbo events that libovni writes. */
#define OVNI_LIBRARY_JUMBO_FLAGS 0x13u

/* Returns whether none of `flags` (of the upper four) is set and the code is three printable characters. Reads four bytes at
 * once. */
static inline bool ovni_clean(const uint8_t *event, uint32_t flags)
{
    uint32_t w;
    memcpy(&w, event, sizeof w);
    w = GUINT32_FROM_LE(w);
    return !(((w - 0x21212100u) | (w + 0x01010100u) | w) & (0x80808000u | flags));
}

/* Returns whether two clocks could be those of neighbouring events, sorted or not. */
static inline bool ovni_near(int64_t a, int64_t b)
{
    return (uint64_t)a - (uint64_t)b + OVNI_CLOCK_STEP_MAX < 2 * OVNI_CLOCK_STEP_MAX;
}

/* How many bytes from w->state.offset on are not an event, at most RECORD_UNKNOWN_MAX; 0: an event begins here, or there is
 * no better guess. While skipping: up to the next event. */
size_t ovni_lost(walk *w);
/* Returns whether events begin anywhere in the rest of the file, after an event that is too long for it. */
bool ovni_events_in_rest(walk *w);
/* The offset of the first event in the first bytes of a stream, at `from` or later; head->length if none is certain.
 * `whole`: the file ends here. */
size_t ovni_first_event(const cursor *head, size_t from, bool whole);

#endif
