/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Function names in real programs, ids of shared libraries, and the program for a log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "elf_image.h"
#include "load_functions.h"
#include "xray/names/functions.h"
#include "xray/statistics/display.h"

static char *folder;

static char *in_folder(const char *name)
{
    return g_build_filename(folder, name, NULL);
}

/* --- real programs ----------------------------------------------------------------------------------------------------- */

/* As reported by the runtime (__xray_function_address), with the output of nm and c++filt. */
static const struct {
    const char *program;
    uint32_t id;
    uint64_t address;
    const char *symbol, *name;
} samples[] = {
    {"calls.elf", 1, 0x4233d0, "_Z4leafi", "leaf(int)"},
    {"calls.elf", 4, 0x423530, "_ZN2nsL6hiddenEi", "ns::hidden(int)"},
    {"calls.elf", 5, 0x423570, "main", "main"},
    {"calls.elf", 6, 0x4236f0, "_Z5totalI5ShapeEiPKPKT_i", "int total<Shape>(Shape const* const*, int)"},
    {"calls.elf", 7, 0x423760, "_ZN5ShapeD2Ev", "Shape::~Shape()"},
    {"calls.elf", 11, 0x423820, "_ZNK4Disc4areaEv", "Disc::area() const"},
    {"tails-pie.elf", 1, 0x233d0, "_Z4lasti", "last(int)"},
    {"tails-pie.elf", 5, 0x234f0, "_Z4eveni", "even(int)"},
    {"tails-pie.elf", 9, 0x23610, "main", "main"},
    {"llvm-sample-o2.elf", 1, 0x41ca40, "_Z3barv", "bar()"},
    {"llvm-sample-o2.elf", 3, 0x41caa0, "main", "main"},
    {"llvm-pie-v0.elf", 1, 0x299c0, "_Z3foov", "foo()"},
    {"llvm-pie-v0.elf", 2, 0x299e0, "_Z3barv", "bar()"},
};
static const struct {
    const char *program;
    uint32_t count;
} sample_counts[] = {{"calls.elf", 11}, {"tails-pie.elf", 9}, {"llvm-sample-o2.elf", 3}, {"llvm-pie-v0.elf", 2}};

static xray_functions *load_sample(const char *program, bool demangled)
{
    char *path = g_build_filename("captures", "xray", program, NULL);
    GString *problems = g_string_new(NULL);
    xray_functions *f = load_functions(path, demangled, problems);
    assert_non_null(f);
    assert_string_equal(problems->str, "");
    g_string_free(problems, TRUE);
    g_free(path);
    return f;
}

static void real_programs(void **state)
{
    (void)state;
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        for (unsigned demangled = 0; demangled < 2; demangled++) {
            xray_functions *f = load_sample(samples[i].program, demangled);
            const xray_function *x = xray_functions_find(f, samples[i].id);
            assert_non_null(x);
            assert_int_equal(x->address, samples[i].address);
            assert_string_equal(x->linkage_name, samples[i].symbol);
            assert_string_equal(x->name, demangled ? samples[i].name : samples[i].symbol);
            assert_null(xray_functions_source(f, samples[i].id).text); /* no debug information */
            xray_functions_free(f);
        }
    }
    for (size_t i = 0; i < G_N_ELEMENTS(sample_counts); i++) {
        xray_functions *f = load_sample(sample_counts[i].program, true);
        assert_null(xray_functions_find(f, 0));
        assert_non_null(xray_functions_find(f, sample_counts[i].count));
        assert_null(xray_functions_find(f, sample_counts[i].count + 1));
        assert_null(xray_functions_find(f, 1u << 24 | 1));
        assert_null(xray_functions_find(f, UINT32_MAX));
        xray_functions_free(f);
    }
}

/* --- several files ----------------------------------------------------------------------------------------------------- */

/* Writes a program with one function with this name and `count` more. */
static char *write_program(const char *file, const char *function, unsigned count)
{
    char *path = in_folder(file);
    const image_symbol symbols[] = {IMAGE_FUNCTION(function, 0x40, 8, STB_GLOBAL)};
    image im = image_begin(true, false, EM_X86_64, ET_DYN);
    GByteArray *map = g_byte_array_new();
    for (unsigned i = 0; i <= count; i++) {
        image_put_word(&im, map, 0);
        image_put_word(&im, map, IMAGE_CODE + 0x40 + i * 8 - (IMAGE_MAP + map->len));
        image_put(&im, map, 2u << 16, 8);
        image_put_word(&im, map, 0);
    }
    image_section(&im, "xray_instr_map", SHT_PROGBITS, IMAGE_MAP, 0, map);
    image_symbols(&im, SHT_SYMTAB, symbols, 1);
    image_write(&im, path);
    return path;
}

static void check_name(const xray_functions *f, uint32_t id, const char *wanted)
{
    const xray_function *x = xray_functions_find(f, id);
    if (!wanted)
        assert_null(x);
    else
        assert_string_equal(x && x->name ? x->name : "(none)", wanted);
}

