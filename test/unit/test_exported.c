/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exported records: what is written can be read again, and nothing foreign, cut or changed is accepted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cacheray/cacheray.h"
#include "core/exported.h"
#include "core/formats.h"
#include "ovni/context.h"
#include "ovni/events/events.h"
#include "ovni/events/layout.h"
#include "util/fail.h"
#include "xray/xray.h"

#define TAGS_XRAY 12 /* tag, length, "xray", end */

/* Contexts are compared as bytes: static ones, since their padding is zero. */
static record_context with_own(record_context c, const void *own, size_t size)
{
    memcpy(c.own, own, size);
    return c;
}

static record_context xray_entry(void)
{
    static const record_context c = {.format = FORMAT_xray_fdr,
                                     .kind = XRAY_ENTRY,
                                     .stream = 0x01020304,
                                     .flags = CONTEXT_BIG_ENDIAN | CONTEXT_RANDOM_ACCESS,
                                     .offset = 0x1112131415,
                                     .length = XRAY_FUNCTION_LENGTH,
                                     .trace = 0xa1a2a3a4a5a6a7a8};
    static const xray_context x = {.tsc = 0x2122232425262728,
                                   .frequency = 1000,
                                   .thread = 77,
                                   .process = 66,
                                   .argument_index = 5,
                                   .version = 4,
                                   .type = XRAY_TYPE_FDR,
                                   .cpu = 3,
                                   .known = 15,
                                   .previous = XRAY_NEW_CPU,
                                   .about_buffer = 0x3132333435363738};
    return with_own(c, &x, sizeof x);
}

static record_context ovni_event_context(void)
{
    static const record_context c = {.format = FORMAT_ovni_trace,
                                     .kind = OVNI_EVENT,
                                     .fault = FAULT_OVNI_PAYLOAD,
                                     .fault_value = 9,
                                     .fault_at = 3,
                                     .offset = 8,
                                     .length = OVNI_EVENT_SIZE,
                                     .flags = CONTEXT_TRUNCATED | CONTEXT_TIME_CUT};
    static const ovni_context o = {
        .clock_offset = -5, .process = -1, .thread = 2, .rank = 3, .app = 4, .era = OVNI_ERA_V3, .known = 31};
    return with_own(c, &o, sizeof o);
}

static record_context cacheray_read_context(void)
{
    static const record_context c = {.format = FORMAT_cacheray, .kind = CACHERAY_READ, .length = 18};
    static const cacheray_context own = {.number = 1u << 31, .layout = CACHERAY_LE64};
    return with_own(c, &own, sizeof own);
}

/* A packet: tags, context, and zeros for the bytes of the record. */
static GByteArray *packet(const record_context *c, const char *name, const char *description)
{
    static const uint8_t zeros[64];
    GByteArray *out = g_byte_array_new();
    exported_append(out, c, name, description);
    g_byte_array_append(out, zeros, (guint)c->length);
    return out;
}

/* Why it is refused, which the caller frees; NULL: it is read. */
static char *refused(const GByteArray *p, size_t length, const char *protocol)
{
    exported e;
    GError *error = NULL;
    uint8_t *exact = g_memdup2(p->data, length); /* so that the sanitizer sees any byte beyond the end */
    bool read = exported_read_packet(exact, length, protocol, &e, &error);
    g_free(exact);
    assert_int_equal(read, error == NULL);
    return fail_words(error);
}

static void check_not_read(const GByteArray *p, size_t length, const char *protocol)
{
    g_autofree char *reason = refused(p, length, protocol);
    assert_non_null(reason);
}

static void check_same(const record_context *c, const char *protocol)
{
    exported e;
    GByteArray *p = packet(c, "a/b", "loom");
    assert_true(exported_read_packet(p->data, p->len, protocol, &e, NULL));
    record_context want = *c;
    want.flags &= CONTEXT_BIG_ENDIAN | CONTEXT_TRUNCATED | CONTEXT_TIME_CUT;
    assert_memory_equal(&e.context, &want, sizeof want);
    assert_int_equal(e.length + c->length, p->len);
    assert_int_equal(e.stream.length, 3);
    assert_memory_equal(e.stream.data, "a/b", 3);
    assert_int_equal(e.description.length, strcmp(protocol, "ovni") == 0 ? 4 : 0);
    g_byte_array_free(p, TRUE);
}

static void test_same(void **state)
{
    (void)state;
    record_context x = xray_entry(), o = ovni_event_context(), c = cacheray_read_context();
    check_same(&x, "xray");
    check_same(&o, "ovni");
    check_same(&c, "cacheray");
}

