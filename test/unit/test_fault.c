/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults in words. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cacheray/faults.h"
#include "core/formats.h"
#include "ovni/faults.h"
#include "xray/faults.h"

static void test_every_fault_has_words(void **state)
{
    (void)state;
    char text[200];
    for (unsigned i = 0; i < FORMAT_COUNT; i++) {
        const fault_list *own = formats[i]->faults;
        for (unsigned f = 0; f < FAULT_OWN + own->count; f++) {
            bool known = f < FAULT_COMMON_COUNT || f >= FAULT_OWN;
            assert_ptr_equal(fault_text(own, (fault)f, 7, text, sizeof text), text);
            assert_int_equal(strlen(text) > 0, f != FAULT_NONE);
            assert_int_equal(strcmp(text, "unknown fault") != 0, known);
            assert_null(strpbrk(text, "#@"));
            assert_true(strlen(text) < sizeof text - 1);
            assert_int_equal(fault_named(own, fault_name(own, (fault)f), strlen(fault_name(own, (fault)f))),
                             known ? f : FAULT_UNKNOWN);
        }
    }
}

static void test_the_number_is_in_the_words(void **state)
{
    (void)state;
    char text[200];
    assert_string_equal(fault_text(&cacheray_faults, FAULT_CACHERAY_SIZE, 255, text, sizeof text), "access of 255 bytes");
    assert_string_equal(fault_text(&xray_faults, FAULT_XRAY_NEGATIVE_SIZE, (uint64_t)-5, text, sizeof text),
                        "event of negative size -5");
    assert_string_equal(fault_text(&ovni_faults, FAULT_OVNI_UNREADABLE, EACCES, text, sizeof text),
                        "the stream cannot be read: Permission denied");
    assert_string_equal(fault_text(NULL, FAULT_CUT_BY_FILE, 255, text, sizeof text), "the file ends inside this record");
}

static void test_unknown_faults(void **state)
{
    (void)state;
    char text[200];
    assert_string_equal(fault_text(&cacheray_faults, FAULT_CACHERAY_END, 0, text, sizeof text), "unknown fault");
    assert_string_equal(fault_text(NULL, FAULT_UNKNOWN, 0, text, sizeof text), "unknown fault");
}

/* Never writes more than there is room for, and always a NUL. */
static void test_little_room(void **state)
{
    (void)state;
    char text[32];
    for (size_t size = 1; size <= 24; size++) {
        memset(text, 'x', sizeof text);
        fault_text(&cacheray_faults, FAULT_CACHERAY_SIZE, UINT64_MAX, text, size);
        assert_int_equal(strlen(text), size - 1 < strlen("access of -1 bytes") ? size - 1 : strlen("access of -1 bytes"));
        assert_int_equal(text[size], 'x');
        assert_memory_equal(text, "access of -1 bytes", strlen(text));
        fault_text(NULL, FAULT_CUT_BY_FILE, 0, text, size);
        assert_int_equal(strlen(text), size - 1);
        assert_int_equal(text[size], 'x');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_fault_has_words),
        cmocka_unit_test(test_the_number_is_in_the_words),
        cmocka_unit_test(test_unknown_faults),
        cmocka_unit_test(test_little_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
