/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small files with types whose members would take excessive time or memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>
#include <glib.h>
#include <glib/gstdio.h>

#include "cacheray/members/members.h"
#include "elf_image.h"
#include "util/text.h"

static const members_machine le64 = {true, false};

/* Abbreviations: 1 unit, 2 number with a size, 3 struct "t" with a size, 4 member with a name in the strings (0: at their
 * beginning), a type and an offset, 5 entry with children, 6 entry without anything, 7 struct with its own name. */
static const uint8_t abbreviations[] = {
    1,    0x11, 1,    0,    0,    2, 0x24, 0, 0x0b, 0x0b, 0, 0, 3, 0x13, 1, 3, 8, 0x0b, 6,    0, 0, 4, 0x0d, 0, 3,
    0x0e, 0x49, 0x11, 0x38, 0x0b, 0, 0,    5, 0x2e, 1,    0, 0, 6, 0x0b, 0, 0, 0, 7,    0x13, 0, 3, 8, 0,    0, 0,
};
enum { UNIT_HEAD = 11, NUMBER_AT = UNIT_HEAD + 1, STRUCT_AT = NUMBER_AT + 2 }; /* from the beginning of the unit */

static GByteArray *entries_begin(void)
{
    static const uint8_t begin[] = {1, 2, 8, 3, 't', 0, 8, 0, 0, 0};
    return g_byte_array_append(g_byte_array_new(), begin, sizeof begin);
}

static void add_member(GByteArray *entries, uint8_t name, uint8_t type)
{
    const uint8_t member[] = {4, name, 0, 0, 0, type, 0};
    g_byte_array_append(entries, member, sizeof member);
}

/* A file with one unit of these entries, which are freed; its strings are this many 'a', and "b". */
static members *open_entries(GByteArray *entries, unsigned letters)
{
    char *folder = scratch_folder(), *path = g_build_filename(folder, "types", NULL);
    image im = image_begin(true, false, EM_X86_64, ET_EXEC);
    GByteArray *info = g_byte_array_new(), *strings = g_byte_array_new();
    g_byte_array_set_size(strings, letters);
    memset(strings->data, 'a', letters);
    g_byte_array_append(strings, (const uint8_t *)"\0b", 3);
    image_put(&im, info, 2 + 4 + 1 + entries->len, 4);
    image_put(&im, info, 4, 2);
    image_put(&im, info, 0, 4);
    image_put(&im, info, 8, 1);
    g_byte_array_append(info, entries->data, entries->len);
    image_section(&im, ".debug_abbrev", SHT_PROGBITS, 0, 0,
                  g_byte_array_append(g_byte_array_new(), abbreviations, sizeof abbreviations));
    image_section(&im, ".debug_info", SHT_PROGBITS, 0, 0, info);
    image_section(&im, ".debug_types", SHT_PROGBITS, 0, 0, g_byte_array_new()); /* empty, and so without an address */
    image_section(&im, ".debug_str", SHT_PROGBITS, 0, 0, strings);
    image_write(&im, path);
    g_byte_array_free(entries, TRUE);
    members *m = members_open(path, &le64, NULL);
    g_free(path);
    scratch_remove(folder);
    return m;
}

static void end_entries(GByteArray *entries)
{
    g_byte_array_append(entries, (const uint8_t *)"\0", 2);
}

/* A struct that contains itself, so that its names are appended repeatedly. */
static void test_nested_names(void **state)
{
    (void)state;
    GByteArray *entries = entries_begin();
    add_member(entries, 0, STRUCT_AT);
    add_member(entries, 0, NUMBER_AT);
    end_entries(entries);
    members *m = open_entries(entries, 1000);
    assert_non_null(m);
    const char *name = members_at(m, members_type(m, "struct.t", 8), 0)->text;
    assert_int_equal(strlen(name), TEXT_MAX);
    assert_string_equal(name + strspn(name, "a.|"), "\xe2\x80\xa6"); /* cut, and marked as such */
    members_close(m);
}

