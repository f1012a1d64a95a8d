/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The B+ tree compared with GLib's tree: keys in each order, at random, and at both ends of the range. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>

#include "containers/btree.h"

static int compare_keys(gconstpointer a, gconstpointer b, gpointer data)
{
    const uint64_t *x = a, *y = b;
    (void)data;
    return (*x > *y) - (*x < *y);
}

/* g_tree_upper_bound() returns the node after the one wanted. */
static void compare(const btree *t, GTree *model, uint64_t key)
{
    uint64_t found;
    GTreeNode *above = g_tree_upper_bound(model, &key);
    GTreeNode *expected = above ? g_tree_node_previous(above) : g_tree_node_last(model);
    uint32_t value = btree_find(t, key, &found);
    assert_int_equal(value, expected ? GPOINTER_TO_UINT(g_tree_node_value(expected)) : 0);
    if (expected)
        assert_int_equal(found, *(uint64_t *)g_tree_node_key(expected));
    assert_int_equal(btree_get(t, key), GPOINTER_TO_UINT(g_tree_lookup(model, &key)));
}

static void change(btree *t, GTree *model, uint64_t key, uint32_t value)
{
    if (value) {
        btree_set(t, key, value);
        g_tree_insert(model, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(value));
    } else if (g_tree_remove(model, &key)) {
        btree_remove(t, key);
    }
}

/* Keys are multiples of `step` from `base`; `percent` of the changes remove one. */
static void random_changes(uint32_t seed, uint64_t base, uint64_t step, uint32_t range, int percent)
{
    GRand *r = g_rand_new_with_seed(seed);
    btree t;
    GTree *model = g_tree_new_full(compare_keys, NULL, g_free, NULL);
    btree_init(&t);
    for (uint32_t i = 1; i <= 4000; i++) {
        uint64_t key = base + step * (g_rand_int(r) % range);
        change(&t, model, key, g_rand_int_range(r, 0, 100) < percent ? 0 : i);
        compare(&t, model, key);
        compare(&t, model, key - 1);
        compare(&t, model, base + step * (g_rand_int(r) % range));
    }
    btree_clear(&t);
    g_tree_destroy(model);
    g_rand_free(r);
}

static void test_random(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 4; seed++) {
        random_changes(seed, 0, 1, 40, 50);
        random_changes(seed, 0x7fff00000000, 16, 3000, 30);
        random_changes(seed, 0x7fff00000000, 16, 3000, 60);
        random_changes(seed, UINT64_MAX - 300, 1, 301, 45);
        random_changes(seed, 0, UINT64_MAX / 1000000, 1000000, 10);
    }
}

/* The n-th of many keys, ascending, descending, from both ends, or every 101st. */
#define MANY 20000u
static uint64_t key_of(unsigned order, uint32_t n)
{
    const uint32_t all[] = {n, MANY - 1 - n, n % 2 ? MANY - 1 - n / 2 : n / 2, (uint32_t)(n * 101u % MANY)};
    return (uint64_t)all[order] << 32;
}

/* Adds in one order and removes in another, twice. */
static void test_orders(void **state)
{
    (void)state;
    btree t;
    btree_init(&t);
    for (unsigned way = 0; way < 32; way++) {
        for (uint32_t n = 0; n < MANY; n++)
            btree_set(&t, key_of(way / 2 % 4, n), n + 1);
        for (uint32_t n = 0; n < MANY; n++)
            assert_int_equal(btree_get(&t, key_of(way / 2 % 4, n)), n + 1);
        for (uint32_t n = 0; n < MANY; n++) {
            uint64_t found, key = key_of(way / 8, n);
            assert_int_not_equal(btree_find(&t, key + 7, &found), 0);
            assert_int_equal(found, key);
            btree_remove(&t, key);
            assert_int_equal(btree_get(&t, key), 0);
        }
    }
    assert_true(t.count >= MANY / 14 && t.count <= MANY / 6); /* free nodes are used again */
    btree_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
