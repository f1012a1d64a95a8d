/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Invalid values of environment variables are reported once, and not used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "settings.h"

static void append(void *data, const char *sentence)
{
    g_string_append_printf(data, "%s\n", sentence);
}

static void check(const char *protocol, const char *expected)
{
    GString *all = g_string_new(NULL);
    settings_check(protocol, append, all);
    assert_string_equal(all->str, expected);
    g_string_free(all, TRUE);
}

static const char *const variables[] = {"WIRETRACE_CACHERAY_LAYOUT", "WIRETRACE_OVNI_CLOCK_OFFSETS", "WIRETRACE_PDU"};

static int unset(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(variables); i++)
        g_unsetenv(variables[i]);
    return 0;
}

static void known_values(void **state)
{
    (void)state;
    static const char *const values[][3] = {{"auto", "0", "1"}, {"le32", "1", "0"}, {"be64", "", ""}, {"", "1", "1"}};
    check("cacheray", "");
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
        for (size_t n = 0; n < G_N_ELEMENTS(variables); n++)
            g_setenv(variables[n], values[i][n], TRUE);
        check("cacheray", "");
        check("ovni", "");
        check("xray", "");
    }
}

static void unknown_values(void **state)
{
    (void)state;
    g_setenv("WIRETRACE_CACHERAY_LAYOUT", "LE64", TRUE);
    g_setenv("WIRETRACE_OVNI_CLOCK_OFFSETS", "off\033[1m\xff", TRUE);
    check("xray", "");
    check(
        "cacheray",
        "WIRETRACE_CACHERAY_LAYOUT (preference cacheray.layout) is 'LE64', but may be auto, le64, be64, le32, be32: the layout is recognised\n");
    check(
        "ovni",
        "WIRETRACE_OVNI_CLOCK_OFFSETS (preference ovni.clock_offsets) is 'off?[1m\xef\xbf\xbd', but may be 0, 1: clock offsets are applied\n");
    unset(NULL);
    char *long_one = g_strnfill(500, 'x'), *cut = g_strnfill(64, 'x');
    char *expected = g_strdup_printf(
        "WIRETRACE_PDU (preference wiretrace.pdu) is '%s...', but may be 0, 1: records are not opened as exported PDUs\n",
        cut);
    g_setenv("WIRETRACE_PDU", long_one, TRUE);
    check("xray", expected);
    check("ovni", expected);
    g_free(expected);
    g_free(cut);
    g_free(long_one);
}

static void switches(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        bool usually_off, usually_on;
    } cases[] = {{"0", false, false}, {"1", true, true}, {"", false, true}, {"yes", false, true}, {"10", false, true}};
    assert_true(!settings_switch("WIRETRACE_PDU", false) && settings_switch("WIRETRACE_PDU", true));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_setenv("WIRETRACE_PDU", cases[i].value, TRUE);
        assert_int_equal(settings_switch("WIRETRACE_PDU", false), cases[i].usually_off);
        assert_int_equal(settings_switch("WIRETRACE_PDU", true), cases[i].usually_on);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(known_values, unset, unset),
        cmocka_unit_test_setup_teardown(unknown_values, unset, unset),
        cmocka_unit_test_setup_teardown(switches, unset, unset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
