/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/options.h"

#include <glib.h>
#include <string.h>

/* An option without an argument, or with one. */
static void note(options_asked *a, char letter, const char *argument)
{
    bool saved = letter == 'w' && strcmp(argument, "-") != 0;
    a->statistics += letter == 'z';
    a->quiet = a->quiet || strchr("qQ", letter) || saved;
    a->records = a->records || strchr("VPxTO", letter) || (letter == 'w' && !saved);
    a->every = a->every || !strchr("rqQznNodCXtul", letter);
    a->sessions = a->sessions || letter == 'M';
}

/* Options after one minus sign. Returns whether the argument after it is that of the last one. */
static bool note_options(options_asked *a, const char *letters, const char *next)
{
    for (; *letters; letters++) {
        bool has_argument = strchr("ABCEFGHJKMNORSTUWXYabcdefijorstuwyz", *letters);
        const char *argument = letters[1] ? letters + 1 : next;
        if (!has_argument || argument)
            note(a, *letters, argument);
        if (has_argument)
            return argument == next;
    }
    return false;
}

/* An option after two. Its argument may be the next one, which has no minus sign. */
static void note_long(options_asked *a, const char *option)
{
    a->records = a->records || g_str_has_prefix(option, "--print") || g_str_has_prefix(option, "--hexdump");
    a->every = a->every || !(g_str_has_prefix(option, "--log-") || g_str_has_prefix(option, "--disable-") ||
                             g_str_has_prefix(option, "--enable-"));
}

options_asked options_of_process(void)
{
    options_asked a = {0};
    gsize length;
    g_autofree char *options = NULL;
    if (!g_file_get_contents("/proc/self/cmdline", &options, &length, NULL))
        return a;
    a.known = true;
    const char *end = options + length, *option = options + strlen(options) + 1;
    for (const char *next; option < end && strcmp(option, "--") != 0; option = next) {
        next = option + strlen(option) + 1;
        if (g_str_has_prefix(option, "--"))
            note_long(&a, option);
        else if (option[0] == '-' && note_options(&a, option + 1, next < end ? next : NULL))
            next += strlen(next) + 1;
    }
    return a;
}
