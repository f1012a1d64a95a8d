/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metadata as ovni's tools write it, as they accept it, and broken in every way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <string.h>

#include "ovni/metadata.h"

static ovni_metadata parse(const char *text)
{
    ovni_metadata m;
    ovni_metadata_parse(&m, text, strlen(text));
    return m;
}

static void stream_json(void **state)
{
    (void)state;
    ovni_metadata m = parse("{\"version\": 3, \"ovni\": {\"lib\": {\"version\": \"1.14.0\"}, \"part\": \"thread\", "
                            "\"tid\": 12, \"pid\": 11, \"loom\": \"node01.0\", \"app_id\": 2, \"rank\": 5}}");
    assert_int_equal(m.fault, FAULT_NONE);
    assert_int_equal(m.identity.known, OVNI_KNOWN_PROCESS | OVNI_KNOWN_THREAD | OVNI_KNOWN_RANK | OVNI_KNOWN_APP);
    assert_true(m.has_ovni);
    assert_int_equal(m.identity.thread, 12);
    assert_int_equal(m.identity.process, 11);
    assert_int_equal(m.identity.app, 2);
    assert_int_equal(m.identity.rank, 5);
    assert_string_equal(m.loom, "node01.0");
    ovni_metadata_clear(&m);
}

static void metadata_json(void **state)
{
    (void)state;
    ovni_metadata m = parse("{\"version\": 1, \"model_version\": \"O1\", \"app_id\": 1, \"rank\": 0, \"nranks\": 4}");
    assert_int_equal(m.identity.known, OVNI_KNOWN_RANK | OVNI_KNOWN_APP);
    assert_false(m.has_ovni);
    assert_int_equal(m.identity.rank, 0);
    assert_int_equal(m.identity.app, 1);
    assert_null(m.loom);
    ovni_metadata_clear(&m);
}

static void numbers_are_cut_and_in_range(void **state)
{
    (void)state;
    ovni_metadata m = parse("{\"ovni\": {\"tid\": 1e3, \"pid\": 4294967296, \"rank\": -1.9, "
                            "\"app_id\": \"1\"}}");
    assert_int_equal(m.identity.thread, 1000);
    assert_int_equal(m.identity.rank, -1);
    assert_int_equal(m.identity.known, OVNI_KNOWN_THREAD | OVNI_KNOWN_RANK);
    ovni_metadata_clear(&m);
    m = parse("{\"rank\": 1e400, \"ovni\": {\"tid\": null, \"pid\": true, \"loom\": 4, \"rank\": [1]}}");
    assert_int_equal(m.identity.known, 0);
    assert_null(m.loom);
    ovni_metadata_clear(&m);
    /* an unpaired surrogate: later versions of json-glib reject it */
    m = parse("{\"ovni\": {\"tid\": 1, \"loom\": \"1.\\ud80014.0\"}}");
    assert_true(m.identity.thread == 1 || m.fault == FAULT_OVNI_JSON);
    assert_true(!m.loom || g_utf8_validate(m.loom, -1, NULL));
    ovni_metadata_clear(&m);
}

static void comments_and_what_follows_are_accepted(void **state)
{
    (void)state;
    ovni_metadata m = parse("/* one { */ { // two }\n \"rank\": /**/ 2, \"a\": \"/* no comment */ } \\\" }\" }\n]]] rest {");
    assert_int_equal(m.fault, FAULT_NONE);
    assert_int_equal(m.identity.rank, 2);
    ovni_metadata_clear(&m);
}

static void check_broken(const char *text, size_t length, fault expected)
{
    ovni_metadata m;
    char *copy = g_memdup2(text, length); /* so that the sanitizer sees any byte beyond the end */
    ovni_metadata_parse(&m, copy, length);
    if (m.fault != expected)
        fail_msg("%.40s: fault %d, expected %d", text, m.fault, expected);
    assert_true(m.fault_at <= length);
    assert_int_equal(m.identity.known, 0);
    ovni_metadata_clear(&m);
    g_free(copy);
}

