/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole traces of each format, read besides another one, and saved again: every byte is there once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/formats.h"
#include "ovni/context.h"
#include "ovni/events/events.h"
#include "ovni/ovni.h"
#include "core/trace_reader.h"
#include "util/fail.h"
#include "xray/layouts.h"
#include "memory_sink.h"
#include "ovni_stream.h"
#include "test_cacheray.h"
#include "xray_log.h"

/* What a visitor sees, and what the writer of the format makes of it. */
typedef struct seen {
    uint32_t frames;
    uint64_t bytes;
    unsigned layouts;
    const write_ops *ops;
    void *writer;
    memory_sink out;
    GError *error;
    GString *words; /* descriptions */
} seen;

static void see(void *data, uint32_t frame, const record_context *c, const cursor *bytes, const stream *from, bool outside)
{
    seen *s = data;
    const format *f = formats[c->format];
    const layout *found[FORMAT_LAYOUTS_MAX];
    write_record r = {.context = c, .data = bytes->data, .length = bytes->length};
    assert_int_equal(frame, ++s->frames);
    assert_false(outside);
    assert_int_equal(bytes->length, c->length);
    assert_int_equal(c->stream, from->number);
    assert_true(f->min_length(c) <= bytes->length);
    unsigned n = f->layouts(c, found);
    for (unsigned i = 0; i < n; i++)
        assert_true(found[i]->count > 0);
    s->layouts += n;
    s->bytes += bytes->length;
    if (f->describe) {
        char text[200];
        size_t length = f->describe(c, bytes, text, sizeof text);
        assert_int_equal(length, strlen(text));
        g_string_append_printf(s->words, "%s\n", text);
    }
    if (s->ops && !s->error)
        s->ops->record(s->writer, &s->out.base, &r, &s->error);
}

static seen seen_new(const write_ops *ops, guint room)
{
    seen s = {.ops = ops, .out = memory_sink_new(room), .words = g_string_new(NULL)};
    s.writer = ops ? ops->begin() : NULL;
    return s;
}

static void seen_free(seen *s)
{
    if (s->ops)
        s->ops->end(s->writer);
    g_byte_array_free(s->out.bytes, TRUE);
    g_string_free(s->words, TRUE);
    g_clear_error(&s->error);
}

static char *folder, *path;

static int make_folder(void **state)
{
    (void)state;
    folder = g_dir_make_tmp("whole-XXXXXX", NULL);
    path = g_build_filename(folder, "trace", NULL);
    return folder ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    g_unlink(path);
    g_rmdir(folder);
    g_free(path);
    g_free(folder);
    return 0;
}

static void write_file(const GByteArray *bytes)
{
    assert_true(g_file_set_contents(path, (const char *)bytes->data, (gssize)bytes->len, NULL));
}

/* The file is read whole. */
static seen read_whole(const GByteArray *bytes, const char *protocol, const write_ops *ops)
{
    write_file(bytes);
    assert_true(trace_reader_read(path, protocol, NULL, NULL, NULL));
    seen s = seen_new(ops, UINT32_MAX);
    assert_true(trace_reader_read(path, protocol, see, &s, NULL));
    assert_int_equal(s.bytes, bytes->len);
    assert_null(s.error);
    return s;
}

/* It also comes back byte for byte. */
static seen read_and_save(const GByteArray *bytes, const char *protocol, const format *f)
{
    seen s = read_whole(bytes, protocol, f->write);
    assert_true(f->write->finish(s.writer, &s.out.base));
    assert_int_equal(s.out.bytes->len, bytes->len);
    assert_memory_equal(s.out.bytes->data, bytes->data, bytes->len);
    return s;
}

static builder log_of_a_call(void)
{
    builder b = log_begin(5, XRAY_TYPE_FDR, false, 256);
    put_extents(&b, PREAMBLE + 16);
    put_preamble(&b, 5, 77, 1, 20000);
    put_function(&b, 0, 10, 5);
    put_function(&b, 1, 10, 7);
    return b;
}

