/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single ovni events: meaning in every era, arguments, and descriptions in buffers of any size. */
#include <glib.h>
#include <string.h>

#include "fuzz.h"
#include "ovni/events/describe.h"
#include "ovni/events/layout.h"

static void describe(ovni_era era, const cursor *bytes, size_t size)
{
    char text[300];
    ovni_arguments a;
    ovni_value v;
    const ovni_event *event = ovni_event_of(era, bytes);
    ovni_arguments_init(&a, event, bytes);
    unsigned count = 0;
    while (ovni_arguments_next(&a, &v)) {
        FUZZ_CHECK(cursor_has(bytes, v.offset, v.width) && v.id < OVNI_ARGUMENT_COUNT, "argument outside of its record");
        FUZZ_CHECK(++count <= bytes->length, "more arguments than bytes");
    }
    if (!event)
        return;
    FUZZ_CHECK(ovni_event_numbered(ovni_event_number(event)) == event, "not the event of its number");
    memset(text, 'x', sizeof text);
    size_t n = ovni_describe(event, bytes, NULL, text, size);
    FUZZ_CHECK(size == 0 || (n < size && text[n] == 0 && g_utf8_validate(text, (gssize)n, NULL)), "no text");
    FUZZ_CHECK(text[size] == 'x', "written behind the end");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    if (length < 1 + OVNI_EVENT_SIZE)
        return 0;
    cursor bytes = {data + 1, length - 1, data[0] & 1};
    FUZZ_CHECK(ovni_declared_payload(&bytes) <= UINT32_MAX, "payload");
    for (unsigned era = 0; era < OVNI_ERA_COUNT; era++)
        describe((ovni_era)era, &bytes, (data[0] >> 1) * 2u + 1u);
    return 0;
}
