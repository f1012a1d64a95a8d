/* SPDX-License-Identifier: GPL-2.0-or-later */
/* XRay logs: recognition, index of buffers, framing, order, clock, random access, pipes, layouts. */
#include "fuzz.h"
#include "reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    const format *f = reading_recognise(NULL, data, length);
    /* what is not recognised can still be opened by the name of its format */
    if (f != &formats[FORMAT_XRAY_FDR] && f != &formats[FORMAT_XRAY_BASIC])
        f = &formats[length % 2 ? FORMAT_XRAY_BASIC : FORMAT_XRAY_FDR];
    GArray *all = reading_check(f, NULL, data, length);
    if (all)
        g_array_free(all, TRUE);
    return 0;
}
