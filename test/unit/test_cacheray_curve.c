/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The miss-ratio curve: rows by hand, against simulated caches, of types, and of a part of the lines. */
#include "cacheray_statistics.h"
#include "counting.h"

#include "cacheray/statistics/curve.h"

static const cacheray_display shown = {.line_size = 64};

static void *begin(const char *words)
{
    return counting_begin(&cacheray_curve_counted, words, &shown);
}

static void add(void *c, cacheray_tapped v)
{
    assert_int_equal(counting_add(&cacheray_curve_counted, c, &v, 0), v.is_access);
}

static rows *filled(void *c)
{
    return counting_rows(&cacheray_curve_counted, c, &shown);
}

static cacheray_tapped to_line(uint64_t line)
{
    return access_to(CACHERAY_READ, 64 * line, 1);
}

/* Three times six lines one after the other: all but a cache of six lines miss always. Then the last one again. */
static void add_loop(void *c)
{
    for (unsigned i = 0; i < 3 * 6; i++)
        add(c, to_line(i % 6));
    add(c, to_line(5));
    add(c, (cacheray_tapped){.kind = CACHERAY_RTTA_ADD});
}

static void by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *words, *expected;
    } cases[] = {{"", "64,1,18,94.7,,1,\n"
                      "128,2,18,94.7,,1,\n"
                      "256,4,18,94.7,,1,\n"
                      "512,8,6,31.6,,13,\n"},
                 {"fine", "64,1,18,94.7,,1,\n"
                          "128,2,18,94.7,,1,\n"
                          "192,3,18,94.7,,1,\n"
                          "256,4,18,94.7,,1,\n"
                          "320,5,18,94.7,,1,\n"
                          "384,6,6,31.6,,13,\n"},
                 {"every", "64,1,18,94.7,,1,\n"
                           "384,6,6,31.6,,13,\n"},
                 {"block:128", "128,1,9,47.4,,10,\n"
                               "256,2,9,47.4,,10,\n"
                               "512,4,3,15.8,,16,\n"},
                 {"block:4096,by:type", "4096,1,1,5.3,,18,(not annotated)\n"}};
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        void *c = begin(cases[i].words);
        expect_text(filled(c), "");
        add_loop(c);
        expect_text(filled(c), cases[i].expected);
        expect_text(filled(c), cases[i].expected);
        cacheray_curve_counted.free(c);
    }
}

/* An access to two lines hits if both are there. The address after the last one is not 0. */
static void two_lines(void **state)
{
    (void)state;
    void *c = begin("fine");
    cacheray_tapped v = access_to(CACHERAY_WRITE, 60, 1);
    add(c, v);          /* 0 and 1: the first ones */
    add(c, to_line(0)); /* distance 1 */
    add(c, v);          /* 0 is there, 1 has distance 1 */
    add(c, to_line(2));
    add(c, v); /* both have distance 2, as the first one moves to the front */
    v = access_to(CACHERAY_READ, UINT64_MAX - 3, 1);
    add(c, v);
    v.size = 0;
    add(c, v);
    expect_text(filled(c), "64,1,6,85.7,,1,\n"
                           "128,2,4,57.1,,3,\n"
                           "192,3,3,42.9,,4,\n");
    v = access_to(CACHERAY_READ, UINT64_MAX - 70, 1); /* its end is not known, but that it touches the last line */
    v.size = 200;
    add(c, v);
    add(c, v);
    expect_text(filled(c), "64,1,8,88.9,,1,\n"
                           "128,2,5,55.6,,4,\n"
                           "192,3,4,44.4,,5,\n");
    cacheray_curve_counted.free(c);
}

/* Where members are moved, the new places count. */
static void placed(void **state)
{
    (void)state;
    void *c = begin("");
    cacheray_tapped v = to_line(0);
    add(c, v);
    v.placed = 64 * 77;
    add(c, v);
    expect_text(filled(c), "64,1,2,100.0,,0,\n");
    cacheray_curve_counted.free(c);
}

