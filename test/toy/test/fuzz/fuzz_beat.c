/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Beat logs: framing, random access, pipes, layouts. */
#include "beat/beat.h"
#include "fuzz.h"
#include "reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    GArray *all = reading_check(&beat_format, "/none/a.beat", data, length);
    if (all)
        g_array_free(all, TRUE);
    return 0;
}
