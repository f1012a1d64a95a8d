/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that move members of structs, the layouts that follow, and proposals for such files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>

#include "cacheray/remap/proposals.h"
#include "cacheray/remap/remap.h"
#include "failed.h"
#include "temporary_file.h"
#include "util/fail.h"

/* int a; (4 bytes of padding) long b; char c[3]; d or e (1 byte) */
static struct_parts *some_parts(void)
{
    static const struct_part all[] = {
        {.shown = "a", 0, 4, 4}, {.shown = "b", 8, 8, 8}, {.shown = "c", 16, 3, 1}, {.shown = "d|e", 19, 1, 1}};
    struct_parts *p = g_new0(struct_parts, 1);
    p->size = 24;
    p->align = 8;
    p->count = G_N_ELEMENTS(all);
    p->all = g_memdup2(all, sizeof all);
    for (unsigned i = 0; i < p->count; i++) {
        p->all[i].names = g_strsplit(all[i].shown, "|", -1);
        p->all[i].shown = g_strdup(all[i].shown);
    }
    return p;
}

/* *problem: why the file is of no use, or why its first wrong line is. */
static remap *read_bytes(const char *text, size_t length, char **problem)
{
    char *path = temporary_file(text, (gssize)length);
    g_autoptr(GPtrArray) wrong = g_ptr_array_new_with_free_func(g_free);
    GError *error = NULL;
    remap *r = remap_read(path, wrong, &error);
    assert_true((r == NULL) == (error != NULL));
    *problem = fail_words(error);
    if (wrong->len)
        *problem = g_strdup(g_ptr_array_index(wrong, 0));
    temporary_drop(path);
    return r;
}

static remap *read_text(const char *text, char **problem)
{
    return read_bytes(text, strlen(text), problem);
}

static void test_parts(void **state)
{
    (void)state;
    struct_parts *p = some_parts();
    static const uint32_t at[24] = {0, 0, 0, 0, 9, 9, 9, 9, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 9, 9, 9, 9};
    uint32_t first;
    for (uint32_t i = 0; i < 24; i++) {
        assert_int_equal(parts_covered(p, i, 1, &first), at[i] != 9);
        assert_true(at[i] == 9 || first == at[i]);
    }
    assert_int_equal(parts_covered(p, 1000, 1, &first), 0);
    static const uint32_t over[][4] = {{0, 8, 1, 0},  {0, 9, 2, 0},  {2, 18, 4, 0},
                                       {4, 16, 3, 1}, {18, 2, 2, 2}, {20, 9, 0, 4}};
    for (unsigned i = 0; i < G_N_ELEMENTS(over); i++) {
        assert_int_equal(parts_covered(p, over[i][0], over[i][1], &first), over[i][2]);
        assert_int_equal(first, over[i][3]);
    }
    assert_int_equal(parts_named(p, "e"), 3);
    assert_int_equal(parts_named(p, "d"), 3);
    assert_int_equal(parts_named(p, "d|"), PARTS_NONE);
    assert_int_equal(parts_named(p, "f"), PARTS_NONE);
    parts_free(p);
}

/* As in Cacheray's testbench, with numbers as Java reads them, and our extensions. */
static void test_layout(void **state)
{
    (void)state;
    char *problem;
    remap *r = read_text("# comment\n\nstruct ns::S=b,0x0;a,010; e , 12\r\nOther=a,4;sizeof,32;alignof,64\n", &problem);
    assert_non_null(r);
    assert_null(remap_find(r, "S"));
    const remap_struct *s = remap_find(r, "ns::S");
    assert_ptr_equal(s, remap_at(r, 0));
    assert_int_equal(remap_line(s), 3);
    assert_null(remap_at(r, 2));
    struct_parts *p = some_parts();
    remap_layout *l = remap_apply(s, p, NULL);
    assert_non_null(l);
    assert_int_equal(l->new_size, 24);
    assert_int_equal(l->align, 0);
    static const uint32_t moved[] = {8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 12, 20, 21, 22, 23};
    for (uint32_t i = 0; i < 24; i++) {
        assert_int_equal(l->moved[i], moved[i]);
        assert_int_equal(remap_offset(l, 24 * 5 + i), 24 * 5 + moved[i]);
    }
    g_free(l);
    l = remap_apply(remap_find(r, "Other"), p, NULL);
    assert_int_equal(l->new_size, 32);
    assert_int_equal(l->align, 64);
    assert_int_equal(remap_offset(l, 24 * 5 + 8), 32 * 5 + 8);
    assert_int_equal(remap_length(l, 24 * 5), 32 * 5);
    assert_int_equal(remap_length(l, 24 * 5 + 1), 32 * 6);
    g_free(l);
    parts_free(p);
    remap_free(r);
}

