/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members of the types below, from the debug information of this program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "cacheray/members/members.h"
#include "cacheray/members/members_source.h"
#include "cacheray/remap/parts.h"
#include "cacheray/remap/placing.h"
#include "elf_image.h"
#include "failed.h"
#include "own_program.h"
#include "temporary_file.h"

struct inner {
    char first;
    int second; /* after three bytes of padding */
};

typedef struct {
    float x, y;
} anonymous_point;

struct outer {
    int64_t id;            /* 0; a long has 4 bytes on 32-bit processors */
    struct inner pairs[2]; /* 8, 16 */
    short grid[2][3];      /* 24 */
    union {                /* 36 */
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
static const members_machine here = {sizeof(void *) == 8, G_BYTE_ORDER == G_BIG_ENDIAN};
static const members_machine le64 = {true, false};

static int open_self(void **state)
{
    (void)state;
    all = members_open(own_program(), &here, NULL);
    used_outer.next = (void *)used_flexible; /* unused types have no debug information */
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
    assert_string_equal(members_at(all, number, offset)->text, member);
    assert_string_equal(members_at(all, number, offset)->text, member); /* from the cache */
}

#define NEEDS_DEBUG_INFORMATION \
    if (!all) \
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

/* An allocation of many elements; one that is not a multiple of the size; a flexible array. */
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
    GError *error = NULL;
    assert_null(members_open("/dev/null", &le64, &error));
    assert_failed(&error, NULL);
    assert_null(members_open("captures/cacheray/orders.trace", &le64, &error));
    assert_failed(&error, NULL);
}

/* A compile unit with a struct whose name ends its section without a NUL. */
static void test_endless_name(void **state)
{
    (void)state;
    static const uint8_t abbreviations[] = {1, 0x11, 1, 0, 0, 2, 0x13, 0, 0x03, 0x08, 0, 0, 0};
    static const uint8_t entries[] = {16, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1, 2, 'e', 'n', 'd', 'l', 'e', 's', 's'};
    GError *error = NULL;
    char *folder = scratch_folder(), *path = g_build_filename(folder, "endless", NULL);
    image im = image_begin(true, false, EM_X86_64, ET_EXEC);
    image_section(&im, ".debug_abbrev", SHT_PROGBITS, 0, 0,
                  g_byte_array_append(g_byte_array_new(), abbreviations, sizeof abbreviations));
    image_section(&im, ".debug_info", SHT_PROGBITS, 0, 0, g_byte_array_append(g_byte_array_new(), entries, sizeof entries));
    image_write(&im, path);
    assert_null(members_open(path, &le64, &error));
    assert_failed(&error, "its debug information is damaged");
    g_free(path);
    scratch_remove(folder);
}

/* --- small files that use one name, abbreviation or table over and over ------------------------------------------------ */

/* "length(u32), version 4, abbreviations at 0, 8-byte addresses", and entries in a compile unit. */
static void add_unit(const image *im, GByteArray *info, const GByteArray *entries)
{
    image_put(im, info, 2 + 4 + 1 + entries->len, 4);
    image_put(im, info, 4, 2);
    image_put(im, info, 0, 4);
    image_put(im, info, 8, 1);
    g_byte_array_append(info, entries->data, entries->len);
}

static GByteArray *repeated(const void *bytes, guint length, unsigned times)
{
    GByteArray *b = g_byte_array_new();
    for (unsigned i = 0; i < times; i++)
        g_byte_array_append(b, bytes, length);
    return b;
}

#define BYTES(array) array, sizeof array

/* Opens a file with this many units, all with the same entries, and frees its arguments. */
static members *open_units(GByteArray *abbreviations, GByteArray *entries, unsigned units, unsigned name, GError **error)
{
    char *folder = scratch_folder(), *path = g_build_filename(folder, "units", NULL);
    image im = image_begin(true, false, EM_X86_64, ET_EXEC);
    GByteArray *info = g_byte_array_new(), *strings = repeated("a", 1, name);
    image_put(&im, strings, 0, 1);
    for (unsigned i = 0; i < units; i++)
        add_unit(&im, info, entries);
    image_section(&im, ".debug_abbrev", SHT_PROGBITS, 0, 0, abbreviations);
    image_section(&im, ".debug_info", SHT_PROGBITS, 0, 0, info);
    image_section(&im, ".debug_str", SHT_PROGBITS, 0, 0, strings);
    image_write(&im, path);
    g_byte_array_free(entries, TRUE);
    members *m = members_open(path, &le64, error);
    g_free(path);
    scratch_remove(folder);
    return m;
}

static void expect_damaged(GByteArray *abbreviations, GByteArray *entries, unsigned units, unsigned name)
{
    GError *error = NULL;
    members *m = open_units(abbreviations, entries, units, name, &error);
    assert_null(m);
    assert_failed(&error, "its debug information is damaged");
}

/* Structs, declared or complete, that all have the only string of the file as their name. */
static void test_one_name(void **state)
{
    (void)state;
    static const uint8_t declared[] = {1, 0x11, 1, 0, 0, 2, 0x13, 0, 0x03, 0x0e, 0x3c, 0x19, 0, 0, 0};
    static const uint8_t whole[] = {1, 0x11, 1, 0, 0, 2, 0x13, 0, 0x03, 0x0e, 0, 0, 0};
    static const uint8_t entry[] = {2, 0, 0, 0, 0};
    for (int i = 0; i < 2; i++) {
        GByteArray *entries = repeated(BYTES(entry), 2000);
        g_byte_array_prepend(entries, (const uint8_t *)"\1", 1);
        g_byte_array_append(entries, (const uint8_t *)"", 1);
        expect_damaged(i ? repeated(BYTES(whole), 1) : repeated(BYTES(declared), 1), entries, 1, 10000);
    }
}

/* libdw reads all attributes of each entry, even those that take no bytes in it. */
static void test_many_attributes(void **state)
{
    (void)state;
    static const uint8_t unit[] = {1, 0x11, 1, 0, 0, 2, 0x13, 0}, flag[] = {0x3c, 0x19}, entries[] = {1, 2, 0};
    for (unsigned count = 128; count <= 129; count++) {
        GByteArray *abbreviations = repeated(BYTES(unit), 1), *flags = repeated(BYTES(flag), count);
        g_byte_array_append(flags, (const uint8_t *)"\0\0", 3);
        g_byte_array_append(abbreviations, flags->data, flags->len);
        g_byte_array_free(flags, TRUE);
        if (count > 128) {
            expect_damaged(abbreviations, repeated(BYTES(entries), 1), 1, 1);
        } else {
            GError *error = NULL;
            assert_null(open_units(abbreviations, repeated(BYTES(entries), 1), 1, 1, &error));
            assert_failed(&error, "it has no type information (compile with -g, not -g1)");
        }
    }
}

/* libdw reads the table of abbreviations for each unit, up to the one it needs. */
static void test_one_table(void **state)
{
    (void)state;
    static const uint8_t unit[] = {1, 0x11, 1, 0, 0, 0}, entries[] = {1, 0};
    GByteArray *abbreviations = g_byte_array_new();
    for (unsigned code = 2; code < 2000; code++) {
        const uint8_t unused[] = {(uint8_t)(code | 0x80), (uint8_t)(code >> 7), 0x13, 0, 0, 0};
        g_byte_array_append(abbreviations, BYTES(unused));
    }
    g_byte_array_append(abbreviations, BYTES(unit));
    expect_damaged(abbreviations, repeated(BYTES(entries), 1), 200, 1);
}

/* A trace may ask for the types of one name, and for the members at one offset, again and again. */
static void test_many_questions(void **state)
{
    (void)state;
    static const uint8_t abbreviations[] = {1,    0x11, 1, 0, 0,    2,    0x24, 0, 0x0b, 0x0b, 0, 0,    3,
                                            0x13, 1,    3, 8, 0x0b, 6,    0,    0, 4,    0x0d, 0, 0x49, 0x11,
                                            0x38, 0x0b, 0, 0, 5,    0x13, 0,    3, 8,    0,    0, 0};
    static const uint8_t begin[] = {1, 2, 4, 3, 't', 0, 0, 0, 0, 0x10}, member[] = {4, 12, 0}, named[] = {5, 'u', 0};
    GByteArray *entries = repeated(BYTES(begin), 1), *some = repeated(BYTES(member), 10000);
    g_byte_array_append(some, (const uint8_t *)"", 1);
    g_byte_array_append(entries, some->data, some->len);
    g_byte_array_free(some, TRUE);
    some = repeated(BYTES(named), 20000);
    g_byte_array_append(entries, some->data, some->len);
    g_byte_array_free(some, TRUE);
    g_byte_array_append(entries, (const uint8_t *)"", 1);
    members *m = open_units(repeated(BYTES(abbreviations), 1), entries, 1, 1, NULL);
    assert_non_null(m);
    uint32_t type = members_type(m, "struct.t", 0x10000000);
    assert_int_not_equal(type, 0);
    assert_string_equal(members_at(m, type, 4)->text, "<padding>");
    for (uint32_t i = 2; i < 1200; i++)
        members_at(m, type, 4 * i);
    assert_string_equal(members_at(m, type, 4)->text, "<padding>"); /* earlier answers stay */
    assert_string_equal(members_at(m, type, 4 * 1200)->text, "(too many members)");
    assert_int_equal(members_type(m, "struct.t", 4), 0);
    for (uint32_t i = 0; i < 1000; i++) /* easy questions make up for it */
        members_type(m, "struct.absent", 1 + i);
    assert_string_equal(members_at(m, type, 4 * 1200)->text, "<padding>");
    for (uint32_t i = 1201; i < 1220; i++)
        members_at(m, type, 4 * i);
    assert_string_equal(members_at(m, type, 4 * 1220)->text, "(too many members)");
    members_close(m);
}

/* Members that all have the same array type, which libdw reads again for each: too many dimensions count as none. */
static void test_many_dimensions(void **state)
{
    (void)state;
    static const uint8_t abbreviations[] = {1, 0x11, 1,    0,    0,    2, 0x24, 0, 0x0b, 0x0b, 0,    0,    3,    0x13, 1, 3,
                                            8, 0x0b, 0x0b, 0,    0,    4, 0x0d, 0, 3,    8,    0x49, 0x11, 0x38, 0x0b, 0, 0,
                                            5, 1,    1,    0x49, 0x11, 0, 0,    6, 0x21, 0,    0x37, 0x0b, 0,    0,    0};
    static const uint8_t begin[] = {1, 2, 4, 5, 12}, dimension[] = {6, 1}, end[] = {0, 3, 't', 0, 4, 4, 'a', 0, 14, 0, 0, 0};
    for (unsigned count = 16; count <= 17; count++) {
        GByteArray *entries = repeated(BYTES(begin), 1), *some = repeated(BYTES(dimension), count);
        g_byte_array_append(entries, some->data, some->len);
        g_byte_array_append(entries, BYTES(end));
        g_byte_array_free(some, TRUE);
        members *m = open_units(repeated(BYTES(abbreviations), 1), entries, 1, 1, NULL);
        assert_non_null(m);
        uint32_t type = members_type(m, "struct.t", 4);
        assert_int_not_equal(type, 0);
        if (count == 16)
            assert_string_equal(members_at(m, type, 0)->text, "a[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]");
        else
            assert_null(strchr(members_at(m, type, 0)->text, '['));
        members_close(m);
    }
}

/* The members of the struct itself, with what shares their bytes. */
static void test_parts(void **state)
{
    (void)state;
    static const struct {
        const char *names;
        uint32_t offset, size;
    } want[] = {
        {"id", 0, 8},
        {"pairs", 8, 16},
        {"grid", 24, 12},
        {"whole|parts|low|high", 36, 4},
        {"small|middle|large", 40, 3},
        {"point", 44, 8},
        {"next", offsetof(struct outer, next), sizeof(void *)},
    };
    struct_parts *p = parts_of(all, members_type(all, "struct.outer", sizeof(struct outer)));
    assert_non_null(p);
    assert_int_equal(p->size, sizeof(struct outer));
    assert_int_equal(p->count, G_N_ELEMENTS(want));
    for (unsigned i = 0; i < p->count; i++) {
        assert_string_equal(p->all[i].shown, want[i].names);
        assert_int_equal(p->all[i].offset, want[i].offset);
        assert_int_equal(p->all[i].size, want[i].size);
    }
    parts_free(p);
}

/* Regions and variables of a struct that grows lie one after the other, behind everything. */
static void test_placing(void **state)
{
    (void)state;
    enum { SIZE = sizeof(struct outer) };
    const uint64_t beyond = UINT64_C(1) << 60;
    char *folder = scratch_folder(), *path = g_build_filename(folder, "remap", NULL);
    g_autoptr(GPtrArray) wrong = g_ptr_array_new_with_free_func(g_free);
    assert_true(g_file_set_contents(path, "struct nobody=a,1\nstruct outer=sizeof,128;alignof,64\n", -1, NULL));
    placing *p = placing_new(remap_read(path, wrong, NULL), all, wrong);
    assert_true(placing_moves(p));
    assert_int_equal(wrong->len, 1);
    assert_string_equal(g_ptr_array_index(wrong, 0), "line 1: struct nobody: the program has no such struct");
    uint32_t type = members_type(all, "struct.outer.7", 3 * SIZE);
    placing_add(p, "struct.outer.7", type, members_size(all, type), 0x1000, 3 * SIZE);
    placing_add(p, "struct.inner", members_type(all, "struct.inner", 8), 8, 0x2000, 8);
    placing_add(p, "struct.outer", type, SIZE, 0x3000, SIZE);
    placing_add(p, "struct.outer", type, SIZE, 0x1000, 3 * SIZE);
    assert_int_equal(placing_in_region(p, 1, 0x1000, 0x1000 + 2 * SIZE + 8), beyond + 2 * 128 + 8);
    assert_int_equal(placing_in_region(p, 2, 0x2000, 0x2004), 0x2004);
    assert_int_equal(placing_in_region(p, 3, 0x3000, 0x3000), beyond + 3 * 128 + 64);
    assert_int_equal(placing_in_region(p, 4, 0x1000, 0x1000), beyond); /* where it was */
    const members_variable v = {.start = 0x7100, .count = 2, .type = type, .type_name = "outer"};
    const members_variable other = {.start = 0x7100, .count = 2, .type = type, .type_name = "inner"};
    for (unsigned times = 0; times < 2; times++)
        assert_int_equal(placing_in_variable(p, &v, SIZE, 0x7100 + SIZE + 4), beyond + 10 * 64 + 128 + 4);
    assert_int_equal(placing_in_variable(p, &other, 8, 0x7104), 0x7104);
    placing_free(p);
    p = placing_new(remap_parse((char[]){"struct nobody=a,1"}, wrong), all, wrong);
    assert_false(placing_moves(p));
    placing_free(p);
    g_free(path);
    scratch_remove(folder);
}

/* Symbols that all have the only string of the file as their name. */
static void test_one_symbol_name(void **state)
{
    (void)state;
    members_variable found;
    char *folder = scratch_folder(), *path = g_build_filename(folder, "symbols", NULL);
    image im = image_begin(true, false, EM_X86_64, ET_EXEC);
    GByteArray *names = repeated("a", 1, 24000), *symbols = g_byte_array_new();
    image_put(&im, names, 0, 1);
    for (unsigned i = 0; i < 1000; i++) {
        image_put(&im, symbols, 0, 4);
        image_put(&im, symbols, STB_GLOBAL << 4 | STT_OBJECT, 1);
        image_put(&im, symbols, 0, 1);
        image_put(&im, symbols, 1, 2);
        image_put(&im, symbols, 0x5000 + 8 * i, 8);
        image_put(&im, symbols, 8, 8);
    }
    image_section(&im, ".strtab", SHT_STRTAB, 0, 0, names);
    image_section(&im, ".symtab", SHT_SYMTAB, 0, 1, symbols);
    image_write(&im, path);
    members *m = members_open(path, &le64, NULL);
    assert_true(members_variable_at(m, 0x5000, &found));
    assert_int_equal(strlen(found.name), 4096); /* no more than can be shown */
    assert_false(members_variable_at(m, 0x5000 + 8 * 999, &found));
    members_close(m);
    g_free(path);
    scratch_remove(folder);
}

/* Variables of a program without debug information: those with a size. */
static void test_symbols(void **state)
{
    (void)state;
    static const image_symbol symbols[] = {
        {"table", 0x5000, 16, STB_GLOBAL, STT_OBJECT, 1},
        {"stderr@GLIBC_2.2.5", 0x5010, 8, STB_GLOBAL, STT_OBJECT, 1},
        {"_ZN4shop5stockE", 0x5018, 4, STB_GLOBAL, STT_OBJECT, 1},
        {"elsewhere", 0x5020, 8, STB_GLOBAL, STT_OBJECT, SHN_UNDEF},
        {"end", 0x5028, 0, STB_GLOBAL, STT_OBJECT, 1},
        {"main", 0x5030, 8, STB_GLOBAL, STT_FUNC, 1},
    };
    static const char *const names[] = {"table", "table", "stderr", "shop::stock", NULL, NULL, NULL};
    char *folder = scratch_folder(), *path = g_build_filename(folder, "plain", NULL);
    image im = image_begin(true, false, EM_X86_64, ET_EXEC);
    image_symbols(&im, SHT_SYMTAB, symbols, G_N_ELEMENTS(symbols));
    image_write(&im, path);
    members *m = members_open(path, &le64, NULL);
    assert_string_equal(members_missing(m), "it has no debug information (compile with -g)");
    assert_true(members_fixed(m));
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        members_variable found = {.name = NULL};
        assert_int_equal(members_variable_at(m, 0x5000 + 8 * i, &found), names[i] != NULL);
        if (names[i]) {
            assert_string_equal(found.name, names[i]);
            assert_int_equal(found.offset, i == 1 ? 8 : 0);
            assert_null(found.member);
        }
    }
    members_close(m);
    g_free(path);
    scratch_remove(folder);
}

