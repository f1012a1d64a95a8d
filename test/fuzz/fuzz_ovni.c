/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni event streams of all eras: recognition, framing, sort regions, random access, pipes, arguments, descriptions. */
#include <string.h>

#include "fuzz.h"
#include "ovni/context.h"
#include "ovni/events/describe.h"
#include "ovni/events/layout.h"
#include "reading.h"

/* Arguments must be inside their events. */
static void check_arguments(const record *r, const uint8_t *data)
{
    const record_context *c = &r->context;
    const cursor bytes = {data + c->offset, (size_t)MIN(c->length, RECORD_FRAME_MAX), (c->flags & CONTEXT_BIG_ENDIAN) != 0};
    if ((c->kind != OVNI_EVENT && c->kind != OVNI_JUMBO) || bytes.length < OVNI_EVENT_SIZE)
        return;
    ovni_arguments a;
    ovni_value v;
    ovni_arguments_init(&a, ovni_event_of((ovni_era)ovni_context_of(c)->era, &bytes), &bytes);
    while (ovni_arguments_next(&a, &v))
        FUZZ_CHECK(cursor_has(&bytes, v.offset, v.width), "argument outside of its record at %zu", (size_t)c->offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    /* in a folder that does not exist, so that only names matter; only thread.N may have no header */
    static const char *const paths[] = {NULL, "/none/thread.1", "/none/thread.1.obs", "/none/stream.obs"};
    bool header = length >= 4 && memcmp(data, "ovni", 4) == 0;
    const char *path = header || length % 8 == 7 ? paths[length % G_N_ELEMENTS(paths)] : paths[1];
    reading_recognise(path, data, length);
    GArray *all = reading_check(&ovni_format, path, data, length);
    for (guint i = 0; all && i < all->len; i++)
        check_arguments(&g_array_index(all, record, i), data);
    if (all)
        g_array_free(all, TRUE);
    return 0;
}
