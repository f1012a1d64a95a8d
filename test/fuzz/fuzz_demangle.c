/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Demangling. */
#include <glib.h>
#include <string.h>

#include "fuzz.h"
#include "program/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    char *symbol = g_strndup((const char *)data, length);
    char *name = demangle(symbol);
    FUZZ_CHECK(!name || strlen(name) <= DEMANGLE_NAME_MAX, "name of %zu bytes", strlen(name));
    g_free(name);
    g_free(symbol);
    return 0;
}