/* An executable is refused, with these words, if its type information claims this decompressed size. */
static void expect_refused(uint64_t unpacked, bool old, const char *words)
{
    GError *error = NULL;
    char *folder = scratch_folder(), *path = g_build_filename(folder, "packed", NULL);
    image im = image_begin(true, false, EM_X86_64, ET_EXEC);
    GByteArray *packed = g_byte_array_new();
    if (old) {
        g_byte_array_append(packed, (const uint8_t *)"ZLIB", 4);
        for (int shift = 56; shift >= 0; shift -= 8)
            image_put(&im, packed, unpacked >> shift & 0xff, 1);
    } else {
        image_put(&im, packed, ELFCOMPRESS_ZLIB, 8);
        image_put(&im, packed, unpacked, 8);
        image_put(&im, packed, 1, 8);
    }
    g_byte_array_set_size(packed, 100000);
    memset(packed->data + 24, 0, packed->len - 24);
    unsigned i = image_section(&im, old ? ".zdebug_info" : ".debug_info", SHT_PROGBITS, 0, 0, packed);
    image_set(&im, image_section_header(&im, i) + 8, old ? 0 : SHF_COMPRESSED, 8);
    image_write(&im, path);
    assert_null(members_open(path, &le64, &error));
    assert_failed(&error, words);
    g_free(path);
    scratch_remove(folder);
}

