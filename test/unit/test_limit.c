/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room for what is counted by name: at first, how it grows, and when it has ended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "statistics/limit.h"

/* There is room for some rows, then for one more each time that many records have counted. */
static void rows(void **state)
{
    (void)state;
    counting_limit l = LIMIT_OF_ROWS;
    assert_true(limit_allows_row(&l, 31999));
    l.counted = 48;
    assert_true(limit_allows_row(&l, 32000));
    l.counted = 47;
    assert_false(l.full);
    assert_false(limit_allows_row(&l, 32000));
    l.counted = 1000000;
    assert_false(limit_allows_row(&l, 0)); /* once there was none, there never is */
    assert_true(l.full);
}

static void bytes(void **state)
{
    (void)state;
    counting_limit l = LIMIT_OF_BYTES;
    assert_true(limit_allows(&l, 40 << 20));
    l.counted = 2;
    assert_true(limit_allows(&l, (40 << 20) + 64));
    limit_share(&l, 4);
    assert_true(limit_allows(&l, (10 << 20) + 64));
    assert_false(limit_allows(&l, (10 << 20) + 65));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows), cmocka_unit_test(bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
