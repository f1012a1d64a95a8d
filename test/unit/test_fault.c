/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults in words. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fault.h"

static void test_every_fault_has_words(void **state)
{
    (void)state;
    char text[200];
    for (int f = 0; f < FAULT_COUNT; f++) {
        assert_ptr_equal(fault_text((fault)f, 7, text, sizeof text), text);
        assert_int_equal(strlen(text) > 0, f != FAULT_NONE);
        assert_null(strpbrk(text, "#@"));
        assert_true(strlen(text) < sizeof text - 1);
    }
    assert_true(FAULT_COUNT <= UINT8_MAX + 1); /* travels in one byte */
}

static void test_the_number_stands_in_the_words(void **state)
{
    (void)state;
    char text[200];
    assert_string_equal(fault_text(FAULT_CACHERAY_SIZE, 255, text, sizeof text), "access of 255 bytes");
    assert_string_equal(fault_text(FAULT_XRAY_NEGATIVE_SIZE, (uint64_t)-5, text, sizeof text),
                        "event of negative size -5");
    assert_string_equal(fault_text(FAULT_OVNI_UNREADABLE, EACCES, text, sizeof text),
                        "the stream cannot be read: Permission denied");
    assert_string_equal(fault_text(FAULT_CUT_BY_FILE, 255, text, sizeof text), "the file ends inside this record");
}

static void test_unknown_faults(void **state)
{
    (void)state;
    char text[200];
    assert_string_equal(fault_text(FAULT_COUNT, 0, text, sizeof text), "unknown fault");
    assert_string_equal(fault_text((fault)255, 0, text, sizeof text), "unknown fault");
}

/* Never more than there is room for, always with an end. */
static void test_little_room(void **state)
{
    (void)state;
    char text[32];
    for (size_t size = 1; size <= 24; size++) {
        memset(text, 'x', sizeof text);
        fault_text(FAULT_CACHERAY_SIZE, UINT64_MAX, text, size);
        assert_int_equal(strlen(text),
                         size - 1 < strlen("access of -1 bytes") ? size - 1 : strlen("access of -1 bytes"));
        assert_int_equal(text[size], 'x');
        assert_memory_equal(text, "access of -1 bytes", strlen(text));
        fault_text(FAULT_CUT_BY_FILE, 0, text, size);
        assert_int_equal(strlen(text), size - 1);
        assert_int_equal(text[size], 'x');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_fault_has_words),
        cmocka_unit_test(test_the_number_stands_in_the_words),
        cmocka_unit_test(test_unknown_faults),
        cmocka_unit_test(test_little_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