static void broken_text_gives_a_reason_and_a_place(void **state)
{
    (void)state;
    static const char *const broken[] = {
        "",          " ",         "\xef\xbb\xbf{}", "[1]",  "1",    "{",    "{\"a\"", "{\"a\":",
        "{\"a\":1,", "{\"a\":\"", "{\"a\":\"\\",    "/*",   "//",   "/",    "{/*",    "{\"a\" 1}",
        "{]",        "[}",        "{\"a\":}",       "null", "\"\"", "{a:1}"};
    for (size_t i = 0; i < G_N_ELEMENTS(broken); i++)
        check_broken(broken[i], strlen(broken[i]), FAULT_OVNI_JSON);
    check_broken("{\0}", 3, FAULT_OVNI_JSON);
    ovni_metadata m = parse("{\n\"version\": 1,\n\"app_id\": oops\n}");
    assert_int_equal(m.fault, FAULT_OVNI_JSON);
    assert_true(m.fault_value >= 16 && m.fault_value <= 32);
    ovni_metadata_clear(&m);
}

static void keep_raw(void *data, const ovni_metadata_item *item)
{
    if (item->kind == OVNI_ITEM_MARK_TITLE) {
        assert_true(g_utf8_validate(item->text, -1, NULL));
        g_string_append(data, item->raw);
    }
}

/* Bytes of texts that are no UTF-8 are kept, as are the characters that stand for them meanwhile. */
static void bytes_are_kept(void **state)
{
    (void)state;
    static const char *const titles[] = {
        "\xff", "\x80\xc3\xa9\xc3", "a\xf4\x8f\xbe\x80z\xfe", "\xf4\x8f\xbf\xbf", "\xed\xa0\x80", "\x7f"};
    for (size_t i = 0; i < G_N_ELEMENTS(titles); i++) {
        GString *raw = g_string_new(NULL);
        char *text = g_strdup_printf("{\"ovni\": {\"mark\": {\"1\": {\"title\": \"%s\"}}}}", titles[i]);
        ovni_metadata_visit(text, strlen(text), keep_raw, raw);
        assert_string_equal(raw->str, titles[i]);
        g_string_free(raw, TRUE);
        g_free(text);
    }
}

/* Metadata cut anywhere before its last brace is broken, and nothing worse. */
static void cut_at_every_byte(void **state)
{
    (void)state;
    static const char text[] = "{\"version\": 3, \"ovni\": {\"tid\": 12, \"loom\": \"a\\\"b\"}}";
    for (size_t n = 0; n + 1 < strlen(text); n++)
        check_broken(text, n, FAULT_OVNI_JSON);
}

static void deep_nesting_is_refused(void **state)
{
    (void)state;
    for (size_t depth = 60; depth <= 100000; depth = depth < 70 ? depth + 1 : depth * 10) {
        GString *text = g_string_new("{\"a\":");
        for (size_t i = 1; i < depth; i++)
            g_string_append_c(text, '[');
        for (size_t i = 1; i < depth; i++)
            g_string_append_c(text, ']');
        g_string_append_c(text, '}');
        ovni_metadata m;
        ovni_metadata_parse(&m, text->str, text->len);
        assert_int_equal(m.fault, depth > OVNI_METADATA_DEPTH ? FAULT_OVNI_JSON_DEPTH : FAULT_NONE);
        assert_int_equal(ovni_metadata_extent(text->str, text->len), depth > OVNI_METADATA_DEPTH ? 0 : text->len);
        ovni_metadata_clear(&m);
        g_string_free(text, TRUE);
    }
}

static void large_files_are_not_read(void **state)
{
    (void)state;
    size_t length = OVNI_METADATA_MAX + 1;
    char *text = g_malloc0(length);
    check_broken(text, length, FAULT_OVNI_JSON_SIZE);
    assert_int_equal(ovni_metadata_extent(text, length), 0);
    g_free(text);
}

static void the_extent_ends_at_the_brace(void **state)
{
    (void)state;
    assert_int_equal(ovni_metadata_extent("{\"a\": {}} [[[", 13), 9);
    assert_int_equal(ovni_metadata_extent("{\"a\": {} [[[", 12), 0);
    assert_int_equal(ovni_metadata_extent("", 0), 0);
}

