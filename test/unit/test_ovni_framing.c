/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Framing of single streams built in memory: events of every size, both byte orders, cut at every byte, clocks that go
 * back, sort regions, files without a header, and random access. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/trace.h"
#include "core/formats.h"
#include "ovni/context.h"
#include "ovni/events/events.h"
#include "ovni_stream.h"

/* All records of a stream, each also read again in random order with the same result. */
typedef struct {
    GArray *records; /* of record */
    bool cut;
} reading;

static void check_again(trace *t, const GArray *records)
{
    for (guint i = 0; i < records->len; i++) {
        const record *r = &g_array_index(records, record, (i * 7919) % records->len);
        int err;
        walk *w = trace_read(t, trace_handle(&r->context), &err);
        assert_non_null(w);
        assert_memory_equal(&w->record.context, &r->context, sizeof r->context);
        assert_true(w->record.order == r->order && w->record.seconds == r->seconds);
        assert_true(w->record.nanoseconds == r->nanoseconds && w->record.phase == r->phase);
    }
}

static reading read_all(const uint8_t *bytes, size_t length, const char *path)
{
    source *s = source_memory_new(bytes, length);
    s->block = 64; /* small, so that windows move often */
    trace_input in = {.path = path, .sequential = s, .random = s, .seekable = true};
    trace *t = trace_open(&ovni_format, &in, NULL);
    assert_non_null(t);
    reading r = {.records = g_array_new(FALSE, TRUE, sizeof(record))};
    uint64_t at = 0;
    for (walk *w; (w = trace_next(t)) != NULL;) {
        assert_true(w->record.context.offset == at && w->record.context.length > 0);
        at += w->record.context.length;
        g_array_append_val(r.records, w->record);
    }
    assert_int_equal(at, length);
    assert_int_equal(t->merge.error, 0);
    r.cut = t->cut;
    check_again(t, r.records);
    trace_close(t);
    source_close(s);
    return r;
}

/* A source of unknown size; memory_read() would need the size. */
typedef struct {
    source base;
    const uint8_t *data;
    size_t length;
} pipe_source;

static int64_t pipe_read(source *s, uint64_t offset, void *buffer, size_t length, int *err)
{
    (void)err;
    pipe_source *p = (pipe_source *)s;
    size_t n = offset < p->length ? MIN(length, p->length - (size_t)offset) : 0;
    if (n)
        memcpy(buffer, p->data + offset, n);
    return (int64_t)n;
}

static void pipe_close(source *s)
{
    (void)s;
}

static record at_index(const reading *r, guint i)
{
    assert_true(i < r->records->len);
    return g_array_index(r->records, record, i);
}

static const ovni_context *own_at(const reading *r, guint i)
{
    return ovni_context_of(&g_array_index(r->records, record, i).context);
}

static void reading_free(reading *r)
{
    g_array_free(r->records, TRUE);
}

static bool claimed(const GByteArray *b, const char *path, bool whole)
{
    probe p = {b->data, MIN(b->len, PROBE_LENGTH), whole, path};
    return ovni_format.probe(&p);
}

static void every_size_in_both_byte_orders(void **state)
{
    (void)state;
    static const uint32_t jumbos[] = {0, 1, 14, 70000};
    for (int big = 0; big < 2; big++) {
        GByteArray *b = g_byte_array_new();
        put_header(b, 1, big);
        for (uint8_t code = 0; code < 16; code++)
            put_event(b, code, "OB.", 1000000000u + code, big);
        for (size_t i = 0; i < G_N_ELEMENTS(jumbos); i++)
            put_jumbo(b, 0x13, "VYc", 3000000000u, jumbos[i], big);
        assert_true(claimed(b, NULL, false));
        reading r = read_all(b->data, b->len, NULL);
        assert_int_equal(r.records->len, 1 + 16 + G_N_ELEMENTS(jumbos));
        assert_int_equal(at_index(&r, 0).context.kind, OVNI_HEADER);
        assert_int_equal(at_index(&r, 0).context.fault, FAULT_NONE);
        assert_int_equal(at_index(&r, 0).phase, 1);
        assert_int_equal(at_index(&r, 0).seconds, 1);
        for (guint i = 0; i < r.records->len; i++)
            assert_int_equal(at_index(&r, i).context.flags & CONTEXT_BIG_ENDIAN, big ? CONTEXT_BIG_ENDIAN : 0);
        for (guint code = 0; code < 16; code++) {
            record e = at_index(&r, 1 + code);
            assert_int_equal(e.context.kind, OVNI_EVENT);
            assert_int_equal(e.context.length, 12 + code + (code != 0));
            assert_int_equal(e.seconds, 1);
            assert_int_equal(e.nanoseconds, code);
            assert_int_equal(e.phase, 2);
        }
        for (guint i = 0; i < G_N_ELEMENTS(jumbos); i++) {
            assert_int_equal(at_index(&r, 17 + i).context.kind, OVNI_JUMBO);
            assert_int_equal(at_index(&r, 17 + i).context.length, 16 + jumbos[i]);
        }
        assert_false(r.cut);
        reading_free(&r);
        g_byte_array_free(b, TRUE);
    }
}

