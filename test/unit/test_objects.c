/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TRACE.objects: its lines, and which files are used for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include <string.h>

#include "program/executable.h"
#include "program/objects.h"
#include "xray/names/functions.h"

static char *folder, *trace, *program; /* the program: tails-pie.elf, at another place */

static char *id_of(const char *path)
{
    g_autoptr(executable) e = executable_open(path, NULL);
    return executable_build_id(e);
}

/* Writes the file; $ID, $FOLDER in it are those of the program. */
static void write_objects(const char *text)
{
    g_autofree char *path = g_strconcat(trace, ".objects", NULL), *id = id_of(program);
    GString *s = g_string_new(text);
    g_string_replace(s, "$ID", id, 0);
    g_string_replace(s, "$FOLDER", folder, 0);
    assert_true(g_file_set_contents(path, s->str, (gssize)s->len, NULL));
    g_string_free(s, TRUE);
}

static objects *read_objects(const char *text)
{
    write_objects(text);
    objects *o = objects_read(trace);
    assert_non_null(o);
    objects_find(o);
    return o;
}

/* That there are `count` objects, and these notices, separated by line breaks. */
static void check(const char *text, guint count, const char *list, const char *notices)
{
    objects *o = read_objects(text);
    g_auto(GStrv) files = objects_files(o);
    g_autofree char *found = files ? g_strjoinv(";", files) : g_strdup("");
    GString *all = g_string_new(NULL), *wanted = g_string_new(list);
    for (guint i = 0; i < o->notices->len; i++)
        g_string_append_printf(all, "%s%s", i ? "\n" : "", (const char *)g_ptr_array_index(o->notices, i));
    g_string_replace(all, folder, "$FOLDER", 0);
    g_string_replace(wanted, "$FOLDER", folder, 0);
    assert_string_equal(all->str, notices);
    assert_int_equal(o->all->len, count);
    assert_string_equal(found, wanted->str);
    g_string_free(all, TRUE);
    g_string_free(wanted, TRUE);
    objects_free(o);
}

#define MISSING "These objects of the traced program are missing, so their names are not known: "
#define OTHER "These objects are another build than the one that was traced, so their names are not used: "
#define UNKNOWN "Whether these objects are the ones that were traced is not known, as they have no build id: "
#define WRONG(n, more) "$FOLDER/a.trace.objects: line " n " is not as recorders write it" more ", so it is not used"

static void files_are_found(void **state)
{
    (void)state;
    check("# objects 1\n0 0x0 $ID $FOLDER/pro\\x67\n", 1, "$FOLDER/prog", "");
    check("# objects 1\n0 0x0 $ID /nowhere/prog\n", 1, "$FOLDER/prog", "");
    check("# objects 1\n0 0x55713d40e000 $ID /nowhere/prog\n2 0x7f0000000000 $ID $FOLDER/prog\n", 2,
          "$FOLDER/prog;;$FOLDER/prog", "");
    check("# objects 1\n0 0x0 $ID $FOLDER/one;two\n", 1, "$FOLDER/one;two", "");
    check("# objects 1\n0 0x0 $ID /nowhere/else\n", 1, "", MISSING "/nowhere/else");
    check("# objects 1\n0 0x0 abcdef $FOLDER/prog\n1 0x0 abcdef /nowhere/prog\n", 2, "",
          OTHER "$FOLDER/prog, /nowhere/prog");
    check("# objects 1\n0 0x0 - $FOLDER/prog\n", 1, "", OTHER "$FOLDER/prog");
    check("# objects 1\n0 0x0 - $FOLDER/plain\n1 0x0 - /nowhere/plain\n", 2, "$FOLDER/plain;",
          MISSING "/nowhere/plain\n" UNKNOWN "$FOLDER/plain");
}

static void reports_are_notices(void **state)
{
    (void)state;
    check("# objects 1\n# the trace ends early: no space left on device\n0 0x0 $ID /nowhere/prog\n# \x1b[1m\n", 1,
          "$FOLDER/prog", "The recorder reports: the trace ends early: no space left on device\nThe recorder reports: ?[1m");
    GString *many = g_string_new("# objects 1\n");
    for (unsigned i = 0; i < 12; i++)
        g_string_append(many, "# lost\n");
    objects *o = read_objects(many->str);
    assert_int_equal(o->notices->len, 11);
    objects_free(o);
    g_string_free(many, TRUE);
}

static void wrong_lines(void **state)
{
    (void)state;
    static const char *const wrong[] = {"0 0 $ID /a",
                                        "0 0x $ID /a",
                                        "x 0x0 $ID /a",
                                        "0 0x0  /a",
                                        "0 0x0 $ID a",
                                        "0 0x0 $ID",
                                        "0 0x0 $IDF /a",
                                        "0 0x0 abc /a",
                                        "0",
                                        "-1 0x0 $ID /a",
                                        "4096 0x0 - /a",
                                        "99999999999999999999 0x0 - /a",
                                        "0 0x0 - /\\x0",
                                        "0 0x0 - /\\x00",
                                        "0 0x0 - /\\n",
                                        "#x",
                                        "0 0x0 ab /a",
                                        " 0 0x0 - /a",
                                        "",
                                        "1 0x0 - /prog"};
    for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autofree char *text = g_strdup_printf("# objects 1\n1 0x0 $ID /nowhere/prog\n%s\n3 0x0 $ID /prog\n", wrong[i]);
        check(text, 2, ";$FOLDER/prog;;$FOLDER/prog", WRONG("3", ""));
    }
    check("# objects 1\n?\n?\n", 0, "", WRONG("2", " (nor are others)"));
    check("# objects 2\n0 0x0 $ID /nowhere/prog\n", 0, "",
          "$FOLDER/a.trace.objects: line 1 is not '# objects 1', so the file is not used");
    check("", 0, "", "$FOLDER/a.trace.objects: line 1 is not '# objects 1', so the file is not used");
}

