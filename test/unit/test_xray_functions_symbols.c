/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which symbol becomes the name of a function, and where it comes from: .symtab, .dynsym, separate debug information. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "load_functions.h"
#include "program/executable.h"
#include "written_program.h"
#include "xray/names/functions.h"

/* The symbol for the function at IMAGE_CODE + 0x40, and the alias; "-" if there is none. */
static char *name_among(const image_symbol *symbols, size_t count, uint32_t table)
{
    const image_sled sleds[] = {{0x40, 0, 2}};
    image im = image_begin(true, false, EM_X86_64, ET_EXEC);
    image_map(&im, sleds, 1);
    image_symbols(&im, table, symbols, count);
    image_write(&im, program);
    xray_functions *f = load_functions(program, false, NULL);
    const xray_function *x = xray_functions_find(f, 1);
    assert_non_null(x);
    char *name = x->alias ? g_strdup_printf("%s (%s)", x->name, x->alias) : g_strdup(x->name ? x->name : "-");
    xray_functions_free(f);
    return name;
}

#define SYMBOL(name, at, size, binding, type) \
    { \
        name, IMAGE_CODE + (at), size, binding, type, 1 \
    }
#define FUNCTION(name, at, size, binding) SYMBOL(name, at, size, binding, STT_FUNC)

/* In each line: the name chosen, and the symbols, which are tried in either order. */
static const struct {
    const char *name;
    image_symbol first, second;
} choices[] = {
    {"a", FUNCTION("a", 0x40, 8, STB_GLOBAL), FUNCTION("b", 0x40, 8, STB_WEAK)},
    {"a", FUNCTION("a", 0x40, 8, STB_WEAK), FUNCTION("b", 0x40, 8, STB_LOCAL)},
    {"a", FUNCTION("a", 0x40, 8, STB_GNU_UNIQUE), FUNCTION("b", 0x40, 8, STB_LOCAL)},
    {"a", FUNCTION("a", 0x40, 8, STB_LOCAL), SYMBOL("b", 0x40, 8, STB_GLOBAL, STT_NOTYPE)},
    {"a", FUNCTION("a", 0x40, 8, STB_LOCAL), FUNCTION("b", 0x40, 0, STB_LOCAL)},
    {"a", FUNCTION("a", 0x40, 0, STB_GLOBAL), FUNCTION("b", 0x40, 8, STB_LOCAL)},
    {"a", SYMBOL("a", 0x40, 0, STB_LOCAL, STT_NOTYPE), FUNCTION("b", 0x30, 0x20, STB_GLOBAL)}, /* begins here */
    {"a", SYMBOL("a", 0x40, 8, STB_GLOBAL, STT_GNU_IFUNC), SYMBOL("b", 0x40, 8, STB_GLOBAL, STT_NOTYPE)},
    {"a", FUNCTION("a", 0x3c, 8, STB_LOCAL), FUNCTION("b", 0x30, 0x100, STB_GLOBAL)}, /* the nearer of two that span it */
    {"a", FUNCTION("a", 0x40, 8, STB_LOCAL), {"b", IMAGE_CODE + 0x40, 8, STB_GLOBAL, STT_FUNC, SHN_UNDEF}},
    {"a", FUNCTION("a", 0x40, 8, STB_LOCAL), {"b", IMAGE_CODE + 0x40, 8, STB_GLOBAL, STT_FUNC, SHN_ABS}},
    {"a", FUNCTION("a", 0x40, 8, STB_LOCAL), SYMBOL("b", 0x40, 8, STB_GLOBAL, STT_OBJECT)},
    {"a", FUNCTION("a", 0x40, 8, STB_LOCAL), FUNCTION("", 0x40, 8, STB_GLOBAL)},
    {"a", FUNCTION("a@@VERS_1", 0x40, 8, STB_GLOBAL), FUNCTION("b", 0x48, 8, STB_GLOBAL)},
    {"@a", FUNCTION("@a@VERS_1", 0x40, 8, STB_GLOBAL), FUNCTION("b", 0x38, 8, STB_GLOBAL)},
    {"-", SYMBOL("$x", 0x40, 0, STB_LOCAL, STT_NOTYPE), SYMBOL(".L4", 0x40, 0, STB_LOCAL, STT_NOTYPE)},
    {"-", FUNCTION("b", 0x38, 8, STB_GLOBAL), FUNCTION("c", 0x41, 8, STB_GLOBAL)},
    {"-", SYMBOL("b", 0x30, 0x20, STB_GLOBAL, STT_NOTYPE), FUNCTION("c", 0x30, 0, STB_GLOBAL)},
};