/* Readers ignore reserved flags, and the size code of jumbo events. */
static void reserved_bits_change_nothing(void **state)
{
    (void)state;
    GByteArray *b = g_byte_array_new();
    put_header(b, 1, false);
    put_event(b, 0xe3, "OAs", 5, false);
    put_jumbo(b, 0xff, "VYc", 6, 3, false);
    reading r = read_all(b->data, b->len, NULL);
    assert_int_equal(at_index(&r, 1).context.length, 16);
    assert_int_equal(at_index(&r, 2).context.length, 19);
    assert_int_equal(r.records->len, 3);
    reading_free(&r);
    g_byte_array_free(b, TRUE);
}

static void cut_at_every_byte(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        GByteArray *b = g_byte_array_new();
        put_header(b, 1, big);
        put_event(b, 0, "VSh", 70, big);
        put_event(b, 0x0b, "OM[", 80, big);
        put_jumbo(b, 0x13, "VYc", 90, 6, big);
        static const size_t ends[] = {0, 8, 20, 44, 66};
        assert_int_equal(b->len, 66);
        for (size_t n = 0; n <= b->len; n++) {
            uint8_t *copy = g_memdup2(b->data, n); /* so that the sanitizer sees any byte beyond the end */
            reading r = read_all(copy, n, NULL);
            guint whole = 0;
            while (whole + 1 < G_N_ELEMENTS(ends) && ends[whole + 1] <= n)
                whole++;
            bool cut = n != ends[whole];
            assert_int_equal(r.records->len, whole + cut);
            assert_int_equal(r.cut, cut);
            if (cut) {
                record c = at_index(&r, whole);
                assert_int_equal(c.context.kind, KIND_CUT);
                assert_int_equal(c.context.fault, FAULT_CUT_BY_FILE);
                assert_true(c.context.flags & CONTEXT_TRUNCATED);
                assert_int_equal(c.context.length, n - ends[whole]);
                /* the time of the previous record */
                assert_int_equal(c.nanoseconds, whole == 0   ? 0
                                                : whole == 1 ? (n >= 20 ? 70 : at_index(&r, 0).nanoseconds)
                                                             : 60 + 10 * (int)(whole - 1));
            }
            reading_free(&r);
            g_free(copy);
        }
        g_byte_array_free(b, TRUE);
    }
}

/* Lengths are compared with what is there before they are used. */
static void huge_jumbos_are_cut(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {100, 0x7fffffef, 0xffffffe0, 0xfffffff0, 0xffffffff};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        GByteArray *b = g_byte_array_new();
        put_header(b, 1, false);
        put_event(b, 0x13, "VYc", 90, false);
        put_number(b, sizes[i], 4, false);
        for (int n = 0; n < 50; n++)
            put_number(b, 0, 1, false);
        reading r = read_all(b->data, b->len, NULL);
        assert_int_equal(r.records->len, 2);
        assert_int_equal(at_index(&r, 1).context.kind, KIND_CUT);
        assert_int_equal(at_index(&r, 1).context.length, 66);
        reading_free(&r);
        g_byte_array_free(b, TRUE);
    }
}

