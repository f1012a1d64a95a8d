/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Invalid values of environment variables are reported once, and not used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core/formats.h"
#include "core/settings.h"
#include "core/settings_check.h"

static const format *format_of(const char *protocol)
{
    unsigned i = 0;
    while (strcmp(formats[i]->protocol, protocol) != 0)
        i++;
    return formats[i];
}

static void check(const char *protocol, const char *expected)
{
    g_autoptr(GError) error = NULL;
    const bool valid = settings_check(format_of(protocol), &error);
    assert_int_equal(valid, error == NULL);
    assert_string_equal(error ? error->message : "", expected);
}

static const char *const variables[] = {"WIRETRACE_CACHERAY_LAYOUT", "WIRETRACE_OVNI_CLOCK_OFFSETS", "WIRETRACE_PDU",
                                        "WIRETRACE_TIME", "WIRETRACE_STREAMS_XRAY"};

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
    static const char *const values[][5] = {
        {"auto", "0", "1", "0,1", "1/2"}, {"le32", "1", "0", "", "1/2,"}, {"be64", "", "", "", ""}};
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
    check("cacheray",
          "WIRETRACE_CACHERAY_LAYOUT (preference cacheray.layout) is 'LE64', but may be auto, le64, be64, le32, be32");
    check(
        "ovni",
        "WIRETRACE_OVNI_CLOCK_OFFSETS (preference ovni.clock_offsets) is 'off?[1m\xef\xbf\xbd', but must be 0, 1 or a table of clock offsets that is there");
    unset(NULL);
    char *long_one = g_strnfill(500, 'x'), *cut = g_strnfill(64, 'x');
    char *expected = g_strdup_printf("WIRETRACE_PDU (preference wiretrace.pdu) is '%s...', but may be 0, 1", cut);
    g_setenv("WIRETRACE_PDU", long_one, TRUE);
    check("xray", expected);
    check("ovni", expected);
    g_free(expected);
    g_free(cut);
    g_free(long_one);
}

/* Which part of a trace is asked for, in vain where there is no trace. */
static void parts(void **state)
{
    (void)state;
    static const char *const times[] = {"2,1", "nan,1", ",1", " 1,2", "1"};
    for (size_t i = 0; i < G_N_ELEMENTS(times); i++) {
        g_autofree char *expected = g_strdup_printf(
            "WIRETRACE_TIME (preference ovni.time_range) is '%s', but must be two times in "
            "seconds from the beginning such as 3.2,3.4, or before the end such as -1,-0.5 or -1",
            times[i]);
        g_setenv("WIRETRACE_TIME", times[i], TRUE);
        check("ovni", expected);
    }
    g_setenv("WIRETRACE_TIME", "1,2", TRUE);
    g_setenv("WIRETRACE_STREAMS_XRAY", ",", TRUE);
    check("ovni", "");
    check("xray", "WIRETRACE_STREAMS (preference xray.streams) is ',', but must be a share such as 1/8 or names of streams "
                  "separated by commas");
    g_autofree char *ignored = settings_ignored("ovni");
    assert_string_equal(
        ignored, "WIRETRACE_TIME (preference ovni.time_range) has no effect on exported records: use a display filter");
    g_setenv("WIRETRACE_PDU", "1", TRUE);
    assert_null(settings_ignored("ovni"));
    unset(NULL);
    assert_null(settings_ignored("ovni"));
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
        cmocka_unit_test_setup_teardown(parts, unset, unset),
        cmocka_unit_test_setup_teardown(switches, unset, unset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