static void test_bad_layouts(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"S=a,8", "'b' would overlap 'a'"},
        {"S=x,8", "it has no member 'x'"},
        {"S=d,20;e,21", "'e' would be in two places"},
        {"S=b,20", "'b' would end at 28, beyond the struct of 24 bytes (add sizeof)"},
        {"S=b,1048576;sizeof,1048576", "'b' would end at 1048584, beyond the struct of 1048576 bytes (add sizeof)"},
        {"S=sizeof,1", "'a' would end at 4, beyond the struct of 1 bytes (add sizeof)"},
    };
    struct_parts *p = some_parts();
    for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
        char *problem;
        remap *r = read_text(bad[i][0], &problem);
        assert_non_null(r);
        GError *error = NULL;
        assert_null(remap_apply(remap_at(r, 0), p, &error));
        assert_failed(&error, bad[i][1]);
        remap_free(r);
    }
    parts_free(p);
}

/* A bad line is left out with its number; all others count. */
static void test_bad_lines(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"S", "line 1: it is not 'struct NAME=member,offset;...'"},
        {"\n=a,1", "line 2: it names no struct"},
        {"S=a", "line 1: 'a' is not 'member,offset'"},
        {"S=,1", "line 1: ',1' is not 'member,offset'"},
        {"S=a,", "line 1: 'a,' needs a number of at most 1048576 bytes"},
        {"S=a,-1", "line 1: 'a,-1' needs a number of at most 1048576 bytes"},
        {"S=a,99999999999999999999", "line 1: 'a,99999999999999999999' needs a number of at most 1048576 bytes"},
        {"S=a,1048577", "line 1: 'a,1048577' needs a number of at most 1048576 bytes"},
        {"S=a\x1b,1x", "line 1: 'a?,1x' needs a number of at most 1048576 bytes"},
        {"S=sizeof,0", "line 1: 'sizeof,0' must not be 0"},
        {"S=alignof,48", "line 1: 'alignof,48' must be a power of two up to 4096"},
        {"S=alignof,8192", "line 1: 'alignof,8192' must be a power of two up to 4096"},
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
        char *problem;
        g_autofree char *text = g_strconcat(bad[i][0], "\nT=b,4\n", NULL);
        remap *r = read_text(text, &problem);
        assert_string_equal(problem, bad[i][1]);
        assert_string_equal(remap_name(remap_at(r, 0)), "T");
        assert_null(remap_at(r, 1));
        g_free(problem);
        remap_free(r);
    }
}

static void test_bad_files(void **state)
{
    (void)state;
    char *problem;
    remap_free(read_text("S=a,0\n#\nS=b,8\n", &problem));
    assert_string_equal(problem, "line 3: line 1 is about this struct, too");
    g_free(problem);
    assert_null(read_bytes("S=a\0,1", 6, &problem));
    assert_string_equal(problem, "it is not a text file");
    g_free(problem);
    GError *error = NULL;
    assert_null(remap_read("/none/remap", NULL, &error));
    assert_failed(&error, "No such file or directory");
    GString *many = g_string_new(NULL);
    for (unsigned i = 0; i <= REMAP_STRUCTS_MAX; i++)
        g_string_append_printf(many, "S%u=a,0\n", i);
    remap_free(read_text(many->str, &problem));
    assert_string_equal(problem, "line 257: it is about the 257th struct");
    g_free(problem);
    g_string_assign(many, "S=");
    for (unsigned i = 0; i <= REMAP_MEMBERS_MAX; i++)
        g_string_append_printf(many, "a,0;");
    remap_free(read_text(many->str, &problem));
    assert_string_equal(problem, "line 1: 'a,0' is the 4097th member");
    g_free(problem);
    g_string_free(many, TRUE);
}