static void pipes_are_read_without_a_size(void **state)
{
    (void)state;
    GByteArray *b = g_byte_array_new();
    put_header(b, 1, true);
    put_jumbo(b, 0x13, "VYc", 90, 5000, true);
    put_event(b, 0, "VSh", 95, true);
    put_event(b, 0x13, "VYc", 99, true);
    put_number(b, 0xffffffff, 4, true);
    static const source_ops ops = {pipe_read, pipe_close};
    pipe_source p = {{&ops, SOURCE_SIZE_UNKNOWN, 128, 0}, b->data, b->len};
    trace_input in = {.sequential = &p.base};
    trace *t = trace_open(&ovni_format, &in, NULL);
    static const uint64_t lengths[] = {8, 5016, 12, 16};
    for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
        walk *w = trace_next(t);
        assert_non_null(w);
        assert_int_equal(w->record.context.length, lengths[i]);
        assert_int_equal(w->record.context.flags & CONTEXT_BIG_ENDIAN, CONTEXT_BIG_ENDIAN);
        assert_int_equal(w->record.context.flags & CONTEXT_RANDOM_ACCESS, 0);
    }
    assert_null(trace_next(t));
    assert_true(t->cut);
    trace_close(t);
    g_byte_array_free(b, TRUE);
}

/* Which of these events go back; 'b' marks those that do. */
static void check_backwards(const char *const *codes, const uint64_t *clocks, const char *expected)
{
    GByteArray *b = g_byte_array_new();
    put_header(b, 1, false);
    for (size_t i = 0; expected[i]; i++)
        put_event(b, 0, codes[i], clocks[i], false);
    reading r = read_all(b->data, b->len, NULL);
    for (guint i = 0; expected[i]; i++)
        if (((own_at(&r, i + 1)->known & OVNI_BACKWARDS) != 0) != (expected[i] == 'b'))
            fail_msg("%s: event %u", expected, i);
    reading_free(&r);
    g_byte_array_free(b, TRUE);
}

static void falling_clocks_are_marked(void **state)
{
    (void)state;
    static const char *const plain[] = {"VSh", "VSf", "VSh", "VSf", "VSh", "VSf"};
    check_backwards(plain, (const uint64_t[]){5, 5, 4, 6, 5, 5}, "--b-b-");
    /* clocks are signed */
    check_backwards(plain, (const uint64_t[]){UINT64_MAX, 0, UINT64_C(1) << 63, 1, 1, 1}, "--b---");
    /* kernel events in a region, unsorted among themselves; afterwards the clock is compared as if they were not there */
    static const char *const region[] = {"VSh", "OU[", "KCO", "KCI", "OU]", "VSf", "VSh"};
    check_backwards(region, (const uint64_t[]){10, 11, 3, 2, 12, 13, 12}, "------b");
    static const char *const nested[] = {"OU[", "OU[", "KCO", "OU]", "KCI", "OU]", "VSf"};
    check_backwards(nested, (const uint64_t[]){10, 11, 3, 12, 2, 12, 11}, "------b");
    static const char *const closed[] = {"OU]", "VSh", "VSf"};
    check_backwards(closed, (const uint64_t[]){10, 9, 9}, "-b-");
}

/* Signed nanoseconds, seconds rounded down, in the order of the signed clock. */
static void negative_clocks_sort_first(void **state)
{
    (void)state;
    GByteArray *b = g_byte_array_new();
    put_header(b, 1, false);
    put_event(b, 0, "VSh", (uint64_t)-1, false);
    put_event(b, 0, "VSf", (uint64_t)-1000000000, false);
    put_event(b, 0, "VSf", (uint64_t)-1500000000, false);
    put_event(b, 0, "VSf", 1, false);
    reading r = read_all(b->data, b->len, NULL);
    static const int64_t seconds[] = {-1, -1, -1, -2, 0};
    static const int32_t nanoseconds[] = {999999999, 999999999, 0, 500000000, 1};
    for (guint i = 0; i < 5; i++) {
        assert_true(at_index(&r, i).seconds == seconds[i]);
        assert_int_equal(at_index(&r, i).nanoseconds, nanoseconds[i]);
    }
    assert_true(at_index(&r, 1).order < at_index(&r, 4).order);
    assert_true(at_index(&r, 3).order < at_index(&r, 2).order);
    reading_free(&r);
    g_byte_array_free(b, TRUE);
}