/* Types share the cache. */
static void types(void **state)
{
    (void)state;
    static const char order[] = "struct.order";
    void *c = begin("by:type");
    for (unsigned i = 0; i < 4; i++) {
        cacheray_tapped v = to_line(0);
        v.type = order;
        add(c, v);
        add(c, to_line(1 + i % 2));
        v.variable = "total";
        add(c, v);
    }
    expect_text(filled(c), "64,1,1,25.0,,3,struct.order\n"
                           "64,1,4,100.0,,0,(not annotated)\n"
                           "128,2,4,100.0,,0,(not annotated)\n"
                           "256,4,2,50.0,,2,(not annotated)\n"
                           "64,1,4,100.0,,0,variable total\n"
                           "128,2,0,0.0,,4,variable total\n");
    cacheray_curve_counted.free(c);
}

static void no_room(void **state)
{
    (void)state;
    enum { TYPES = 30000 };
    void *c = begin("by:type");
    g_autofree char *names = g_malloc(TYPES);
    memset(names, 0, TYPES);
    for (unsigned i = 0; i < TYPES; i++) {
        cacheray_tapped v = to_line(i);
        v.type = &names[i];
        add(c, v);
    }
    rows *r = filled(c);
    assert_string_equal(r->missing, ROWS_FIRST_COME);
    const unsigned last = rows_length(r) - 1;
    assert_in_range(last, 20000, 22000);
    assert_string_equal(rows_at(r, last)[CACHERAY_CURVE_TYPE].text, TEXT_OTHERS);
    assert_int_equal(rows_at(r, last)[CACHERAY_CURVE_MISSES].number, TYPES - last);
    rows_free(r);
    cacheray_curve_counted.free(c);
}

static uint64_t next_random(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return *random >> 33;
}

/* Accesses of all sizes; often to what was accessed before. */
static cacheray_tapped some_access(uint64_t *random)
{
    const uint64_t range = 1 << (6 + next_random(random) % 12);
    cacheray_tapped v = access_to(next_random(random) % 3 == 0, next_random(random) % range, next_random(random) % 3);
    v.size = (uint8_t)(next_random(random) % 20);
    return v;
}

static uint64_t simulated_misses(uint32_t lines, unsigned accesses)
{
    const caches_config config = {.count = 1, .levels = {{.size = lines * 64, .line_bits = 6}}, .seed = 1};
    caches *all = caches_new(&config);
    uint64_t random = 1, misses = 0;
    for (unsigned i = 0; i < accesses; i++) {
        const cacheray_tapped v = some_access(&random);
        cache_result result;
        caches_access(all, v.placed, v.size, v.thread, v.kind == CACHERAY_WRITE, &result);
        misses += result.level == 0;
    }
    caches_free(all);
    return misses;
}

/* Each row is what a cache of that size does. */
static void simulated(void **state)
{
    (void)state;
    enum { ACCESSES = 20000 };
    void *c = begin("every");
    uint64_t random = 1;
    for (unsigned i = 0; i < ACCESSES; i++)
        add(c, some_access(&random));
    rows *r = filled(c);
    assert_true(rows_length(r) > 500);
    for (unsigned i = 0; i < rows_length(r); i += i < 10 ? 1 : 97) {
        const rows_cell *cells = rows_at(r, i);
        const uint64_t misses = simulated_misses((uint32_t)cells[CACHERAY_CURVE_LINES].number, ACCESSES);
        assert_int_equal(cells[CACHERAY_CURVE_MISSES].number, misses);
        assert_int_equal(cells[CACHERAY_CURVE_HITS].number, ACCESSES - misses);
    }
    rows_free(r);
    cacheray_curve_counted.free(c);
}

static void add_some(void *c, unsigned accesses)
{
    uint64_t random = 1;
    for (unsigned i = 0; i < accesses; i++) {
        const uint64_t range = UINT64_C(1) << (5 + next_random(&random) % 11);
        add(c, to_line(next_random(&random) % range));
    }
}

/* All or nothing: where they begin to hit depends on how many of them are kept. */
static unsigned loop;

static void add_large_loop(void *c, unsigned accesses)
{
    for (unsigned i = 0; i < accesses; i++)
        add(c, to_line(i % loop));
}

typedef void adder(void *c, unsigned accesses);