static void choice(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(choices); i++) {
        const image_symbol either[] = {choices[i].first, choices[i].second, choices[i].first};
        for (size_t order = 0; order < 2; order++) {
            char *symtab = name_among(either + order, 2, SHT_SYMTAB);
            assert_string_equal(symtab, choices[i].name);
            g_free(symtab);
            char *dynsym = name_among(either + order, 2, SHT_DYNSYM);
            assert_string_equal(dynsym, choices[i].name);
            g_free(dynsym);
        }
    }
}

/* If symbols are equally good, the first one is taken, and the next one of another function is its alias. */
static void equals(void **state)
{
    (void)state;
    static const char *const rows[][4] = {
        {"a", "b", "c", "a (b)"},
        {"a@@V", "a", "a@U", "a"},
        {"a", "ab", "c", "a (ab)"},
        {"_ZN1AD2Ev", "_ZN1AD1Ev", "_ZN1BD1Ev", "_ZN1AD2Ev (_ZN1BD1Ev)"},
        {"_ZN1AC1Ev", "_ZN1AC2Ev", "_ZN1AC1Ev", "_ZN1AC1Ev"},
        {"_ZN1A1fEv", "_ZN1A2fgEv", "_ZN1A1fEv", "_ZN1A1fEv (_ZN1A2fgEv)"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        const image_symbol symbols[] = {FUNCTION(rows[i][0], 0x40, 8, STB_GLOBAL), FUNCTION(rows[i][1], 0x40, 8, STB_GLOBAL),
                                        FUNCTION(rows[i][2], 0x40, 8, STB_GLOBAL)};
        char *names = name_among(symbols, 3, SHT_SYMTAB);
        assert_string_equal(names, rows[i][3]);
        g_free(names);
    }
}

/* Names are compared up to some length only: many symbols may share a name of megabytes. */
static void equal_beginnings(void **state)
{
    (void)state;
    for (unsigned length = 1023; length <= 1025; length++) {
        g_autofree char *begin = g_strnfill(length, 'x'), *first = g_strconcat(begin, "1", NULL);
        g_autofree char *second = g_strconcat(begin, "2", NULL);
        const image_symbol symbols[] = {FUNCTION(first, 0x40, 8, STB_GLOBAL), FUNCTION(second, 0x40, 8, STB_GLOBAL)};
        char *names = name_among(symbols, 2, SHT_SYMTAB);
        assert_int_equal(strchr(names, '(') != NULL, length < 1024);
        g_free(names);
    }
}

/* A symbol that spans several functions names only the first of them. */
static void spanned(void **state)
{
    (void)state;
    const image_sled sleds[] = {{0x100, 0, 2}, {0x40, 0, 2}, {0x40, 1, 2}, {0x100, 1, 2}};
    const image_symbol symbols[] = {FUNCTION("all", 0x20, 0x1000, STB_GLOBAL)};
    image im = image_begin(true, false, EM_X86_64, ET_EXEC);
    image_map(&im, sleds, G_N_ELEMENTS(sleds));
    image_symbols(&im, SHT_SYMTAB, symbols, 1);
    image_write(&im, program);
    xray_functions *f = load_functions(program, false, NULL);
    assert_null(xray_functions_find(f, 1)->name);
    assert_string_equal(xray_functions_find(f, 2)->name, "all");
    assert_null(xray_functions_find(f, 3)->name);
    assert_null(xray_functions_find(f, 4));
    xray_functions_free(f);
}

/* Names that are not UTF-8 are made valid; a string table that does not end with a string has none. */
static void strings(void **state)
{
    (void)state;
    const image_symbol symbols[] = {FUNCTION("\xffgrave", 0x40, 8, STB_GLOBAL)};
    char *name = name_among(symbols, 1, SHT_SYMTAB);
    assert_string_equal(name, "\xef\xbf\xbdgrave");
    g_free(name);
    image im = image_program(true, false);
    uint8_t *last = im.bytes->data;
    while (memcmp(last, "thirdEv", sizeof "thirdEv") != 0)
        last++;
    last[sizeof "thirdEv" - 1] = 'v';
    image_write(&im, program);
    xray_functions *f = load_functions(program, false, NULL);
    assert_non_null(xray_functions_find(f, 3));
    assert_null(xray_functions_find(f, 1)->name);
    xray_functions_free(f);
}

/* Many functions whose symbols share one long ending: the copies never take more memory than the file. */
static void overlapping_strings(void **state)
{
    (void)state;
    enum { FUNCTIONS = 1000, LENGTH = 4096, FILE_LENGTH = 15 * LENGTH };
    image im = image_begin(true, false, EM_X86_64, ET_EXEC);
    GByteArray *map = g_byte_array_new(), *strings = g_byte_array_new(), *table = g_byte_array_new();
    g_byte_array_set_size(strings, LENGTH);
    memset(strings->data, 'x', LENGTH - 1);
    strings->data[LENGTH - 1] = 0;
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        const image_sled sled = {i, 0, 0};
        GByteArray *one = image_sleds(&im, &sled, 1);
        g_byte_array_append(map, one->data, one->len);
        g_byte_array_free(one, TRUE);
        image_put(&im, table, i + 1, 4);
        image_put(&im, table, STT_FUNC, 2);
        image_put(&im, table, 1, 2);
        image_put(&im, table, IMAGE_CODE + i, 8);
        image_put(&im, table, 1, 8);
    }
    g_byte_array_prepend(table, map->data, sizeof(Elf64_Sym)); /* symbol 0 is none */
    image_section(&im, "xray_instr_map", SHT_PROGBITS, IMAGE_MAP, 0, map);
    unsigned link = image_section(&im, ".strtab", SHT_STRTAB, 0, 0, strings);
    image_section(&im, ".symtab", SHT_SYMTAB, 0, link, table);
    image_write(&im, program);
    xray_functions *f = load_functions(program, false, NULL);
    size_t length = 0;
    for (uint32_t id = 1; id <= FUNCTIONS; id++) {
        assert_non_null(xray_functions_find(f, id));
        length += xray_functions_find(f, id)->name ? strlen(xray_functions_find(f, id)->name) : 0;
    }
    assert_true(length >= FILE_LENGTH / 2 && length <= 2 * FILE_LENGTH);
    xray_functions_free(f);
}