static void versions(void **state)
{
    (void)state;
    static const struct {
        uint32_t version;
        bool claimed;
    } cases[] = {{1, true}, {2, true}, {255, true}, {0, false}, {256, false}, {0x01000100, false}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        for (int big = 0; big < 2; big++) {
            GByteArray *b = g_byte_array_new();
            put_header(b, cases[i].version, big);
            assert_int_equal(claimed(b, "stream.obs", true), cases[i].claimed);
            put_event(b, 0, "VSh", 5, big && cases[i].claimed);
            reading r = read_all(b->data, b->len, NULL); /* even if the user insists */
            assert_int_equal(at_index(&r, 0).context.fault, cases[i].version == 1 ? FAULT_NONE : FAULT_OVNI_VERSION);
            assert_int_equal(r.records->len, 2);
            reading_free(&r);
            g_byte_array_free(b, TRUE);
        }
}

static void files_without_a_header(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        GByteArray *b = g_byte_array_new();
        put_event(b, 0x0f, "OHx", 1670549326213, big);
        assert_true(claimed(b, "/t/loom.a/proc.1/thread.1", true));
        assert_false(claimed(b, "/t/loom.a/proc.1/thread.1", false)); /* a single event of many is not enough */
        put_jumbo(b, 0x13, "VYc", 1670549327725, 14, big);
        put_event(b, 3, "VTx", 1670549332903, big);
        assert_true(claimed(b, "/t/loom.a/proc.1/thread.1", true));
        assert_true(claimed(b, "thread.77", false));
        assert_false(claimed(b, NULL, true));
        assert_false(claimed(b, "thread.1.obs", true)); /* these have headers */
        assert_false(claimed(b, "thread.x", true));
        assert_false(claimed(b, "data.bin", true));
        reading r = read_all(b->data, b->len, "/nowhere/loom.a/proc.1/thread.1");
        assert_int_equal(r.records->len, 3);
        assert_int_equal(at_index(&r, 0).context.kind, OVNI_EVENT);
        assert_int_equal(own_at(&r, 0)->era, OVNI_ERA_HEADERLESS);
        assert_int_equal(at_index(&r, 2).context.length, 16);
        assert_int_equal(at_index(&r, 2).context.flags & CONTEXT_BIG_ENDIAN, big ? CONTEXT_BIG_ENDIAN : 0);
        reading_free(&r);
        g_byte_array_free(b, TRUE);
    }
}

/* Each of these makes a file without a header unacceptable. */
static void headerless_files_are_checked_strictly(void **state)
{
    (void)state;
    static const struct {
        uint8_t flags;
        const char *mcv;
        uint64_t clock;
        bool claimed;
    } second[] = {
        {0x00, "VSh", 1000, true},
        {0x20, "VSh", 1000, false},
        {0x00, "XSh", 1000, false},
        {0x00, "V\x01h", 1000, false},
        {0x00, "VS ", 1000, false},
        {0x00, "VSh", 999, false},
        {0x00, "VSh", 1000 + (UINT64_C(1) << 42), true},
        {0x00, "VSh", 1001 + (UINT64_C(1) << 42), false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(second); i++) {
        GByteArray *b = g_byte_array_new();
        put_event(b, 0, "VSf", 1000, false);
        put_event(b, second[i].flags, second[i].mcv, second[i].clock, false);
        put_event(b, 0, "VSf", second[i].clock, false);
        if (claimed(b, "thread.1", true) != second[i].claimed)
            fail_msg("case %zu", i);
        g_byte_array_free(b, TRUE);
    }
    GByteArray *b = g_byte_array_new(); /* clocks in the past are normal in a sort region */
    put_event(b, 0, "OU[", 1000, false);
    put_event(b, 0, "KCO", 500, false);
    put_event(b, 0, "OU]", 1001, false);
    assert_true(claimed(b, "thread.1", true));
    put_event(b, 0x20, "VSh", 1002, false); /* damage after three events is too much, but not after eight */
    assert_false(claimed(b, "thread.1", true));
    g_byte_array_set_size(b, 3 * OVNI_EVENT_SIZE);
    for (uint64_t clock = 1002; clock < 1007; clock++)
        put_event(b, 0, "VSh", clock, false);
    put_event(b, 0x20, "VSh", 1007, false);
    assert_true(claimed(b, "thread.1", true) && claimed(b, "thread.1", false));
    g_byte_array_free(b, TRUE);
}

/* In folders that ovni names so, two whole events are enough: here a sixth one cannot follow five, and ends inside its
 * payload. */
static void folders_say_that_a_file_is_a_stream(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        GByteArray *b = g_byte_array_new();
        for (uint64_t clock = 1000; clock < 1005; clock++)
            put_event(b, 3, "VTx", clock, big);
        put_event(b, 0x0f, "OHx", 1, big);
        g_byte_array_set_size(b, b->len - 5);
        assert_false(claimed(b, "thread.1", true));
        assert_false(claimed(b, "/nowhere/proc.1/thread.1", true));
        assert_true(claimed(b, "/nowhere/loom.a/proc.1/thread.1", true));
        g_byte_array_set_size(b, 0);
        put_event(b, 0, "VSh", 1000, big);
        put_event(b, 0, "VSh", 1, big);
        assert_false(claimed(b, "/nowhere/loom.a/proc.1/thread.1", true));
        g_byte_array_free(b, TRUE);
    }
}