/* A small file must not decompress to one that exhausts memory. */
static void test_packed(void **state)
{
    (void)state;
    for (int old = 0; old < 2; old++) {
        expect_refused(10000000, old, "its debug information is damaged");
        expect_refused(100000000, old, "its compressed debug information is out of proportion to its size");
        expect_refused(UINT64_MAX - 1, old, "its compressed debug information is out of proportion to its size");
    }
}

/* --- other machines, damage, JSON -------------------------------------------------------------------------------------- */

#define PROGRAM "captures/cacheray/orders.elf"

static members *open_bytes(const void *data, size_t length, GError **error)
{
    char *path = temporary_file(data, (gssize)length);
    members *m = members_open(path, &le64, error);
    temporary_drop(path);
    return m;
}

static void test_other_machine(void **state)
{
    (void)state;
    static const members_machine others[] = {{false, false}, {true, true}, {false, true}};
    for (unsigned i = 0; i < G_N_ELEMENTS(others); i++) {
        GError *error = NULL;
        assert_null(members_open(PROGRAM, &others[i], &error));
        assert_failed(&error, "it is for another machine than the trace");
    }
}

/* Asks everything that a trace can ask. */
static void use_all(members *m)
{
    static const char *const types[] = {"struct.order", "struct.money", "struct.item", "struct.anything"};
    for (unsigned i = 0; i < G_N_ELEMENTS(types); i++) {
        uint32_t type = members_type(m, types[i], 32);
        for (uint32_t offset = 0; type && offset < 40; offset++)
            assert_true(g_utf8_validate(members_at(m, type, offset)->text, -1, NULL));
    }
    members_variable found;
    for (uint64_t address = 0x400000; address < 0x410000; address += 4)
        if (members_variable_at(m, address, &found))
            assert_true(g_utf8_validate(found.name, -1, NULL));
}

