/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses by type and member: sums by hand, and what does not fit. */
#include "access_member.h"
#include "cacheray_statistics.h"
#include "counting.h"

#include "cacheray/statistics/types.h"

static cacheray_tapped access_of(uint8_t kind, const char *type, const char *member, uint64_t thread)
{
    cacheray_tapped v = access_to(kind, 0, thread);
    v.type = type;
    access_member(&v, member);
    return v;
}

static void add(void *t, cacheray_tapped v)
{
    assert_int_equal(counting_add(&cacheray_types_counted, t, &v, 0), v.is_access);
}

static rows *filled(void *t, bool coherent)
{
    return counting_rows(&cacheray_types_counted, t, &(cacheray_display){.coherent = coherent});
}

static void add_orders(void *t)
{
    static const char order[] = "struct.order", units[] = "price.units", digits[] = "price.digits", first[] = "tag[0]",
                      second[] = "tag[1]";
    cacheray_tapped atomic = access_of(CACHERAY_WRITE, order, units, 2), variable = access_of(CACHERAY_READ, NULL, NULL, 3);
    add(t, access_of(CACHERAY_READ, order, units, 1));
    atomic.atomic = true;
    add(t, atomic);
    add(t, access_of(CACHERAY_READ, order, digits, 2));
    add(t, access_of(CACHERAY_READ, order, first, 1));
    add(t, access_of(CACHERAY_WRITE, order, second, 1));
    add(t, access_of(CACHERAY_READ, "i32*", NULL, 1));
    variable.unaligned = true;
    add(t, variable);
    variable.variable = "count";
    add(t, variable);
    add(t, (cacheray_tapped){.kind = CACHERAY_RTTA_ADD, .type = order});
}

/* A sum of the type and one of the member with members of its own, each before its first part. */
static void test_sums(void **state)
{
    (void)state;
    void *t = counting_begin(&cacheray_types_counted, "", NULL);
    add_orders(t);
    expect_text(filled(t, true), "struct.order,*,3,2,1,0,2,,,,,,,40\n"
                                 "struct.order,price.*,2,1,1,0,2,,,,,,,24\n"
                                 "struct.order,price.units,1,1,1,0,2,,,,,,,16\n"
                                 "struct.order,price.digits,1,0,0,0,1,,,,,,,8\n"
                                 "struct.order,tag[],1,1,0,0,1,,,,,,,16\n"
                                 "i32*,,1,0,0,0,1,,,,,,,8\n"
                                 "(not annotated),,1,0,0,1,1,,,,,,,8\n"
                                 "variable count,,1,0,0,1,1,,,,,,,8\n");
    cacheray_types_counted.free(t);
}

/* A row per element, and one for the array. */
static void test_elements(void **state)
{
    (void)state;
    void *t = counting_begin(&cacheray_types_counted, "elements", NULL);
    add(t, access_of(CACHERAY_READ, "struct.order", "tag[0]", 1));
    add(t, access_of(CACHERAY_WRITE, "struct.order", "tag[1]", 2));
    expect_text(filled(t, true), "struct.order,*,1,1,0,0,2,,,,,,,16\n"
                                 "struct.order,tag[],1,1,0,0,2,,,,,,,16\n"
                                 "struct.order,tag[0],1,0,0,0,1,,,,,,,8\n"
                                 "struct.order,tag[1],0,1,0,0,1,,,,,,,8\n");
    cacheray_types_counted.free(t);
}

/* What compilers call a pointer to virtual functions has a dot, and is no member of a member. */
static void test_dots(void **state)
{
    (void)state;
    static const char *const names[] = {"_vptr.Left", "_vptr.Right"};
    void *t = counting_begin(&cacheray_types_counted, "", NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        cacheray_tapped v = access_of(CACHERAY_READ, "class.both", NULL, 1);
        member_search s;
        member_search_init(&s);
        member_search_enter(&s, names[i]);
        member_search_found(&s);
        access_member_found(&v, &s);
        add(t, v);
    }
    expect_text(filled(t, true), "class.both,*,2,0,0,0,1,,,,,,,16\n"
                                 "class.both,_vptr.Left,1,0,0,0,1,,,,,,,8\n"
                                 "class.both,_vptr.Right,1,0,0,0,1,,,,,,,8\n");
    cacheray_types_counted.free(t);
}

/* Rows of an earlier call stay where they are, even if a sum appears later. */
static void test_order_stays(void **state)
{
    (void)state;
    void *t = counting_begin(&cacheray_types_counted, "", NULL);
    add(t, access_of(CACHERAY_READ, "struct.a", "x", 1));
    expect_text(filled(t, true), "struct.a,x,1,0,0,0,1,,,,,,,8\n");
    add(t, access_of(CACHERAY_READ, "struct.a", "y", 2));
    for (unsigned i = 0; i < 2; i++)
        expect_text(filled(t, true), "struct.a,x,1,0,0,0,1,,,,,,,8\n"
                                     "struct.a,*,2,0,0,0,2,,,,,,,16\n"
                                     "struct.a,y,1,0,0,0,1,,,,,,,8\n");
    cacheray_types_counted.free(t);
}