/* If there is only one event, or a part of one, each of these is unacceptable. */
static void one_event_is_checked_strictly(void **state)
{
    (void)state;
    static const struct {
        uint8_t flags;
        const char *mcv, *rest;
        uint64_t clock;
        bool claimed;
    } cases[] = {
        {0x07, "OHx", "\1\2\3", 1000, true},      {0x07, "OHx", "", 1000, true},
        {0x00, "OHe", "\7OH", 1000, true},        {0x00, "OHe", "\0OHx\1\2\3\4", 1000, true},
        {0x13, "VYc", "\x10\0\0", 1000, true},    {0x27, "OHx", "\1\2\3", 1000, false},
        {0x07, "XHx", "\1\2\3", 1000, false},     {0x07, "O x", "\1\2\3", 1000, false},
        {0x07, "OHx", "\1\2\3", 0, false},        {0x07, "OHx", "\1\2\3", UINT64_C(0x6162636465666768), false},
        {0x00, "OHe", "\x27OHx", 1000, false},    {0x00, "OHe", "\7XHx", 1000, false},
        {0x00, "OHe", "\7O x", 1000, false},      {0x11, "VYc", "\x10\0\0", 1000, false},
        {0x13, "VYc", "\0\0\0\x7f", 1000, false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GByteArray *b = g_byte_array_new();
        static const uint8_t lengths[] = {3, 0, 3, 8, 3, 3, 3, 3, 3, 3, 4, 4, 4, 3, 4};
        put_event(b, cases[i].flags, cases[i].mcv, cases[i].clock, false);
        g_byte_array_set_size(b, OVNI_EVENT_SIZE);
        g_byte_array_append(b, (const uint8_t *)cases[i].rest, lengths[i]);
        if (claimed(b, "thread.1", true) != cases[i].claimed || claimed(b, "thread.1", false))
            fail_msg("case %zu", i);
        g_byte_array_free(b, TRUE);
    }
}

/* The records of a file without a header: this many, of which the last may be cut. */
static void check_headerless(const GByteArray *b, guint count, bool cut)
{
    reading r = read_all(b->data, b->len, "/nowhere/loom.a/proc.1/thread.1");
    assert_int_equal(r.records->len, count);
    for (guint i = 0; i < count; i++) {
        assert_int_equal(own_at(&r, i)->era, OVNI_ERA_HEADERLESS);
        assert_int_equal(at_index(&r, i).context.kind == KIND_CUT, cut && i == count - 1);
        assert_int_not_equal(at_index(&r, i).context.kind, KIND_UNKNOWN);
    }
    assert_int_equal(r.cut, cut);
    reading_free(&r);
}

/* Even inside the first event: from its clock on the file is claimed, and in a trace it is a file without a header from
 * the first byte on. */
static void headerless_files_end_anywhere(void **state)
{
    (void)state;
    static const guint ends[] = {0, 28, 44, 74};
    for (int big = 0; big < 2; big++) {
        GByteArray *b = g_byte_array_new();
        put_event(b, 0x0f, "OHx", 1670549326213, big);
        put_event(b, 3, "VTx", 1670549332903, big);
        put_jumbo(b, 0x13, "VYc", 1670549340000, 14, big);
        assert_int_equal(b->len, ends[3]);
        for (guint n = b->len, whole = 3; n > 0; g_byte_array_set_size(b, --n)) {
            whole -= n < ends[whole];
            if (claimed(b, "thread.1", true) != (n >= OVNI_EVENT_SIZE))
                fail_msg("%u bytes", n);
            check_headerless(b, whole + (n > ends[whole]), n > ends[whole]);
        }
        g_byte_array_free(b, TRUE);
    }
}

static void a_last_event_claims_more_than_there_is(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {100, 5000, 2u << 20, INT32_MAX, UINT32_MAX};
    for (int big = 0; big < 2; big++)
        for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
            for (unsigned before = 0; before < 4; before++) {
                GByteArray *b = g_byte_array_new();
                for (unsigned n = 0; n < before; n++)
                    put_event(b, 0, "VSh", 1000 + n, big);
                put_event(b, 0x13, "VYc", 2000, big);
                put_number(b, sizes[i], 4, big);
                put_number(b, 0x0041424344454647, 8, big);
                bool sure = before || sizes[i] < 2u << 20;
                assert_int_equal(claimed(b, "thread.1", true), sure);
                if (sure)
                    check_headerless(b, before + 1, true);
                g_byte_array_free(b, TRUE);
            }
}

/* A second event that is cut, or longer than what is examined, counts by its first bytes. */
static void a_second_event_may_go_on(void **state)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        GByteArray *b = g_byte_array_new();
        put_event(b, 0x0f, "OHx", 1000, big);
        put_jumbo(b, 0x13, "VYc", 1001, 5000, big);
        put_event(b, 0, "OHe", 1002, big);
        reading r = read_all(b->data, b->len, "/nowhere/loom.a/proc.1/thread.1");
        assert_int_equal(r.records->len, 3);
        assert_int_equal(at_index(&r, 1).context.length, 5016);
        reading_free(&r);
        g_byte_array_set_size(b, 28 + 16);
        assert_true(claimed(b, "thread.1", true));
        assert_true(claimed(b, "thread.1", false));
        r = read_all(b->data, b->len, "/nowhere/loom.a/proc.1/thread.1");
        assert_int_equal(r.records->len, 2);
        assert_int_equal(at_index(&r, 1).context.kind, KIND_CUT);
        assert_true(r.cut);
        reading_free(&r);
        g_byte_array_set_size(b, 28 + 11); /* its clock is incomplete */
        assert_true(claimed(b, "thread.1", true));
        assert_false(claimed(b, "thread.1", false));
        g_byte_array_free(b, TRUE);
    }
}