/* Every cut of a sound file is read, or refused with a reason. */
static void test_cuts(void **state)
{
    (void)state;
    static const char text[] = "# c\nstruct S=b,0x0;a,010;sizeof,32;alignof,64\nclass T=x,1\n";
    for (size_t length = 0; length < sizeof text; length++) {
        char *problem;
        remap_free(read_bytes(text, length, &problem));
        g_free(problem);
    }
}

/* --- proposals --------------------------------------------------------------------------------------------------------- */

/* Everything that is proposed. */
static char *written(proposals *p)
{
    GString *text = g_string_new(NULL);
    g_autoptr(GPtrArray) made = proposals_made(p);
    for (guint i = 0; i < made->len; i++) {
        const proposal *one = g_ptr_array_index(made, i);
        g_string_append_printf(text, "%s%s%s\n", one->reasons, one->order, one->line);
    }
    proposals_free(p);
    return g_string_free(text, FALSE);
}

static const char dense[] = "# in this order: b, a, c, d|e\nstruct S=b,0;a,8;c,12;d,15;sizeof,16\n";

/* Two threads write two members of one struct in turn; a third member is used with the second one. */
static void test_conflicts(void **state)
{
    (void)state;
    proposals *p = proposals_new(64, 4);
    assert_int_equal(proposals_add(p, "S", some_parts(), some_parts()), 1);
    for (unsigned i = 0; i < 100; i++) {
        proposals_count(p, &(proposals_access){1, 64, 64, 1, 0, 0, 0, true, i > 0});
        proposals_count(p, &(proposals_access){2, 72, 64, 1, 1, 0, 0, true, true});
        proposals_count(p, &(proposals_access){2, 80, 64, 1, 2, 0, 0, false, false});
    }
    g_autofree char *text = written(p);
    static const char because[] =
        "# a and b conflict 100 times\n# a and c conflict 99 times\n# most used together: b and c, 396 times\n";
    g_autofree char *want = g_strconcat(
        because, "# in this order: a, d|e, b, c\nstruct S=a,0;d,4;b,8;c,16;sizeof,24\n", because,
        "# 128 instead of 24 bytes\n# with alignas(64), in this order: a, d|e, alignas(64) b, c\n"
        "struct S=a,0;d,4;b,64;c,72;sizeof,128;alignof,64\n",
        because, "# 16 instead of 24 bytes\n", dense, NULL);
    assert_string_equal(text, want);
}

/* An access to two members conflicts with all that the other thread's access covers, and uses them together. */
static void test_several(void **state)
{
    (void)state;
    proposals *p = proposals_new(64, 1);
    proposals_add(p, "S", some_parts(), some_parts());
    for (unsigned i = 0; i < 50; i++) {
        proposals_count(
            p, &(proposals_access){
                   .thread = 1, .address = 64, .item = 64, .type = 1, .more = 1, .write = true, .contended = i > 0});
        proposals_count(
            p,
            &(proposals_access){
                .thread = 2, .address = 80, .item = 64, .type = 1, .part = 2, .more = 1, .write = true, .contended = true});
    }
    g_autofree char *text = written(p);
    assert_true(g_str_has_prefix(text, "# a and c conflict 99 times\n# a and d|e conflict 99 times\n"
                                       "# b and c conflict 99 times\n# b and d|e conflict 99 times\n"
                                       "# most used together: a and b, 148 times\n"));
}

/* Neighbours conflict: each struct gets a line. Members that are used together do not change. */
static void test_neighbours(void **state)
{
    (void)state;
    proposals *p = proposals_new(64, 16);
    proposals_add(p, "S", some_parts(), some_parts());
    for (unsigned i = 0; i < 100; i++)
        proposals_count(p, &(proposals_access){i % 2, 64 + 24 * (i % 2), 64 + 24 * (i % 2), 1, 0, 0, 0, true, i > 0});
    g_autofree char *text = written(p);
    assert_true(g_str_has_prefix(text,
                                 "# different structs conflict 99 times: each gets whole lines\n# 64 instead of 24 bytes\n"
                                 "# with alignas(64), in this order: a, b, c, d|e\n"
                                 "struct S=a,0;b,8;c,16;d,19;sizeof,64;alignof,64\n"));
}

