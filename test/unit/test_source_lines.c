/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places of functions in programs of the compilers that are installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "program/source_lines.h"
#include "program/symbols.h"

#ifndef PLACES_PROGRAMS
#define PLACES_PROGRAMS "" /* no compiler for C++ */
#define PLACES_CPP ""
#endif

typedef struct wanted {
    char **lines; /* of the source */
    GArray *addresses, *numbers;
} wanted;

static void want(void *data, const GElf_Sym *symbol, const char *name)
{
    wanted *w = data;
    g_autofree char *mark = g_strconcat(" // ", name, NULL);
    for (guint i = 0; w->lines[i]; i++)
        if (g_str_has_suffix(w->lines[i], mark)) {
            const uint64_t address = symbol->st_value;
            const guint number = i + 1;
            g_array_append_val(w->addresses, address);
            g_array_append_val(w->numbers, number);
        }
}

static void check_program(const char *path, char **lines)
{
    g_autoptr(executable) e = executable_open(path, NULL);
    g_autoptr(GArray) addresses = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
                      numbers = g_array_new(FALSE, FALSE, sizeof(guint));
    wanted w = {lines, addresses, numbers};
    assert_non_null(e);
    symbols_visit(e, NULL, want, &w);
    assert_true(addresses->len >= 6);
    source_lines *l = source_lines_read(path, &e->identity, (const uint64_t *)(const void *)addresses->data, addresses->len);
    assert_non_null(l);
    for (guint i = 0; i < addresses->len; i++) {
        g_autofree source_place *place = source_lines_place(l, i);
        assert_non_null(place);
        assert_true(g_str_has_prefix(place->text, PLACES_CPP ":"));
        assert_int_equal(place->line, g_array_index(numbers, guint, i));
    }
    source_lines_free(l);
}

static void functions_are_where_they_are_declared(void **state)
{
    (void)state;
    g_auto(GStrv) programs = g_strsplit(PLACES_PROGRAMS, ":", -1);
    g_autofree char *source = NULL;
    if (!*PLACES_CPP)
        skip();
    assert_true(g_file_get_contents(PLACES_CPP, &source, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(source, "\n", -1);
    for (guint i = 0; programs[i]; i++)
        check_program(programs[i], lines);
}

/* Any byte of the debug information may be wrong: there is a place or none. */
static void damage(void **state)
{
    (void)state;
    g_auto(GStrv) programs = g_strsplit(PLACES_PROGRAMS, ":", -1);
    if (!*PLACES_CPP)
        skip();
    for (guint n = 0; programs[n]; n++) {
        g_autoptr(executable) e = executable_open(programs[n], NULL);
        g_autofree char *bytes = NULL, *path = NULL;
        gsize length;
        GElf_Shdr info, abbreviations;
        assert_true(executable_section(e, ".debug_info", &info) && executable_section(e, ".debug_abbrev", &abbreviations));
        assert_true(g_file_get_contents(programs[n], &bytes, &length, NULL));
        path = g_strconcat(programs[n], ".damaged", NULL);
        for (guint i = 0; i < 100; i++) {
            const GElf_Shdr *of = i & 1 ? &info : &abbreviations;
            char *at = bytes + of->sh_offset + (i * UINT64_C(2654435761) >> 3) % of->sh_size, before = *at;
            *at = (char)(i * 37);
            assert_true(g_file_set_contents_full(path, bytes, (gssize)length, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
            *at = before;
            g_autoptr(executable) damaged = executable_open(path, NULL);
            uint64_t addresses[64];
            for (guint k = 0; k < G_N_ELEMENTS(addresses); k++)
                addresses[k] = e->header.e_entry + 16 * k;
            source_lines *l = source_lines_read(path, &damaged->identity, addresses, G_N_ELEMENTS(addresses));
            for (guint k = 0; l && k < G_N_ELEMENTS(addresses); k++)
                g_free(source_lines_place(l, k));
            source_lines_free(l);
        }
        g_unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions_are_where_they_are_declared), cmocka_unit_test(damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
