/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The analysis of a trace as all who read records use it: what it notes of records, visited and found again. */
#include <string.h>

#include "cacheray/context.h"
#include "cacheray/session.h"
#include "test_cacheray.h"

static const cacheray_layout layout_used = CACHERAY_LE64;

static const cacheray_options options = {
    .keep = true, .annotations = true, .line_size = 64, .binary = "", .load_bias = "", .caches = "", .remap = ""};

/* Reads the bytes of a record, of which `length` are there. */
static cacheray_tapped read_record(const GByteArray *b, size_t length, record_context *c)
{
    cacheray_tapped v;
    *c = (record_context){.kind = b->data[0] & CACHERAY_KIND_MASK, .length = b->len};
    cacheray_context_of(c)->layout = layout_used;
    cacheray_session_read(&v, c, &(cursor){b->data, length, false});
    return v;
}

static GByteArray *an_add(void)
{
    GByteArray *b = g_byte_array_new();
    put_add(b, layout_used, 0x1000, 8, 2, "struct.pair", strlen("struct.pair"));
    return b;
}

static GByteArray *an_access(uint64_t address, uint64_t thread)
{
    GByteArray *b = g_byte_array_new();
    put_access(b, layout_used, CACHERAY_WRITE, address, 8, thread);
    return b;
}

static void records(void **state)
{
    (void)state;
    cacheray_session s = {0};
    record_context c;
    g_autoptr(GByteArray) add = an_add(), access = an_access(0x1008, 0), other = an_access(0x9000, 3);
    cacheray_tapped v = read_record(add, add->len, &c);
    assert_int_equal(v.name_length, strlen("struct.pair"));
    assert_memory_equal(v.name, "struct.pair", strlen("struct.pair"));
    cacheray_session_begin(&s, &options, &c);
    cacheray_session_visit(&s, 1, &v, true);
    assert_string_equal(v.type, "struct.pair");
    assert_false(s.has_accesses);
    v = read_record(access, access->len, &c);
    cacheray_session_visit(&s, 2, &v, true);
    assert_string_equal(v.type, "struct.pair");
    assert_int_equal(v.index, 1);
    assert_true(s.has_accesses);
    assert_false(s.numbered || s.has_members || s.has_variables);
    v = read_record(other, other->len, &c);
    cacheray_session_visit(&s, 3, &v, true);
    assert_null(v.type);
    assert_true(s.numbered);
    v = read_record(access, access->len, &c);
    assert_true(cacheray_session_find(&s, 2, &v));
    assert_string_equal(v.type, "struct.pair");
    assert_false(cacheray_session_find(&s, 9, &v));
    assert_null(s.unknown_struct); /* there is no program that should know it */
    cacheray_session_end(&s);
    assert_null(s.analysis);
}

/* A cut record is no access, and adds nothing with more of a name than is there. */
static void cut(void **state)
{
    (void)state;
    g_autoptr(GByteArray) add = an_add();
    for (size_t length = 0; length < add->len; length++) {
        cacheray_session s = {0};
        record_context c;
        g_autofree uint8_t *exact = g_memdup2(add->data, length);
        cacheray_tapped v;
        c = (record_context){.kind = CACHERAY_RTTA_ADD, .length = add->len};
        cacheray_context_of(&c)->layout = layout_used;
        cacheray_session_read(&v, &c, &(cursor){exact, length, false});
        cacheray_session_begin(&s, &options, &c);
        cacheray_session_visit(&s, 1, &v, true);
        assert_true(v.name_length == 0 || (const uint8_t *)v.name + v.name_length <= exact + length);
        assert_false(s.has_accesses);
        cacheray_session_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(records), cmocka_unit_test(cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