/* --- separate debug information ---------------------------------------------------------------------------------------- */

#define STRIPPED "its functions have no names: it was stripped, and its separate debug information was not found.\n"

static void put_build_id(image *im, const char *id)
{
    GByteArray *note = g_byte_array_new();
    image_put(im, note, 4, 4);
    image_put(im, note, strlen(id), 4);
    image_put(im, note, NT_GNU_BUILD_ID, 4);
    g_byte_array_append(note, (const uint8_t *)"GNU", 4);
    g_byte_array_append(note, (const uint8_t *)id, (guint)strlen(id));
    image_section(im, ".note.gnu.build-id", SHT_NOTE, 0x200, 0, note);
}

static void put_link(image *im, const char *name, uint32_t checksum)
{
    GByteArray *link = g_byte_array_new();
    g_byte_array_append(link, (const uint8_t *)name, (guint)strlen(name) + 1);
    while (link->len % 4)
        image_put(im, link, 0, 1);
    image_put(im, link, checksum, 4);
    image_section(im, ".gnu_debuglink", SHT_PROGBITS, 0, 0, link);
}

/* The three functions without symbols. */
static image stripped(void)
{
    image im = image_begin(true, false, EM_X86_64, ET_EXEC);
    image_section(&im, "xray_instr_map", SHT_PROGBITS, IMAGE_MAP, 0, image_three(&im, 2));
    return im;
}

/* Writes what was stripped to `path`. Returns its CRC-32, computed bit by bit. */
static uint32_t write_debug(const char *path, const char *id, uint16_t machine)
{
    image im = image_begin(true, false, machine, ET_EXEC);
    uint32_t crc = UINT32_MAX;
    if (id)
        put_build_id(&im, id);
    image_section(&im, "xray_instr_map", SHT_NOBITS, IMAGE_MAP, 0, image_three(&im, 2));
    image_symbols(&im, SHT_SYMTAB, image_names, G_N_ELEMENTS(image_names));
    image_finish(&im);
    write_file(path, im.bytes->data, im.bytes->len);
    for (guint i = 0; i < im.bytes->len; i++)
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ ((crc ^ (uint32_t)im.bytes->data[i] >> bit) & 1 ? 0xedb88320u : 0);
    image_free(&im);
    return ~crc;
}

/* The name of the second function, or the message. */
static void check_second(image *im, const char *wanted)
{
    GString *problems = g_string_new(NULL);
    image_write(im, program);
    xray_functions *f = load_functions(program, true, problems);
    const xray_function *x = xray_functions_find(f, 2);
    assert_string_equal(x && x->name ? x->name : problems->str + strlen(program) + 2, wanted);
    xray_functions_free(f);
    g_string_free(problems, TRUE);
}

