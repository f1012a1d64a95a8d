/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the recorders share: their settings, which the environment variable WIRETRACE_RECORD changes. */
#ifndef WIRETRACE_RECORDER_H
#define WIRETRACE_RECORDER_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __clang__
#define PLAIN static __attribute__((xray_never_instrument))
#else
#define PLAIN static
#endif

struct setting {
    const char *name, *help;
    char value[512];
};
enum { FILE_NAME }; /* each recorder has a file */
/* SETTINGS: the rows of the recorder. */
static struct setting settings[] = {SETTINGS{NULL, NULL, ""}};
static pid_t process; /* that has begun to record; a child of fork() is another one */

PLAIN void print_settings(void)
{
    fputs("WIRETRACE_RECORD=NAME=VALUE,NAME=VALUE...\n", stderr);
    for (const struct setting *s = settings; s->name; s++)
        if (s->help) /* else it is not for users */
            fprintf(stderr, "  %-12s %s [%s]\n", s->name, s->help, s->value);
}

PLAIN struct setting *find_setting(const char *name, size_t length)
{
    for (struct setting *s = settings; s->name; s++)
        if (strlen(s->name) == length && strncmp(s->name, name, length) == 0)
            return s;
    return NULL;
}

/* Ends the program if it is not to run: what was asked for would not be recorded. */
PLAIN void read_settings(void)
{
    const char *text = getenv("WIRETRACE_RECORD");
    process = getpid();
    if (text && strcmp(text, "help") == 0) {
        print_settings();
        _exit(0);
    }
    while (text && *text) {
        const size_t length = strcspn(text, ","), name = strcspn(text, "=,");
        struct setting *s = find_setting(text, name);
        if (!s || name == length || length - name > sizeof s->value) {
            fprintf(stderr, "WIRETRACE_RECORD: \"%.*s\" is not a setting; \"help\" prints them\n", (int)length, text);
            _exit(2);
        }
        snprintf(s->value, sizeof s->value, "%.*s", (int)(length - name - 1), text + name + 1);
        text += length + (text[length] == ',');
    }
}

PLAIN unsigned long long number_of(int setting)
{
    return strtoull(settings[setting].value, NULL, 10);
}

/* The file to be written: PREFIX, the program and SUFFIX, if none was named. In a child of fork() its process follows. */
__attribute__((unused)) PLAIN const char *file_name(const char *prefix, const char *suffix)
{
    static char path[sizeof settings[0].value + 32], program[256];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    const char *base = n > 0 && strrchr(program, '/') ? strrchr(program, '/') + 1 : "program";
    if (*settings[FILE_NAME].value)
        snprintf(path, sizeof path, "%s", settings[FILE_NAME].value);
    else
        snprintf(path, sizeof path, "%s%s%s", prefix, base, suffix);
    if (getpid() != process || (!*settings[FILE_NAME].value && *prefix))
        snprintf(path + strlen(path), sizeof path - strlen(path), ".%ld", (long)getpid());
    return path;
}

#endif