/* Cut at any length: no members. With wrong bytes: no members, or some. */
static void test_damage(void **state)
{
    (void)state;
    char *program;
    gsize length;
    GError *error = NULL;
    GRand *random = g_rand_new_with_seed(5);
    assert_true(g_file_get_contents(PROGRAM, &program, &length, NULL));
    for (gsize cut = 0; cut < length; cut += 61) {
        assert_null(open_bytes(program, cut, &error));
        assert_failed(&error, NULL);
    }
    for (unsigned i = 0; i < 1500; i++) {
        char *copy = g_memdup2(program, length);
        for (unsigned n = 0; n < 1 + i % 20; n++)
            copy[(gsize)g_rand_int(random) % length] = (char)g_rand_int(random);
        members *m = open_bytes(copy, length, &error);
        if (m)
            use_all(m);
        else
            assert_failed(&error, NULL);
        members_close(m);
        g_free(copy);
    }
    g_rand_free(random);
    g_free(program);
}

static const char json[] =
    "{\"version\": 4, \"structs\": ["
    "{\"id\": 1, \"name\": \"struct money\", \"members\": ["
    "{\"id\": 9, \"memberName\": \"units\", \"name\": \"int\", \"offset\": 0, \"size\": 4},"
    "{\"id\": 8, \"memberName\": \"cents\", \"name\": \"short\", \"offset\": 4, \"size\": 2}]},"
    "{\"id\": 11, \"name\": \"struct twin\", \"members\": ["
    "{\"id\": 9, \"memberName\": \"left\", \"name\": \"int\", \"offset\": 0, \"size\": 4}]},"
    "{\"id\": 12, \"name\": \"struct twin\", \"members\": ["
    "{\"id\": 9, \"memberName\": \"right\", \"name\": \"int\", \"offset\": 0, \"size\": 4}]},"
    "{\"id\": 13, \"name\": \"struct twin\", \"members\": ["
    "{\"id\": 8, \"memberName\": \"left\", \"name\": \"int\", \"offset\": 0, \"size\": 4}]},"
    "{\"id\": 14, \"name\": \"struct twin\", \"members\": ["
    "{\"id\": 9, \"memberName\": \"longer\", \"name\": \"long\", \"offset\": 0, \"size\": 8}]},"
    "{\"id\": 2, \"name\": \"struct order\", \"members\": ["
    "{\"id\": 9, \"memberName\": \"id\", \"name\": \"long\", \"offset\": 0, \"size\": 8},"
    "{\"id\": 1, \"memberName\": \"price\", \"name\": \"struct money\", \"offset\": 8, \"size\": 8},"
    "{\"id\": 7, \"memberName\": \"tag\", \"name\": \"char[]\", \"offset\": 16, \"size\": 6},"
    "{\"id\": 3, \"memberName\": \"of_gcc\", \"name\": \"int[]\", \"offset\": 24, \"size\": 4},"
    "{\"id\": 4, \"memberName\": \"either\", \"name\": \"union both\", \"offset\": 40, \"size\": 8},"
    "{\"id\": 5, \"memberName\": \"next\", \"name\": \"struct order*\", \"offset\": 48, \"size\": 8}]}],"
    "\"unions\": [{\"id\": 4, \"name\": \"union both\", \"members\": ["
    "{\"id\": 9, \"memberName\": \"a\", \"name\": \"int\", \"size\": 4},"
    "{\"id\": 9, \"memberName\": \"b\", \"name\": \"long\", \"size\": 8}]}],"
    "\"typedefs\": [{\"type\": \"order_t\", \"def\": \"struct order\"}]}";

