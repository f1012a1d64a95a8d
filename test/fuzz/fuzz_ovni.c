/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni event streams of all eras: recognition, framing, sort regions, random access, pipes, arguments, descriptions. */
#include <string.h>

#include "fuzz.h"
#include "reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    /* of a folder that does not exist, so that only the names count; only thread.N may lack a header */
    static const char *const paths[] = {NULL, "/none/thread.1", "/none/thread.1.obs", "/none/stream.obs"};
    bool header = length >= 4 && memcmp(data, "ovni", 4) == 0;
    const char *path = header || length % 8 == 7 ? paths[length % G_N_ELEMENTS(paths)] : paths[1];
    reading_recognise(path, data, length);
    GArray *all = reading_check(&formats[FORMAT_OVNI], path, data, length);
    if (all)
        g_array_free(all, TRUE);
    return 0;
}
