/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of names of functions: the files as users name them, with ';' between. */
#ifndef WIRETRACE_TEST_LOAD_FUNCTIONS_H
#define WIRETRACE_TEST_LOAD_FUNCTIONS_H

#include "xray/names/functions.h"

static inline xray_functions *load_functions(const char *paths, bool demangle, GString *problems)
{
    g_auto(GStrv) files = xray_functions_discover(NULL, paths, NULL);
    return xray_functions_load(files, demangle, problems);
}

#endif