static rows *rows_of(const char *words, adder *add_all, unsigned accesses)
{
    void *c = begin(words);
    const bool part = *words == 'k';
    add_all(c, accesses);
    assert_int_equal(cacheray_curve_halvings(c) > 1, part);
    assert_in_range(cacheray_curve_kept(c), part ? 1000 : 16000, part ? 4000 : 32768);
    rows *r = filled(c);
    cacheray_curve_counted.free(c);
    return r;
}

/* Of a part of the lines: misses are off by less than the error, but for `most` sizes, and it is not everything. */
static void expect_sampled(adder *add_all, unsigned most)
{
    enum { ACCESSES = 400000 };
    rows *exact = rows_of("fine", add_all, ACCESSES), *some = rows_of("keep:4000,fine", add_all, ACCESSES);
    unsigned outside = 0, precise = 0;
    for (unsigned i = 0; i < MIN(rows_length(exact), rows_length(some)); i++) {
        const rows_cell *is = rows_at(exact, i), *about = rows_at(some, i);
        assert_int_equal(is[CACHERAY_CURVE_SIZE].number, about[CACHERAY_CURVE_SIZE].number);
        assert_int_equal(is[CACHERAY_CURVE_ERROR].state, ROWS_NONE);
        const int64_t off = (int64_t)(is[CACHERAY_CURVE_MISSES].number - about[CACHERAY_CURVE_MISSES].number);
        outside += ABS(off) > (int64_t)about[CACHERAY_CURVE_ERROR].number;
        precise += about[CACHERAY_CURVE_ERROR].number < ACCESSES / 20;
    }
    assert_true(outside <= most);
    assert_true(precise >= 15);
    rows_free(exact);
    rows_free(some);
}

static void sampled(void **state)
{
    (void)state;
    expect_sampled(add_some, 3);
    for (loop = 16384; loop <= 32768; loop += 4096)
        expect_sampled(add_large_loop, 0);
}

/* More sizes than rows. */
static void many_sizes(void **state)
{
    (void)state;
    enum { LINES = 60000 };
    void *c = begin("every");
    for (unsigned i = 0; i < LINES; i++)
        add(c, to_line(i));
    for (unsigned i = LINES; i-- > 0;) /* backwards: all distances once */
        add(c, to_line(i));
    rows *r = filled(c);
    assert_non_null(r->missing);
    assert_in_range(rows_length(r), 32000, 40000);
    const rows_cell *cells = rows_at(r, rows_length(r) - 1);
    assert_int_equal(cells[CACHERAY_CURVE_LINES].number, 65536);
    assert_int_equal(cells[CACHERAY_CURVE_MISSES].number, LINES);
    rows_free(r);
    cacheray_curve_counted.free(c);
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        unsigned block, keep;
    } cases[] = {{"", 64, 1 << 20},
                 {"block:16", 16, 1 << 20},
                 {"block:15", 0, 1 << 20},
                 {"block:48", 0, 1 << 20},
                 {"block:4096", 4096, 1 << 20},
                 {"block:1073741824", 1 << 30, 1 << 20},
                 {"block:2147483648", 0, 1 << 20},
                 {"keep:1024", 64, 1024},
                 {"keep:1023", 64, 0},
                 {"keep:268435456", 64, 1 << 28},
                 {"keep:268435457", 64, 0},
                 {"keep:x", 64, 0}};
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        statistic_words words = {0};
        const char *arguments = cases[i].words;
        const counted *c = &cacheray_curve_counted;
        assert_true(statistic_words_take(&words, c->words, c->columns, c->column_count, &arguments, NULL));
        assert_int_equal(cacheray_curve_block(&words, 64), cases[i].block);
        assert_int_equal(cacheray_curve_keep(&words), cases[i].keep);
        c->free(c->begin(&words, &shown));
        statistic_words_clear(&words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(two_lines),  cmocka_unit_test(placed),
                                       cmocka_unit_test(types),   cmocka_unit_test(no_room),    cmocka_unit_test(simulated),
                                       cmocka_unit_test(sampled), cmocka_unit_test(many_sizes), cmocka_unit_test(numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