/* Everything before the first event has its time, whatever clock its bytes would have as an event. */
static void times_before_the_first_event(void **state)
{
    (void)state;
    static const char *const junk[] = {"", "ovni\1\0\0", "ovni\1\0\0\0ovni\1\0\0", "\xff\xfe\xff\xfe\xff", NULL};
    for (int big = 0; big < 2; big++)
        for (size_t i = 0; junk[i]; i++) {
            static const guint lengths[] = {0, 8, 16, 6};
            GByteArray *b = g_byte_array_new();
            put_header(b, 1, big);
            g_byte_array_append(b, (const uint8_t *)junk[i], lengths[i]);
            for (unsigned n = 0; n < 3; n++)
                put_event(b, 0, "VSh", UINT64_C(5000000000) + n, big);
            reading r = read_all(b->data, b->len, NULL);
            for (guint n = 0; n < r.records->len; n++)
                assert_int_equal(at_index(&r, n).seconds, 5);
            assert_int_equal(at_index(&r, r.records->len - 1).nanoseconds, 2);
            reading_free(&r);
            g_byte_array_free(b, TRUE);
        }
    GByteArray *damaged = g_byte_array_new(); /* more than is examined at first */
    put_header(damaged, 1, false);
    for (unsigned n = 0; n < 5000; n++)
        g_byte_array_append(damaged, (const uint8_t *)"\xff", 1);
    for (unsigned n = 0; n < 3; n++)
        put_event(damaged, 0, "VSh", UINT64_C(5000000000000000) + n, false);
    reading of_damaged = read_all(damaged->data, damaged->len, NULL);
    assert_int_equal(at_index(&of_damaged, 0).seconds, 5000000);
    assert_int_equal(at_index(&of_damaged, 1).seconds, 5000000);
    reading_free(&of_damaged);
    g_byte_array_free(damaged, TRUE);
    /* an event much earlier, or with reserved flags, is still the first event; so is a single one */
    for (int odd = 0; odd < 3; odd++) {
        GByteArray *b = g_byte_array_new();
        put_header(b, 1, false);
        put_event(b, odd ? 0x20 : 0, "VSh", 5000000000, false);
        if (odd < 2)
            for (unsigned n = 0; n < 3; n++)
                put_event(b, 0, "VSh", (odd ? UINT64_C(5000000001) : UINT64_C(99000000000000)) + n, false);
        reading r = read_all(b->data, b->len, NULL);
        assert_int_equal(at_index(&r, 0).context.kind, OVNI_HEADER);
        assert_int_equal(at_index(&r, 0).seconds, 5);
        reading_free(&r);
        g_byte_array_free(b, TRUE);
    }
}

