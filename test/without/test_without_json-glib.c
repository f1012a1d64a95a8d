/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON in a build without json-glib: files with it are refused with a reason; metadata is scanned, but nothing in it is
 * used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <glib.h>
#include <glib/gstdio.h>

#include "cacheray/caches.h"
#include "cacheray/members.h"
#include "ovni/metadata.h"

#define REASON "Wiretrace was built without json-glib"

static char *written(const char *text)
{
    char *path;
    int file = g_file_open_tmp("wiretrace-XXXXXX.json", &path, NULL);
    assert_true(g_close(file, NULL));
    assert_true(g_file_set_contents(path, text, -1, NULL));
    return path;
}

static void caches_are_not_described(void **state)
{
    (void)state;
    caches_config config;
    char *path = written("{\"caches\": [{\"cache_size\": 15, \"block_size\": 6, \"set_assoc\": 8, \"rep_policy\": 0}]}");
    char *reason = caches_read(path, &config);
    assert_string_equal(reason, REASON);
    assert_int_equal(config.count, 0);
    g_free(reason);
    g_unlink(path);
    g_free(path);
}

static void type_files_are_not_read(void **state)
{
    (void)state;
    const char *reason = NULL;
    char *path = written("{\"version\": 4, \"structs\": []}");
    assert_null(members_open(path, &(members_machine){true, false}, &reason));
    assert_string_equal(reason, REASON);
    g_unlink(path);
    g_free(path);
}

static void visit(void *data, const ovni_metadata_item *item)
{
    (void)data;
    fail_msg("it cannot know of an item of kind %d", (int)item->kind);
}

static void metadata_says_nothing(void **state)
{
    (void)state;
    static const char text[] = "{\"ovni\": {\"tid\": 1, \"pid\": 2, \"loom\": \"a\", \"x\": 1, \"finished\": 1}} rest";
    ovni_metadata m;
    ovni_metadata_parse(&m, text, strlen(text));
    assert_int_equal(m.fault, FAULT_NONE);
    assert_int_equal(m.identity.known, 0);
    assert_false(m.has_ovni);
    assert_null(m.loom);
    assert_null(m.problems);
    ovni_metadata_clear(&m);
    ovni_metadata_visit(text, strlen(text), visit, NULL);
    assert_int_equal(ovni_metadata_extent(text, strlen(text)), strlen(text) - strlen(" rest"));
}

static void broken_metadata_is_found(void **state)
{
    (void)state;
    ovni_metadata m;
    ovni_metadata_parse(&m, "{\"ovni\": {", 10);
    assert_int_equal(m.fault, FAULT_OVNI_JSON);
    ovni_metadata_clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caches_are_not_described),
        cmocka_unit_test(type_files_are_not_read),
        cmocka_unit_test(metadata_says_nothing),
        cmocka_unit_test(broken_metadata_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
