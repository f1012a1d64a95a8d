/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stands in for functions.c: functions have only numbers. */
#include "functions.h"

xray_functions *xray_functions_load(const char *paths, bool demangled, GString *problems)
{
    (void)demangled;
    if (problems && paths && *paths)
        g_string_append(problems, "There are no function names: built without libelf.\n");
    return NULL;
}

void xray_functions_free(xray_functions *f)
{
    (void)f;
}

void xray_functions_narrow(xray_functions *f, unsigned bits, GString *problems)
{
    (void)f;
    (void)bits;
    (void)problems;
}

bool xray_functions_ambiguous(const xray_functions *f, uint32_t id)
{
    (void)f;
    (void)id;
    return false;
}

const xray_function *xray_functions_find(const xray_functions *f, uint32_t id)
{
    (void)f;
    (void)id;
    return NULL;
}

const char *xray_functions_source(xray_functions *f, uint32_t id)
{
    (void)f;
    (void)id;
    return NULL;
}

char *xray_functions_discover(const char *log_path)
{
    (void)log_path;
    return NULL;
}