/* A name longer than can be shown with every access counts as none. */
static void test_long_names(void **state)
{
    (void)state;
    for (unsigned length = TEXT_MAX; length <= TEXT_MAX + 1; length++) {
        GByteArray *entries = entries_begin();
        add_member(entries, 0, NUMBER_AT);
        end_entries(entries);
        members *m = open_entries(entries, length);
        assert_non_null(m);
        assert_int_equal(strlen(members_at(m, members_type(m, "struct.t", 8), 0)->text), length > TEXT_MAX ? 0 : length);
        members_close(m);
    }
}

/* Types with the same name are compared by their members, which may all have one very long name: the total is limited. */
static void test_compared_names(void **state)
{
    (void)state;
    static const uint8_t second[] = {0, 3, 't', 0, 8, 0, 0, 0};
    for (unsigned count = 1000; count <= 10000; count *= 10) {
        GByteArray *entries = entries_begin();
        for (unsigned i = 0; i < 2 * count; i++) {
            if (i == count)
                g_byte_array_append(entries, second, sizeof second);
            add_member(entries, 0, NUMBER_AT);
        }
        end_entries(entries);
        members *m = open_entries(entries, 3200);
        assert_non_null(m);
        assert_int_equal(members_type(m, "struct.t", 8) != 0, count == 1000);
        members_close(m);
    }
}

/* Entries before the members, which are read each time the struct is found inside itself. */
static void test_entries_between(void **state)
{
    (void)state;
    GByteArray *entries = entries_begin();
    uint8_t nothing[20000];
    memset(nothing, 6, sizeof nothing);
    g_byte_array_append(entries, (const uint8_t *)"\5", 1);
    g_byte_array_append(entries, nothing, sizeof nothing);
    nothing[0] = 0;
    g_byte_array_append(entries, nothing, 1);
    add_member(entries, 0, STRUCT_AT);
    add_member(entries, 0, STRUCT_AT);
    end_entries(entries);
    members *m = open_entries(entries, 1);
    assert_null(m); /* no run of bytes without a zero is longer than any string */
    for (unsigned i = 0; i < sizeof nothing; i += 1000)
        nothing[i] = 0;
    entries = entries_begin();
    for (unsigned i = 0; i < sizeof nothing; i += 1000) {
        g_byte_array_append(entries, (const uint8_t *)"\5", 1);
        g_byte_array_append(entries, nothing + i + 1, 999);
        g_byte_array_append(entries, nothing + i, 1);
    }
    add_member(entries, 0, STRUCT_AT);
    add_member(entries, 0, STRUCT_AT);
    end_entries(entries);
    m = open_entries(entries, 1);
    assert_non_null(m);
    clock_t begin = clock();
    assert_string_equal(members_at(m, members_type(m, "struct.t", 8), 0)->text, "<padding>");
    assert_true(clock() - begin < 2 * CLOCKS_PER_SEC);
    members_close(m);
}

/* The same after the members, where nothing says how long it is. */
static void test_entries_after(void **state)
{
    (void)state;
    GByteArray *entries = entries_begin();
    uint8_t nothing[12000];
    memset(nothing, 6, sizeof nothing);
    add_member(entries, 0, STRUCT_AT);
    add_member(entries, 0, STRUCT_AT);
    g_byte_array_append(entries, (const uint8_t *)"\5", 1);
    g_byte_array_append(entries, nothing, sizeof nothing);
    g_byte_array_append(entries, (const uint8_t *)"", 1);
    end_entries(entries);
    members *m = open_entries(entries, 1);
    assert_non_null(m);
    clock_t begin = clock();
    assert_string_equal(members_at(m, members_type(m, "struct.t", 8), 0)->text, "<padding>");
    assert_true(clock() - begin < 2 * CLOCKS_PER_SEC);
    members_close(m);
}