static void linked_by_name(void **state)
{
    (void)state;
    char *hidden = g_build_filename(folder, ".debug", NULL);
    char *places[] = {g_build_filename(folder, "program.debug", NULL), g_build_filename(hidden, "program.debug", NULL)};
    assert_int_equal(g_mkdir(hidden, 0700), 0);
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        uint32_t checksum = write_debug(places[i], NULL, EM_X86_64);
        image im = stripped();
        put_link(&im, "program.debug", checksum);
        check_second(&im, "second");
        im = stripped();
        put_link(&im, "program.debug", checksum ^ 1);
        check_second(&im, STRIPPED);
        im = stripped();
        put_link(&im, i ? ".debug/program.debug" : "./program.debug", checksum);
        check_second(&im, STRIPPED);
        im = stripped();
        put_link(&im, "program", checksum); /* itself */
        check_second(&im, STRIPPED);
        checksum = write_debug(places[i], NULL, EM_AARCH64);
        im = stripped();
        put_link(&im, "program.debug", checksum);
        check_second(&im, STRIPPED);
        /* if both have a build id, it decides */
        write_debug(places[i], "0123456789", EM_X86_64);
        im = stripped();
        put_build_id(&im, "0123456789");
        put_link(&im, "program.debug", 0);
        check_second(&im, "second");
        checksum = write_debug(places[i], "0123456789", EM_X86_64);
        im = stripped();
        put_build_id(&im, "012345678x");
        put_link(&im, "program.debug", checksum);
        check_second(&im, STRIPPED);
        g_remove(places[i]);
        g_free(places[i]);
    }
    g_rmdir(hidden);
    g_free(hidden);
}

/* Names longer than can be shown with every record, mangled and demangled. */
static void long_names(void **state)
{
    (void)state;
    char *letters = g_strnfill(5000, 'a');
    char *twice = g_strdup_printf("_Z1f900%.900sS_S_S_S_S_", letters);
    const char *const names[] = {letters, twice, "a\033[7m\302\233b"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        const image_symbol symbols[] = {IMAGE_FUNCTION(names[i], 0x10, 0x20, STB_GLOBAL)};
        image im = image_begin(true, false, EM_X86_64, ET_EXEC);
        image_section(&im, "xray_instr_map", SHT_PROGBITS, IMAGE_MAP, 0, image_three(&im, 2));
        image_symbols(&im, SHT_SYMTAB, symbols, 1);
        image_write(&im, program);
        xray_functions *f = load_functions(program, true, NULL);
        assert_non_null(f);
        const char *name = xray_functions_find(f, 1)->name;
        if (i == 2) { /* and one that would control a terminal */
            assert_string_equal(name, "a?[7m??b");
            xray_functions_free(f);
            break;
        }
        assert_int_equal(strlen(name), 4096);
        xray_functions_free(f);
    }
    g_free(letters);
    g_free(twice);
}

static void linked_by_build_id(void **state)
{
    (void)state;
    char *ids = g_build_filename(folder, ".build-id", NULL), *first = g_build_filename(ids, "61", NULL);
    char *path = g_build_filename(first, "6263.debug", NULL);
    assert_int_equal(g_mkdir_with_parents(first, 0700), 0);
    write_debug(path, "abc", EM_X86_64);
    image im = stripped();
    put_build_id(&im, "abc");
    image_write(&im, program);
    executable *e = executable_open(program, NULL), *debug = executable_debug_file(e, folder);
    assert_non_null(debug);
    assert_string_equal(debug->path, path);
    executable_close(debug);
    write_debug(path, "abd", EM_X86_64); /* in the wrong place */
    assert_null(executable_debug_file(e, folder));
    write_debug(path, NULL, EM_X86_64);
    assert_null(executable_debug_file(e, folder));
    executable_close(e);
    g_remove(path);
    g_rmdir(first);
    g_rmdir(ids);
    g_free(path);
    g_free(first);
    g_free(ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choice),         cmocka_unit_test(equals),     cmocka_unit_test(equal_beginnings),
        cmocka_unit_test(spanned),        cmocka_unit_test(strings),    cmocka_unit_test(overlapping_strings),
        cmocka_unit_test(linked_by_name), cmocka_unit_test(long_names), cmocka_unit_test(linked_by_build_id),
    };
    return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
