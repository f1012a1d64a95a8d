/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instrumentation maps in hand-made ELF files: word sizes, byte orders, versions of sleds, relocations, the index. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "load_functions.h"
#include "util/cursor.h"
#include "written_program.h"
#include "xray/names/functions.h"

/* Writes and loads an image. Returns "name name name", the message, or both. */
static char *load(image *im)
{
    GString *text = g_string_new(NULL);
    image_write(im, program);
    xray_functions *f = load_functions(program, true, text);
    const xray_function *x;
    if (text->len)
        g_string_erase(text, 0, (gssize)strlen(program) + 1); /* the message without its path */
    for (uint32_t id = 1; (x = xray_functions_find(f, id)) != NULL; id++)
        g_string_append_printf(text, "%s%s", id > 1 ? " " : "", x->name ? x->name : "-");
    assert_null(xray_functions_find(f, 0));
    xray_functions_free(f);
    return g_string_free(text, FALSE);
}

static void check(image *im, const char *wanted)
{
    char *got = load(im);
    assert_string_equal(got, wanted);
    g_free(got);
}

#define THREE "first(int) second thing::third()"
#define REFUSED(why) "cannot be used for function names: " why ".\n"
#define DAMAGED REFUSED("its instrumentation map is damaged: it lists functions outside the code")
#define UNKNOWN_RELOCATIONS REFUSED("its instrumentation map needs relocations of an unknown kind")

static image with_map(image im, GByteArray *map)
{
    image_section(&im, "xray_instr_map", SHT_PROGBITS, IMAGE_MAP, 0, map);
    image_symbols(&im, SHT_SYMTAB, image_names, G_N_ELEMENTS(image_names));
    return im;
}

/* Both word sizes and byte orders, absolute and relative addresses; no section is aligned. */
static void shapes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        bool wide = i & 1, big = i & 2;
        image im = image_begin(wide, big, wide ? EM_X86_64 : EM_MIPS, i & 4 ? ET_DYN : ET_EXEC);
        if (i & 8)
            image_put(&im, im.bytes, 0x55, 1);
        im = with_map(im, image_three(&im, 2));
        check(&im, THREE);
        im = image_begin(wide, big, wide ? EM_X86_64 : EM_MIPS, ET_EXEC);
        im = with_map(im, image_three(&im, i & 4 ? 1 : 0));
        check(&im, THREE);
    }
}

static void addresses(void **state)
{
    (void)state;
    image im = image_program(true, false);
    image_write(&im, program);
    xray_functions *f = load_functions(program, false, NULL);
    for (uint32_t i = 0; i < G_N_ELEMENTS(image_functions); i++) {
        const xray_function *x = xray_functions_find(f, i + 1);
        assert_int_equal(x->address, IMAGE_CODE + image_functions[i]);
        assert_string_equal(x->linkage_name, image_names[i].name);
        assert_string_equal(x->name, image_names[i].name); /* unchanged if demangling is not wanted */
    }
    xray_functions_free(f);
}

/* A new id whenever the function changes, even back to an earlier one. */
static void ids(void **state)
{
    (void)state;
    const image_sled sleds[] = {{0x10, 0, 2}, {0x40, 0, 2}, {0x40, 1, 0}, {0x10, 1, 2}, {0x100, 0, 1}};
    image im = image_begin(true, false, EM_X86_64, ET_EXEC);
    im = with_map(im, image_sleds(&im, sleds, G_N_ELEMENTS(sleds)));
    check(&im, "first(int) second first(int) thing::third()");
}