/* A name stored in its entry is read for everything that follows. */
static void test_name_within(void **state)
{
    (void)state;
    for (unsigned length = 16000; length <= 17000; length += 1000) {
        GByteArray *entries = entries_begin();
        char *name = g_strnfill(length, 'x');
        add_member(entries, 0, NUMBER_AT);
        g_byte_array_append(entries, (const uint8_t *)"\0\7", 2);
        g_byte_array_append(entries, (const uint8_t *)name, length + 1);
        g_byte_array_append(entries, (const uint8_t *)"", 1);
        g_free(name);
        members *m = open_entries(entries, 1);
        assert_int_equal(m != NULL, length == 16000);
        members_close(m);
    }
}

static members *open_bytes(const void *bytes, size_t length)
{
    char *folder = scratch_folder(), *path = g_build_filename(folder, "types", NULL);
    assert_true(g_file_set_contents(path, bytes, (gssize)length, NULL));
    members *m = members_open(path, &le64, NULL);
    g_free(path);
    scratch_remove(folder);
    return m;
}

/* The same struct in a type file. */
static char *json_of(unsigned length, const char *type)
{
    char *name = g_strnfill(length, 'a');
    char *json = g_strdup_printf("{\"version\": 4, \"structs\": [{\"id\": 1, \"name\": \"struct t\", \"members\": ["
                                 "{\"id\": 1, \"memberName\": \"%s\", \"name\": \"%s\", \"offset\": 0, \"size\": 8},"
                                 "{\"id\": 2, \"memberName\": \"b\", \"name\": \"int\", \"offset\": 0, \"size\": 8}]}]}",
                                 name, type);
    g_free(name);
    return json;
}

/* A name that would control a terminal. */
static void test_json_controls(void **state)
{
    (void)state;
    static const char json[] = "{\"version\": 4, \"structs\": [{\"id\": 1, \"name\": \"struct t\", \"members\": ["
                               "{\"memberName\": \"a\\u001b[7m\\u009b\", \"name\": \"int\", \"offset\": 0, \"size\": 4}]}]}";
    members *m = open_bytes(json, sizeof json - 1);
    assert_non_null(m);
    assert_string_equal(members_at(m, members_type(m, "struct.t", 4), 0)->text, "a?[7m??");
    members_close(m);
}

static void test_json_names(void **state)
{
    (void)state;
    static const struct {
        unsigned length;
        const char *beginning;
        size_t shown;
    } cases[] = {
        {1000, "aaa", TEXT_MAX},
        {TEXT_MAX + 1, "b", 1},
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *json = json_of(cases[i].length, "struct t");
        members *m = open_bytes(json, strlen(json));
        assert_non_null(m);
        const char *name = members_at(m, members_type(m, "struct.t", 8), 0)->text;
        assert_true(g_str_has_prefix(name, cases[i].beginning));
        assert_int_equal(strlen(name), cases[i].shown);
        members_close(m);
        g_free(json);
    }
}

/* Objects in a list that is not used. */
static void test_json_values(void **state)
{
    (void)state;
    for (unsigned count = 10000; count <= 100000; count *= 10) {
        GString *json = g_string_new("{\"version\": 4, \"unused\": [{}");
        for (unsigned i = 1; i < count; i++)
            g_string_append(json, ",{}");
        g_string_append(json, "]}");
        members *m = open_bytes(json->str, json->len);
        assert_int_equal(m != NULL, count == 10000);
        members_close(m);
        g_string_free(json, TRUE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested_names),    cmocka_unit_test(test_long_names),    cmocka_unit_test(test_compared_names),
        cmocka_unit_test(test_entries_between), cmocka_unit_test(test_entries_after), cmocka_unit_test(test_name_within),
        cmocka_unit_test(test_json_names),      cmocka_unit_test(test_json_values),   cmocka_unit_test(test_json_controls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
