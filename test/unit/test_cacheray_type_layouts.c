/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layout of structs with how their members are used: rows by hand, of this program. */
#include "cacheray_statistics.h"
#include "counting.h"

#include "cacheray/statistics/type_layouts.h"
#include "own_program.h"
#include "temporary_file.h"

#define BASE UINT64_C(0x1000)

struct shaped {
    int64_t first;
    char never[60];
    int16_t cold; /* and two bytes before the next one */
    int64_t last;
};
struct shaped shapes[4]; /* not static, or the compiler may leave them out */

static const cacheray_analysis *analysis;

static const cacheray_analysis *analysis_now(void)
{
    return analysis;
}

static const cacheray_display shown = {.analysis = analysis_now, .line_size = 64};

static cacheray_analysis *open_analysis(const char *binary, const char *simulated)
{
    const bool wide = sizeof(void *) == 8;
    const cacheray_layout big = wide ? CACHERAY_BE64 : CACHERAY_BE32, little = wide ? CACHERAY_LE64 : CACHERAY_LE32;
    const cacheray_options o = {.layout = G_BYTE_ORDER == G_BIG_ENDIAN ? big : little,
                                .annotations = true,
                                .line_size = 64,
                                .binary = binary,
                                .load_bias = "",
                                .caches = simulated,
                                .remap = ""};
    cacheray_analysis *a = cacheray_analysis_new(&o);
    analysis = a;
    shapes[1].first = 1; /* unused types have no debug information */
    return a;
}

static void *begin(void)
{
    return counting_begin(&cacheray_type_layouts_counted, "", &shown);
}

static bool count_if(void *l, cacheray_analysis *a, cacheray_tapped v, const char *type)
{
    static uint32_t number;
    v.name = type;
    v.name_length = type ? (int)strlen(type) : 0;
    cacheray_analysis_visit(a, ++number, &v);
    return counting_add(&cacheray_type_layouts_counted, l, &v, 0);
}

static void count(void *l, cacheray_analysis *a, cacheray_tapped v, const char *type, bool counts)
{
    assert_int_equal(count_if(l, a, v, type), counts);
}

static void add_region(void *l, cacheray_analysis *a, uint64_t address, uint32_t size, const char *type)
{
    const cacheray_tapped add = {
        .kind = CACHERAY_RTTA_ADD, .address = address, .region = {.elem_size = size, .elem_count = 1}};
    count(l, a, add, type, false);
}

/* Ten of eleven accesses are to two members, in two lines. The struct begins at byte 32 of a line. */
static void add_some(void *l, cacheray_analysis *a)
{
    const uint64_t at = BASE + 32;
    add_region(l, a, at, sizeof(struct shaped), "struct.shaped");
    for (unsigned i = 0; i < 6; i++)
        count(l, a, access_to(CACHERAY_READ, at, 1), NULL, true);
    for (unsigned i = 0; i < 4; i++)
        count(l, a, access_to(CACHERAY_WRITE, at + offsetof(struct shaped, last), 2), NULL, true);
    cacheray_tapped v = access_to(CACHERAY_READ, at + offsetof(struct shaped, cold), 1);
    v.size = 2;
    count(l, a, v, NULL, true);
    count(l, a, access_to(CACHERAY_READ, BASE - 0x400, 1), NULL, false); /* to nothing that is known */
}

static void finish(void *l, cacheray_analysis *a)
{
    cacheray_type_layouts_counted.free(l);
    cacheray_analysis_free(a);
}

