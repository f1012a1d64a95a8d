/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the recorders share: settings, which the environment variable WIRETRACE_RECORD changes. */
#ifndef WIRETRACE_RECORDER_H
#define WIRETRACE_RECORDER_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What XRay calls is not itself recorded. Registers that hold arguments of the program may be wider than those that XRay
 * saves: nothing here may use them. */
#if defined __AVX__ && defined __clang__
#define NOT_INSTRUMENTED __attribute__((xray_never_instrument, target("no-avx")))
#elif defined __clang__
#define NOT_INSTRUMENTED __attribute__((xray_never_instrument))
#else
#define NOT_INSTRUMENTED
#endif
#define PLAIN static __attribute__((unused)) NOT_INSTRUMENTED

/* As functions of the C library are declared. */
#ifdef __cplusplus
#define NO_THROW noexcept
#else
#define NO_THROW
#endif

enum setting_kind { WORD, WHOLE, DECIMAL };
struct setting {
    const char *name, *help;
    char value[512];
    enum setting_kind kind;
};
enum { FILE_NAME }; /* each recorder has a file */
/* SETTINGS: the rows of the recorder. */
static struct setting settings[] = {SETTINGS{NULL, NULL, "", WORD}};

PLAIN void print_settings(void)
{
    fputs("WIRETRACE_RECORD=NAME=VALUE,NAME=VALUE...\n", stderr);
    for (const struct setting *s = settings; s->name; s++)
        fprintf(stderr, "  %-12s %s [%s]\n", s->name, s->help, s->value);
}

PLAIN struct setting *find_setting(const char *name, size_t length)
{
    for (struct setting *s = settings; s->name; s++)
        if (strlen(s->name) == length && strncmp(s->name, name, length) == 0)
            return s;
    return NULL;
}

PLAIN bool is_number(const char *text, bool decimal)
{
    const size_t whole = strspn(text, "0123456789");
    const size_t more = decimal && text[whole] == '.' ? 1 + strspn(text + whole + 1, "0123456789") : 0;
    return whole > 0 && whole < 18 && text[whole + more] == '\0';
}

/* Ends the program if it is not to run: what was asked for would not be recorded. */
PLAIN void read_settings(void)
{
    const char *text = secure_getenv("WIRETRACE_RECORD");
    if (!text && getenv("WIRETRACE_RECORD"))
        fputs("WIRETRACE_RECORD is not used: this program has more rights than its user\n", stderr);
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
        if (s->kind != WORD && !is_number(s->value, s->kind == DECIMAL)) {
            fprintf(stderr, "WIRETRACE_RECORD: %s is a %snumber, not \"%s\"\n", s->name, s->kind == WHOLE ? "whole " : "",
                    s->value);
            _exit(2);
        }
        text += length + (text[length] == ',');
    }
}

PLAIN unsigned long long number_of(int setting)
{
    return strtoull(settings[setting].value, NULL, 10);
}

#endif