/* Short names differ between all functions of the program and its libraries; without a symbol there is none. */
static void short_names(void **state)
{
    (void)state;
    g_autofree char *program = write_program("program", "_ZN2ns1fEi", 1),
                    *library = write_program("one.so", "_ZN2ns1fEd", 0), *paths = g_strjoin(";", program, library, NULL);
    xray_functions *f = load_functions(paths, true, NULL);
    assert_string_equal(xray_functions_short(f, 1).text, "ns::f(int)");
    assert_string_equal(xray_functions_short(f, 1 << 24 | 1).text, "ns::f(double)");
    assert_null(xray_functions_short(f, 2).text);
    assert_null(xray_functions_short(f, 3).text);
    assert_null(xray_functions_short(NULL, 1).text);
    xray_functions_free(f);
    f = load_functions(program, true, NULL);
    assert_string_equal(xray_functions_short(f, 1).text, "ns::f");
    xray_functions_free(f);
    f = load_functions(program, false, NULL);
    assert_string_equal(xray_functions_short(f, 1).text, "_ZN2ns1fEi");
    xray_functions_free(f);
}

/* How statistics show functions and ticks. */
static void shown(void **state)
{
    (void)state;
    xray_functions *f = load_sample("calls.elf", true);
    xray_display s = {.functions = f, .frequency = UINT64_C(2000000000)};
    xray_number number;
    assert_string_equal(xray_display_name(&s, 6, number).text, "total<…>");
    assert_string_equal(xray_display_name(&s, 4000000000, number).text, "#4000000000");
    assert_string_equal(xray_display_name(&s, XRAY_OTHER_FUNCTIONS, number).text, "(others)");
    s.full = true;
    assert_string_equal(xray_display_name(&s, 6, number).text, samples[3].name);
    assert_string_equal(xray_display_name(&s, 12, number).text, "#12");
    assert_string_equal(xray_name_words((shown_name){0}, 0, number).text, "#0");
    assert_int_equal(xray_display_time(&s, 15), 8); /* 7.5 */
    assert_int_equal(xray_display_time(&s, 14), 7);
    assert_int_equal(xray_display_time(&s, UINT64_MAX - 1), UINT64_MAX / 2);
    s.ticks = true;
    assert_int_equal(xray_display_time(&s, 15), 15);
    s = (xray_display){.frequency = 0};
    assert_int_equal(xray_display_time(&s, 15), 15);
    xray_functions_free(f);
}

static void libraries(void **state)
{
    (void)state;
    char *program = write_program("program", "program_one", 0), *one = write_program("one.so", "one_one", 1);
    char *two = write_program("two.so", "two_one", 0);
    char *paths = g_strjoin(";", program, one, " ", two, NULL); /* the second library is unknown */
    GString *problems = g_string_new(NULL);
    xray_functions *f = load_functions(paths, true, problems);
    assert_string_equal(problems->str, "");
    check_name(f, 1, "program_one");
    check_name(f, 2, NULL);
    check_name(f, 1u << 24, NULL);
    check_name(f, 1u << 24 | 1, "one_one");
    assert_non_null(xray_functions_find(f, 1u << 24 | 2));
    check_name(f, 1u << 24 | 3, NULL);
    check_name(f, 2u << 24 | 1, NULL);
    check_name(f, 3u << 24 | 1, "two_one");
    check_name(f, 4u << 24 | 1, NULL);
    check_name(f, 255u << 24 | 1, NULL);
    xray_functions_free(f);
    g_free(paths);
    g_free(program);
    g_free(one);
    g_free(two);
    g_string_free(problems, TRUE);
}

/* With 28-bit ids library 16 looks like the program: only functions that one of the two alone can have get names. */
static void too_many_libraries(void **state)
{
    (void)state;
    enum { LAST = 17 };
    char *files[LAST + 2] = {NULL};
    files[0] = write_program("program", "program_one", 1); /* has two functions */
    for (unsigned i = 1; i <= LAST; i++) {
        char *file = g_strdup_printf("library-%u.so", i), *symbol = g_strdup_printf("library_%u", i);
        files[i] = write_program(file, symbol, i == 2 ? 1 : 0);
        g_free(file);
        g_free(symbol);
    }
    for (unsigned narrow = 0; narrow <= 1; narrow++)
        for (unsigned count = 16; count <= LAST + 1; count++) {
            char *last = files[count], *paths;
            files[count] = NULL;
            paths = g_strjoinv(";", files);
            GString *problems = g_string_new(NULL);
            xray_functions *f = load_functions(paths, true, problems);
            if (narrow)
                xray_functions_narrow(f, XRAY_FDR_ID_BITS, problems);
            bool reported = strstr(problems->str, "library 16 cannot be distinguished from library 0") != NULL;
            assert_int_equal(reported, narrow && count > 16);
            check_name(f, 1, reported ? NULL : "program_one");
            assert_int_equal(xray_functions_ambiguous(f, 1), reported);
            assert_non_null(xray_functions_find(f, 2)); /* library 16 has only one function */
            assert_false(xray_functions_ambiguous(f, 2));
            check_name(f, 1u << 24 | 1, narrow && count > 17 ? NULL : "library_1");
            check_name(f, 2u << 24 | 1, "library_2");
            check_name(f, 15u << 24 | 1, "library_15");
            if (!narrow)
                check_name(f, 16u << 24 | 1, count > 16 ? "library_16" : NULL);
            xray_functions_free(f);
            g_string_free(problems, TRUE);
            g_free(paths);
            files[count] = last;
        }
    for (char **file = files; *file; file++)
        g_free(*file);
}

