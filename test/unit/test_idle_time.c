/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time since the previous record of the same thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glib.h>

#include "analysis/idle_time.h"

typedef struct step {
    uint64_t thread;
    int64_t time;
    bool known;
    uint64_t ns;
} step;

static const step steps[] = {
    {7, 100, false, 0},
    {7, 100, true, 0},
    {9, 50, false, 0}, /* another thread */
    {7, 103, true, 3},
    {9, 60, true, 10},
    {9, 59, false, 0}, /* back */
    {9, 61, true, 2},  /* since then */
    {7, 103 + INT64_C(4294967293), true, UINT64_C(4294967293)},
    {7, 103 + INT64_C(4294967293) * 2 + 1, true, UINT64_C(4294967294)}, /* the first that is too long for 32 bits */
    {7, 103 + INT64_C(4294967293) * 2 + 1 + UINT32_MAX, true, UINT32_MAX},
    {7, INT64_MAX, true, INT64_MAX - 103 - UINT64_C(4294967293) * 2 - 1 - UINT32_MAX},
    {UINT64_MAX, INT64_MIN, false, 0},
    {UINT64_MAX, INT64_MAX, true, UINT64_MAX},
};

static void test_visited_and_found(void **state)
{
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        idle *i = idle_new(keep);
        uint64_t ns;
        for (uint32_t n = 0; n < G_N_ELEMENTS(steps); n++) {
            assert_int_equal(idle_visit(i, n + 1, steps[n].thread, steps[n].time, &ns), steps[n].known);
            assert_true(!steps[n].known || ns == steps[n].ns);
        }
        for (uint32_t n = 0; n < G_N_ELEMENTS(steps); n++) {
            assert_int_equal(idle_find(i, n + 1, &ns), keep && steps[n].known);
            assert_true(!keep || !steps[n].known || ns == steps[n].ns);
        }
        assert_false(idle_find(i, 1000000, &ns));
        assert_false(idle_visit(i, 2, 77, 5, &ns)); /* the number of a record that was left out */
        assert_false(idle_find(i, 2, &ns));
        idle_free(i);
    }
    idle_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_visited_and_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