static void thumb(void **state)
{
    (void)state;
    const image_sled sleds[] = {{0x11, 0, 2}, {0x41, 0, 2}, {0x101, 0, 2}};
    const image_symbol names[] = {IMAGE_FUNCTION("one", 0x11, 8, STB_GLOBAL), IMAGE_FUNCTION("two", 0x40, 8, STB_GLOBAL)};
    image im = image_begin(false, false, EM_ARM, ET_EXEC);
    image_map(&im, sleds, G_N_ELEMENTS(sleds));
    image_symbols(&im, SHT_SYMTAB, names, G_N_ELEMENTS(names));
    image_write(&im, program);
    xray_functions *f = load_functions(program, false, NULL);
    assert_string_equal(xray_functions_find(f, 1)->name, "one");
    assert_int_equal(xray_functions_find(f, 1)->address, IMAGE_CODE + 0x10);
    assert_string_equal(xray_functions_find(f, 2)->name, "two");
    assert_null(xray_functions_find(f, 3)->name);
    xray_functions_free(f);
}

/* --- relocations ------------------------------------------------------------------------------------------------------- */

typedef struct machine {
    uint16_t number;
    bool wide, big_endian, addends; /* in the relocations; otherwise they are in the words */
    uint32_t relative, symbolic;
} machine;

static const machine machines[] = {
    {EM_X86_64, true, false, true, 8, 1},
    {EM_X86_64, false, false, true, 8, 10},
    {EM_AARCH64, true, false, true, 1027, 257},
    {EM_ARM, false, false, false, 23, 2},
    {EM_PPC64, true, false, true, 22, 38},
    {EM_MIPS, false, true, false, 3, 3},
    {EM_MIPS, true, true, false, 0x1203, 0x1203},
    {EM_MIPS, true, false, false, 0x1203, 0x1203},
    {EM_RISCV, true, false, true, 3, 2},
    {EM_RISCV, false, false, true, 3, 1},
    {EM_S390, true, true, true, 12, 22},
    {258, true, false, true, 3, 2},   /* LoongArch */
    {164, false, false, true, 35, 6}, /* Hexagon */
};

static void put_relocation(const image *im, const machine *m, GByteArray *table, uint64_t place, uint32_t symbol,
                           uint32_t type, uint64_t addend)
{
    image_put_word(im, table, place);
    if (!m->wide) {
        image_put(im, table, symbol << 8 | type, 4);
    } else if (m->number == EM_MIPS && !m->big_endian) { /* a number, then single bytes with the type last */
        image_put(im, table, symbol, 4);
        image_put(im, table, GUINT32_SWAP_LE_BE(type), 4);
    } else {
        image_put(im, table, (uint64_t)symbol << 32 | type, 8);
    }
    if (m->addends)
        image_put_word(im, table, addend);
}

/* Symbol 4 is defined elsewhere. */
static const image_symbol dynamic_names[] = {
    IMAGE_FUNCTION("_Z5firsti", 0x10, 0x20, STB_GLOBAL),
    IMAGE_FUNCTION("second", 0x40, 0x20, STB_GLOBAL),
    IMAGE_FUNCTION("_ZN5thing5thirdEv", 0x100, 0x20, STB_GLOBAL),
    {"elsewhere", IMAGE_CODE + 0x10, 0x20, STB_GLOBAL, STT_FUNC, SHN_UNDEF},
};

/* A shared library with the three functions and old sleds, whose addresses come from relocations. */
static image relocated(const machine *m, uint32_t type, uint32_t symbol)
{
    image im = image_begin(m->wide, m->big_endian, m->number, ET_DYN);
    GByteArray *map = image_three(&im, symbol ? 0 : 1), *table = g_byte_array_new();
    unsigned dynamic = image_symbols(&im, SHT_DYNSYM, dynamic_names, G_N_ELEMENTS(dynamic_names));
    unsigned word = image_word(&im);
    for (unsigned at = 0; at < map->len; at += 4 * word) {
        cursor c = {map->data, map->len, im.big_endian};
        for (unsigned field = at; field < at + 2 * word; field += word) {
            uint64_t address = cursor_uint(&c, field, word) - (symbol ? IMAGE_CODE + 0x10 : 0);
            put_relocation(&im, m, table, IMAGE_MAP + field, symbol, type, address);
            GByteArray *left = g_byte_array_new();
            image_put_word(&im, left, m->addends ? 0 : address);
            memcpy(map->data + field, left->data, word);
            g_byte_array_free(left, TRUE);
        }
    }
    put_relocation(&im, m, table, IMAGE_CODE, 0, 99, 0);           /* somewhere else, so its type does not matter */
    put_relocation(&im, m, table, IMAGE_MAP + word, 0, 0, 0);      /* without effect */
    put_relocation(&im, m, table, IMAGE_MAP + 2 * word, 0, 99, 0); /* not an address */
    image_section(&im, "xray_instr_map", SHT_PROGBITS, IMAGE_MAP, 0, map);
    image_section(&im, ".rel", m->addends ? SHT_RELA : SHT_REL, 0x3000, dynamic, table);
    return im;
}

