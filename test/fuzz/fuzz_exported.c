/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exported records: tags, context and record may come from anybody. */
#include "core/exported.h"
#include "core/formats.h"
#include "fuzz.h"
#include "reading.h"

/* What was read can be written, and read again with the same result. */
static void write_again(const exported *e, const char *protocol, const uint8_t *bytes, size_t length)
{
    exported again;
    GByteArray *out = g_byte_array_new();
    char *name = g_strndup(e->stream.data, e->stream.length);
    exported_append(out, &e->context, name, name);
    g_byte_array_append(out, bytes, (guint)length);
    FUZZ_CHECK(exported_read_packet(out->data, out->len, protocol, &again, NULL), "is not read again");
    FUZZ_CHECK(memcmp(&again.context, &e->context, sizeof again.context) == 0, "is another one when read again");
    g_byte_array_free(out, TRUE);
    g_free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        const char *protocol = formats[i]->protocol;
        exported e;
        g_autoptr(GError) error = NULL;
        if (!exported_read_packet(data, length, protocol, &e, &error)) {
            FUZZ_CHECK(error, "refused without a reason");
            continue;
        }
        FUZZ_CHECK(e.length <= length, "context of %zu bytes", e.length);
        record r = {.context = e.context};
        reading_decode(&r, data + e.length, length - e.length);
        if (e.context.fault != FAULT_UNKNOWN)
            write_again(&e, protocol, data + e.length, length - e.length);
    }
    return 0;
}
