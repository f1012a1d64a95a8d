/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Contended accesses and misses before and after members are moved: sums by hand. */
#include "cacheray_statistics.h"
#include "counting.h"

#include "cacheray/statistics/whatif.h"
#include "own_program.h"
#include "temporary_file.h"

#define BASE UINT64_C(0x1000)

struct twin {
    int64_t left, right; /* 16 bytes */
};
struct twin twins[4]; /* not static, or the compiler may leave them out */

static cacheray_options options(const char *binary, const char *moves, const char *simulated)
{
    return (cacheray_options){.layout = G_BYTE_ORDER == G_BIG_ENDIAN ? (sizeof(void *) == 8 ? CACHERAY_BE64 : CACHERAY_BE32)
                                                                     : (sizeof(void *) == 8 ? CACHERAY_LE64 : CACHERAY_LE32),
                              .annotations = true,
                              .line_size = 64,
                              .binary = binary,
                              .load_bias = "",
                              .caches = simulated,
                              .remap = moves};
}

static const cacheray_analysis *analysis;

static const cacheray_analysis *analysis_now(void)
{
    return analysis;
}

static cacheray_whatif *begin(const cacheray_analysis *a)
{
    analysis = a;
    return counting_begin(&cacheray_whatif_counted, "", &(cacheray_display){.analysis = analysis_now, .line_size = 64});
}

static rows *filled(cacheray_whatif *w)
{
    return counting_rows(&cacheray_whatif_counted, w, NULL);
}

static void count(cacheray_whatif *w, cacheray_analysis *a, cacheray_tapped v, const char *type)
{
    static uint32_t number;
    v.name = type;
    v.name_length = type ? (int)strlen(type) : 0;
    cacheray_analysis_visit(a, ++number, &v);
    assert_int_equal(counting_add(&cacheray_whatif_counted, w, &v, 0), v.is_access);
}

/* A region of structs, for whose members two threads contend, and an access elsewhere. */
static void count_some(cacheray_whatif *w, cacheray_analysis *a)
{
    count(w, a, (cacheray_tapped){.kind = CACHERAY_RTTA_ADD, .address = BASE, .region = {.elem_size = 16, .elem_count = 4}},
          "struct.twin");
    for (unsigned i = 0; i < 4; i++) /* all but the first are contended, if both are in one line */
        count(w, a, access_to(CACHERAY_WRITE, BASE + 8 * (i % 2), 1 + i % 2), NULL);
    count(w, a, access_to(CACHERAY_READ, BASE + 0x400, 1), NULL);
}

/* Without anything else: the same afterwards, no misses, and no proposals. */
static void test_as_traced(void **state)
{
    (void)state;
    const cacheray_options o = options("", "", "");
    cacheray_analysis *a = cacheray_analysis_new(&o);
    cacheray_whatif *w = begin(a);
    expect_text(filled(w), "");
    count_some(w, a);
    expect_text(filled(w), "struct.twin,4,3,3,,,,\n"
                           "(not annotated),1,0,0,,,,\n"
                           "(all),5,3,3,,,,\n");
    g_autoptr(GString) text = g_string_new(NULL);
    assert_int_equal(cacheray_whatif_propose(w, text), 0);
    assert_false(cacheray_whatif_remaps(w));
    cacheray_whatif_counted.free(w);
    cacheray_analysis_free(a);
}

/* The second member gets a line of its own: nothing is contended, and one more line is loaded. */
static void test_moved(void **state)
{
    (void)state;
    twins[1].left = 1; /* unused types have no debug information */
    char *moved = temporary_file("struct twin=right,64;sizeof,128;alignof,64\n", -1),
         *simulated = temporary_file("{\"caches\":[{\"name\":\"L\",\"cache_size\":10,\"block_size\":6,\"write_policy\":0,"
                                     "\"set_assoc\":4,\"rep_policy\":0}]}",
                                     -1);
    const cacheray_options o = options(own_program(), moved, simulated);
    cacheray_analysis *a = cacheray_analysis_new(&o);
    cacheray_whatif *w = begin(a);
    if (cacheray_analysis_problems(a).no_members) {
        cacheray_whatif_counted.free(w);
        cacheray_analysis_free(a);
        skip();
    }
    count_some(w, a);
    assert_null(cacheray_analysis_problems(a).remap);
    assert_true(cacheray_whatif_remaps(w));
    expect_text(filled(w), "struct.twin,4,3,0,1,2,1,2\n"
                           "(not annotated),1,0,0,1,1,1,1\n"
                           "(all),5,3,0,2,3,2,3\n");
    g_autoptr(GString) text = g_string_new(NULL);
    assert_int_equal(cacheray_whatif_propose(w, text), 1);
    assert_non_null(strstr(text->str, "# left and right conflict 3 times\n"));
    assert_non_null(strstr(text->str, "struct twin=left,0;right,64;sizeof,128;alignof,64\n"));
    cacheray_whatif_counted.free(w);
    cacheray_analysis_free(a);
    temporary_drop(moved);
    temporary_drop(simulated);
}

