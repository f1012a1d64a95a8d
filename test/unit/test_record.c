/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times that do not fit become the nearest that does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/record.h"

static void expect(int64_t seconds, int32_t nanoseconds, bool cut, int64_t want, int32_t want_nanoseconds)
{
    assert_int_equal(record_cut_time(&seconds, &nanoseconds, INT32_MIN, INT32_MAX), cut);
    assert_int_equal(seconds, want);
    assert_int_equal(nanoseconds, want_nanoseconds);
}

static void times_of_32_bits(void **state)
{
    (void)state;
    expect(0, 0, false, 0, 0);
    expect(INT32_MAX, 999999999, false, INT32_MAX, 999999999);
    expect(INT32_MIN, 0, false, INT32_MIN, 0);
    expect(INT64_C(1) << 31, 0, true, INT32_MAX, 999999999);
    expect(INT64_C(4343434343), 678000, true, INT32_MAX, 999999999); /* 48467047 if only its low bits were used */
    expect(INT64_MAX, 1, true, INT32_MAX, 999999999);
    expect(INT64_C(-2147483649), 999999999, true, INT32_MIN, 0);
    expect(INT64_MIN, 5, true, INT32_MIN, 0);
}

static void times_of_this_processor(void **state)
{
    (void)state;
    assert_int_equal((time_t)RECORD_TIME_MAX, RECORD_TIME_MAX);
    assert_int_equal((time_t)RECORD_TIME_MIN, RECORD_TIME_MIN);
    assert_int_equal(RECORD_TIME_MAX, sizeof(time_t) == 8 ? INT64_MAX : INT32_MAX);
    assert_int_equal(RECORD_TIME_MIN, sizeof(time_t) == 8 ? INT64_MIN : INT32_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(times_of_32_bits), cmocka_unit_test(times_of_this_processor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
