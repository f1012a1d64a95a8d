/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of last uses, against a list that is searched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <glib.h>

#include "containers/last_uses.h"

enum { THINGS = 700, USES = 60000 };

/* What was used last is last; things of a list of their own. */
typedef struct listed {
    uint32_t all[THINGS], count;
} listed;

/* Moves a thing to the end, and returns how many were before it; its number is new if it was not there. */
static uint32_t list_use(listed *l, uint32_t thing, bool *is_new)
{
    uint32_t at = 0;
    while (at < l->count && l->all[at] != thing)
        at++;
    *is_new = at == l->count;
    if (*is_new)
        l->count++;
    memmove(&l->all[at], &l->all[at + 1], (l->count - 1 - at) * sizeof *l->all);
    l->all[l->count - 1] = thing;
    return at;
}

static void number_again(last_uses *u, uint32_t *uses, const listed *l)
{
    for (uint32_t i = 0; i < l->count; i++) {
        const uint32_t rank = last_uses_rank(u, uses[l->all[i]]);
        assert_int_equal(rank, i);
        uses[l->all[i]] = rank;
    }
    last_uses_clear(u);
    last_uses_init(u, l->count);
}

/* Few things at first, all of them later; some are forgotten. */
static void test_order(void **state)
{
    (void)state;
    g_autofree uint32_t *uses = g_new0(uint32_t, THINGS);
    listed l = {.count = 0};
    last_uses u;
    unsigned times = 0;
    last_uses_init(&u, 0);
    for (uint32_t i = 0; i < USES; i++) {
        const uint32_t thing = (i * 2654435761u >> 8) % (1 + (THINGS - 1) * i / USES);
        bool is_new;
        if (last_uses_full(&u)) {
            number_again(&u, uses, &l);
            times++;
        }
        const uint32_t before = list_use(&l, thing, &is_new);
        if (!is_new) {
            assert_int_equal(last_uses_rank(&u, uses[thing]), before);
            last_uses_remove(&u, uses[thing]);
        }
        uses[thing] = last_uses_add(&u);
        assert_int_equal(last_uses_rank(&u, uses[thing]), l.count - 1);
        assert_int_equal(u.count, l.count);
        if (i % 1000 == 999) /* the one used longest ago */
            last_uses_remove(&u, uses[l.all[0]]), memmove(l.all, l.all + 1, --l.count * sizeof *l.all);
    }
    assert_true(times > 3);
    last_uses_clear(&u);
}

/* Beginning with very many. */
static void test_many(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    last_uses u;
    last_uses_init(&u, MANY);
    assert_int_equal(u.count, MANY);
    assert_false(last_uses_full(&u));
    for (uint32_t i = 0; i < MANY; i += 3)
        last_uses_remove(&u, i);
    for (uint32_t i = 1; i < MANY; i += 3)
        assert_int_equal(last_uses_rank(&u, i), i / 3 * 2);
    uint32_t more = 0;
    for (; !last_uses_full(&u); more++)
        assert_int_equal(last_uses_add(&u), MANY + more);
    assert_true(more >= MANY / 2);
    last_uses_clear(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