static void test_json(void **state)
{
    (void)state;
    members *dwarf = all;
    all = open_bytes(json, sizeof json - 1, NULL);
    assert_null(members_missing(all));
    expect("struct.order", 56, 0, "id");
    expect("struct.order", 56, 9, "price.units");
    expect("struct.order", 56, 13, "price.cents");
    expect("struct.order", 56, 15, "<padding>");
    expect("struct.order", 56, 18, "tag[2]");
    expect("struct.order", 56, 22, ""); /* or a further element of the tag: the file does not say */
    expect("struct.order", 56, 24, "of_gcc[0]");
    expect("struct.order", 56, 29, "");
    expect("struct.order", 56, 41, "either.a|either.b");
    expect("struct.order", 56, 45, "either.b");
    expect("struct.order", 56, 48, "next");
    expect("struct.order_t.3", 112, 56 + 8, "price.units");
    expect("union.both", 8, 0, "a|b");
    expect("struct.twin", 4, 0, "left|right"); /* they cannot be distinguished */
    expect("struct.twin", 8, 0, "longer");
    assert_int_equal(members_type(all, "struct.unheard_of", 8), 0);
    members_close(all);
    all = dwarf;
}

/* What a name consists of: names of members have dots, too, and elements numbers. */
static void test_paths(void **state)
{
    (void)state;
    static const char text[] =
        "{\"version\": 4, \"structs\": ["
        "{\"id\": 1, \"name\": \"struct pair\", \"members\": ["
        "{\"id\": 9, \"memberName\": \"a\", \"name\": \"short\", \"offset\": 0, \"size\": 2},"
        "{\"id\": 9, \"memberName\": \"b\", \"name\": \"short\", \"offset\": 2, \"size\": 2}]},"
        "{\"id\": 2, \"name\": \"struct both\", \"members\": ["
        "{\"id\": 9, \"memberName\": \"_vptr.Left\", \"name\": \"long\", \"offset\": 0, \"size\": 8},"
        "{\"id\": 9, \"memberName\": \"_vptr.Right\", \"name\": \"long\", \"offset\": 8, \"size\": 8},"
        "{\"id\": 1, \"memberName\": \"pairs\", \"name\": \"struct pair[]\", \"offset\": 16, \"size\": 8}]}]}";
    members *m = open_bytes(text, sizeof text - 1, NULL);
    const uint32_t type = members_type(m, "struct.both", 24);
    const members_name *pointer = members_at(m, type, 8), *element = members_at(m, type, 22);
    assert_string_equal(pointer->text, "_vptr.Right");
    assert_ptr_equal(pointer->all, pointer);
    assert_int_equal(pointer->count, 1);
    assert_int_equal(pointer->paths[0].own, strlen("_vptr.Right"));
    assert_int_equal(pointer->paths[0].top, strlen("_vptr.Right"));
    assert_string_equal(element->text, "pairs[1].b");
    assert_int_equal(element->paths[0].own, strlen("pairs"));
    assert_int_equal(element->paths[0].top, strlen("pairs[1]"));
    assert_string_equal(element->all->text, "pairs[].b");
    assert_int_equal(element->all->paths[0].top, strlen("pairs[]"));
    assert_ptr_equal(members_at(m, type, 18)->all, element->all);
    struct_parts *p = parts_of(m, type);
    assert_int_equal(p->count, 3);
    assert_string_equal(p->all[0].shown, "_vptr.Left");
    assert_string_equal(p->all[2].shown, "pairs");
    assert_int_equal(parts_named(p, "_vptr.Right"), 1);
    parts_free(p);
    members_close(m);
}