/* An access to two members that are moved apart is one to each of them. */
static void test_wide(void **state)
{
    (void)state;
    twins[1].left = 1;
    char *moved = temporary_file("struct twin=right,64;sizeof,128;alignof,64\n", -1);
    const cacheray_options o = options(own_program(), moved, "");
    cacheray_analysis *a = cacheray_analysis_new(&o);
    cacheray_whatif *w = begin(a);
    const bool known = !cacheray_analysis_problems(a).no_members;
    count(w, a, (cacheray_tapped){.kind = CACHERAY_RTTA_ADD, .address = BASE, .region = {.elem_size = 16, .elem_count = 4}},
          "struct.twin");
    for (unsigned i = 0; i < 4; i++) {
        cacheray_tapped v = access_to(CACHERAY_WRITE, BASE + 8 * (i % 2), 1 + i % 2);
        v.size = i % 2 ? 8 : 16;
        count(w, a, v, NULL);
    }
    if (known)
        expect_text(filled(w), "struct.twin,4,3,3,,,,\n(all),4,3,3,,,,\n");
    g_autoptr(GString) text = g_string_new(NULL);
    cacheray_whatif_propose(w, text);
    assert_null(strstr(text->str, "struct twin=left,0;right,64")); /* they conflict all the same */
    cacheray_whatif_counted.free(w);
    cacheray_analysis_free(a);
    temporary_drop(moved);
}

/* Beyond ten thousand names all are counted together. */
static void test_full(void **state)
{
    (void)state;
    enum { ROOM = 10000, MANY = ROOM + 5 };
    const cacheray_options o = options("", "", "");
    cacheray_analysis *a = cacheray_analysis_new(&o);
    cacheray_whatif *w = begin(a);
    for (uint64_t i = 0; i < MANY; i++) {
        g_autofree char *name = g_strdup_printf("type%u", (unsigned)i);
        count(w, a,
              (cacheray_tapped){
                  .kind = CACHERAY_RTTA_ADD, .address = BASE + 64 * i, .region = {.elem_size = 8, .elem_count = 1}},
              name);
        count(w, a, access_to(CACHERAY_READ, BASE + 64 * i, 1), NULL);
    }
    rows *r = filled(w);
    assert_int_equal(rows_length(r), ROOM + 2);
    assert_string_equal(rows_at(r, 0)[CACHERAY_WHATIF_TYPE].text, TEXT_OTHERS);
    assert_int_equal(rows_at(r, 0)[CACHERAY_WHATIF_ACCESSES].number, MANY - ROOM);
    assert_int_equal(rows_at(r, ROOM + 1)[CACHERAY_WHATIF_ACCESSES].number, MANY);
    rows_free(r);
    cacheray_whatif_counted.free(w);
    cacheray_analysis_free(a);
}

static void test_within(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        unsigned within;
    } cases[] = {{"", PROPOSALS_WITHIN}, {"within:7", 7}, {"within:256", 256}, {"within:257", 0}, {"within:x", 0}};
    const counted *c = &cacheray_whatif_counted;
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        statistic_words words = {0};
        const char *arguments = cases[i].words;
        assert_true(statistic_words_take(&words, c->words, c->columns, c->column_count, &arguments, NULL));
        assert_int_equal(cacheray_whatif_within(&words), cases[i].within);
        statistic_words_clear(&words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_traced), cmocka_unit_test(test_moved),
                                       cmocka_unit_test(test_wide), cmocka_unit_test(test_full),
                                       cmocka_unit_test(test_within)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
