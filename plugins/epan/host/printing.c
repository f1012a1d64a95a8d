/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/printing.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "host/notices.h"

void printing_flush(GString *text)
{
    static bool failed;
    if (!failed && (fwrite(text->str, 1, text->len, stdout) != text->len || fflush(stdout) != 0)) {
        failed = true;
        g_autofree char *sentence = g_strdup_printf("Standard output cannot be written: %s", g_strerror(errno));
        notices_fail(sentence);
    }
    g_string_truncate(text, 0);
}

/* What the options of tshark say about standard output. */
typedef struct asked {
    unsigned statistics;
    bool quiet;   /* no records by default */
    bool records; /* nevertheless */
} asked;

/* An option without an argument, or with one. */
static void note(asked *a, char letter, const char *argument)
{
    bool saved = letter == 'w' && strcmp(argument, "-") != 0;
    a->statistics += letter == 'z';
    a->quiet = a->quiet || strchr("qQ", letter) || saved;
    a->records = a->records || strchr("VPxTO", letter) || (letter == 'w' && !saved);
}

/* Options after one minus sign. Returns whether the argument after it is that of the last one. */
static bool note_options(asked *a, const char *letters, const char *next)
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

bool printing_others(void)
{
    asked a = {0};
    gsize length;
    g_autofree char *options = NULL;
    if (!g_file_get_contents("/proc/self/cmdline", &options, &length, NULL))
        return false;
    const char *end = options + length, *option = options + strlen(options) + 1;
    for (const char *next; option < end && strcmp(option, "--") != 0; option = next) {
        next = option + strlen(option) + 1;
        if (g_str_has_prefix(option, "--print") || g_str_has_prefix(option, "--hexdump"))
            a.records = true;
        else if (option[0] == '-' && option[1] != '-' && note_options(&a, option + 1, next < end ? next : NULL))
            next += strlen(next) + 1;
    }
    return a.statistics > 1 || a.records || !a.quiet;
}
