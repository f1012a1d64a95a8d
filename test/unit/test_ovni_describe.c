/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments and descriptions of single events: complete, too short, in both byte orders, and with malicious labels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <string.h>

#include "ovni/events/describe.h"

#define CLOCK 1, 2, 3, 4, 5, 6, 7, 8

static const char *words(const uint8_t *bytes, size_t length, bool big_endian)
{
    static char text[400];
    cursor c = {bytes, length, big_endian};
    const ovni_event *e = ovni_event_of(OVNI_ERA_V3, &c);
    assert_non_null(e);
    size_t n = ovni_describe(e, &c, NULL, text, sizeof text);
    assert_int_equal(n, strlen(text));
    assert_true(g_utf8_validate(text, -1, NULL));
    return text;
}

static void arguments_are_in_both_byte_orders(void **state)
{
    (void)state;
    static const uint8_t little[] = {0x0f, 'O',  'H', 'x', CLOCK, 3, 0, 0, 0, 0xff, 0xff,
                                     0xff, 0xff, 1,   0,   0,     0, 0, 0, 0, 0x80};
    static const uint8_t big[] = {0x0f, 'O', 'H', 'x', CLOCK, 0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 1};
    for (int i = 0; i < 2; i++) {
        cursor c = {i ? big : little, sizeof little, i == 1};
        ovni_arguments a;
        ovni_value v;
        ovni_arguments_init(&a, ovni_event_of(OVNI_ERA_V3, &c), &c);
        assert_true(ovni_arguments_next(&a, &v));
        assert_int_equal(v.id, OVNI_CPU);
        assert_int_equal(v.offset, 12);
        assert_int_equal(v.width, 4);
        assert_int_equal(v.number, 3);
        assert_true(ovni_arguments_next(&a, &v));
        assert_int_equal(v.id, OVNI_TID);
        assert_true((int64_t)v.number == -1);
        assert_true(ovni_arguments_next(&a, &v));
        assert_int_equal(v.id, OVNI_TAG);
        assert_int_equal(v.offset, 20);
        assert_true(v.number == UINT64_C(0x8000000000000001));
        assert_false(ovni_arguments_next(&a, &v));
        assert_false(a.missing);
    }
    assert_string_equal(words(little, sizeof little, false), "thread starts on CPU 3, creator -1, tag 0x8000000000000001");
}

/* Cut at every byte: only complete arguments, and missing ones are reported. */
static void short_payloads_give_whole_arguments_only(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 16; code++) {
        uint8_t bytes[28] = {(uint8_t)code, 'O', 'M', '=', CLOCK, 5, 0, 0, 0, 0, 0, 0, 0, 7};
        unsigned payload = code + (code != 0);
        for (unsigned there = 0; there <= payload; there++) {
            cursor c = {bytes, 12 + there, false};
            ovni_arguments a;
            ovni_value v;
            unsigned n = 0;
            ovni_arguments_init(&a, ovni_event_of(OVNI_ERA_V3, &c), &c);
            while (ovni_arguments_next(&a, &v)) {
                n++;
                assert_true(v.offset + v.width <= c.length);
            }
            assert_int_equal(n, there >= 12 ? 2 : there >= 8 ? 1 : 0);
            assert_int_equal(a.missing, there < 12);
            assert_false(ovni_arguments_next(&a, &v));
        }
    }
    static const uint8_t none[] = {0, 'O', 'A', 's', CLOCK};
    assert_string_equal(words(none, sizeof none, false), "thread moves itself to CPU ?");
}

static void longer_payloads_are_ignored(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {5, '6', 'T', 'x', CLOCK, 9, 0, 0, 0, 1, 2};
    assert_string_equal(words(bytes, sizeof bytes, false), "task 9 starts");
}

static void counters_repeat(void **state)
{
    (void)state;
    static const uint8_t two[] = {0x13, 'V', 'W', 'C',  CLOCK, 19,   0,    0,    0,    1,    0,    0, 0, 0,
                                  0,    0,   0,   0xfe, 0xff,  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3};
    static const uint8_t none[] = {0x13, 'V', 'W', 'C', CLOCK, 3, 0, 0, 0, 1, 0, 0};
    assert_string_equal(words(two, sizeof two, false), "hardware counters grew by 1, -2");
    assert_string_equal(words(none, sizeof none, false), "hardware counters grew by ?");
    uint8_t many[16 + 800] = {0x13, 'V', 'W', 'C', CLOCK, 0x20, 3};
    assert_string_equal(words(many, sizeof many, false),
                        "hardware counters grew by 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ...");
}