static void test_bad_json(void **state)
{
    (void)state;
    GString *deep = g_string_new("{\"version\": 4, \"structs\": ");
    for (unsigned i = 0; i < 100000; i++)
        g_string_append_c(deep, '[');
    const char *const bad[] = {"{", "{}", "{\"version\": 3}", "{\"version\": 4", "{\"version\": \"4\"}", deep->str};
    for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
        GError *error = NULL;
        assert_null(open_bytes(bad[i], strlen(bad[i]), &error));
        assert_failed(&error, NULL);
    }
    g_string_free(deep, TRUE);
}

/* A name without its template arguments. */
static void test_plain_names(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"map<int, list<char> >::node", "map::node"}, {"plain", "plain"}, {"a>b", "a>b"}, {"open<int", "open"}, {"", ""}};
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *plain = member_plain_name(names[i][0]);
        assert_string_equal(plain, names[i][1]);
    }
}

/* Executables whose debug information is not read, and why. */
static void test_refused(void **state)
{
    (void)state;
    GError *error = NULL;
    char *folder = scratch_folder(), *path = g_build_filename(folder, "refused", NULL);
    static const uint8_t elsewhere[] = "other.debug\0\1\2\3\4\5\6\7\10";
    static const uint8_t abbreviations[] = {1, 0x11, 0, 0, 0, 0}, entries[] = {8, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1};
    for (unsigned i = 0; i < 2; i++) {
        image im = image_begin(true, false, EM_X86_64, ET_EXEC);
        image_section(&im, ".debug_abbrev", SHT_PROGBITS, 0, 0,
                      g_byte_array_append(g_byte_array_new(), abbreviations, sizeof abbreviations));
        image_section(&im, ".debug_info", SHT_PROGBITS, 0, 0,
                      g_byte_array_append(g_byte_array_new(), entries, sizeof entries));
        if (i == 0)
            image_section(&im, ".gnu_debugaltlink", SHT_PROGBITS, 0, 0,
                          g_byte_array_append(g_byte_array_new(), elsewhere, sizeof elsewhere));
        image_write(&im, path);
        assert_true(i == 0 || truncate(path, (1 << 30) + 1) == 0); /* mostly a hole */
        assert_null(members_open(path, &le64, &error));
        assert_failed(&error, i == 0 ? "dwz has moved some of its debug information to another file, which is not read"
                                     : "it has more than 1 GiB");
    }
    g_free(path);
    scratch_remove(folder);
}

