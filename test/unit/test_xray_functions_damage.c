/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are not instrumented programs, and programs that are cut or damaged: a clear message or the right names,
 * never a wrong name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "load_functions.h"
#include "written_program.h"
#include "xray/names/functions.h"

/* Loads the program and checks the message. */
static void check_refused(const char *why)
{
    GString *problems = g_string_new(NULL);
    char *wanted = g_strdup_printf("%s cannot be used for function names: %s.\n", program, why);
    assert_null(load_functions(program, true, problems));
    assert_string_equal(problems->str, wanted);
    assert_null(load_functions(program, true, NULL));
    g_free(wanted);
    g_string_free(problems, TRUE);
}

static void check_file_refused(const void *bytes, size_t length, const char *why)
{
    write_file(program, bytes, length);
    check_refused(why);
}

static void foreign(void **state)
{
    (void)state;
    static const char text[] = "#!/bin/sh\nexec true\n", magic[] = "\177ELF", archive[] = "!<arch>\n";
    check_file_refused("", 0, "it is not an ELF file");
    check_file_refused(text, sizeof text, "it is not an ELF file");
    check_file_refused(archive, sizeof archive - 1, "it is not an ELF file");
    check_file_refused(magic, 4, "it is not an ELF file");
    image im = image_begin(true, false, EM_X86_64, ET_REL);
    image_write(&im, program);
    check_refused("it is neither an executable nor a shared library");
    g_remove(program);
    check_refused("No such file or directory");
}

/* Must not block, nor read without end. */
static void not_regular(void **state)
{
    (void)state;
    assert_int_equal(g_mkdir(program, 0700), 0);
    check_refused("it is not a regular file");
    g_rmdir(program);
    assert_int_equal(mkfifo(program, 0600), 0);
    check_refused("it is not a regular file");
    g_remove(program);
    assert_int_equal(symlink("/dev/zero", program), 0);
    check_refused("it is not a regular file");
    g_remove(program);
}

static void section_headers(void **state)
{
    (void)state;
    image im = image_program(true, false);
    image_finish(&im);
    image_set(&im, offsetof(Elf64_Ehdr, e_shoff), 0, 8);
    check_file_refused(im.bytes->data, im.bytes->len, "its section headers were stripped, so nothing in it can be found");
    image_set(&im, offsetof(Elf64_Ehdr, e_shoff), 1u << 30, 8);
    check_file_refused(im.bytes->data, im.bytes->len, "it is cut short or damaged: its section headers are missing");
    image_free(&im);
}

/* Everything loaded is what was there: `names[i]` is that of id i + 1. Returns the number of names. */
static unsigned check_names(const xray_functions *f, const char *const *names, size_t count)
{
    unsigned found = 0;
    for (uint32_t id = 1; id <= count; id++) {
        const xray_function *x = xray_functions_find(f, id);
        if (x && x->name) {
            assert_string_equal(x->name, names[id - 1]);
            found++;
        }
    }
    assert_null(xray_functions_find(f, (uint32_t)count + 1));
    return found;
}

static const char *const three[] = {"first(int)", "second", "thing::third()"};

/* One message for a file without names, none for a complete one. */
static void check_sentences(const GString *problems, bool any)
{
    unsigned lines = 0;
    for (const char *c = problems->str; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, any ? 1 : 0);
}

static void cut_short(void **state)
{
    (void)state;
    for (unsigned shape = 0; shape < 4; shape++) {
        image im = image_program(shape & 1, shape & 2);
        image_finish(&im);
        for (size_t length = 0; length <= im.bytes->len; length++) {
            GString *problems = g_string_new(NULL);
            write_file(program, im.bytes->data, length);
            xray_functions *f = load_functions(program, true, problems);
            unsigned names = check_names(f, three, f ? 3 : 0);
            check_sentences(problems, names == 0);
            assert_true(length < im.bytes->len || names == 3);
            xray_functions_free(f);
            g_string_free(problems, TRUE);
        }
        image_free(&im);
    }
}

/* Every byte is changed in several ways. The result may be wrong if that was in a name or symbol; but there is one, and
 * one message at most. */
static void damaged(void **state)
{
    (void)state;
    static const uint8_t masks[] = {0xff, 0x01, 0x80};
    for (unsigned shape = 0; shape < 2; shape++) {
        image im = image_program(shape & 1, !(shape & 1));
        image_finish(&im);
        for (size_t i = 0; i < im.bytes->len * G_N_ELEMENTS(masks); i++) {
            GString *problems = g_string_new(NULL);
            im.bytes->data[i / G_N_ELEMENTS(masks)] ^= masks[i % G_N_ELEMENTS(masks)];
            write_file(program, im.bytes->data, im.bytes->len);
            xray_functions *f = load_functions(program, true, problems);
            check_sentences(problems, problems->len);
            assert_true(f || problems->len);
            for (uint32_t id = 0; id < 20; id++) {
                xray_functions_find(f, id);
                xray_functions_source(f, id);
            }
            im.bytes->data[i / G_N_ELEMENTS(masks)] ^= masks[i % G_N_ELEMENTS(masks)];
            xray_functions_free(f);
            g_string_free(problems, TRUE);
        }
        image_free(&im);
    }
}

/* Numbers in section headers that claim more than there is. */
static void lying_headers(void **state)
{
    (void)state;
    static const uint64_t wrong[] = {UINT64_MAX, UINT64_MAX - 63, INT64_MAX, 1ull << 40, UINT32_MAX, 1u << 31};
    static const size_t fields[] = {offsetof(Elf64_Shdr, sh_size), offsetof(Elf64_Shdr, sh_offset),
                                    offsetof(Elf64_Shdr, sh_addr), offsetof(Elf64_Shdr, sh_entsize)};
    image im = image_program(true, false);
    image_finish(&im);
    for (unsigned section = 0; section < im.sections; section++) {
        for (size_t i = 0; i < G_N_ELEMENTS(fields) * G_N_ELEMENTS(wrong); i++) {
            GString *problems = g_string_new(NULL);
            size_t at = image_section_header(&im, section) + fields[i / G_N_ELEMENTS(wrong)];
            uint64_t truth;
            memcpy(&truth, im.bytes->data + at, sizeof truth);
            image_set(&im, at, wrong[i % G_N_ELEMENTS(wrong)], 8);
            write_file(program, im.bytes->data, im.bytes->len);
            xray_functions *f = load_functions(program, true, problems);
            check_sentences(problems, check_names(f, three, f ? 3 : 0) == 0);
            memcpy(im.bytes->data + at, &truth, sizeof truth);
            xray_functions_free(f);
            g_string_free(problems, TRUE);
        }
    }
    image_free(&im);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign),   cmocka_unit_test(not_regular), cmocka_unit_test(section_headers),
        cmocka_unit_test(cut_short), cmocka_unit_test(damaged),     cmocka_unit_test(lying_headers),
    };
    return cmocka_run_group_tests(tests, program_setup, program_teardown);
}