static void xray_logs(void **state)
{
    (void)state;
    builder b = log_of_a_call();
    seen s = read_whole(b.bytes, "xray", NULL);
    assert_int_equal(s.frames, 8); /* header, extents, four of the preamble, two functions */
    assert_int_equal(s.layouts, 15 + 1);
    seen_free(&s);
    log_free(&b);
    for (uint16_t version = 1; version <= 3; version += 2) {
        b = log_begin(version, XRAY_TYPE_BASIC, true, 0);
        put_basic_function(&b, 0, 3, 10, 500, 5, version >= 3 ? 77 : 0);
        put_basic_argument(&b, 10, 5, version >= 3 ? 77 : 0, 3);
        put_basic_function(&b, 0, 1, 10, 600, 5, version >= 3 ? 77 : 0);
        s = read_whole(b.bytes, "xray", NULL);
        assert_int_equal(s.frames, 4);
        assert_int_equal(s.layouts, 2 + 3);
        seen_free(&s);
        log_free(&b);
    }
}

static GByteArray *ovni_stream_bytes(bool header)
{
    GByteArray *bytes = g_byte_array_new();
    if (header)
        put_header(bytes, 1, false);
    put_event(bytes, 0, "OB.", 10, false);
    put_event(bytes, 0, "OHp", 20, false);
    put_event(bytes, 0, "OHe", 30, false);
    return bytes;
}

static void ovni_streams(void **state)
{
    (void)state;
    GByteArray *bytes = ovni_stream_bytes(true);
    seen s = read_and_save(bytes, "ovni", &ovni_format);
    assert_int_equal(s.frames, 4);
    assert_int_equal(s.layouts, 4);
    assert_non_null(strstr(s.words->str, "\nthread becomes Paused\n"));
    seen_free(&s);
    g_byte_array_free(bytes, TRUE);
}

static void put_accesses(GByteArray *bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        put_access(bytes, CACHERAY_LE64, i & 1, UINT64_C(0x55713d40e500) + (i * 8 & 0xff), 8, 1);
}

static void cacheray_traces(void **state)
{
    (void)state;
    GByteArray *bytes = g_byte_array_new();
    put_accesses(bytes, 64);
    seen s = read_and_save(bytes, "cacheray", &cacheray_format);
    const cursor first = {bytes->data + 18, 18, false};
    uint64_t values[CACHERAY_FIELDS] = {0};
    cacheray_read(CACHERAY_LE64, CACHERAY_WRITE, &first, values);
    assert_int_equal(values[CACHERAY_FIELD_ADDRESS], 0x55713d40e508);
    assert_int_equal(values[CACHERAY_FIELD_SIZE], 8);
    const uint8_t removal[9] = {CACHERAY_RTTA_REMOVE, 1, 2, 3, 4};
    cacheray_read(CACHERAY_BE32, CACHERAY_RTTA_REMOVE, &(cursor){removal, sizeof removal, true}, values);
    assert_int_equal(values[CACHERAY_FIELD_ADDRESS], 0x01020304);
    assert_int_equal(cacheray_field_at(CACHERAY_LE64, CACHERAY_READ, CACHERAY_FIELD_THREAD), 10);
    assert_int_equal(cacheray_field_at(CACHERAY_LE32, CACHERAY_READ, CACHERAY_FIELD_THREAD), 6);
    assert_int_equal(s.frames, 64);
    assert_int_equal(s.layouts, 64);
    seen_free(&s);
    g_byte_array_free(bytes, TRUE);
}

static void assert_problem(const char *at, const char *protocol, const char *words)
{
    g_autoptr(GError) error = NULL;
    assert_false(trace_reader_read(at, protocol, NULL, NULL, &error));
    if (!strstr(error->message, words))
        fail_msg("'%s' does not say '%s'", error->message, words);
}

static void cannot_be_read(void **state)
{
    (void)state;
    GByteArray *bytes = ovni_stream_bytes(true);
    write_file(bytes);
    g_byte_array_free(bytes, TRUE);
    assert_problem(path, "xray", "is not a trace of this format");
    assert_problem(path, "none", "is not a trace of this format");
    assert_problem(folder, "xray", "it is not a regular file");
    assert_problem("/none/at/all", "xray", "cannot be read: ");
    builder b = log_begin(9, XRAY_TYPE_FDR, false, 256); /* a version that is unknown */
    put_extents(&b, 0);
    write_file(b.bytes);
    log_free(&b);
    assert_problem(path, "xray", "version");
}

static unsigned see_outside; /* records that do not belong to the part */

