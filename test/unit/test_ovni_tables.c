/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event tables agree with test/data/ovni-events.tsv (ovni 1.14.0) and ovni-events-old.tsv (older codes), lists made
 * from ovni's sources independently of the tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "ovni/events/events.h"

enum { MODEL, MCV, JUMBO, ARGUMENTS, PAIR, ROLE, STATE, CHANNEL, SINCE, COLUMNS };

typedef struct {
    const char *file;
    char **lines;
    guint next;
} list;

static list list_open(const char *file)
{
    char *text, *path = g_build_filename("test", "data", file, NULL);
    assert_true(g_file_get_contents(path, &text, NULL, NULL));
    list l = {file, g_strsplit(g_strstrip(text), "\n", -1), 1}; /* the first line has the headings */
    g_free(text);
    g_free(path);
    return l;
}

/* The cells of the next row, or NULL. */
static char **list_next(list *l)
{
    if (!l->lines[l->next])
        return NULL;
    char **cells = g_strsplit(l->lines[l->next++], "\t", -1);
    assert_int_equal(g_strv_length(cells), COLUMNS);
    return cells;
}

static void list_close(list *l)
{
    g_strfreev(l->lines);
}

/* --- a row of our tables in the words of the list ---------------------------------------------------------------------- */

static char *arguments_of(const ovni_event *e)
{
    static const char *const types[] = {
        [OVNI_I32] = "i32", [OVNI_U32] = "u32", [OVNI_I64] = "i64", [OVNI_U64] = "u64", [OVNI_STR] = "str"};
    GString *text = g_string_new(NULL);
    for (int i = 0; i < OVNI_ARGUMENTS_MAX && e->arguments[i].type != OVNI_NO_ARGUMENT; i++) {
        const ovni_argument *a = &e->arguments[i];
        if (a->type == OVNI_REPEAT) /* the list has the declaration, which has only the first one */
            continue;
        g_string_append_printf(text, "%s%s %s", i ? "," : "", types[a->type], ovni_argument_name((ovni_argument_id)a->id));
    }
    return g_string_free(text, FALSE);
}

static const char *role_of(const ovni_event *e)
{
    static const char *const names[] = {
        [OVNI_POINT] = "point", [OVNI_PUSH] = "push", [OVNI_POP] = "pop", [OVNI_SET] = "set"};
    return names[e->role];
}

static uint16_t channels_named(const char *names)
{
    static const struct {
        const char *name;
        uint16_t channel;
    } all[] = {
        {"context switch", OVNI_CONTEXT_SWITCH},
        {"cpu", OVNI_ON_CPU},
        {"flush", OVNI_FLUSH},
        {"function", OVNI_FUNCTION},
        {"hwc", OVNI_COUNTERS},
        {"idle", OVNI_IDLE},
        {"label", OVNI_TASK_LABEL},
        {"mark", OVNI_MARK},
        {"subsystem", OVNI_SUBSYSTEM},
        {"task", OVNI_TASK},
        {"thread state", OVNI_THREAD_STATE},
        {"thread type", OVNI_THREAD_TYPE},
        {"mode", OVNI_MODE},
    };
    uint16_t channels = 0;
    char **parts = g_strsplit(names, "+", -1);
    for (int p = 0; parts[p]; p++)
        for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
            if (strcmp(parts[p], all[i].name) == 0)
                channels |= all[i].channel;
    g_strfreev(parts);
    return channels;
}

static void compare(const char *mcv, const char *what, const char *listed, const char *ours)
{
    if (strcmp(listed, ours ? ours : "") != 0)
        fail_msg("%s: %s is '%s', listed '%s'", mcv, what, ours ? ours : "", listed);
}

static void compare_row(char **row, const ovni_event *e, bool says_all)
{
    char *arguments = arguments_of(e);
    compare(row[MCV], "jumbo", row[JUMBO], e->jumbo ? "1" : "0");
    compare(row[MCV], "the list of arguments", row[ARGUMENTS], arguments);
    compare(row[MCV], "the role", row[ROLE], role_of(e));
    if (says_all || *row[PAIR])
        compare(row[MCV], "the partner", row[PAIR], e->pair);
    if (says_all || *row[STATE])
        compare(row[MCV], "the state", row[STATE], e->state);
    if (channels_named(row[CHANNEL]) != e->channels)
        fail_msg("%s: channels %#x, listed '%s'", row[MCV], e->channels, row[CHANNEL]);
    g_free(arguments);
}

/* --- tests ------------------------------------------------------------------------------------------------------------- */

static void events_of_today(void **state)
{
    (void)state;
    list l = list_open("ovni-events.tsv");
    size_t rows = 0;
    for (char **row; (row = list_next(&l)) != NULL; rows++) {
        const ovni_event *e = NULL;
        for (size_t i = 0; i < ovni_event_count && !e; i++)
            e = strcmp(ovni_events[i].mcv, row[MCV]) == 0 ? &ovni_events[i] : NULL;
        if (!e)
            fail_msg("%s is missing", row[MCV]);
        compare(row[MCV], "the model", row[MODEL], ovni_model_name(e->mcv[0]));
        compare_row(row, e, true);
        compare(row[MCV], "the release", row[SINCE], e->since);
        g_strfreev(row);
    }
    assert_int_equal(rows, ovni_event_count);
    list_close(&l);
}

static void events_of_other_times(void **state)
{
    (void)state;
    list l = list_open("ovni-events-old.tsv");
    size_t rows = 0;
    for (char **row; (row = list_next(&l)) != NULL; rows++) {
        const ovni_old_event *o = NULL;
        for (size_t i = 0; i < ovni_old_event_count && !o; i++)
            o = strcmp(ovni_old_events[i].event.mcv, row[MCV]) == 0 ? &ovni_old_events[i] : NULL;
        if (!o)
            fail_msg("%s is missing", row[MCV]);
        compare_row(row, &o->event, false); /* codes with the same meaning today are omitted */
        /* the list also says until when; a date in the table is how it begins */
        if (!g_str_has_prefix(row[SINCE], o->event.since))
            fail_msg("%s: since %s, listed '%s'", row[MCV], o->event.since, row[SINCE]);
        g_strfreev(row);
    }
    assert_int_equal(rows, ovni_old_event_count);
    list_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_of_today),
        cmocka_unit_test(events_of_other_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
