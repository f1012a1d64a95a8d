/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/demangle.h"

#include <glib.h>
#include <string.h>

char *demangle(const char *symbol)
{
    if (strlen(symbol) >= DEMANGLE_SYMBOL_MAX)
        return NULL;
    if (g_str_has_prefix(symbol, "_D"))
        return demangle_d(symbol);
    char *name = g_str_has_prefix(symbol, "_R") || g_str_has_prefix(symbol, "_ZN") ? demangle_rust(symbol) : NULL;
    return name || !g_str_has_prefix(symbol, "_Z") ? name : demangle_cxx(symbol);
}