/* Files that cannot be used are reported, keep their place, and do not affect the others. */
static void some_unusable(void **state)
{
    (void)state;
    char *library = write_program("library.so", "library_one", 0), *missing = in_folder("missing");
    char *paths = g_strjoin(";", missing, library, missing, NULL);
    char *wanted = g_strdup_printf("%s cannot be used for function names: No such file or directory.\n", missing);
    GString *problems = g_string_new(NULL);
    xray_functions *f = load_functions(paths, true, problems);
    assert_string_equal(problems->str, wanted);
    check_name(f, 1, NULL);
    check_name(f, 1u << 24 | 1, "library_one");
    check_name(f, 2u << 24 | 1, NULL);
    xray_functions_free(f);
    g_string_free(problems, TRUE);
    g_free(wanted);
    g_free(paths);
    g_free(missing);
    g_free(library);
}

static void nothing(void **state)
{
    (void)state;
    GString *problems = g_string_new(NULL);
    assert_null(load_functions(NULL, true, problems));
    assert_null(load_functions("", true, problems));
    assert_null(load_functions(" ; ;", true, problems));
    assert_string_equal(problems->str, "");
    assert_null(xray_functions_find(NULL, 1));
    assert_null(xray_functions_source(NULL, 1).text);
    xray_functions_free(NULL);
    g_string_free(problems, TRUE);
}

/* --- the program of a log ---------------------------------------------------------------------------------------------- */

static void check_discovered(const char *log, const char *wanted)
{
    char *path = in_folder(log), *program = wanted ? in_folder(wanted) : NULL;
    g_auto(GStrv) found = xray_functions_discover(path, NULL, NULL);
    if (wanted)
        assert_string_equal(found ? found[0] : "(none)", program);
    else
        assert_null(found);
    g_free(program);
    g_free(path);
}

static void discovery(void **state)
{
    (void)state;
    static const char *const programs[] = {"prog", "prog.v1.2", "a b", "xray-log.x"};
    for (size_t i = 0; i < G_N_ELEMENTS(programs); i++)
        g_free(write_program(programs[i], "f", 0));
    char *text = in_folder("text"), *plain = in_folder("plain"), *folder_of_logs = in_folder("folder");
    write_file(text, "text", 4);
    image im = image_begin(true, false, EM_X86_64, ET_EXEC);
    image_symbols(&im, SHT_SYMTAB, image_names, 1);
    image_write(&im, plain);
    g_mkdir(folder_of_logs, 0700);
    check_discovered("xray-log.prog.AbC123", "prog");
    check_discovered("xray-log.prog.AbC123.gz", "prog");
    check_discovered("xray-log.prog.v1.2.zzzzzz", "prog.v1.2");
    check_discovered("xray-log.a b.zzzzzz.zst", "a b");
    check_discovered("xray-log.xray-log.x.zzzzzz", "xray-log.x");
    check_discovered("xray-log.prog.AbC12", "prog");
    check_discovered("xray-log.prog.AbC1234", "prog");
    check_discovered("xray-log.prog.AbC123.before.gz", "prog");
    check_discovered("xray-log.prog.v1", "prog");
    check_discovered("xray-log.prog.", "prog");
    check_discovered("xray-log.prog", "prog");
    static const char *const others[] = {
        "xray-log.",
        "xray-log..AbC123",
        "xray-log...AbC123",
        "my-log.prog.AbC1",
        "fdr-log.prog.AbC123",
        "prog",
        "xray-log.other.AbC123",
        "xray-log.text.AbC123",
        "xray-log.AbC123",
        "xray-log.plain.AbC123",
        "",
        "xray-log.folder.AbC123",
        "xray-log",
        "xray-log.prog2.AbC123",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        check_discovered(others[i], NULL);
    g_free(folder_of_logs);
    g_free(plain);
    g_free(text);
}

static int setup(void **state)
{
    (void)state;
    folder = scratch_folder();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    scratch_remove(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_programs), cmocka_unit_test(short_names),        cmocka_unit_test(shown),
        cmocka_unit_test(libraries),     cmocka_unit_test(too_many_libraries), cmocka_unit_test(some_unusable),
        cmocka_unit_test(nothing),       cmocka_unit_test(discovery),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
