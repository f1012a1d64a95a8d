/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executables with the functions of XRay logs: instrumentation maps, symbols, line tables, read by libelf. */
#include <string.h>

#include "fuzz.h"
#include "xray/names/functions.h"

#define IDS 300u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    GString *problems = g_string_new(NULL);
    char *const files[] = {(char *)(uintptr_t)fuzz_file(data, length), NULL};
    xray_functions *f = xray_functions_load(files, length % 2, problems);
    FUZZ_CHECK(f || problems->len, "refused without a reason");
    for (uint32_t id = 0; id < IDS; id++) {
        const xray_function *one = xray_functions_find(f, id);
        const char *source = xray_functions_source(f, id).text;
        FUZZ_CHECK(!one || !one->name || g_utf8_validate(one->name, -1, NULL), "name is no text");
        FUZZ_CHECK(!source || (g_utf8_validate(source, -1, NULL) && strchr(source, ':')), "place is no text");
    }
    xray_functions_free(f);
    g_string_free(problems, TRUE);
    return 0;
}
