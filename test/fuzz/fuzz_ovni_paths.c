/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What paths say about ovni streams, with any names that a file system allows. */
#include <string.h>

#include "fuzz.h"
#include "ovni/discover.h"
#include "util/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    char *relative = g_strndup((const char *)data, length);
    char *name = text_unpacked(relative);
    FUZZ_CHECK(g_str_has_prefix(relative, name), "another name");
    ovni_file_name f = ovni_file_name_read(name);
    FUZZ_CHECK(f.kind <= OVNI_FILE_PROCESS_METADATA && f.era < OVNI_ERA_COUNT, "kind %d, era %d", f.kind, f.era);
    if (*name && *name != '/') {
        ovni_location p;
        ovni_location_read(&p, name);
        FUZZ_CHECK(p.name && strlen(p.name) <= strlen(name) + 1, "name of the stream");
        FUZZ_CHECK(!p.loom || *p.loom, "empty loom");
        ovni_location_clear(&p);
    }
    g_free(name);
    g_free(relative);
    return 0;
}
