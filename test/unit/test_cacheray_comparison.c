/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses of two traces side by side: members of types, elements of arrays, caches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "access_member.h"
#include "counting.h"
#include "cacheray/statistics/comparison.h"
#include "found_rows.h"

static const cacheray_display shown = {.line_size = 64};

static bool count(void *types, const cacheray_tapped *v)
{
    return counting_add(&cacheray_types_compared, types, v, 0);
}

static rows *filled(const cacheray_comparison *c)
{
    return counting_rows(&cacheray_comparison_counted, (void *)(uintptr_t)c, &shown);
}

static cacheray_tapped access_to(uint8_t kind, const char *type, const char *member)
{
    cacheray_tapped v = {.is_access = true, .kind = kind, .type = type};
    access_member(&v, member);
    return v;
}

static void sums(void **state)
{
    (void)state;
    const cacheray_tapped views[] = {access_to(CACHERAY_READ, "node", "tag[3]"),
                                     access_to(CACHERAY_WRITE, "node", "tag[14]"), access_to(CACHERAY_READ, "node", "left"),
                                     access_to(CACHERAY_READ, NULL, NULL)};
    cacheray_comparison *c = counting_begin(&cacheray_comparison_counted, "", &shown);
    for (unsigned i = 0; i < G_N_ELEMENTS(views); i++)
        assert_true(count(c->before, &views[i]));
    cacheray_tapped hit = access_to(CACHERAY_READ, "node", "tag[3]"), miss = hit, named = hit;
    hit.has_cache = miss.has_cache = true;
    hit.cache.level = 2;
    named.variable = "total";
    named.type = named.member = NULL;
    named.covered.count = 0;
    count(c->after, &hit);
    count(c->after, &miss);
    count(c->after, &named);
    rows *r = filled(c);
    assert_int_equal(rows_length(r), 4); /* without the sum of node */
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
    cacheray_comparison_counted.free(c);
}

/* The reads of a row before and after. */
static void expect_reads(rows *r, const char *type, uint64_t before, uint64_t after)
{
    expect_number(r, found_row(r, type, ""), "Reads before", before);
    expect_number(r, found_row(r, type, ""), "Reads after", after);
}

static void read_often(void *types, const char *type, unsigned times)
{
    const cacheray_tapped v = access_to(CACHERAY_READ, type, NULL);
    for (unsigned i = 0; i < times; i++)
        count(types, &v);
}

/* Places of allocations are the same in order of their lines, if a function and its callers have as many as before. */
static void lines_move(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        unsigned before, after;
    } places[] = {{"new in main (count.cpp:9)", 1, 0},
                  {"new in main (count.cpp:10)", 3, 2},
                  {"new in main (count.cpp:11)", 0, 4},
                  {"new in f() (a.cpp:9) < main (count.cpp:99)", 5, 0},
                  {"new in f() (a.cpp:8) < main (count.cpp:100)", 0, 6},
                  {"new in f() (a.cpp:9) < at lib.so+0x9", 7, 0},
                  {"new in f() (a.cpp:10) < at lib.so+0x10", 0, 8},
                  {"new in g() (a.cpp:1)", 9, 10},
                  {"new in g() (a.cpp:2)", 11, 0},
                  {"malloc in h+0x9", 12, 0},
                  {"malloc in h+0x10", 0, 13}};
    cacheray_comparison *c = counting_begin(&cacheray_comparison_counted, "", &shown);
    for (unsigned i = 0; i < G_N_ELEMENTS(places); i++) {
        read_often(c->before, places[i].type, places[i].before);
        read_often(c->after, places[i].type, places[i].after);
    }
    rows *r = filled(c);
    expect_reads(r, "new in main (count.cpp:10)", 1, 2);
    expect_reads(r, "new in main (count.cpp:11)", 3, 4);
    expect_reads(r, "new in f() (a.cpp:8) < main (count.cpp:100)", 5, 6);
    expect_reads(r, "new in f() (a.cpp:9) < at lib.so+0x9", 7, 0);
    expect_reads(r, "new in g() (a.cpp:1)", 9, 10); /* one more than after: by their lines */
    expect_reads(r, "new in g() (a.cpp:2)", 11, 0);
    expect_reads(r, "malloc in h+0x9", 12, 0);
    assert_int_equal(rows_length(r), 9);
    rows_free(r);
    cacheray_comparison_counted.free(c);
}

/* What is contended, or missed, counts once as slow. */
static void slow(void **state)
{
    (void)state;
    cacheray_comparison *c = counting_begin(&cacheray_comparison_counted, "", &shown);
    cacheray_tapped v = access_to(CACHERAY_WRITE, "node", "left");
    v.placed = 4096;
    for (v.thread = 0; v.thread < 4; v.thread++)
        count(c->before, &v);
    v.has_cache = true;
    for (v.thread = 0; v.thread < 2; v.thread++) /* both missed, one of them contended too */
        count(c->after, &v);
    v.cache.level = 1;
    v.placed = 4096 + 60;
    v.size = 8; /* the second line only */
    v.thread = 1;
    count(c->after, &v);
    v.thread = 2;
    v.placed = 4096 + 64;
    count(c->after, &v);
    v.thread = 1;
    v.placed = 4096 + 60;
    count(c->after, &v);
    rows *r = filled(c);
    const rows_cell *left = found_row(r, "node", "left");
    expect_number(r, left, "Slow before", 3);
    expect_number(r, left, "Contended before", 3);
    expect_number(r, left, "Slow after", 4);
    expect_number(r, left, "Contended after", 3);
    expect_number(r, left, "Misses after", 2);
    rows_free(r);
    cacheray_comparison_counted.free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(lines_move), cmocka_unit_test(slow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