/* These bytes are an interface: later versions must read today's files. Numbers may be added at the end. */
static void test_bytes(void **state)
{
    (void)state;
    static const uint8_t tags[] = {0, 12, 0, 4, 'x', 'r', 'a', 'y', 0, 0, 0, 0};
    static const uint8_t head[] = {'W', 'T', 'r', 'c', 1, 0};
    static const uint8_t lengths_of_texts[] = {10, 0};
    static const uint8_t numbers[] = {
        1,    1,    4,    3,    2,    1,    0x15, 0x14, 0x13, 0x12, 0x11, 0, 0, 0, /* kind, flags, stream, offset */
        8,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0, 0, 0, 0, 0,
        0,    0,    0,    0,                                                             /* length, fault */
        0xa8, 0xa7, 0xa6, 0xa5, 0xa4, 0xa3, 0xa2, 0xa1,                                  /* trace */
        0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21, 0xe8, 3,    0,    0, 0, 0, 0, 0, /* counter, frequency */
        77,   0,    0,    0,    66,   0,    0,    0,    5,    0,    0,    0, 4, 0, 1, 0,
        3,    0,    15,   18, /* thread ... previous */
    };
    static const uint8_t texts[] = {4, 0, '6', '6', '/', '7', 0, 0, 0, 0}; /* stream, description, fault */
    record_context x = xray_entry();
    GByteArray *p = g_byte_array_new();
    exported_append(p, &x, "66/7", "/the/log");
    assert_true(p->len >= sizeof tags + EXPORTED_HEAD + sizeof numbers + sizeof texts);
    assert_memory_equal(p->data, tags, sizeof tags);
    const uint8_t *context = p->data + sizeof tags;
    assert_memory_equal(context, head, sizeof head);
    assert_int_equal(context[6] + 256 * context[7], p->len - sizeof tags - EXPORTED_HEAD - sizeof texts);
    assert_memory_equal(context + 8, lengths_of_texts, 2);
    assert_memory_equal(context + EXPORTED_HEAD, numbers, sizeof numbers);
    assert_memory_equal(p->data + p->len - sizeof texts, texts, sizeof texts);
    g_byte_array_free(p, TRUE);
}

static void test_cut_at_every_byte(void **state)
{
    (void)state;
    record_context all[] = {xray_entry(), ovni_event_context(), cacheray_read_context()};
    static const char *const protocols[] = {"xray", "ovni", "cacheray"};
    for (unsigned i = 0; i < 3; i++) {
        GByteArray *p = packet(&all[i], "stream", "loom");
        assert_null(refused(p, p->len, protocols[i]));
        for (size_t length = 0; length < p->len; length++)
            check_not_read(p, length, protocols[i]);
        g_byte_array_free(p, TRUE);
    }
}

/* Any byte set to anything: accepted or refused, but what is accepted can be relied on. */
static void test_every_byte_changed(void **state)
{
    (void)state;
    record_context all[] = {xray_entry(), ovni_event_context(), cacheray_read_context()};
    static const char *const protocols[] = {"xray", "ovni", "cacheray"};
    for (unsigned i = 0; i < 3; i++) {
        GByteArray *p = packet(&all[i], "stream", "loom");
        for (size_t at = 0; at < p->len; at++)
            for (unsigned value = 0; value < 256; value++) {
                exported e;
                uint8_t before = p->data[at];
                p->data[at] = (uint8_t)value;
                if (exported_read_packet(p->data, p->len, protocols[i], &e, NULL)) {
                    assert_true(e.length <= p->len);
                    assert_true(p->len - e.length <= e.context.length);
                    assert_string_equal(formats[e.context.format]->protocol, protocols[i]);
                    assert_true(i != 2 || cacheray_context_of(&e.context)->layout < CACHERAY_LAYOUTS);
                    assert_true(i != 1 || ovni_context_of(&e.context)->era < OVNI_ERA_COUNT);
                    assert_true(i != 0 || xray_kind_name(e.context.kind));
                    assert_int_equal(e.context.flags & ~(CONTEXT_BIG_ENDIAN | CONTEXT_TRUNCATED | CONTEXT_TIME_CUT), 0);
                }
                p->data[at] = before;
            }
        g_byte_array_free(p, TRUE);
    }
}

static void check_refused(const record_context *c, const char *protocol, const char *words)
{
    GByteArray *p = packet(c, NULL, NULL);
    g_autofree char *reason = refused(p, p->len, protocol);
    assert_non_null(reason);
    assert_string_equal(reason, words);
    g_byte_array_free(p, TRUE);
}