static void write_down(void *data, const ovni_metadata_item *s)
{
    if (s->kind >= OVNI_ITEM_MARK_KIND)
        return;
    g_string_append_printf(data, "%d %d %d %s;", s->kind, (int)s->number, (int)s->value, s->text ? s->text : "-");
}

static void tells_what_else_it_says(void **state)
{
    (void)state;
    GString *visited = g_string_new(NULL);
    static const char text[] =
        "{\"ovni\": {\"finished\": 1, \"loom_cpus\": [{\"index\": 0, \"phyid\": 4}, {\"index\": 1}, 3], \"nranks\": 2,"
        " \"lib\": {\"version\": \"1.14.0\"}, \"require\": {\"nosv\": \"2.7.0\", \"x\": 1},"
        " \"mark\": {\"7\": {\"title\": \"T\", \"labels\": {\"-1\": \"L\", \"y\": \"M\", \"2\": 3}},"
        " \"z\": {\"title\": \"U\"}, \"8\": 1}}, \"nosv\": {\"hwc\": {\"0\": {\"name\": \"C\"}, \"1\": {}}}}";
    ovni_metadata_visit(text, sizeof text - 1, write_down, visited);
    assert_string_equal(visited->str, "0 7 0 T;1 7 -1 L;2 0 0 C;3 0 0 2.7.0;4 0 4 -;4 1 0 -;5 1 0 -;6 2 0 -;7 0 0 1.14.0;");
    for (size_t n = 0; n + 1 < sizeof text - 1; n++) { /* broken text has no items */
        g_string_truncate(visited, 0);
        ovni_metadata_visit(text, n, write_down, visited);
        assert_int_equal(visited->len, 0);
    }
    g_string_free(visited, TRUE);
}