static void relocations(void **state)
{
    (void)state;
    for (const machine *m = machines; m < machines + G_N_ELEMENTS(machines); m++) {
        image im = relocated(m, m->relative, 0);
        check(&im, THREE);
        im = relocated(m, m->symbolic, 1);
        check(&im, THREE);
        im = relocated(m, 77, 0);
        check(&im, UNKNOWN_RELOCATIONS);
        im = relocated(m, m->symbolic, 4);
        check(&im, UNKNOWN_RELOCATIONS);
        im = relocated(m, m->symbolic, 1000); /* no such symbol */
        check(&im, UNKNOWN_RELOCATIONS);
        machine other = *m;
        other.number = EM_SPARC;
        im = relocated(&other, m->relative, 0);
        check(&im, UNKNOWN_RELOCATIONS);
    }
}

/* Relocation tables that together are larger than the file, which could be read without end. */
static void relocations_overlapping(void **state)
{
    (void)state;
    image im = relocated(&machines[0], machines[0].relative, 0);
    unsigned first = im.sections;
    for (unsigned i = 0; i < 2; i++)
        image_section(&im, ".again", SHT_RELA, 0x3000, 0, g_byte_array_new());
    image_finish(&im);
    for (unsigned i = 0; i < 2; i++) {
        size_t header = image_section_header(&im, first + i);
        image_set(&im, header + offsetof(Elf64_Shdr, sh_offset), 0, 8);
        image_set(&im, header + offsetof(Elf64_Shdr, sh_size), im.bytes->len, 8);
    }
    write_file(program, im.bytes->data, im.bytes->len);
    image_free(&im);
    GString *problems = g_string_new(NULL);
    assert_null(load_functions(program, true, problems));
    assert_non_null(strstr(problems->str, UNKNOWN_RELOCATIONS));
    g_string_free(problems, TRUE);
}

/* Addresses that are not relocated are not valid. */
static void relocations_missing(void **state)
{
    (void)state;
    image im = image_begin(true, false, EM_X86_64, ET_DYN);
    GByteArray *map = image_three(&im, 0);
    for (unsigned at = 0; at < map->len; at += 32)
        memset(map->data + at, 0, 16);
    im = with_map(im, map);
    check(&im, DAMAGED);
}

/* --- the index --------------------------------------------------------------------------------------------------------- */

/* The three functions with an index that has for each id: the word with which its first sled begins (four per sled), and
 * the number of sleds. */
static image indexed(bool wide, bool distances, const unsigned (*list)[2], size_t count)
{
    image im = image_begin(wide, false, wide ? EM_X86_64 : EM_ARM, ET_EXEC);
    GByteArray *index = g_byte_array_new();
    unsigned word = image_word(&im);
    for (size_t i = 0; i < count; i++) {
        uint64_t begin = IMAGE_MAP + list[i][0] * word;
        image_put_word(&im, index, begin - (distances ? IMAGE_INDEX + index->len : 0));
        image_put_word(&im, index, distances ? list[i][1] : begin + list[i][1] * 4 * word);
    }
    im = with_map(im, image_three(&im, 2));
    image_section(&im, "xray_fn_idx", SHT_PROGBITS, IMAGE_INDEX, 0, index);
    return im;
}

