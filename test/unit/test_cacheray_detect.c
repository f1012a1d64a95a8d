/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Detecting Cacheray traces, which have no magic number: sound and damaged ones in every layout, and other files. */
#include "test_cacheray.h"

#include <string.h>

#define EACH_LAYOUT(l) for (cacheray_layout l = CACHERAY_LE64; l < CACHERAY_LAYOUTS; l++)

static bool claimed(const void *head, size_t length, const char *path, const char *chosen)
{
    probe p = {.head = head, .length = MIN(length, PROBE_LENGTH), .whole = length <= PROBE_LENGTH, .path = path};
    if (chosen)
        g_setenv(CACHERAY_LAYOUT_VARIABLE, chosen, TRUE);
    else
        g_unsetenv(CACHERAY_LAYOUT_VARIABLE);
    return cacheray_probe(&p);
}

static bool claimed_bytes(const GByteArray *b, const char *path)
{
    return claimed(b->data, b->len, path, NULL);
}

static cacheray_layout layout_read(const GByteArray *b)
{
    source *s = source_memory_new(b->data, b->len);
    trace *t = open_bytes(s, CACHERAY_LAYOUTS);
    cacheray_layout l = (cacheray_layout)cacheray_context_of(&trace_stream(t, 0)->base)->layout;
    assert_int_equal(trace_stream(t, 0)->base.flags & CONTEXT_BIG_ENDIAN, cacheray_big_endian(l) ? CONTEXT_BIG_ENDIAN : 0);
    trace_close(t);
    source_close(s);
    return l;
}

/* A program that makes a list and walks along it. */
static GByteArray *program(cacheray_layout l, unsigned nodes)
{
    GByteArray *b = g_byte_array_new();
    for (unsigned i = 0; i < nodes; i++) {
        uint64_t node = heap(l) + 48u * i;
        put_add(b, l, node, 24, 1, "struct.node", 11);
        put_access(b, l, CACHERAY_WRITE, node, cacheray_pointer(l), 0);
        put_access(b, l, CACHERAY_READ, node + 8, 4, 0);
        if (i % 3 == 0)
            put_remove(b, l, node);
    }
    return b;
}

static void test_layouts_are_distinguished(void **state)
{
    (void)state;
    EACH_LAYOUT(l)
    for (unsigned nodes = 1; nodes <= 200; nodes += 1 + nodes / 2) {
        GByteArray *b = program(l, nodes);
        assert_true(claimed_bytes(b, "output"));
        assert_int_equal(layout_read(b), l);
        g_byte_array_free(b, TRUE);
    }
}

/* Only accesses: with 32-bit addresses, only their alignment and distances tell the byte order. */
static void test_accesses_alone(void **state)
{
    (void)state;
    EACH_LAYOUT(l)
    {
        GByteArray *b = g_byte_array_new();
        for (unsigned i = 0; i < 100; i++)
            put_access(b, l, (uint8_t)(i & 1), heap(l) + 4u * i, 4, 0);
        assert_true(claimed_bytes(b, "output"));
        assert_int_equal(layout_read(b), l);
        g_byte_array_free(b, TRUE);
    }
}

static void test_kernel_addresses(void **state)
{
    (void)state;
    for (cacheray_layout l = CACHERAY_LE64; l <= CACHERAY_BE64; l++) {
        GByteArray *b = g_byte_array_new();
        for (unsigned i = 0; i < 10; i++)
            put_access(b, l, CACHERAY_READ, UINT64_C(0xffff888012345600) + 8u * i, 8, 1000 + i);
        assert_true(claimed_bytes(b, "output"));
        assert_int_equal(layout_read(b), l);
        g_byte_array_free(b, TRUE);
    }
}

/* Addresses and sizes that are plausible in either byte order, so that only lengths differ: a length is small in one
 * order and much too large in the other. */
static void put_two_faced(GByteArray *b, cacheray_layout l, unsigned accesses)
{
    for (unsigned i = 0; i < accesses; i++)
        put_access(b, l, CACHERAY_READ, UINT64_C(0x0000111122220000) + ((uint64_t)i << 32), 8, 0);
    put_add(b, l, UINT64_C(0x0000111122220000), 1u << 8, 1u << 16, "array", 5);
}