static const char *label_words(const char *label, size_t length)
{
    static uint8_t bytes[2048];
    static const uint8_t lead[] = {0x13, 'V', 'Y', 'c', CLOCK};
    memcpy(bytes, lead, sizeof lead);
    uint32_t n = (uint32_t)length + 4, typeid = 7;
    memcpy(bytes + 12, &n, 4);
    memcpy(bytes + 16, &typeid, 4);
    memcpy(bytes + 20, label, length);
    return words(bytes, 20 + length, G_BYTE_ORDER == G_BIG_ENDIAN);
}

static void labels_end_at_a_nul_or_the_data(void **state)
{
    (void)state;
    assert_string_equal(label_words("task\0rest", 9), "task type 7 is named \"task\"");
    assert_string_equal(label_words("task", 4), "task type 7 is named \"task\"");
    assert_string_equal(label_words("", 0), "task type 7 is named \"\"");
    assert_string_equal(label_words("r\xc3\xa9"
                                    "duction",
                                    10),
                        "task type 7 is named \"r\xc3\xa9"
                        "duction\"");
}

static void labels_are_harmless(void **state)
{
    (void)state;
    assert_string_equal(label_words("a\nb\x1b[2J\"\\", 9), "task type 7 is named \"a\\nb\\u{1b}[2J\"\\\"");
    assert_string_equal(label_words("\xff\xc3", 2), "task type 7 is named \"\\xff\\xc3\"");
    assert_string_equal(label_words("\xe2\x80\xae", 3), "task type 7 is named \"\\u{202e}\"");
    assert_string_equal(label_words("\xe2\x80\xa8", 3), "task type 7 is named \"\\u{2028}\"");
    char many[1000];
    memset(many, 'x', sizeof many);
    const char *text = label_words(many, sizeof many);
    assert_int_equal(strlen(text), strlen("task type 7 is named \"\"") + 64 + 3);
    assert_true(g_str_has_suffix(text, "xxx...\""));
}

/* With a buffer of any size the text ends in a NUL, and never inside a character. */
static void small_buffers_hold_what_fits(void **state)
{
    (void)state;
    uint8_t bytes[] = {0x13, 'V', 'Y', 'c', CLOCK, 8, 0, 0, 0, 7, 0, 0, 0, 0xc3, 0xa9, 0xc3, 0xa9};
    cursor c = {bytes, sizeof bytes, false};
    const ovni_event *e = ovni_event_of(OVNI_ERA_V3, &c);
    for (size_t size = 0; size < 40; size++) {
        char text[41];
        memset(text, '#', sizeof text);
        size_t n = ovni_describe(e, &c, NULL, text, size);
        assert_int_equal(text[size], '#');
        if (size) {
            assert_true(n < size);
            assert_int_equal(text[n], 0);
            assert_true(g_utf8_validate(text, -1, NULL));
        }
    }
}

/* Records cut at every byte, and lengths greater than what is there. */
static void cut_records_are_safe(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x13, 'V', 'Y', 'c', CLOCK, 0xff, 0xff, 0xff, 0xff, 7, 0, 0, 0, 'x'};
    for (size_t n = 0; n <= sizeof bytes; n++) {
        uint8_t *copy = g_memdup2(bytes, n);
        cursor c = {copy, n, false};
        const ovni_event *e = ovni_event_of(OVNI_ERA_V3, &c);
        assert_int_equal(e != NULL, n >= 4);
        char text[100];
        if (e)
            ovni_describe(e, &c, NULL, text, sizeof text);
        g_free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_in_both_byte_orders), cmocka_unit_test(short_payloads_give_whole_arguments_only),
        cmocka_unit_test(longer_payloads_are_ignored),       cmocka_unit_test(counters_repeat),
        cmocka_unit_test(labels_end_at_a_nul_or_the_data),   cmocka_unit_test(labels_are_harmless),
        cmocka_unit_test(small_buffers_hold_what_fits),      cmocka_unit_test(cut_records_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
