/* SPDX-License-Identifier: GPL-2.0-or-later */
/* XRay logs: recognition, index of buffers, framing, order, clock, random access, pipes, layouts. */
#include "fuzz.h"
#include "reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    const format *f = reading_recognise(NULL, data, length);
    /* a file that is not recognised can still be opened if the user names its format */
    if (f != &xray_fdr_format && f != &xray_basic_format && f != &xray_profile_format)
        f = length % 2 ? &xray_basic_format : &xray_fdr_format;
    GArray *all = reading_check(f, NULL, data, length);
    if (all)
        g_array_free(all, TRUE);
    return 0;
}
