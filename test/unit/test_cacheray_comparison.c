/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses of two traces side by side: what an access adds, elements of arrays, caches, and merging. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cacheray/comparison.h"
#include "found_rows.h"

static rows *filled(cacheray_comparison *c)
{
    rows *r = rows_new(cacheray_comparison_columns, CACHERAY_COMPARISON_COLUMNS);
    cacheray_comparison_fill(c, r);
    return r;
}

static cacheray_view access_to(uint8_t kind, const char *type, const char *member)
{
    return (cacheray_view){.is_access = true, .kind = kind, .type = type, .member = member};
}

static void sums(void **state)
{
    (void)state;
    const cacheray_view views[] = {access_to(CACHERAY_READ, "node", "tag[3]"),
                                   access_to(CACHERAY_WRITE, "node", "tag[14]"),
                                   access_to(CACHERAY_READ, NULL, NULL),
                                   {.kind = CACHERAY_RTTA_ADD, .type = "node"}};
    cacheray_comparison *c = cacheray_comparison_new();
    for (unsigned i = 0; i < G_N_ELEMENTS(views); i++)
        assert_int_equal(cacheray_comparison_add(c, COMPARISON_BEFORE, &views[i]), i < 3);
    cacheray_view hit = access_to(CACHERAY_READ, "node", "tag[3]"), miss = hit, named = hit;
    hit.has_cache = miss.has_cache = true;
    hit.cache.level = 2;
    named.variable = "total";
    named.type = named.member = NULL;
    cacheray_comparison_add(c, COMPARISON_AFTER, &hit);
    cacheray_comparison_add(c, COMPARISON_AFTER, &miss);
    cacheray_comparison_add(c, COMPARISON_AFTER, &named);
    rows *r = filled(c);
    assert_int_equal(rows_length(r), 3);
    const rows_cell *node = found_row(r, "node", "tag[]");
    expect_number(r, node, "Accesses before", 2);
    expect_number(r, node, "Reads before", 1);
    expect_number(r, node, "Writes before", 1);
    expect_state(r, node, "Misses before", ROWS_NONE); /* no caches there */
    expect_number(r, node, "Reads after", 2);
    expect_number(r, node, "Misses after", 1);
    expect_number(r, node, "Reads ratio", 2000);
    expect_number(r, found_row(r, "(not annotated)", ""), "Misses after", 0);
    expect_number(r, found_row(r, "variable total", ""), "Accesses difference", 1);
    rows_free(r);
    cacheray_comparison_forget(c);
    r = filled(c);
    assert_int_equal(rows_length(r), 2);
    expect_state(r, found_row(r, "node", "tag[]"), "Misses after", ROWS_NONE);
    rows_free(r);
    cacheray_comparison_free(c);
}

static void merged(void **state)
{
    (void)state;
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    cacheray_comparison *whole = cacheray_comparison_new(),
                        *parts[] = {cacheray_comparison_new(), cacheray_comparison_new()};
    static const char *const types[] = {"a", "b", NULL}, *const parts_of[] = {"x", "y[1]", "y[2]", NULL};
    for (unsigned i = 0; i < 500; i++) {
        const comparison_side side = g_rand_boolean(rand) ? COMPARISON_BEFORE : COMPARISON_AFTER;
        cacheray_view v = access_to(g_rand_boolean(rand) ? CACHERAY_READ : CACHERAY_WRITE, types[g_rand_int(rand) % 3],
                                    parts_of[g_rand_int(rand) % 4]);
        v.has_cache = i % 100 == 99;
        cacheray_comparison_add(whole, side, &v);
        cacheray_comparison_add(parts[i % 2], side, &v);
    }
    cacheray_comparison_merge(parts[0], parts[1]);
    rows *x = filled(whole), *y = filled(parts[0]);
    expect_same_rows(x, y);
    rows_free(x);
    rows_free(y);
    cacheray_comparison_free(whole);
    cacheray_comparison_free(parts[0]);
    cacheray_comparison_free(parts[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(merged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
