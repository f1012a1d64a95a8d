/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cacheray traces: detection of the layout, framing, finding back into damaged files, random access, pipes, layouts. */
#include "fuzz.h"
#include "reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    reading_recognise(NULL, data, length);
    GArray *all = reading_check(&formats[FORMAT_CACHERAY], NULL, data, length);
    if (all)
        g_array_free(all, TRUE);
    return 0;
}
