/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses by annotated region, and by type: sums by hand, and what does not fit. */
#include "cacheray_statistics.h"
#include "counting.h"

#include "cacheray/statistics/regions.h"

#define BASE UINT64_C(0x1000)

static cacheray_analysis *new_analysis(void)
{
    return cacheray_analysis_new(
        &(cacheray_options){.annotations = true, .line_size = 64, .binary = "", .load_bias = "", .caches = "", .remap = ""});
}

static cacheray_tapped added(uint64_t address, uint32_t size, uint32_t count, uint64_t thread)
{
    return (cacheray_tapped){
        .kind = CACHERAY_RTTA_ADD, .address = address, .thread = thread, .region = {.elem_size = size, .elem_count = count}};
}

static cacheray_tapped visit(cacheray_analysis *a, uint32_t number, cacheray_tapped v, const char *type)
{
    v.name = type;
    v.name_length = type ? (int)strlen(type) : 0;
    cacheray_analysis_visit(a, number, &v);
    return v;
}

/* Records are shown one earlier, and the first is not. */
static uint32_t frame_of(uint32_t number)
{
    return number > 1 ? number - 1 : 0;
}

static const cacheray_analysis *analysis; /* NULL: it is gone */

static const cacheray_analysis *analysis_now(void)
{
    return analysis;
}

static rows *filled(void *r, const cacheray_analysis *a)
{
    analysis = a;
    return counting_rows(&cacheray_regions_counted, r, &(cacheray_display){.analysis = analysis_now, .frame_of = frame_of});
}

/* Two regions of one type, one of which is removed, and what is outside. */
static void count_some(cacheray_analysis *a, void *r)
{
    const cacheray_tapped all[] = {added(BASE, 16, 3, 7),
                                   access_to(CACHERAY_READ, BASE, 1),
                                   access_to(CACHERAY_READ, BASE - 8, 1),
                                   added(BASE + 0x100, 8, 1, 8),
                                   access_to(CACHERAY_WRITE, BASE + 0x100, 2),
                                   access_to(CACHERAY_WRITE, BASE + 40, 2),
                                   {.kind = CACHERAY_RTTA_REMOVE, .address = BASE + 0x100},
                                   access_to(CACHERAY_WRITE, BASE + 0x100, 2)};
    for (uint32_t i = 0; i < G_N_ELEMENTS(all); i++) {
        const cacheray_tapped v = visit(a, i + 1, all[i], "struct.pair");
        assert_int_equal(counting_add(&cacheray_regions_counted, r, &v, 0), v.kind != CACHERAY_RTTA_REMOVE);
    }
}

static void test_regions(void **state)
{
    (void)state;
    cacheray_analysis *a = new_analysis();
    void *r = counting_begin(&cacheray_regions_counted, "", NULL);
    count_some(a, r);
    expect_text(filled(r, a), "struct.pair,1,,7,0x1000,48,1,1,2,,,,,,,\n"
                              "(not annotated),0,,,,,1,1,2,,,,,,,\n"
                              "struct.pair,1,3,8,0x1100,8,0,1,1,,,,,,6,3\n");
    cacheray_regions_counted.free(r);
    cacheray_analysis_free(a);
}

static void test_by_type(void **state)
{
    (void)state;
    cacheray_analysis *a = new_analysis();
    void *r = counting_begin(&cacheray_regions_counted, "by:type", NULL);
    count_some(a, r);
    expect_text(filled(r, a), "struct.pair,2,,,,56,1,2,2,,,,,,,3\n"
                              "(not annotated),0,,,,,1,1,2,,,,,,,\n");
    expect_text(filled(r, NULL), "struct.pair,0,,,,,1,2,2,,,,,,,\n" /* the trace is closed */
                                 "(not annotated),0,,,,,1,1,2,,,,,,,\n");
    cacheray_regions_counted.free(r);
    cacheray_analysis_free(a);
}

static void test_levels(void **state)
{
    (void)state;
    cacheray_analysis *a = new_analysis();
    void *r = counting_begin(&cacheray_regions_counted, "", NULL);
    cacheray_tapped v = visit(a, 1, access_to(CACHERAY_READ, BASE, 1), NULL);
    v.has_cache = true;
    for (v.cache.level = 0; v.cache.level < 3; v.cache.level++)
        counting_add(&cacheray_regions_counted, r, &v, 0);
    expect_text(filled(r, a), "(not annotated),0,,,,,3,0,1,1,1,0,0,1,,\n");
    cacheray_regions_counted.free(r);
    cacheray_analysis_free(a);
}

/* What has no room counts in one row. */
static void test_full(void **state)
{
    (void)state;
    enum { MANY = 40000 };
    cacheray_analysis *a = new_analysis();
    void *r = counting_begin(&cacheray_regions_counted, "", NULL);
    for (uint32_t i = 0; i < MANY; i++) {
        visit(a, 2 * i + 1, added(BASE + 8 * (uint64_t)i, 8, 1, 1), "int");
        const cacheray_tapped v = visit(a, 2 * i + 2, access_to(CACHERAY_READ, BASE + 8 * (uint64_t)i, 1), NULL);
        counting_add(&cacheray_regions_counted, r, &v, 0);
    }
    rows *to = filled(r, a);
    uint64_t reads = 0;
    const unsigned length = rows_length(to);
    for (unsigned row = 0; row < length; row++)
        reads += rows_at(to, row)[CACHERAY_REGIONS_READS].number;
    assert_true(length < MANY && length > MANY / 4);
    assert_int_equal(reads, MANY);
    assert_string_equal(rows_at(to, length - 1)[CACHERAY_REGIONS_TYPE].text, TEXT_OTHERS);
    rows_free(to);
    cacheray_regions_counted.free(r);
    cacheray_analysis_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_regions), cmocka_unit_test(test_by_type),
                                       cmocka_unit_test(test_levels), cmocka_unit_test(test_full)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