static void tells_what_is_not_used(void **state)
{
    (void)state;
    static const struct {
        const char *text, *problems;
    } rows[] = {
        {"{\"version\": 3, \"free\": [1, null], \"ovni\": {\"tid\": 1, \"loom\": \"a\", \"mark\": {\"1\": {}}}}", NULL},
        {"{\"ovni\": {\"tid\": \"1\", \"pid\": 2147483648, \"rank\": null, \"loom\": 5, \"app_id\": -1e400}}",
         "the value of ovni.pid cannot be used, the value of ovni.tid cannot be used, "
         "the value of ovni.rank cannot be used, the value of ovni.app_id cannot be used, "
         "the value of ovni.loom cannot be used, near byte 76 it is not strictly JSON"},
        {"{\"a\": \"\\x\"}", "near byte 6 it is not strictly JSON"},
        {"{\"ovni\": [], \"cpus\": [{\"index\": 0, \"phyid\": 0}, 3], \"nosv\": {\"hwc\": {\"x\": {\"name\": \"C\"}}}}",
         "the value of nosv.hwc.x cannot be used, the value of cpus cannot be used, the value of ovni cannot be used"},
        {"{\"ovni\": {\"require\": {\"a\\u001b[31m\\n\": 1}, \"mark\": {\"7\": {\"title\": 1, \"labels\": {\"y\": \"L\"}}, \"z\": {}}}}",
         "the value of ovni.mark...labels.y cannot be used, the value of ovni.mark...title cannot be used, "
         "the value of ovni.mark.z cannot be used, the value of ovni.require.a?[31m? cannot be used"},
        {"{\"version\": 3, \"a\": {\"b\": 1, \"b\": 2}, \"version\": 2}", "2 members are repeated, the last of each counts"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        ovni_metadata m = parse(rows[i].text);
        assert_int_equal(m.fault, FAULT_NONE);
        assert_string_equal(m.problems ? m.problems : "none", rows[i].problems ? rows[i].problems : "none");
        ovni_metadata_clear(&m);
    }
}

static void count_refusals(void *data, const ovni_metadata_item *item)
{
    *(unsigned *)data += item->kind == OVNI_ITEM_PROBLEM && item->number != OVNI_ACCEPTED_ITEM;
}

/* Thousands of unusable values are reported in a few words; that ovniemu refuses some of them is not lost. */
static void many_problems_are_counted(void **state)
{
    (void)state;
    static const char *const lists[] = {"{\"cpus\": [0", "{\"cpus\": [0], \"ovni\": {\"loom_cpus\": [0"};
    for (size_t k = 0; k < G_N_ELEMENTS(lists); k++) {
        GString *text = g_string_new(lists[k]);
        for (unsigned i = 0; i < 99999; i++)
            g_string_append(text, ",0");
        g_string_append(text, k ? "], \"a\": \"\\x\"}}" : "]}");
        ovni_metadata m = parse(text->str);
        assert_int_equal(m.fault, FAULT_NONE);
        assert_true(g_str_has_suffix(m.problems, k ? "it is not strictly JSON, and 99994 more"
                                                   : "the value of cpus cannot be used, and 99992 more"));
        assert_true(strlen(m.problems) < 500);
        ovni_metadata_clear(&m);
        unsigned refusals = 0;
        ovni_metadata_visit(text->str, text->len, count_refusals, &refusals);
        assert_int_equal(refusals, k ? 9 : 0);
        g_string_free(text, TRUE);
    }
}

/* json-glib also reads strings in single quotes: if one contains a double quote, brackets after it must still be counted. */
static void single_quotes_hide_nothing(void **state)
{
    (void)state;
    GString *text = g_string_new("{\"a\": '\"', \"b\": ");
    for (unsigned i = 0; i < 400000; i++)
        g_string_append_c(text, '[');
    g_string_append(text, "\"]}");
    ovni_metadata m;
    ovni_metadata_parse(&m, text->str, text->len);
    assert_int_equal(m.fault, FAULT_OVNI_JSON);
    assert_int_equal(m.fault_at, 6);
    assert_int_equal(ovni_metadata_extent(text->str, text->len), 0);
    g_string_free(text, TRUE);
    m = parse("{\"version\": 3, \"ovni\": {\"loom\": \"it's\"}} // it's");
    assert_int_equal(m.fault, FAULT_NONE);
    assert_string_equal(m.loom, "it's");
    ovni_metadata_clear(&m);
}

/* An object with `distinct` names, the last of them `repeated` times more. */
static char *wide_object(unsigned distinct, unsigned repeated)
{
    GString *text = g_string_new("{\"version\": 3, \"free\": {");
    for (unsigned i = 0; i < distinct; i++)
        g_string_append_printf(text, "%s\"%u\": {\"x\": 1}", i ? "," : "", i);
    for (unsigned i = 0; i < repeated; i++)
        g_string_append_printf(text, ",\"%u\":1", distinct - 1);
    g_string_append(text, "}}");
    return g_string_free(text, FALSE);
}

/* Half a megabyte of repeated names would take minutes. */
static void objects_of_very_many_members_are_refused(void **state)
{
    (void)state;
    static const struct {
        unsigned distinct, repeated;
        fault expected;
    } rows[] = {{8192, 0, FAULT_NONE},
                {4096, 4096, FAULT_NONE},
                {8193, 0, FAULT_OVNI_JSON_MEMBERS},
                {12000, 20000, FAULT_OVNI_JSON_MEMBERS}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        char *text = wide_object(rows[i].distinct, rows[i].repeated);
        ovni_metadata m = parse(text);
        assert_int_equal(m.fault, rows[i].expected);
        assert_int_equal(m.fault_value, rows[i].expected ? 8192 : 0);
        assert_int_equal(ovni_metadata_extent(text, strlen(text)), rows[i].expected ? 0 : strlen(text));
        ovni_metadata_clear(&m);
        g_free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_json),
        cmocka_unit_test(metadata_json),
        cmocka_unit_test(numbers_are_cut_and_in_range),
        cmocka_unit_test(comments_and_what_follows_are_accepted),
        cmocka_unit_test(tells_what_else_it_says),
        cmocka_unit_test(tells_what_is_not_used),
        cmocka_unit_test(many_problems_are_counted),
        cmocka_unit_test(broken_text_gives_a_reason_and_a_place),
        cmocka_unit_test(bytes_are_kept),
        cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(single_quotes_hide_nothing),
        cmocka_unit_test(objects_of_very_many_members_are_refused),
        cmocka_unit_test(large_files_are_not_read),
        cmocka_unit_test(the_extent_ends_at_the_brace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
