/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of the types below, as this program's own debug information tells them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>

#include "cacheray/members.h"
#include "elf_image.h"

struct inner {
    char first;
    int second; /* after three bytes of padding */
};

typedef struct {
    float x, y;
} anonymous_point;

struct outer {
    long id;                 /* 0 */
    struct inner pairs[2];   /* 8, 16 */
    short grid[2][3];        /* 24 */
    union {                  /* 36 */
        int whole;
        unsigned char parts[4];
        struct {
            short low, high;
        };
    };
    unsigned small : 3, middle : 7, large : 10; /* 40 */
    const volatile anonymous_point point;       /* 44 */
    struct outer *next;                         /* 56 */
};

struct flexible {
    int length;
    struct inner items[];
};

static struct outer used_outer;
static struct flexible *used_flexible;
static members *all;

static int open_self(void **state)
{
    (void)state;
    const char *reason;
    all = members_open("/proc/self/exe", &reason);
    used_outer.next = (void *)used_flexible; /* types that nothing uses are not described */
    return 0;
}

static int close_self(void **state)
{
    (void)state;
    members_close(all);
    return 0;
}

static void expect(const char *type, uint32_t elem_size, uint32_t offset, const char *member)
{
    uint32_t number = members_type(all, type, elem_size);
    assert_int_not_equal(number, 0);
    assert_string_equal(members_at(all, number, offset), member);
    assert_string_equal(members_at(all, number, offset), member); /* as known now */
}

#define NEEDS_DEBUG_INFORMATION                                                                                        \
    if (!all)                                                                                                          \
    skip()

static void test_members(void **state)
{
    (void)state;
    NEEDS_DEBUG_INFORMATION;
    const uint32_t size = sizeof(struct outer);
    expect("struct.outer", size, 0, "id");
    expect("struct.outer", size, 7, "id");
    expect("struct.outer", size, 8, "pairs[0].first");
    expect("struct.outer", size, 9, "<padding>");
    expect("struct.outer", size, 20, "pairs[1].second");
    expect("struct.outer", size, 24, "grid[0][0]");
    expect("struct.outer", size, 34, "grid[1][2]");
    expect("struct.outer", size, offsetof(struct outer, whole), "whole|parts[0]|low");
    expect("struct.outer", size, offsetof(struct outer, whole) + 3, "whole|parts[3]|high");
    expect("struct.outer", size, 40, "small|middle");
    expect("struct.outer", size, 41, "middle|large");
    expect("struct.outer", size, 42, "large");
    expect("struct.outer", size, 43, "<padding>");
    expect("struct.outer", size, offsetof(struct outer, point) + 4, "point.y");
    expect("struct.outer", size, offsetof(struct outer, next), "next");
}

static void test_names(void **state)
{
    (void)state;
    NEEDS_DEBUG_INFORMATION;
    expect("struct.inner", 8, 4, "second");
    expect("struct.inner.12", 8, 4, "second");
    expect("%struct.inner*", 8, 4, "second");
    expect("inner", 8, 4, "second");
    expect("struct.anonymous_point", 8, 4, "y");
    assert_int_equal(members_type(all, "struct.unheard_of", 8), 0);
    assert_int_equal(members_type(all, "", 8), 0);
    assert_int_equal(members_type(all, "i32*", 4), 0);
    assert_int_equal(members_type(all, "%struct.inner**", 8), 0);
}

/* One allocation for many elements; one that no number of elements fills; a flexible array. */
static void test_strides(void **state)
{
    (void)state;
    NEEDS_DEBUG_INFORMATION;
    expect("struct.inner", 80, 76, "second");
    expect("struct.inner", 81, 76, "<padding>");
    expect("struct.flexible", 44, 0, "length");
    expect("struct.flexible", 44, 40, "items[4].second");
}

static void test_useless(void **state)
{
    (void)state;
    const char *reason = NULL;
    assert_null(members_open("/dev/null", &reason));
    assert_non_null(reason);
    reason = NULL;
    assert_null(members_open("captures/cacheray/orders.trace", &reason));
    assert_non_null(reason);
}

/* A compile unit with one struct, whose name is the last thing in its section and does not end. */
static void test_endless_name(void **state)
{
    (void)state;
    static const uint8_t abbreviations[] = {1, 0x11, 1, 0, 0, 2, 0x13, 0, 0x03, 0x08, 0, 0, 0};
    static const uint8_t entries[] = {16, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1, 2, 'e', 'n', 'd', 'l', 'e', 's', 's'};
    const char *reason;
    char *folder = scratch_folder(), *path = g_build_filename(folder, "endless", NULL);
    image im = image_begin(true, false, EM_X86_64, ET_EXEC);
    image_section(&im, ".debug_abbrev", SHT_PROGBITS, 0, 0,
                  g_byte_array_append(g_byte_array_new(), abbreviations, sizeof abbreviations));
    image_section(&im, ".debug_info", SHT_PROGBITS, 0, 0,
                  g_byte_array_append(g_byte_array_new(), entries, sizeof entries));
    image_write(&im, path);
    members *m = members_open(path, &reason);
    assert_non_null(m);
    assert_int_equal(members_type(m, "struct.endless", 8), 0);
    members_close(m);
    g_free(path);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_useless),
        cmocka_unit_test(test_endless_name),
    };
    return cmocka_run_group_tests(tests, open_self, close_self);
}