/* What C++ adds, from a program in both versions of DWARF; test/tshark/programs/types.cpp has these members. */
static void test_cpp(void **state)
{
    (void)state;
#ifdef TYPES_CPP
    static const struct {
        const char *type;
        uint32_t size, offset;
        const char *member;
    } wanted[] = {{"class.shop::Money", 8, 0, "units"},          {"class.shop::Money", 8, 4, "cents"},
                  {"class.shop::Money", 8, 6, "<padding>"},      {"struct.shop::Thing", 16, 8, "price.units"},
                  {"class.shop::Book", 40, 12, "price.cents"},   {"class.shop::Book", 40, 24, "shelf.row"},
                  {"class.shop::Book", 40, 32, "open|closed"},   {"struct.shop::Book::Shelf", 8, 4, "place"},
                  {"class.Matrix", 24, 8, "cells[1][0]"},        {"struct.Twin<char>::Node", 8, 0, "left"},
                  {"struct.Twin<char*>::Node.3", 8, 0, "width"}, {"struct.Twin::Node", 8, 4, "right|height"}};
    members *own = all;
    for (unsigned version = 4; version <= 5; version++) {
        char *path = g_strdup_printf("%s%u", TYPES_CPP, version);
        all = members_open(path, &here, NULL);
        assert_non_null(all);
        for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++)
            expect(wanted[i].type, wanted[i].size, wanted[i].offset, wanted[i].member);
        members_close(all);
        g_free(path);
    }
    all = own;
