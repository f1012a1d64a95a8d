/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/options.h"

#include <string.h>

#include "host/shortcuts.h"

static void note_long(options_asked *a, const char *option)
{
    a->records = a->records || g_str_has_prefix(option, "--print") || g_str_has_prefix(option, "--hexdump");
    a->every = a->every || !(g_str_has_prefix(option, "--log-") || g_str_has_prefix(option, "--disable-") ||
                             g_str_has_prefix(option, "--enable-"));
}

static void options_note(void *data, char letter, const char *argument)
{
    options_asked *a = data;
    if (letter == '-') {
        note_long(a, argument);
        return;
    }
    bool saved = letter == 'w' && strcmp(argument, "-") != 0;
    a->statistics += letter == 'z';
    a->quiet = a->quiet || strchr("qQ", letter) || saved;
    a->records = a->records || strchr("VPxTO", letter) || (letter == 'w' && !saved);
    a->every = a->every || !strchr("rqQznNodCXtulY", letter);
    a->filter = a->filter || letter == 'Y';
    a->sessions = a->sessions || letter == 'M';
}

options_asked options_of_process(void)
{
    options_asked a = {0};
    a.known = shortcuts_visit_options(options_note, &a);
    return a;
}

typedef struct statistics_visitor {
    void (*visit)(void *data, const char *argument);
    void *data;
} statistics_visitor;

static void visit_statistic(void *data, char letter, const char *argument)
{
    const statistics_visitor *v = data;
    if (letter == 'z')
        v->visit(v->data, argument);
}

void options_statistics(void (*visit)(void *data, const char *argument), void *data)
{
    shortcuts_visit_options(visit_statistic, &(statistics_visitor){visit, data});
}

typedef struct printed {
    bool fields; /* the last -T asks for them */
    GPtrArray *names;
} printed;

static void note_field(void *data, char letter, const char *argument)
{
    printed *p = data;
    if (letter == 'T')
        p->fields = strcmp(argument, "fields") == 0;
    if (letter == 'e')
        g_ptr_array_add(p->names, g_strdup(argument));
}

GPtrArray *options_fields(void)
{
    printed p = {false, g_ptr_array_new_with_free_func(g_free)};
    shortcuts_visit_options(note_field, &p);
    if (!p.fields)
        g_clear_pointer(&p.names, g_ptr_array_unref);
    return p.names;
}
