/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cacheray traces: detection of the layout, framing, resynchronising, random access, pipes, layouts. */
#include "cacheray/cacheray.h"
#include "fuzz.h"
#include "reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    /* recognition also depends on the name, and the user may have set a layout */
    static const char *const paths[] = {"/none/a.trace", NULL, "/none/a.trace.12", "/none/a.b"};
    const char *path = paths[length % G_N_ELEMENTS(paths)];
    bool chosen = length % 8 == 7;
    if (chosen)
        g_setenv(CACHERAY_LAYOUT_VARIABLE, cacheray_layout_names[length / 8 % CACHERAY_LAYOUTS], TRUE);
    reading_recognise(path, data, length);
    GArray *all = reading_check(&cacheray_format, path, data, length);
    if (chosen)
        g_unsetenv(CACHERAY_LAYOUT_VARIABLE);
    if (all)
        g_array_free(all, TRUE);
    return 0;
}
