/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reuse distances: by hand, against a list that is searched, and of some of the lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <glib.h>

#include "cacheray/distances.h"

static void test_by_hand(void **state)
{
    (void)state;
    static const uint32_t uses[][2] = {{7, DISTANCE_FIRST},
                                       {7, 0},
                                       {8, DISTANCE_FIRST},
                                       {7, 1},
                                       {9, DISTANCE_FIRST},
                                       {9, 0},
                                       {8, 2},
                                       {7, 2},
                                       {7, 0},
                                       {9, 2}};
    distances *d = distances_new(1000);
    for (unsigned i = 0; i < G_N_ELEMENTS(uses); i++)
        assert_int_equal(distances_use(d, uses[i][0]), uses[i][1]);
    assert_int_equal(distances_kept(d), 3);
    assert_int_equal(distances_halvings(d), 0);
    distances_free(d);
    distances_free(NULL);
}

static uint64_t next_random(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return *random >> 33;
}

/* Lines that were used last are last. */
typedef struct listed {
    uint64_t *lines;
    uint32_t count;
} listed;

static uint32_t list_use(listed *l, uint64_t line)
{
    uint32_t at = l->count;
    while (at > 0 && l->lines[at - 1] != line)
        at--;
    if (!at) {
        l->lines[l->count++] = line;
        return DISTANCE_FIRST;
    }
    const uint32_t distance = l->count - at;
    memmove(&l->lines[at - 1], &l->lines[at], distance * sizeof *l->lines);
    l->lines[l->count - 1] = line;
    return distance;
}

/* Lines from near and far, more often the same ones. */
static uint64_t some_line(uint64_t *random, uint32_t lines)
{
    const uint64_t most = next_random(random) % 4 ? lines / 50 : lines;
    return (next_random(random) % most) << (next_random(random) % 3 == 0 ? 20 : 0);
}

static void test_list(void **state)
{
    (void)state;
    enum { LINES = 1500, USES = 40000 };
    listed l = {g_new(uint64_t, 2 * LINES), 0};
    distances *d = distances_new(2 * LINES);
    uint64_t random = 1;
    for (unsigned i = 0; i < USES; i++) {
        const uint64_t line = some_line(&random, LINES);
        assert_int_equal(distances_use(d, line), list_use(&l, line));
    }
    assert_int_equal(distances_kept(d), l.count);
    distances_free(d);
    g_free(l.lines);
}

/* Those that are kept are about a part of all, and have the distances that they would have alone. */
static void test_some(void **state)
{
    (void)state;
    enum { LINES = 40000, MOST = 3000, USES = 200000 };
    listed l = {g_new(uint64_t, MOST), 0};
    distances *d = distances_new(MOST), *same = distances_new(MOST);
    uint64_t random = 1;
    unsigned sampled = 0, groups[DISTANCES_GROUPS] = {0};
    for (unsigned i = 0; i < LINES; i++) {
        distances_use(d, i);
        distances_use(same, i);
        assert_true(distances_kept(d) <= MOST);
    }
    assert_int_equal(distances_halvings(d), 4);
    for (unsigned i = 0; i < LINES; i++) /* in the same order again */
        if (distances_use(same, i) != DISTANCE_NONE)
            l.lines[l.count++] = i;
    assert_int_equal(distances_kept(d), l.count);
    for (unsigned i = 0; i < USES; i++) {
        const uint64_t line = next_random(&random) % LINES;
        const uint32_t distance = distances_use(d, line);
        assert_int_equal(distance, distances_use(same, line));
        if (distance == DISTANCE_NONE)
            continue;
        assert_int_equal(distance, list_use(&l, line));
        sampled++;
        groups[distances_group(line)]++;
    }
    assert_in_range(sampled, USES / 16 * 9 / 10, USES / 16 * 11 / 10);
    for (unsigned i = 0; i < DISTANCES_GROUPS; i++)
        assert_in_range(groups[i], sampled / DISTANCES_GROUPS * 7 / 10, sampled / DISTANCES_GROUPS * 13 / 10);
    distances_free(d);
    distances_free(same);
    g_free(l.lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_list),
                                       cmocka_unit_test(test_some)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