/* A file that is no stream at all is shown in pieces. */
static void foreign_bytes_are_unknown(void **state)
{
    (void)state;
    size_t length = 2 * RECORD_UNKNOWN_MAX + 5;
    uint8_t *bytes = g_malloc0(length);
    reading r = read_all(bytes, length, NULL);
    assert_int_equal(r.records->len, 3);
    for (guint i = 0; i < 3; i++) {
        assert_int_equal(at_index(&r, i).context.kind, KIND_UNKNOWN);
        assert_int_equal(at_index(&r, i).context.fault, FAULT_OVNI_NO_HEADER);
        assert_int_equal(at_index(&r, i).context.length, i < 2 ? RECORD_UNKNOWN_MAX : 5);
    }
    assert_false(r.cut);
    reading_free(&r);
    g_free(bytes);
}

static void short_files_are_not_claimed(void **state)
{
    (void)state;
    GByteArray *b = g_byte_array_new();
    assert_false(claimed(b, "thread.1", true));
    put_header(b, 1, false);
    for (guint n = 0; n <= 8; n++) {
        probe p = {b->data, n, true, "stream.obs"};
        assert_int_equal(ovni_format.probe(&p), n == 8);
    }
    g_byte_array_free(b, TRUE);
}

/* Thousands of records, so that random access uses checkpoints, with regions open across them. */
static void checkpoints_carry_the_state(void **state)
{
    (void)state;
    GByteArray *b = g_byte_array_new();
    put_header(b, 1, false);
    for (uint64_t i = 0; i < 5000; i++) {
        const char *mcv = i % 1500 == 600 ? "OU[" : i % 1500 == 1400 ? "OU]" : "VSh";
        put_event(b, (uint8_t)(i % 16), mcv, i % 7 ? i * 10 : i * 9, false);
    }
    put_event(b, 0x0f, "VSh", 7, false);
    reading r = read_all(b->data, b->len - 1, NULL);
    assert_int_equal(r.records->len, 5002);
    assert_true(r.cut);
    reading_free(&r);
    g_byte_array_free(b, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_in_both_byte_orders),
        cmocka_unit_test(reserved_bits_change_nothing),
        cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(huge_jumbos_are_cut),
        cmocka_unit_test(pipes_are_read_without_a_size),
        cmocka_unit_test(falling_clocks_are_marked),
        cmocka_unit_test(negative_clocks_sort_first),
        cmocka_unit_test(versions),
        cmocka_unit_test(files_without_a_header),
        cmocka_unit_test(headerless_files_are_checked_strictly),
        cmocka_unit_test(folders_say_that_a_file_is_a_stream),
        cmocka_unit_test(one_event_is_checked_strictly),
        cmocka_unit_test(headerless_files_end_anywhere),
        cmocka_unit_test(a_last_event_claims_more_than_there_is),
        cmocka_unit_test(times_before_the_first_event),
        cmocka_unit_test(a_second_event_may_go_on),
        cmocka_unit_test(foreign_bytes_are_unknown),
        cmocka_unit_test(short_files_are_not_claimed),
        cmocka_unit_test(checkpoints_carry_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