static void test_rows(void **state)
{
    (void)state;
    char *simulated = temporary_file("{\"caches\":[{\"cache_size\":10,\"block_size\":6,\"set_assoc\":4,\"rep_policy\":0}]}",
                                     -1);
    cacheray_analysis *a = open_analysis(own_program(), simulated);
    void *l = begin();
    if (!cacheray_analysis_problems(a).no_members) {
        add_some(l, a);
        assert_false(cacheray_type_layouts_unknown(l));
        expect_text(counting_rows(&cacheray_type_layouts_counted, l, &shown),
                    "shaped,,80,0-1,32,*,,100.0,7,4,2,2,2,1,\n"
                    "shaped,0,8,0,,first,hot,54.5,6,0,1,1,1,0,0\n"
                    "shaped,8,60,0-1,,never,never,0.0,0,0,0,0,0,0,18\n"
                    "shaped,68,2,1,,cold,cold,9.1,1,0,1,0,0,1,16\n"
                    "shaped,70,2,1,,(hole),,,,,,,,,\n"
                    "shaped,72,8,1,,last,hot,36.4,0,4,1,1,1,0,8\n");
        g_autoptr(GString) text = g_string_new(NULL);
        cacheray_type_layouts_propose(l, text);
        assert_non_null(strstr(text->str, "# cache lines of hot members: 1 instead of 2\n"));
        assert_non_null(strstr(text->str, "struct shaped=first,0;last,8;cold,16;never,18;sizeof,80\n"));
    }
    finish(l, a);
    temporary_drop(simulated);
}

/* An access between members counts there; one to several counts for each. */
static void test_several(void **state)
{
    (void)state;
    cacheray_analysis *a = open_analysis(own_program(), "");
    void *l = begin();
    if (!cacheray_analysis_problems(a).no_members) {
        add_region(l, a, BASE, sizeof(struct shaped), "struct.shaped");
        cacheray_tapped v = access_to(CACHERAY_WRITE, BASE + 66, 1);
        count(l, a, v, NULL, true); /* never, cold, the hole, last */
        v.address = BASE + 70;
        v.size = 1;
        count(l, a, v, NULL, true);
        expect_text(counting_rows(&cacheray_type_layouts_counted, l, &shown), "shaped,,80,0-1,,*,,100.0,0,2,1,,,0,\n"
                                                                              "shaped,0,8,0,,first,never,0.0,0,0,0,,,0,\n"
                                                                              "shaped,8,60,0-1,,never,hot,50.0,0,1,1,,,0,\n"
                                                                              "shaped,68,2,1,,cold,hot,50.0,0,1,1,,,0,\n"
                                                                              "shaped,70,2,1,,(hole),,50.0,0,1,1,,,0,\n"
                                                                              "shaped,72,8,1,,last,hot,50.0,0,1,1,,,0,\n");
    }
    finish(l, a);
}

/* Without a program, structs have a row each, and nothing else has one. */
static void test_unknown(void **state)
{
    (void)state;
    cacheray_analysis *a = open_analysis("", "");
    void *l = begin();
    assert_false(cacheray_type_layouts_unknown(l));
    add_some(l, a);
    add_region(l, a, BASE + 0x800, 4, "i32");
    count(l, a, access_to(CACHERAY_READ, BASE + 0x800, 1), NULL, false);
    add_region(l, a, BASE + 0x900, 8, "class.other");
    count(l, a, access_to(CACHERAY_READ, BASE + 0x900, 1), NULL, true);
    assert_true(cacheray_type_layouts_unknown(l));
    expect_text(counting_rows(&cacheray_type_layouts_counted, l, &shown), "shaped,,,,,(not known),,100.0,7,4,2,,,1,\n"
                                                                          "other,,,,,(not known),,100.0,1,0,1,,,0,\n");
    g_autoptr(GString) text = g_string_new(NULL);
    cacheray_type_layouts_propose(l, text);
    assert_string_equal(text->str, "");
    finish(l, a);
}

static void test_no_room(void **state)
{
    (void)state;
    enum { TYPES = 40000 };
    cacheray_analysis *a = open_analysis("", "");
    void *l = begin();
    unsigned counted_types = 0;
    for (unsigned i = 0; i < TYPES; i++) {
        g_autofree char *name = g_strdup_printf("struct.t%u", i);
        add_region(l, a, BASE + 64 * i, 8, name);
        counted_types += count_if(l, a, access_to(CACHERAY_READ, BASE + 64 * i, 1), NULL);
    }
    rows *r = counting_rows(&cacheray_type_layouts_counted, l, &shown);
    assert_in_range(counted_types, 32000, 33000);
    assert_int_equal(rows_length(r), counted_types);
    assert_non_null(r->missing);
    rows_free(r);
    finish(l, a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_several),
                                       cmocka_unit_test(test_unknown), cmocka_unit_test(test_no_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