static void test_what_reads_on_is_preferred(void **state)
{
    (void)state;
    for (cacheray_layout l = CACHERAY_LE64; l <= CACHERAY_BE64; l++) {
        GByteArray *b = g_byte_array_new();
        put_two_faced(b, l, 9);
        put_two_faced(b, l, 2);
        assert_true(claimed_bytes(b, "output"));
        assert_int_equal(layout_read(b), l); /* covers more; the other one is cut off inside a name, but nothing fails */
        put_value(b, l, 0x3f, 1);
        assert_true(claimed_bytes(b, "output"));
        assert_int_equal(layout_read(b), l == CACHERAY_LE64 ? CACHERAY_BE64 : CACHERAY_LE64); /* now it fails */
        g_byte_array_free(b, TRUE);
    }
}

/* Fewer records are enough with a suitable file name; a cut record does not count. */
static void test_how_much_it_takes(void **state)
{
    (void)state;
    EACH_LAYOUT(l)
    for (unsigned n = 0; n < 5; n++) {
        bool wide = cacheray_pointer(l) == 8;
        GByteArray *b = g_byte_array_new();
        put_valid(b, l, n);
        for (unsigned cut = 0; cut < 2; cut++) {
            assert_int_equal(claimed_bytes(b, "output"), n >= (wide ? 2 : 3));
            assert_int_equal(claimed_bytes(b, NULL), n >= (wide ? 2 : 3));
            assert_int_equal(claimed_bytes(b, "dir.trace/output.1"), n >= (wide ? 2 : 3));
            assert_int_equal(claimed_bytes(b, "a.trace.x"), n >= (wide ? 2 : 3));
            assert_int_equal(claimed_bytes(b, "dir/a.trace"), n >= (wide ? 1 : 2));
            assert_int_equal(claimed_bytes(b, "a.trace.17"), n >= (wide ? 1 : 2));
            put_value(b, l, CACHERAY_READ, 1);
            put_value(b, l, heap(l), 4);
        }
        g_byte_array_free(b, TRUE);
    }
}

/* Damage after a good beginning. */
static void test_damaged_traces(void **state)
{
    (void)state;
    EACH_LAYOUT(l)
    for (unsigned n = 0; n < 12; n++) {
        GByteArray *b = g_byte_array_new();
        put_valid(b, l, n);
        for (unsigned i = 0; i < 1000; i++)
            put_value(b, l, 0xff, 1);
        assert_int_equal(claimed_bytes(b, "output"), n >= 8);
        assert_int_equal(claimed_bytes(b, "a.trace"), n >= (cacheray_pointer(l) == 8 ? 2 : 6));
        g_byte_array_free(b, TRUE);
    }
}

/* Odd records among good ones: with a suitable file name they may be half of all. */
static void test_odd_records(void **state)
{
    (void)state;
    EACH_LAYOUT(l)
    for (unsigned odd = 1; odd < 6; odd++) {
        GByteArray *b = g_byte_array_new();
        for (unsigned i = 0; i < odd; i++)
            put_access(b, l, CACHERAY_WRITE, heap(l), 3, UINT64_MAX);
        put_valid(b, l, 3);
        assert_int_equal(claimed_bytes(b, "a.trace"), odd <= 3);
        assert_false(claimed_bytes(b, "output"));
        if (odd <= 3)
            assert_int_equal(layout_read(b), l);
        put_valid(b, l, 20);
        assert_true(claimed_bytes(b, "a.trace"));
        assert_false(claimed_bytes(b, "output"));
        g_byte_array_free(b, TRUE);
    }
}

/* After a good beginning there may be any number of them, as in a damaged trace. */
static void test_odd_after_good(void **state)
{
    (void)state;
    EACH_LAYOUT(l)
    for (unsigned good = 1; good < 8; good++) {
        GByteArray *b = g_byte_array_new();
        put_valid(b, l, good);
        for (unsigned i = 0; i < 100; i++)
            put_access(b, l, CACHERAY_READ, heap(l) + 8 * i, 32, 0);
        assert_int_equal(claimed_bytes(b, "a.trace"), good >= 6);
        assert_false(claimed_bytes(b, "output"));
        assert_true(claimed(b->data, b->len, "a.trace", cacheray_layout_names[l]));
        if (good >= 6)
            assert_int_equal(layout_read(b), l);
        g_byte_array_free(b, TRUE);
    }
}