/* Levels have values once a cache is simulated, and invalidations if caches are coherent. */
static void test_levels(void **state)
{
    (void)state;
    void *t = counting_begin(&cacheray_types_counted, "", NULL);
    cacheray_tapped v = access_of(CACHERAY_WRITE, "int", NULL, 1);
    v.has_cache = true;
    for (uint8_t level = 0; level <= CACHES_LEVELS; level += 2) {
        v.cache = (cache_result){.level = level, .invalidated = level};
        add(t, v);
    }
    add(t, v);
    expect_text(filled(t, true), "int,,0,4,0,0,1,0,1,0,2,1,10,32\n");
    expect_text(filled(t, false), "int,,0,4,0,0,1,0,1,0,2,1,,32\n");
    cacheray_types_counted.free(t);
}

/* What has no room counts in one row. */
static void test_full(void **state)
{
    (void)state;
    enum { MANY = 40000 };
    void *t = counting_begin(&cacheray_types_counted, "", NULL);
    g_autoptr(GStringChunk) names = g_string_chunk_new(4096);
    for (unsigned i = 0; i < MANY; i++) {
        g_autofree char *name = g_strdup_printf("type%u", i);
        add(t, access_of(CACHERAY_READ, g_string_chunk_insert(names, name), NULL, i % 2));
    }
    rows *r = filled(t, false);
    uint64_t reads = 0;
    unsigned length = rows_length(r), others = 0;
    for (unsigned row = 0; row < length; row++) {
        reads += rows_at(r, row)[CACHERAY_TYPES_READS].number;
        others += strcmp(rows_at(r, row)[CACHERAY_TYPES_TYPE].text, TEXT_OTHERS) == 0;
    }
    assert_true(length < MANY && length > MANY / 4);
    assert_int_equal(others, 1);
    assert_int_equal(reads, MANY);
    rows_free(r);
    cacheray_types_counted.free(t);
}

/* Elements of an array are one row, however many there are. */
static void test_array(void **state)
{
    (void)state;
    enum { MANY = 60000 };
    void *t = counting_begin(&cacheray_types_counted, "", NULL);
    g_autoptr(GStringChunk) names = g_string_chunk_new(4096);
    for (unsigned i = 0; i < MANY; i++) {
        g_autofree char *name = g_strdup_printf("a[%u]", i);
        add(t, access_of(CACHERAY_WRITE, "struct.big", g_string_chunk_insert(names, name), 1));
    }
    add(t, access_of(CACHERAY_WRITE, "struct.big", "hot", 1));
    rows *r = filled(t, false);
    assert_null(r->missing);
    expect_text(r, "struct.big,*,0,60001,0,0,1,,,,,,,480008\n"
                   "struct.big,a[],0,60000,0,0,1,,,,,,,480000\n"
                   "struct.big,hot,0,1,0,0,1,,,,,,,8\n");
    cacheray_types_counted.free(t);
}

static uint64_t writes_of(const rows *r, const char *type, const char *member)
{
    uint64_t writes = 0;
    for (unsigned row = 0; row < rows_length(r); row++)
        if (!strcmp(rows_at(r, row)[CACHERAY_TYPES_TYPE].text, type) &&
            !strcmp(rows_at(r, row)[CACHERAY_TYPES_MEMBER].text, member))
            writes += rows_at(r, row)[CACHERAY_TYPES_WRITES].number;
    return writes;
}

/* Without room for an element, sums and the rows that are there are still complete. */
static void test_full_elements(void **state)
{
    (void)state;
    enum { MANY = 60000 };
    void *t = counting_begin(&cacheray_types_counted, "elements", NULL);
    g_autoptr(GStringChunk) names = g_string_chunk_new(4096);
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < MANY; i++) {
            g_autofree char *name = g_strdup_printf("a[%u]", i);
            const char *kept = round || i % 2 ? name : "hot"; /* `name` may be at an address that was used */
            add(t, access_of(CACHERAY_WRITE, "struct.big", g_string_chunk_insert_const(names, kept), 1));
        }
    add(t, access_of(CACHERAY_WRITE, "struct.big", "late", 1));
    add(t, access_of(CACHERAY_WRITE, "struct.other", "late", 1));
    rows *r = filled(t, false);
    assert_string_equal(r->missing, ROWS_FIRST_COME);
    assert_int_equal(writes_of(r, "struct.big", "*"), 2 * MANY + 1);
    assert_int_equal(writes_of(r, "struct.big", "a[]"), MANY + MANY / 2);
    assert_int_equal(writes_of(r, "struct.big", "hot"), MANY / 2);
    assert_int_equal(writes_of(r, "struct.big", "a[1]"), 2);
    assert_int_equal(writes_of(r, "struct.big", "a[59998]"), 0);
    assert_true(writes_of(r, "struct.big", "a[] " TEXT_OTHERS) > 0);
    assert_int_equal(writes_of(r, "struct.big", TEXT_OTHERS), 1);
    assert_int_equal(writes_of(r, TEXT_OTHERS, ""), 1);
    rows_free(r);
    cacheray_types_counted.free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums),   cmocka_unit_test(test_elements),
                                       cmocka_unit_test(test_dots),   cmocka_unit_test(test_order_stays),
                                       cmocka_unit_test(test_levels), cmocka_unit_test(test_full),
                                       cmocka_unit_test(test_array),  cmocka_unit_test(test_full_elements)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