static void beside_a_compressed_trace(void **state)
{
    (void)state;
    g_autofree char *packed = g_strconcat(trace, ".gz", NULL), *other = g_build_filename(folder, "b.trace", NULL);
    write_objects("# objects 1\n");
    objects *o = objects_read(packed);
    assert_non_null(o);
    objects_free(o);
    assert_null(objects_read(other));
}

static void load_addresses(void **state)
{
    (void)state;
    objects *o = read_objects(
        "# objects 1\n0 0x1000 abcdef /nowhere/prog\n1 0x2000 $ID /nowhere/other\n2 0x3000 - /x/plain\n");
    g_autofree char *plain = g_build_filename(folder, "plain", NULL), *no = g_build_filename(folder, "no", NULL);
    uint64_t load = 0;
    assert_true(objects_load_of(o, program, &load)); /* its build id is that of 1 */
    assert_int_equal(load, 0x2000);
    assert_true(objects_load_of(o, plain, &load));
    assert_int_equal(load, 0x3000);
    assert_false(objects_load_of(o, no, &load));
    objects_free(o);
}

static void builds(void **state)
{
    (void)state;
    g_autoptr(objects) a = read_objects("# objects 1\n0 0x0 abcd /a\n1 0x0 - /b\n3 0x0 ef01 /c\n"),
                       b = read_objects("# objects 1\n0 0x0 abcd /x\n1 0x0 ef01 /b\n3 0x0 ef02 /c\n");
    for (uint32_t number = 0; number < 5; number++) /* one without a build id may be any */
        assert_int_equal(objects_differ(a, b, number), number == 3);
    assert_false(objects_differ(a, NULL, 3) || objects_differ(NULL, b, 3));
}

static void check_overlap(uint64_t load, guint notices)
{
    g_autofree char *text = g_strdup_printf(
        "# objects 1\n1 0x7f0000000000 $ID /prog\n2 0x%" G_GINT64_MODIFIER "x - $FOLDER/plain\n", load);
    objects *o = read_objects(text);
    objects_check_overlap(o);
    assert_int_equal(o->notices->len, 1 + notices); /* one of them is not certain */
    objects_free(o);
}

static void objects_at_the_same_addresses(void **state)
{
    (void)state;
    check_overlap(UINT64_C(0x7f0000000000), 1);
    check_overlap(UINT64_C(0x7f0000001000), 1);
    check_overlap(UINT64_C(0x7f1000000000), 0);
    objects *o = read_objects("# objects 1\n1 0x7f0000000000 $ID /prog\n2 0x7f0000000000 $ID /prog\n");
    objects_check_overlap(o); /* the same one, loaded again */
    assert_int_equal(o->notices->len, 0);
    objects_free(o);
}

/* A library that is loaded again has another number, and the same functions. */
static void functions_of_libraries_loaded_again(void **state)
{
    (void)state;
    write_objects("# objects 1\n1 0x0 $ID /prog\n2 0x0 - /missing\n3 0x0 $ID /prog\n");
    GString *problems = g_string_new(NULL);
    g_auto(GStrv) list = xray_functions_discover(trace, NULL, problems);
    xray_functions *f = xray_functions_load(list, true, problems);
    assert_string_equal(problems->str, MISSING "/missing\n");
    assert_string_equal(xray_functions_find(f, 3u << 24 | 1)->name, "last(int)");
    assert_string_equal(xray_functions_short(f, 3u << 24 | 1).text, "last");
    assert_int_equal(xray_functions_same(f, 3u << 24 | 1), 1u << 24 | 1);
    assert_int_equal(xray_functions_same(f, 2u << 24 | 1), 2u << 24 | 1);
    assert_int_equal(xray_functions_same(f, 7), 7);
    for (uint32_t number = 0; number < 5; number++)
        assert_int_equal(xray_functions_named(f, number), number == 1 || number == 3);
    assert_int_equal(xray_functions_same(f, 9u << 24 | 1), 9u << 24 | 1);
    assert_true(xray_functions_complete(f));
    xray_functions_free(f);
    g_string_free(problems, TRUE);
}

static void copy_to(const char *name, const char *capture)
{
    g_autofree char *from = g_build_filename("captures", "xray", capture, NULL), *to = g_build_filename(folder, name, NULL),
                    *bytes;
    gsize length;
    assert_true(g_file_get_contents(from, &bytes, &length, NULL));
    assert_true(g_file_set_contents(to, bytes, (gssize)length, NULL));
}

static int set_up(void **state)
{
    (void)state;
    folder = g_dir_make_tmp("objects-XXXXXX", NULL);
    trace = g_build_filename(folder, "a.trace", NULL);
    program = g_build_filename(folder, "prog", NULL);
    copy_to("prog", "tails-pie.elf");
    copy_to("one;two", "tails-pie.elf");
    copy_to("plain", "llvm-pie-v0.elf"); /* without a build id */
    g_autofree char *id = id_of(program);
    return id ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    static const char *const names[] = {"prog", "one;two", "plain", "a.trace.objects"};
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(folder, names[i], NULL);
        g_unlink(path);
    }
    g_rmdir(folder);
    g_free(program);
    g_free(trace);
    g_free(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_found),
        cmocka_unit_test(reports_are_notices),
        cmocka_unit_test(wrong_lines),
        cmocka_unit_test(beside_a_compressed_trace),
        cmocka_unit_test(load_addresses),
        cmocka_unit_test(builds),
        cmocka_unit_test(objects_at_the_same_addresses),
        cmocka_unit_test(functions_of_libraries_loaded_again),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