static void see_kind(void *data, uint32_t frame, const record_context *c, const cursor *bytes, const stream *from,
                     bool outside)
{
    (void)frame;
    (void)bytes;
    (void)from;
    see_outside += outside;
    if (!outside)
        g_string_append_printf(data, "%u ", c->kind);
}

/* The kinds of the records in a part long after the last event: those without which others could not be understood. */
static void assert_stay(const GByteArray *bytes, const char *protocol, const char *kinds)
{
    GString *found = g_string_new(NULL);
    write_file(bytes);
    g_setenv("WIRETRACE_TIME", "1000,1001", TRUE);
    see_outside = 0;
    const bool read = trace_reader_read(path, protocol, see_kind, found, NULL);
    g_unsetenv("WIRETRACE_TIME");
    assert_true(read);
    assert_string_equal(found->str, kinds);
    assert_true(see_outside > 0);
    g_string_free(found, TRUE);
}

static void parts(void **state)
{
    (void)state;
    builder b = log_of_a_call();
    assert_stay(b.bytes, "xray", "0 ");
    log_free(&b);
    GByteArray *bytes = ovni_stream_bytes(true);
    assert_stay(bytes, "ovni", "0 ");
    g_byte_array_set_size(bytes, 0);
    put_add(bytes, CACHERAY_LE64, UINT64_C(0x55713d40e500), 8, 4, "int", 3);
    put_accesses(bytes, 64);
    put_remove(bytes, CACHERAY_LE64, UINT64_C(0x55713d40e500));
    assert_stay(bytes, "cacheray", "2 3 ");
    g_byte_array_free(bytes, TRUE);
}

/* While the first record is seen, the file becomes one that cannot be read. */
static void stop_reading(void *data, uint32_t frame, const record_context *c, const cursor *bytes, const stream *from,
                         bool outside)
{
    (void)c;
    (void)bytes;
    (void)from;
    (void)outside;
    struct stat wanted, st;
    *(uint32_t *)data = frame;
    assert_return_code(stat(path, &wanted), errno);
    for (int fd = 3; frame == 1 && fd < 256; fd++)
        if (fstat(fd, &st) == 0 && st.st_dev == wanted.st_dev && st.st_ino == wanted.st_ino) {
            int other = open("/dev/null", O_WRONLY);
            assert_return_code(dup2(other, fd), errno);
            close(other);
        }
}

/* What fails later is said, also if much was read. */
static void fails_later(void **state)
{
    (void)state;
    enum { RECORDS = 20000 };
    uint32_t frames = 0;
    GByteArray *bytes = g_byte_array_new();
    put_accesses(bytes, RECORDS);
    write_file(bytes);
    g_byte_array_free(bytes, TRUE);
    g_autoptr(GError) error = NULL;
    assert_false(trace_reader_read(path, "cacheray", stop_reading, &frames, &error));
    assert_non_null(strstr(error->message, "cannot be read to its end: "));
    assert_true(frames >= 1 && frames < RECORDS);
    if (g_file_test("/proc/self/mem", G_FILE_TEST_EXISTS)) /* a regular file without anything at its beginning */
        assert_problem("/proc/self/mem", "xray", "cannot be read: ");
}

/* --- what the writers refuse --------------------------------------------------------------------------------------- */

static char *refusal(const write_ops *ops, const record_context *first, const record_context *second)
{
    static const uint8_t data[12] = {0};
    memory_sink out = memory_sink_new(UINT32_MAX);
    void *writer = ops->begin();
    GError *error = NULL;
    write_record a = {.context = first, .data = data, .length = sizeof data}, b = a;
    b.context = second;
    if (first)
        assert_true(ops->record(writer, &out.base, &a, &error));
    assert_null(error);
    bool good = ops->record(writer, &out.base, &b, &error);
    assert_int_equal(good, error == NULL);
    ops->end(writer);
    g_byte_array_free(out.bytes, TRUE);
    return fail_words(error);
}

static void assert_refused(const write_ops *ops, const record_context *first, const record_context *second,
                           const char *words)
{
    g_autofree char *reason = refusal(ops, first, second);
    assert_non_null(reason);
    assert_non_null(strstr(reason, words));
}

