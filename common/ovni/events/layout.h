/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of ovni's records. What a table cannot express (bits of the first byte, the code as one text, packed
 * arguments) is in describe.h. */
#ifndef WIRETRACE_OVNI_EVENTS_LAYOUT_H
#define WIRETRACE_OVNI_EVENTS_LAYOUT_H

#include "core/layout.h"

#define OVNI_HEADER_SIZE 8u /* "ovni", version */
#define OVNI_EVENT_SIZE 12u /* without payload */
#define OVNI_JUMBO_SIZE 16u /* without data */
#define OVNI_EVENT_MAX 28u  /* a normal event with the largest payload */

#define OVNI_FLAG_JUMBO 0x10u
#define OVNI_FLAGS_RESERVED 0xe0u

enum { /* ovni.kind */
       OVNI_HEADER = 0,
       OVNI_EVENT = 1,
       OVNI_JUMBO = 2,
       OVNI_METADATA = 3,
       OVNI_MISSING = 4, /* no bytes: a file of the trace that cannot be read */
};

enum { /* field ids */
       OVNI_FIELD_VERSION,
       OVNI_FIELD_FLAGS,
       OVNI_FIELD_IS_JUMBO,
       OVNI_FIELD_MODEL,
       OVNI_FIELD_CATEGORY,
       OVNI_FIELD_CHARACTER,
       OVNI_FIELD_CLOCK,
       OVNI_FIELD_JUMBO_SIZE,
       OVNI_FIELD_COUNT
};

static const layout_row ovni_header_rows[] = {{OVNI_FIELD_VERSION, LAYOUT_UINT, 4, 4, 0, 0}};
#define OVNI_LEAD_ROWS \
    {OVNI_FIELD_FLAGS, LAYOUT_UINT, 0, 1, 4, 0x0f}, {OVNI_FIELD_IS_JUMBO, LAYOUT_UINT, 0, 1, 4, 0x01}, \
        {OVNI_FIELD_MODEL, LAYOUT_UINT, 1, 1, 0, 0}, {OVNI_FIELD_CATEGORY, LAYOUT_UINT, 2, 1, 0, 0}, \
        {OVNI_FIELD_CHARACTER, LAYOUT_UINT, 3, 1, 0, 0}, {OVNI_FIELD_CLOCK, LAYOUT_UINT, 4, 8, 0, 0},
static const layout_row ovni_event_rows[] = {OVNI_LEAD_ROWS};
static const layout_row ovni_jumbo_rows[] = {OVNI_LEAD_ROWS{OVNI_FIELD_JUMBO_SIZE, LAYOUT_UINT, 12, 4, 0, 0}};

static const layout ovni_header_layout = LAYOUT(ovni_header_rows, OVNI_HEADER_SIZE);
static const layout ovni_event_layout = LAYOUT(ovni_event_rows, OVNI_EVENT_SIZE);
static const layout ovni_jumbo_layout = LAYOUT(ovni_jumbo_rows, OVNI_JUMBO_SIZE);

/* The clock of the event at `at`, uncorrected, in ns. */
LAYOUT_INLINE int64_t ovni_clock_at(const cursor *c, size_t at)
{
    return (int64_t)layout_value_at(layout_row_of(&ovni_event_layout, OVNI_FIELD_CLOCK), c, at);
}

/* The data size of the jumbo event at `at`, in bytes. */
LAYOUT_INLINE uint32_t ovni_jumbo_data_at(const cursor *c, size_t at)
{
    return (uint32_t)layout_value_at(layout_row_of(&ovni_jumbo_layout, OVNI_FIELD_JUMBO_SIZE), c, at);
}

/* The payload size of a normal event in bytes, from its flags: 0, or 2 to 16. */
static inline unsigned ovni_payload_size(uint8_t flags)
{
    unsigned code = flags & 0x0fu;
    return code + (code != 0);
}

/* The size that the event at `at` declares, in bytes. */
static inline uint64_t ovni_event_size(const cursor *c, size_t at)
{
    uint8_t flags = cursor_u8(c, at);
    return flags & OVNI_FLAG_JUMBO ? (uint64_t)OVNI_JUMBO_SIZE + ovni_jumbo_data_at(c, at)
                                   : OVNI_EVENT_SIZE + ovni_payload_size(flags);
}

/* The code of an event: three characters in a row. */
static inline const uint8_t *ovni_code(const uint8_t *event)
{
    return event + layout_row_of(&ovni_event_layout, OVNI_FIELD_MODEL)->offset;
}

/* The offset of an event's payload; in a jumbo event it follows the data size. */
static inline unsigned ovni_payload_at(uint8_t flags)
{
    return flags & OVNI_FLAG_JUMBO ? OVNI_JUMBO_SIZE : OVNI_EVENT_SIZE;
}

#endif