static void test_reasons(void **state)
{
    (void)state;
    record_context x = xray_entry(), o = ovni_event_context(), c = cacheray_read_context();
    check_refused(&x, "ovni", "its tags do not name the dissector of this format");
    x.kind = 77;
    check_refused(&x, "xray", "its kind is unknown");
    x.kind = XRAY_NEW_CPU;
    check_refused(&x, "xray", "its record has been shortened");
    x.offset = UINT64_MAX;
    x.kind = KIND_UNKNOWN;
    check_refused(&x, "xray", "its position in the trace is invalid");
    ovni_context_of(&o)->era = OVNI_ERA_COUNT;
    check_refused(&o, "ovni", "its kind is unknown");
    cacheray_context_of(&c)->layout = CACHERAY_LAYOUTS;
    check_refused(&c, "cacheray", "its kind is unknown");
    c = cacheray_read_context();
    GByteArray *p = packet(&c, NULL, NULL);
    g_byte_array_append(p, (const uint8_t *)"", 1);
    g_autofree char *reason = refused(p, p->len, "cacheray");
    assert_string_equal(reason, "there are more bytes than the record has");
    g_byte_array_free(p, TRUE);
}

/* A later version may append numbers and texts; an earlier one has fewer numbers. */
static void test_other_lengths(void **state)
{
    (void)state;
    exported e;
    record_context x = xray_entry();
    GByteArray *p = packet(&x, "s", NULL);
    guint head = TAGS_XRAY + EXPORTED_HEAD, numbers = p->data[TAGS_XRAY + 6];
    GByteArray *more = g_byte_array_new();
    g_byte_array_append(more, p->data, head + numbers);
    g_byte_array_append(more, (const uint8_t *)"abc", 3);
    g_byte_array_append(more, p->data + head + numbers, p->len - head - numbers);
    more->data[TAGS_XRAY + 6] = (uint8_t)(numbers + 3);
    assert_true(exported_read_packet(more->data, more->len, "xray", &e, NULL));
    assert_int_equal(xray_context_of(&e.context)->previous, XRAY_NEW_CPU);
    assert_int_equal(e.stream.length, 1);
    g_byte_array_free(more, TRUE);
    guint fewer = 77; /* without the last number of the first version */
    g_byte_array_remove_range(p, head + fewer, numbers - fewer);
    p->data[TAGS_XRAY + 6] = (uint8_t)fewer;
    assert_true(exported_read_packet(p->data, p->len, "xray", &e, NULL));
    assert_int_equal(xray_context_of(&e.context)->known, 15);
    assert_int_equal(xray_context_of(&e.context)->previous, 0);
    p->data[TAGS_XRAY + 4] = EXPORTED_VERSION + 1;
    g_autofree char *reason = refused(p, p->len, "xray");
    assert_string_equal(reason, "its context has an unknown version");
    g_byte_array_free(p, TRUE);
}

/* Faults are stored by name; an unknown one is still a fault. */
static void test_fault_names(void **state)
{
    (void)state;
    exported e;
    record_context o = ovni_event_context();
    GByteArray *p = packet(&o, NULL, NULL);
    guint last = p->len - (guint)o.length - 1;
    p->data[last] = 'X';
    assert_true(exported_read_packet(p->data, p->len, "ovni", &e, NULL));
    assert_int_equal(e.context.fault, FAULT_UNKNOWN);
    g_byte_array_free(p, TRUE);
}

/* Records contain these numbers, also in files saved long ago. */
static void test_format_numbers(void **state)
{
    (void)state;
    static const char *const names[] = {"xray-fdr", "xray-basic", "cacheray", "ovni", "ovni-trace"};
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        assert_string_equal(formats[i]->name, names[i]);
        assert_int_equal(formats_number(formats[i]), i);
    }
    const format unlisted = {.name = "unlisted"};
    assert_int_equal(formats_number(&unlisted), FORMAT_COUNT);
}

static void test_long_names(void **state)
{
    (void)state;
    exported e;
    record_context o = ovni_event_context();
    char *name = g_strnfill(100000, 'n');
    GByteArray *p = packet(&o, name, name);
    assert_true(exported_read_packet(p->data, p->len, "ovni", &e, NULL));
    assert_int_equal(e.stream.length, EXPORTED_TEXT_MAX);
    assert_int_equal(e.description.length, EXPORTED_TEXT_MAX);
    assert_int_equal(e.context.fault, FAULT_OVNI_PAYLOAD);
    g_byte_array_free(p, TRUE);
    g_free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_byte_changed),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_other_lengths),
        cmocka_unit_test(test_fault_names),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_format_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