static void ovni_refusals(void **state)
{
    (void)state;
    record_context event = {.kind = OVNI_EVENT, .offset = 100, .length = 12}, other = event;
    ovni_context_of(&event)->era = ovni_context_of(&other)->era = OVNI_ERA_V3;
    assert_null(refusal(&ovni_write, &event, &other));
    other.kind = OVNI_HEADER; /* of the same stream, once more */
    assert_null(refusal(&ovni_write, &event, &other));
    other.kind = OVNI_METADATA;
    assert_refused(&ovni_write, NULL, &other, "cannot contain metadata");
    other.kind = OVNI_MISSING;
    assert_refused(&ovni_write, NULL, &other, "cannot be read");
    other = event;
    other.flags = CONTEXT_BIG_ENDIAN;
    assert_refused(&ovni_write, &event, &other, "both byte orders");
    other = event;
    other.stream = 1;
    assert_refused(&ovni_write, &event, &other, "one thread");
    other = event;
    ovni_context_of(&other)->thread = 7;
    assert_refused(&ovni_write, &event, &other, "one thread");
}

/* A part of a stream gets a header, unless streams of its time have none or it begins with a header that is cut; so does no
 * record at all. */
static void ovni_headers(void **state)
{
    (void)state;
    static const struct {
        uint8_t era;
        uint8_t flags;
        guint room;
        const char *begins; /* NULL: writing fails */
        uint64_t offset;
    } cases[] = {{OVNI_ERA_V3, 0, 99, "ovni\1", 100},
                 {OVNI_ERA_V3, CONTEXT_BIG_ENDIAN, 99, "ovni\0\0\0\1", 100},
                 {OVNI_ERA_HEADERLESS, 0, 99, "data", 100},
                 {OVNI_ERA_V3, 0, 3, NULL, 100},
                 {OVNI_ERA_V3, 0, 99, "data", 0}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        memory_sink out = memory_sink_new(cases[i].room);
        const uint8_t length = cases[i].offset ? 12 : 7, kind = cases[i].offset ? OVNI_EVENT : KIND_CUT;
        record_context c = {.kind = kind, .offset = cases[i].offset, .length = length, .flags = cases[i].flags};
        ovni_context_of(&c)->era = cases[i].era;
        write_record r = {.context = &c, .data = (const uint8_t *)"data of 12..", .length = length};
        GError *error = NULL;
        void *writer = ovni_write.begin();
        assert_int_equal(ovni_write.record(writer, &out.base, &r, &error), cases[i].begins != NULL);
        assert_null(error);
        if (cases[i].begins) {
            assert_true(ovni_write.finish(writer, &out.base));
            assert_memory_equal(out.bytes->data, cases[i].begins, i == 1 ? 8 : strlen(cases[i].begins));
            assert_memory_equal(out.bytes->data + out.bytes->len - length, "data of 12..", length);
        }
        ovni_write.end(writer);
        g_byte_array_free(out.bytes, TRUE);
    }
    memory_sink out = memory_sink_new(99);
    void *writer = ovni_write.begin();
    assert_true(ovni_write.finish(writer, &out.base));
    assert_int_equal(out.bytes->len, 8);
    assert_memory_equal(out.bytes->data, "ovni\1\0\0\0", 8);
    ovni_write.end(writer);
    g_byte_array_free(out.bytes, TRUE);
}

static void cacheray_refusals(void **state)
{
    (void)state;
    record_context a = {.kind = CACHERAY_READ}, b = a;
    cacheray_context_of(&a)->layout = cacheray_context_of(&b)->layout = CACHERAY_BE64;
    assert_null(refusal(&cacheray_write, &a, &b));
    cacheray_context_of(&b)->layout = CACHERAY_LE32;
    assert_refused(&cacheray_write, &a, &b, "different layouts");
}

/* Contexts that no format can have, and records without fields. */
static void contexts(void **state)
{
    (void)state;
    const layout *found[FORMAT_LAYOUTS_MAX];
    record_context c = {.kind = KIND_UNKNOWN};
    assert_int_equal(cacheray_format.layouts(&c, found), 0);
    assert_int_equal(cacheray_format.min_length(&c), 0);
    assert_int_equal(ovni_format.layouts(&c, found), 0);
    assert_int_equal(ovni_format.min_length(&c), 0);
    assert_int_equal(xray_fdr_format.layouts(&c, found), 0);
    assert_int_equal(xray_fdr_format.min_length(&c), 0);
    c.kind = 77;
    assert_true(cacheray_format.min_length(&c) == UINT64_MAX && ovni_format.min_length(&c) == UINT64_MAX &&
                xray_fdr_format.min_length(&c) == UINT64_MAX);
    char text[4] = "abc";
    assert_int_equal(ovni_format.describe(&c, &(cursor){NULL, 0, false}, text, sizeof text), 0);
    assert_string_equal(text, "");
    c = (record_context){.kind = OVNI_JUMBO};
    assert_int_equal(ovni_format.layouts(&c, found), 1);
    assert_int_equal(found[0]->length, OVNI_JUMBO_SIZE);
    assert_int_equal(ovni_format.min_length(&c), OVNI_JUMBO_SIZE);
}