static void indexes(void **state)
{
    (void)state;
    static const unsigned all[][2] = {{0, 3}, {12, 3}, {24, 3}}, later[][2] = {{12, 3}, {24, 3}},
                          odd[][2] = {{24, 3}, {0, 3}, {12, 3}}, part[][2] = {{24, 1}, {0, 2}, {12, 3}};
    static const unsigned none[][2] = {{0, 3}, {12, 0}, {24, 3}}, after[][2] = {{0, 3}, {32, 2}},
                          between[][2] = {{0, 3}, {13, 1}};
    for (unsigned i = 0; i < 4; i++) {
        bool wide = i & 1, distances = i & 2;
        image im = indexed(wide, distances, all, G_N_ELEMENTS(all));
        check(&im, THREE);
        im = indexed(wide, distances, later, G_N_ELEMENTS(later)); /* first(int) came from a compiler without an index */
        check(&im, THREE);
        im = indexed(wide, distances, part, G_N_ELEMENTS(part));
        check(&im, THREE);
        im = indexed(wide, distances, odd, G_N_ELEMENTS(odd));
        check(&im, "thing::third() first(int) second");
        im = indexed(wide, distances, all, 0);
        check(&im, THREE);
        im = indexed(wide, distances, none, G_N_ELEMENTS(none));
        check(&im, REFUSED("its index of instrumented functions is damaged"));
        im = indexed(wide, distances, after, G_N_ELEMENTS(after));
        check(&im, REFUSED("its index of instrumented functions is damaged"));
        im = indexed(wide, distances, between, G_N_ELEMENTS(between));
        check(&im, REFUSED("its index of instrumented functions is damaged"));
    }
}

/* --- maps that cannot be trusted --------------------------------------------------------------------------------------- */

static void untrusted(void **state)
{
    (void)state;
    static const uint64_t outside[] = {0, IMAGE_CODE - 1, IMAGE_CODE + IMAGE_CODE_LENGTH, UINT64_MAX};
    for (size_t i = 0; i < G_N_ELEMENTS(outside); i++) {
        const image_sled sleds[] = {{0x10, 0, 0}, {outside[i] - IMAGE_CODE, 0, 0}, {0x40, 0, 0}};
        image im = image_begin(true, false, EM_X86_64, ET_EXEC);
        im = with_map(im, image_sleds(&im, sleds, G_N_ELEMENTS(sleds)));
        check(&im, DAMAGED);
    }
    image im = image_begin(true, false, EM_X86_64, ET_EXEC);
    GByteArray *map = image_three(&im, 2);
    g_byte_array_set_size(map, map->len - 1);
    im = with_map(im, map);
    check(&im, REFUSED("its instrumentation map is cut short or damaged"));
    im = image_begin(true, false, EM_X86_64, ET_EXEC);
    im = with_map(im, g_byte_array_new());
    check(&im, REFUSED("its instrumentation map is empty"));
    im = image_begin(true, false, EM_X86_64, ET_EXEC);
    image_section(&im, "xray_instr_map", SHT_NOBITS, IMAGE_MAP, 0, image_three(&im, 2));
    check(&im, REFUSED("it contains only debug information, the instrumentation map is in the program"));
    im = image_begin(true, false, EM_X86_64, ET_EXEC);
    image_symbols(&im, SHT_SYMTAB, image_names, G_N_ELEMENTS(image_names));
    check(&im, REFUSED("it has no instrumentation map: it was not built with -fxray-instrument"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),
        cmocka_unit_test(addresses),
        cmocka_unit_test(ids),
        cmocka_unit_test(thumb),
        cmocka_unit_test(relocations),
        cmocka_unit_test(relocations_overlapping),
        cmocka_unit_test(relocations_missing),
        cmocka_unit_test(indexes),
        cmocka_unit_test(untrusted),
    };
    return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
