/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/fail.h"

static G_DEFINE_QUARK(wiretrace, fail)

    bool fail_with(GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (error)
        g_propagate_error(error, g_error_new_valist(fail_quark(), 0, format, arguments));
    va_end(arguments);
    return false;
}

char *fail_words(GError *error)
{
    char *words = error ? g_steal_pointer(&error->message) : NULL;
    g_clear_error(&error);
    return words;
}