/* What depends on the version of an XRay log: layouts of events, and the values that are read through them. */
static void xray_layouts_of_versions(void **state)
{
    (void)state;
    unsigned count;
    const layout *const *all = xray_layouts(&count), *found[FORMAT_LAYOUTS_MAX];
    assert_int_equal(count, XRAY_LAYOUT_COUNT);
    static const struct {
        uint8_t kind, version;
        enum xray_layout_id body;
    } cases[] = {{XRAY_CUSTOM_EVENT, 1, XRAY_LAYOUT_CUSTOM_V1}, {XRAY_CUSTOM_EVENT, 4, XRAY_LAYOUT_CUSTOM_V4},
                 {XRAY_CUSTOM_EVENT, 5, XRAY_LAYOUT_CUSTOM_V5}, {XRAY_TYPED_EVENT, 2, XRAY_LAYOUT_TYPED_V2},
                 {XRAY_TYPED_EVENT, 5, XRAY_LAYOUT_TYPED_V5},   {XRAY_ENTRY, 3, XRAY_LAYOUT_FUNCTION},
                 {XRAY_NEW_CPU, 3, XRAY_LAYOUT_NEW_CPU}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        for (uint8_t big = 0; big <= 1; big++) {
            record_context c = {.kind = cases[i].kind, .flags = big ? CONTEXT_BIG_ENDIAN : 0};
            xray_context_of(&c)->version = cases[i].version;
            xray_context_of(&c)->type = XRAY_TYPE_FDR;
            assert_int_equal(xray_fdr_format.layouts(&c, found), 2);
            assert_ptr_equal(found[1], all[cases[i].body]);
            bool function = xray_is_function(c.kind);
            assert_ptr_equal(found[0], all[(function ? XRAY_LAYOUT_LEAD_FUNCTION_LE : XRAY_LAYOUT_LEAD_METADATA_LE) +
                                           (big ? XRAY_LAYOUT_LEAD_FUNCTION_BE - XRAY_LAYOUT_LEAD_FUNCTION_LE : 0)]);
        }
    for (int big = 0; big <= 1; big++) {
        builder b = {g_byte_array_new(), big};
        put_function(&b, 1, 0x1234567, 99);
        put_cpu(&b, 513, 123456789);
        record_context c = {.kind = XRAY_EXIT, .flags = big ? CONTEXT_BIG_ENDIAN : 0};
        xray_context_of(&c)->version = 5;
        xray_context_of(&c)->type = XRAY_TYPE_FDR;
        uint64_t values[XRAY_FIELD_COUNT] = {0};
        xray_read(&c, &(cursor){b.bytes->data, 8, big}, values);
        assert_int_equal(values[XRAY_FIELD_FUNCTION], 0x1234567);
        assert_int_equal(values[XRAY_FIELD_ACTION], 1);
        c.kind = XRAY_NEW_CPU;
        xray_read(&c, &(cursor){b.bytes->data + 8, 16, big}, values);
        assert_int_equal(values[XRAY_FIELD_CPU], 513);
        assert_int_equal(values[XRAY_FIELD_TSC], 123456789);
        log_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xray_logs),
        cmocka_unit_test(ovni_streams),
        cmocka_unit_test(cacheray_traces),
        cmocka_unit_test(cannot_be_read),
        cmocka_unit_test(ovni_refusals),
        cmocka_unit_test(ovni_headers),
        cmocka_unit_test(parts),
        cmocka_unit_test(fails_later),
        cmocka_unit_test(contexts),
        cmocka_unit_test(cacheray_refusals),
        cmocka_unit_test(xray_layouts_of_versions),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
