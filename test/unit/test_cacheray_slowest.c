/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data with the most slow accesses: rows by hand, elements, without caches, without room, and merged. */
#include "access_member.h"
#include "cacheray_statistics.h"
#include "counting.h"

#include "cacheray/statistics/slowest.h"

static const char usual[] = "top:100";
static uint32_t place;

static uint32_t frame_of(uint32_t at)
{
    return at > 1 ? 100 + at : 0;
}

/* `level`: that has the data; -1: there are no caches. */
static cacheray_tapped access_of(uint8_t kind, uint64_t address, uint64_t thread, const char *type, const char *member,
                                 int level)
{
    cacheray_tapped v = access_to(kind, address, thread);
    v.type = type;
    access_member(&v, member);
    v.has_cache = level >= 0;
    v.cache.level = level > 0 ? (uint8_t)level : 0;
    return v;
}

static void add(void *s, cacheray_tapped v)
{
    assert_int_equal(counting_add(&cacheray_slowest_counted, s, &v, ++place), v.is_access);
}

static const cacheray_display shown = {.line_size = 64, .frame_of = frame_of};

static void *begin(const char *words)
{
    return counting_begin(&cacheray_slowest_counted, words, &shown);
}

static rows *filled(void *s)
{
    return counting_rows(&cacheray_slowest_counted, s, &shown);
}

static const char order[] = "struct.order", price[] = "price", first[] = "tag[0]", second[] = "tag[1]";

/* Line 0: two threads, one of which writes; the third access misses and is contended, which counts once. Line 64: one
 * thread, a miss. */
static void add_orders(void *s, bool cached)
{
    place = 0;
    add(s, access_of(CACHERAY_WRITE, 0, 1, order, price, cached ? 0 : -1));
    add(s, access_of(CACHERAY_READ, 8, 2, order, first, cached ? 1 : -1));  /* contended */
    add(s, access_of(CACHERAY_WRITE, 0, 1, order, price, cached ? 0 : -1)); /* contended */
    add(s, access_of(CACHERAY_WRITE, 8, 1, order, second, cached ? 2 : -1));
    add(s, access_of(CACHERAY_READ, 0, 2, order, price, cached ? 1 : -1)); /* contended */
    add(s, access_of(CACHERAY_READ, 64, 3, NULL, NULL, cached ? 0 : -1));
    add(s, access_of(CACHERAY_READ, 128, 3, "i32", NULL, cached ? 1 : -1));
    add(s, (cacheray_tapped){.kind = CACHERAY_RTTA_ADD, .type = order});
}

static void by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *words, *expected;
    } cases[] = {{usual, "3,60.0,2,2,3,2,,struct.order,,price\n"
                         "1,20.0,0,1,2,1,102,struct.order,,tag[]\n"
                         "1,20.0,1,0,1,1,106,(not annotated),,\n"},
                 {"top:1,sort:first", "1,20.0,1,0,1,1,106,(not annotated),,\n"},
                 {"top:1,sort:+missed", "1,20.0,0,1,2,1,102,struct.order,,tag[]\n"}};
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        void *s = begin(cases[i].words);
        add_orders(s, true);
        expect_text(filled(s), cases[i].expected);
        cacheray_slowest_counted.free(s);
    }
}

static void without_caches(void **state)
{
    (void)state;
    void *s = begin(usual);
    expect_text(filled(s), "");
    add_orders(s, false);
    expect_text(filled(s), "2,66.7,,2,3,2,103,struct.order,,price\n"
                           "1,33.3,,1,2,1,102,struct.order,,tag[]\n");
    cacheray_slowest_counted.free(s);
}

/* Of an array of structs, and in a struct. One access touches two lines, and is contended in the second. */
static void elements(void **state)
{
    (void)state;
    for (unsigned apart = 0; apart < 2; apart++) {
        void *s = begin(apart ? "elements,top:100" : usual);
        place = 0;
        for (uint32_t i = 0; i < 3; i++) {
            cacheray_tapped v = access_of(CACHERAY_WRITE, i ? 56 : 68, i, order, i == 2 ? second : first, -1);
            v.many = true;
            v.index = i / 2;
            v.size = 16;
            add(s, v);
        }
        if (apart)
            expect_text(filled(s), "1,50.0,,1,2,1,102,struct.order,0,tag[0]\n"
                                   "1,50.0,,1,1,1,103,struct.order,1,tag[1]\n");
        else
            expect_text(filled(s), "2,100.0,,2,3,2,102,struct.order,,tag[]\n");
        cacheray_slowest_counted.free(s);
    }
}

static rows *no_room_for(const char *words)
{
    enum { ELEMENTS = 100000 };
    void *s = begin(words);
    place = 0;
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        cacheray_tapped v = access_of(CACHERAY_READ, 64 * i, 1, order, NULL, 0);
        v.many = true;
        v.index = i;
        add(s, v);
    }
    rows *r = filled(s);
    cacheray_slowest_counted.free(s);
    return r;
}

static void no_room(void **state)
{
    (void)state;
    rows *all = no_room_for("elements,all");
    assert_true(rows_length(all) >= 32000 && rows_length(all) <= 35000);
    const uint64_t others = 100000 - (rows_length(all) - 1);
    rows_free(all);
    rows *r = no_room_for("elements,top:1,sort:accesses");
    assert_string_equal(rows_at(r, 0)[CACHERAY_SLOWEST_TYPE].text, TEXT_OTHERS);
    assert_int_equal(rows_at(r, 0)[CACHERAY_SLOWEST_MISSED].number, others);
    rows_free(r);
}

/* Elements of an array are one row, however many there are, and what comes after them has one, too. */
static void array(void **state)
{
    (void)state;
    enum { MANY = 60000 };
    void *s = begin(usual);
    g_autoptr(GStringChunk) names = g_string_chunk_new(4096);
    for (unsigned i = 0; i < MANY; i++) {
        g_autofree char *name = g_strdup_printf("a[%u]", i);
        add(s, access_of(CACHERAY_WRITE, 4 * i, 1, "struct.big", g_string_chunk_insert(names, name), 0));
    }
    add(s, access_of(CACHERAY_WRITE, 0, 2, "struct.big", "hot", 0));
    rows *r = filled(s);
    assert_null(r->missing);
    assert_int_equal(rows_length(r), 2);
    assert_int_equal(rows_at(r, 0)[CACHERAY_SLOWEST_ACCESSES].number, MANY);
    assert_string_equal(rows_at(r, 1)[CACHERAY_SLOWEST_MEMBER].text, "hot");
    rows_free(r);
    cacheray_slowest_counted.free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(without_caches),
                                       cmocka_unit_test(elements), cmocka_unit_test(array), cmocka_unit_test(no_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