/* A name with bytes that no runtime writes is evidence against a trace while there are few records. */
static void test_names_must_be_printable(void **state)
{
    (void)state;
    static const char *const names[] = {"struct.node", "struct.\xc3\xa4", "a\tb", "\xff", "\xc3"};
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        GByteArray *b = g_byte_array_new();
        put_valid(b, CACHERAY_LE64, 1);
        put_add(b, CACHERAY_LE64, heap(CACHERAY_LE64), 8, 1, names[i], (uint32_t)strlen(names[i]));
        assert_int_equal(claimed_bytes(b, "output"), i < 2);
        assert_int_equal(claimed_bytes(b, "a.trace"), i < 2);
        put_valid(b, CACHERAY_LE64, 1);
        assert_true(claimed_bytes(b, "a.trace"));
        g_byte_array_free(b, TRUE);
    }
}

/* A trace may begin with a type whose name is longer than what is looked at. */
static void test_long_name_first(void **state)
{
    (void)state;
    g_autofree char *name = g_strnfill(3 * PROBE_LENGTH, 'x');
    memcpy(name + PROBE_LENGTH - 42,
           "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 22);
    for (unsigned odd = 0; odd < 2; odd++) {
        GByteArray *b = g_byte_array_new();
        put_add(b, CACHERAY_LE64, heap(CACHERAY_LE64), 8, 1, name, 3 * PROBE_LENGTH);
        put_valid(b, CACHERAY_LE64, 3);
        assert_int_equal(claimed_bytes(b, "a.trace"), !odd);
        assert_int_equal(claimed(b->data, b->len, "a.trace", "le64"), !odd);
        assert_false(claimed_bytes(b, "output")); /* one record */
        g_byte_array_free(b, TRUE);
        name[100] = '\n';
    }
}

/* Places that were not written, also as the first: what follows them decides. */
static void test_places_that_were_not_written(void **state)
{
    (void)state;
    EACH_LAYOUT(l)
    for (unsigned first = 0; first < 60; first++)
        for (unsigned valid = 0; valid < 40; valid++) {
            GByteArray *b = g_byte_array_new();
            if (first < 17)
                put_access(b, l, CACHERAY_WRITE, heap(l) + 8 * first, 0, first);
            else
                g_byte_array_set_size(b, first);
            memset(b->data, 0, first < 17 ? 0 : first);
            put_valid(b, l, valid);
            put_access(b, l, CACHERAY_WRITE, heap(l), 0, 0);
            put_valid(b, l, 1);
            g_byte_array_set_size(b, b->len + 300);
            memset(b->data + b->len - 300, 0, 300);
            assert_int_equal(claimed_bytes(b, "output"), valid >= 7);
            assert_int_equal(claimed_bytes(b, "a.trace"), valid >= (cacheray_pointer(l) == 8 ? 1 : 5));
            g_byte_array_free(b, TRUE);
        }
}

/* --- other files ------------------------------------------------------------------------------------------------------- */

static void test_constant_bytes(void **state)
{
    (void)state;
    uint8_t bytes[PROBE_LENGTH];
    for (unsigned value = 0; value < 256; value++) {
        memset(bytes, (int)value, sizeof bytes);
        for (size_t length = 0; length <= sizeof bytes; length = length * 2 + 1)
            assert_false(claimed(bytes, length, "a.trace", NULL));
        assert_false(claimed(bytes, sizeof bytes, "a.trace", NULL));
    }
}

static void test_random_bytes(void **state)
{
    (void)state;
    GRand *r = g_rand_new_with_seed(3);
    uint8_t bytes[256];
    for (unsigned round = 0; round < 20000; round++) {
        for (unsigned i = 0; i < sizeof bytes; i++) /* any values, small ones, mostly zero */
            bytes[i] = (uint8_t)(round % 3 == 0               ? g_rand_int(r)
                                 : round % 3 == 1             ? g_rand_int(r) & 3
                                 : g_rand_int_range(r, 0, 10) ? 0
                                                              : g_rand_int(r));
        assert_false(claimed(bytes, sizeof bytes, "output", NULL));
        assert_false(claimed(bytes, sizeof bytes, "a.trace", NULL));
    }
    g_rand_free(r);
}

/* Tables of numbers in either byte order: low bytes look like tags, zeros like threads. */
static void test_tables_of_numbers(void **state)
{
    (void)state;
    for (unsigned width = 1; width <= 8; width *= 2)
        EACH_LAYOUT(l)
    for (uint64_t step = 1; step < 1u << 20; step *= 3) {
        GByteArray *b = g_byte_array_new();
        for (unsigned i = 0; i < 500; i++)
            put_value(b, l, i * step, width);
        assert_false(claimed_bytes(b, "output"));
        g_byte_array_free(b, TRUE);
    }
}

static void test_foreign_files(void **state)
{
    (void)state;
    static const char text[] = "A line of text, as many files hold it.\nAnother one.\n@ and A are flags on reads.\n";
    static const char json[] = "{\"version\": 3, \"streams\": [1, 2, 3]}";
    static const uint8_t pcap[64] = {0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0};
    static const uint8_t elf[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    static const uint8_t xray[64] = {3, 0, 1, 0, 3, 0, 0, 0, 0, 0x94, 0x35, 0x77};
    assert_false(claimed(text, sizeof text - 1, "a.trace", NULL));
    assert_false(claimed(json, sizeof json - 1, "a.trace", NULL));
    assert_false(claimed(pcap, sizeof pcap, "a.trace", NULL));
    assert_false(claimed(elf, sizeof elf, "a.trace", NULL));
    assert_false(claimed(xray, sizeof xray, "a.trace", NULL));
    assert_false(claimed("", 0, "a.trace", NULL));
    assert_false(claimed("\0", 1, "a.trace", NULL));
}

/* --- a layout set by the user ------------------------------------------------------------------------------------------ */

static void test_chosen_layout(void **state)
{
    (void)state;
    GByteArray *b = g_byte_array_new();
    put_valid(b, CACHERAY_BE64, 1);
    put_value(b, CACHERAY_BE64, 0xff, 1); /* damaged after the first record */
    assert_false(claimed(b->data, b->len, "output", NULL));
    assert_false(claimed(b->data, b->len, "output", "auto"));
    assert_false(claimed(b->data, b->len, "output", "nonsense"));
    assert_true(claimed(b->data, b->len, "output", "be64"));
    assert_false(claimed(b->data, b->len, "output", "le64"));
    g_byte_array_free(b, TRUE);

    b = program(CACHERAY_LE64, 20);
    EACH_LAYOUT(l)
    {
        source *s = source_memory_new(b->data, b->len);
        trace *t = open_bytes(s, l);
        assert_int_equal(cacheray_context_of(&trace_stream(t, 0)->base)->layout, l);
        assert_non_null(strstr(t->comment->str, cacheray_layout_names[l]));
        trace_close(t);
        source_close(s);
        assert_int_equal(claimed(b->data, b->len, "output", cacheray_layout_names[l]), l == CACHERAY_LE64);
    }
    g_byte_array_free(b, TRUE);
}

static void test_chosen_layout_begins_later(void **state)
{
    (void)state;
    EACH_LAYOUT(l)
    {
        GByteArray *b = program(l, 20);
        for (unsigned cut = 1; cut < 100; cut++) {
            assert_true(claimed(b->data + cut, b->len - cut, "a.trace", cacheray_layout_names[l]));
            if (cut == 1) /* inside the address of an annotation */
                assert_false(claimed(b->data + cut, b->len - cut, "output", cacheray_layout_names[l]));
        }
        g_byte_array_free(b, TRUE);
    }
    uint8_t zeros[PROBE_LENGTH] = {0};
    assert_false(claimed(zeros, sizeof zeros, "a.trace", "le64"));
    assert_false(claimed(zeros, sizeof zeros, "a.trace", "be32"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts_are_distinguished),
        cmocka_unit_test(test_accesses_alone),
        cmocka_unit_test(test_kernel_addresses),
        cmocka_unit_test(test_how_much_it_takes),
        cmocka_unit_test(test_damaged_traces),
        cmocka_unit_test(test_names_must_be_printable),
        cmocka_unit_test(test_long_name_first),
        cmocka_unit_test(test_places_that_were_not_written),
        cmocka_unit_test(test_constant_bytes),
        cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_tables_of_numbers),
        cmocka_unit_test(test_foreign_files),
        cmocka_unit_test(test_chosen_layout),
        cmocka_unit_test(test_chosen_layout_begins_later),
        cmocka_unit_test(test_what_reads_on_is_preferred),
        cmocka_unit_test(test_odd_records),
        cmocka_unit_test(test_odd_after_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