/* Without conflicts: what is used together, and the order with the fewest gaps. */
static void test_order(void **state)
{
    (void)state;
    proposals *p = proposals_new(64, 16);
    proposals_add(p, "S", some_parts(), some_parts());
    for (unsigned i = 0; i < 100; i++)
        for (uint32_t which = 1; which <= 2; which++)
            proposals_count(p, &(proposals_access){.item = 640, .type = 1, .part = which});
    g_autofree char *text = written(p);
    g_autofree char *want = g_strconcat("# most used together: b and c, 1536 times\n# in this order: b, c, a, d|e\n"
                                        "struct S=b,0;c,8;a,12;d,16;sizeof,24\n"
                                        "# most used together: b and c, 1536 times\n# 64 instead of 24 bytes\n"
                                        "# with alignas(64), in this order: b, c, a, d|e\n"
                                        "struct S=b,0;c,8;a,12;d,16;sizeof,64;alignof,64\n"
                                        "# most used together: b and c, 1536 times\n# 16 instead of 24 bytes\n",
                                        dense, NULL);
    assert_string_equal(text, want);
}

/* Parts that stay are first; bit-fields begin where no padding is before them. */
static void test_places(void **state)
{
    (void)state;
    struct_parts *p = some_parts();
    uint32_t offsets[4], size;
    static const uint32_t orders[][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {3, 2, 0, 1}};
    static const uint32_t want[][5] = {{0, 8, 16, 19, 24}, {8, 0, 12, 15, 16}, {4, 8, 1, 0, 16}};
    for (unsigned i = 0; i < 3; i++) {
        assert_true(parts_place(p, orders[i], NULL, 1, offsets, &size));
        assert_memory_equal(offsets, want[i], sizeof offsets);
        assert_int_equal(size, want[i][4]);
    }
    p->all[0].bits = true;
    assert_true(parts_place(p, orders[2], NULL, 1, offsets, &size));
    p->all[1].size = 7;
    assert_false(parts_place(p, orders[1], NULL, 1, offsets, &size));
    p->all[1].bits = true; /* two in sequence are packed */
    assert_false(parts_place(p, orders[0], NULL, 1, offsets, &size));
    p->all[0].bits = p->all[1].bits = false;
    p->all[0].fixed = true;
    assert_false(parts_place(p, orders[1], NULL, 1, offsets, &size));
    parts_free(p);
    p = some_parts();
    p->all[0].fixed = p->all[0].implicit = true;
    proposals *made = proposals_new(64, 16);
    proposals_add(made, "S", p, some_parts());
    proposals_count(made, &(proposals_access){.type = 1, .part = 2});
    g_autofree char *text = written(made);
    assert_true(g_str_has_prefix(text, "# in this order: c, b, d|e\nstruct S=c,4;b,8;d,16;sizeof,24\n"));
}

/* Structs that are too large get no proposal, and other accesses are none of its business. */
static void test_limits(void **state)
{
    (void)state;
    proposals *p = proposals_new(64, 1);
    struct_parts *large = some_parts();
    large->size = PROPOSALS_SIZE_MAX + 1;
    assert_int_equal(proposals_add(p, "S", large, some_parts()), 0);
    assert_int_equal(proposals_add(p, "S", NULL, some_parts()), 0);
    for (unsigned i = 0; i < PROPOSALS_STRUCTS_MAX; i++)
        assert_int_equal(proposals_add(p, "S", some_parts(), some_parts()), i + 1);
    assert_int_equal(proposals_add(p, "S", some_parts(), some_parts()), 0);
    for (unsigned i = 0; i < 1000; i++)
        proposals_count(p, &(proposals_access){.thread = i, .line = i, .type = i % 2, .contended = true});
    g_autoptr(GPtrArray) made = proposals_made(p);
    assert_int_equal(((const proposal *)g_ptr_array_index(made, 0))->accesses, 500);
    proposals_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),      cmocka_unit_test(test_layout),    cmocka_unit_test(test_bad_layouts),
        cmocka_unit_test(test_bad_files),  cmocka_unit_test(test_bad_lines), cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_conflicts),  cmocka_unit_test(test_several),   cmocka_unit_test(test_places),
        cmocka_unit_test(test_neighbours), cmocka_unit_test(test_order),     cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