#else
    skip();
#endif
}

/* A typedef of itself, a type whose unit is not there, and an array of such; in two units, so that they are compared. */
static void test_lost_types(void **state)
{
    (void)state;
    static const uint8_t abbreviations[] = {1, 0x11, 1, 0,    0,                         /* unit */
                                            2, 0x16, 0, 0x03, 0x08, 0x49, 0x13, 0,    0, /* typedef: name, type */
                                            3, 0x13, 0, 0x03, 0x08, 0x69, 0x20, 0,    0, /* struct: name, signature */
                                            4, 0x01, 1, 0x49, 0x13, 0,    0,             /* array: type */
                                            5, 0x21, 0, 0x37, 0x0b, 0,    0,             /* subrange: count */
                                            6, 0x24, 0, 0x0b, 0x0b, 0,    0,             /* base type: size */
                                            7, 0x13, 1, 0x03, 0x08, 0x0b, 0x0b, 0,    0, /* struct: name, size */
                                            8, 0x0d, 0, 0x03, 0x08, 0x49, 0x13, 0x38, 0x0b,
                                            0, 0, /* member: name, type, place */
                                            0};
    static const uint8_t entries[] = {1,                                     /* at 0x0b */
                                      2, 't',  0, 0x0c, 0, 0, 0,             /* 0x0c */
                                      3, 's',  0, 1,    2, 3, 4, 5, 6, 7, 8, /* 0x13 */
                                      4, 0x13, 0, 0,    0, 5, 2, 6, 4, 0,    /* 0x1e */
                                      7, 'h',  0, 16,                        /* 0x28 */
                                      8, 'm',  0, 0x1e, 0, 0, 0, 0, 0, 0};
    members *m = open_units(repeated(BYTES(abbreviations), 1), repeated(BYTES(entries), 1), 2, 1, NULL);
    assert_non_null(m);
    assert_int_equal(members_type(m, "t", 8), 0);
    assert_int_equal(members_type(m, "struct.s", 8), 0);
    uint32_t type = members_type(m, "struct.h", 16);
    assert_int_not_equal(type, 0);
    assert_string_equal(members_at(m, type, 0)->text, "m");
    assert_int_equal(members_size(m, type), 16);
    members_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_placing),
        cmocka_unit_test(test_lost_types),
        cmocka_unit_test(test_cpp),
        cmocka_unit_test(test_plain_names),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_useless),
        cmocka_unit_test(test_endless_name),
        cmocka_unit_test(test_packed),
        cmocka_unit_test(test_one_name),
        cmocka_unit_test(test_many_attributes),
        cmocka_unit_test(test_one_table),
        cmocka_unit_test(test_one_symbol_name),
        cmocka_unit_test(test_many_questions),
        cmocka_unit_test(test_many_dimensions),
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_other_machine),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_bad_json),
    };
    return cmocka_run_group_tests(tests, open_self, close_self);
}
