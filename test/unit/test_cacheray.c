/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Framing of Cacheray records: every kind in every layout, whole, cut at every byte, odd, and damaged. */
#include "test_cacheray.h"

#define EACH_LAYOUT(l) for (cacheray_layout l = CACHERAY_LE64; l < CACHERAY_LAYOUTS; l++)

/* --- layout tables ----------------------------------------------------------------------------------------------------- */

static void test_tables_cover_every_byte_once(void **state)
{
    (void)state;
    EACH_LAYOUT(l)
    for (uint8_t kind = 0; kind < CACHERAY_KINDS; kind++) {
        const layout *of = cacheray_layout_of(l, kind);
        unsigned at = 0;
        for (unsigned i = 0; i < of->count; i++) {
            assert_int_equal(of->rows[i].offset, at);
            assert_int_equal(cacheray_field_at(l, kind, (cacheray_field)of->rows[i].field), at);
            at += of->rows[i].width;
        }
        assert_int_equal(at, of->length);
        assert_true(at <= CACHERAY_FIXED_MAX);
    }
}

/* --- records as bytes -------------------------------------------------------------------------------------------------- */

/* clang-format off */
static const uint8_t bytes_le64[] = {
    0x02,                                           /* RTTA add */
    0x30, 0xe5, 0x40, 0x3d, 0x71, 0x55, 0x00, 0x00, /* address 0x55713d40e530 */
    0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* thread 5 */
    0x12, 0x00, 0x00, 0x00,                         /* element size 18 */
    0x1e, 0x00, 0x00, 0x00,                         /* element count 30 */
    0x03, 0x00, 0x00, 0x00, 'i', '8', '*',          /* name */
    0x41,                                           /* write, atomic */
    0x30, 0xe5, 0x40, 0x3d, 0x71, 0x55, 0x00, 0x00,
    0x08,                                           /* size 8 */
    0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x80,                                           /* read, unaligned */
    0x31, 0xe5, 0x40, 0x3d, 0x71, 0x55, 0x00, 0x00,
    0x02,
    0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x03,                                           /* RTTA remove */
    0x30, 0xe5, 0x40, 0x3d, 0x71, 0x55, 0x00, 0x00,
    0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
};
static const uint8_t bytes_be32[] = {
    0x02,                                           /* RTTA add */
    0x08, 0xd3, 0xfd, 0xc0,                         /* address 0x8d3fdc0 */
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, /* thread 5 */
    0x00, 0x00, 0x00, 0x12,
    0x00, 0x00, 0x00, 0x1e,
    0x00, 0x00, 0x00, 0x03, 'i', '8', '*',
    0x41,                                           /* write, atomic */
    0x08, 0xd3, 0xfd, 0xc0,
    0x08,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05,
    0x80,                                           /* read, unaligned */
    0x08, 0xd3, 0xfd, 0xc1,
    0x02,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05,
    0x03,                                           /* RTTA remove */
    0x08, 0xd3, 0xfd, 0xc0,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05,
};
/* clang-format on */

static uint64_t field(const uint8_t *bytes, const record_context *c, cacheray_field id)
{
    cursor u = {bytes + c->offset, (size_t)c->length, (c->flags & CONTEXT_BIG_ENDIAN) != 0};
    const layout *of = cacheray_layout_of((cacheray_layout)cacheray_context_of(c)->layout, c->kind);
    for (unsigned i = 0; i < of->count; i++)
        if (of->rows[i].field == id)
            return layout_value(&of->rows[i], &u);
    fail_msg("kind %u has no field %u", c->kind, id);
    return 0;
}

static void check_bytes(const uint8_t *bytes, size_t length, cacheray_layout l, uint64_t address)
{
    source *s = source_memory_new(bytes, length);
    GArray *all = walk_source(s, l, length);
    assert_int_equal(all->len, 4);
    for (unsigned i = 0; i < 4; i++) {
        const record_context *c = context(all, i);
        static const uint8_t kinds[] = {CACHERAY_RTTA_ADD, CACHERAY_WRITE, CACHERAY_READ, CACHERAY_RTTA_REMOVE};
        assert_int_equal(c->kind, kinds[i]);
        assert_int_equal(c->fault, FAULT_NONE);
        assert_int_equal(c->flags & CONTEXT_BIG_ENDIAN, cacheray_big_endian(l) ? CONTEXT_BIG_ENDIAN : 0);
        assert_int_equal(field(bytes, c, CACHERAY_FIELD_ADDRESS), address + (i == 2));
        assert_int_equal(field(bytes, c, CACHERAY_FIELD_THREAD), 5);
    }
    assert_int_equal(field(bytes, context(all, 0), CACHERAY_FIELD_ELEM_SIZE), 18);
    assert_int_equal(field(bytes, context(all, 0), CACHERAY_FIELD_ELEM_COUNT), 30);
    assert_int_equal(field(bytes, context(all, 0), CACHERAY_FIELD_NAME_LENGTH), 3);
    assert_int_equal(field(bytes, context(all, 1), CACHERAY_FIELD_SIZE), 8);
    assert_int_equal(field(bytes, context(all, 1), CACHERAY_FIELD_TYPE), 0x41);
    assert_int_equal(field(bytes, context(all, 2), CACHERAY_FIELD_SIZE), 2);
    g_array_free(all, TRUE);
    source_close(s);
}

static void test_known_bytes(void **state)
{
    (void)state;
    check_bytes(bytes_le64, sizeof bytes_le64, CACHERAY_LE64, 0x55713d40e530);
    check_bytes(bytes_be32, sizeof bytes_be32, CACHERAY_BE32, 0x08d3fdc0);
}

static void test_number_is_time(void **state)
{
    (void)state;
    source *s = source_memory_new(bytes_le64, sizeof bytes_le64);
    trace *t = open_bytes(s, CACHERAY_LE64);
    assert_int_equal(t->streams->len, 1);
    assert_string_equal(trace_stream(t, 0)->name, "memory");
    assert_non_null(strstr(t->comment->str, "le64"));
    assert_non_null(strstr(t->comment->str, "no clock"));
    assert_non_null(strstr(t->comment->str, "in microseconds"));
    for (unsigned n = 1; n <= 4; n++) {
        walk *w = trace_next(t);
        assert_int_equal(cacheray_context_of(&w->record.context)->number, n);
        assert_int_equal(w->record.order, n);
        assert_int_equal(w->record.seconds, 0);
        assert_int_equal(w->record.nanoseconds, n * 1000);
    }
    assert_null(trace_next(t));
    trace_close(t);
    source_close(s);
}

/* --- every kind, cut at every byte ------------------------------------------------------------------------------------- */

static GByteArray *every_kind(cacheray_layout l)
{
    GByteArray *b = g_byte_array_new();
    put_access(b, l, CACHERAY_READ, heap(l), 16, 0);
    put_access(b, l, CACHERAY_WRITE | CACHERAY_ATOMIC, heap(l), 4, UINT64_C(0x7f0012345678));
    put_access(b, l, CACHERAY_READ | CACHERAY_UNALIGNED, heap(l) + 1, 8, 1);
    put_add(b, l, heap(l), 24, 100, "struct.order", 12);
    put_remove(b, l, heap(l));
    put_remove(b, l, 0);
    put_add(b, l, heap(l), 24, 0, "\xff\t\n", 3);
    put_access(b, l, CACHERAY_WRITE | CACHERAY_UNALIGNED | CACHERAY_ATOMIC, heap(l), 1, 0);
    return b;
}

/* A cut file has those records of the complete one that fit, and one cut record unless it ends with a record. */
static void check_cut(const GByteArray *b, const GArray *whole, size_t length, cacheray_layout l)
{
    GArray *all = walk_bytes_of(b, length, l);
    unsigned fit = 0;
    for (; fit < whole->len && context(whole, fit)->offset + context(whole, fit)->length <= length; fit++)
        assert_memory_equal(context(all, fit), context(whole, fit), sizeof(record_context));
    bool ends_with_record = length == (fit ? context(whole, fit - 1)->offset + context(whole, fit - 1)->length : 0);
    assert_int_equal(all->len, fit + !ends_with_record);
    if (!ends_with_record) {
        assert_int_equal(context(all, fit)->kind, KIND_CUT);
        assert_int_equal(context(all, fit)->fault, FAULT_CUT_BY_FILE);
        assert_true(context(all, fit)->flags & CONTEXT_TRUNCATED);
    }
    g_array_free(all, TRUE);
}

static void test_cut_at_every_byte(void **state)
{
    (void)state;
    EACH_LAYOUT(l)
    {
        GByteArray *b = every_kind(l);
        GArray *whole = walk_bytes_of(b, b->len, l);
        assert_int_equal(whole->len, 8);
        for (unsigned i = 0; i < whole->len; i++)
            assert_int_equal(context(whole, i)->fault, FAULT_NONE);
        for (size_t length = 0; length <= b->len; length++)
            check_cut(b, whole, length, l);
        g_array_free(whole, TRUE);
        g_byte_array_free(b, TRUE);
    }
}

/* The end of a name may look like a record, since the file ends after every byte once. Only 64-bit addresses are so rare
 * in other bytes that the exact result is known. */
static void test_cut_name_that_looks_like_a_record(void **state)
{
    (void)state;
    for (cacheray_layout l = CACHERAY_LE64; l <= CACHERAY_BE64; l++) {
        GByteArray *b = g_byte_array_new();
        put_valid(b, l, 3);
        put_add(b, l, heap(l), 8, 1, "", 1000);
        size_t at = b->len;
        put_valid(b, l, 1);
        GArray *all = walk_bytes_of(b, b->len, l);
        assert_int_equal(all->len, 4);
        assert_int_equal(context(all, 3)->kind, KIND_CUT);
        g_array_free(all, TRUE);

        put_valid(b, l, 1); /* with two of them it is no longer a name */
        all = walk_bytes_of(b, b->len, l);
        assert_int_equal(all->len, 6);
        assert_int_equal(context(all, 3)->kind, KIND_UNKNOWN);
        assert_int_equal(context(all, 4)->offset, at);
        g_array_free(all, TRUE);
        g_byte_array_free(b, TRUE);
    }
}

/* --- odd records ------------------------------------------------------------------------------------------------------- */

typedef struct odd_case {
    const char *what;
    fault fault;
    cacheray_field field; /* that the fault is in */
    uint8_t tag, size;
    uint64_t address, thread;
    uint32_t elem_size, elem_count;
    const char *name;
} odd_case;

/* `address` is added to a plausible one. */
static const odd_case odd_cases[] = {
    {"size 0", FAULT_CACHERAY_SIZE, CACHERAY_FIELD_SIZE, CACHERAY_READ, 0, 0, UINT64_MAX, 0, 0, NULL},
    {"size 3", FAULT_CACHERAY_SIZE, CACHERAY_FIELD_SIZE, CACHERAY_WRITE, 3, 0, 0, 0, 0, NULL},
    {"size 255", FAULT_CACHERAY_SIZE, CACHERAY_FIELD_SIZE, CACHERAY_READ | CACHERAY_ATOMIC, 255, 0, 0, 0, 0, NULL},
    {"alignment", FAULT_CACHERAY_ALIGNMENT, CACHERAY_FIELD_ADDRESS, CACHERAY_READ, 4, 2, 0, 0, 0, NULL},
    {"thread", FAULT_CACHERAY_THREAD, CACHERAY_FIELD_THREAD, CACHERAY_READ, 4, 0, UINT64_MAX, 0, 0, NULL},
    {"flags of add", FAULT_CACHERAY_FLAGS, CACHERAY_FIELD_TYPE, CACHERAY_RTTA_ADD | 0x40, 0, 0, 0, 8, 1, "x"},
    {"flags of remove", FAULT_CACHERAY_FLAGS, CACHERAY_FIELD_TYPE, CACHERAY_RTTA_REMOVE | 0xc0, 0, 0, 0, 0, 0, NULL},
    {"element size", FAULT_CACHERAY_REGION, CACHERAY_FIELD_ELEM_SIZE, CACHERAY_RTTA_ADD, 0, 0, 0, 0, 1, "x"},
    {"region", FAULT_CACHERAY_REGION, CACHERAY_FIELD_ELEM_SIZE, CACHERAY_RTTA_ADD, 0, 0, 0, UINT32_MAX, UINT32_MAX, "x"},
    {"name", FAULT_CACHERAY_NAME, CACHERAY_FIELD_NAME_LENGTH, CACHERAY_RTTA_ADD, 0, 0, 0, 8, 1, ""},
};

static void put_odd(GByteArray *b, cacheray_layout l, const odd_case *o, uint64_t base)
{
    uint8_t kind = o->tag & CACHERAY_KIND_MASK;
    put_value(b, l, o->tag, 1);
    put_value(b, l, base + o->address, cacheray_pointer(l));
    if (kind <= CACHERAY_WRITE)
        put_value(b, l, o->size, 1);
    put_value(b, l, o->thread, 8);
    if (kind == CACHERAY_RTTA_ADD) {
        put_value(b, l, o->elem_size, 4);
        put_value(b, l, o->elem_count, 4);
        put_value(b, l, (uint64_t)strlen(o->name), 4);
        g_byte_array_append(b, (const guint8 *)o->name, (guint)strlen(o->name));
    }
}

static void check_odd(const record_context *c, cacheray_layout l, const odd_case *o)
{
    assert_int_equal(c->kind, o->tag & CACHERAY_KIND_MASK);
    assert_int_equal(c->fault, o->fault);
    assert_int_equal(c->fault_at, cacheray_field_at(l, c->kind, o->field));
    assert_int_equal(c->fault_value, o->fault == FAULT_CACHERAY_SIZE ? o->size : 0);
    assert_int_equal(c->flags & CONTEXT_TRUNCATED, 0);
}

/* One odd record at the beginning, in the middle or at the end of valid ones, also cut at every byte. */
static void test_odd_records_are_kept(void **state)
{
    (void)state;
    EACH_LAYOUT(l)
    for (unsigned i = 0; i < G_N_ELEMENTS(odd_cases); i++) {
        GByteArray *b = g_byte_array_new();
        put_odd(b, l, &odd_cases[i], heap(l));
        put_valid(b, l, 3);
        put_odd(b, l, &odd_cases[i], heap(l));
        put_valid(b, l, 2);
        put_odd(b, l, &odd_cases[i], heap(l));
        GArray *whole = walk_bytes_of(b, b->len, l);
        assert_int_equal(whole->len, 8);
        for (unsigned n = 0; n < 8; n++)
            if (n == 0 || n == 4 || n == 7)
                check_odd(context(whole, n), l, &odd_cases[i]);
            else
                assert_int_equal(context(whole, n)->fault, FAULT_NONE);
        for (size_t length = 0; length <= b->len; length++)
            check_cut(b, whole, length, l);
        g_array_free(whole, TRUE);
        g_byte_array_free(b, TRUE);
    }
}

static void test_address_of_nobody(void **state)
{
    (void)state;
    GByteArray *b = g_byte_array_new();
    put_access(b, CACHERAY_LE64, CACHERAY_READ, 0, 4, 0);
    put_access(b, CACHERAY_LE64, CACHERAY_READ, UINT64_C(0x8000000000000000), 4, 0);
    put_access(b, CACHERAY_LE64, CACHERAY_READ, UINT64_C(0xffff800000000000), 4, 0); /* kernel */
    put_access(b, CACHERAY_LE64, CACHERAY_READ, UINT64_C(0x00007ffffffffffc), 4, 0); /* last user address */
    GArray *all = walk_bytes_of(b, b->len, CACHERAY_LE64);
    assert_int_equal(all->len, 4);
    assert_int_equal(context(all, 0)->fault, FAULT_NONE); /* through a null pointer */
    assert_int_equal(context(all, 1)->fault, FAULT_CACHERAY_ADDRESS);
    assert_int_equal(context(all, 2)->fault, FAULT_NONE);
    assert_int_equal(context(all, 3)->fault, FAULT_NONE);
    g_array_free(all, TRUE);
    g_byte_array_free(b, TRUE);
}

/* Runs of odd records, of any length: what other runtimes write must not be lost just because it is unusual. */
static void test_runs_of_odd_records(void **state)
{
    (void)state;
    for (cacheray_layout l = CACHERAY_LE64; l <= CACHERAY_BE64; l++)
        for (unsigned rounds = 1; rounds < 30; rounds += 7) {
            GByteArray *b = g_byte_array_new();
            unsigned odd = rounds * G_N_ELEMENTS(odd_cases);
            put_valid(b, l, 3);
            for (unsigned i = 0; i < odd; i++)
                put_odd(b, l, &odd_cases[i % G_N_ELEMENTS(odd_cases)], heap(l));
            put_valid(b, l, 3);
            GArray *all = walk_bytes_of(b, b->len, l);
            assert_int_equal(all->len, 6 + odd);
            for (unsigned i = 0; i < all->len; i++) {
                assert_true(context(all, i)->kind < CACHERAY_KINDS);
                assert_int_equal(context(all, i)->fault != FAULT_NONE, i >= 3 && i < 3 + odd);
            }
            g_array_free(all, TRUE);
            g_byte_array_free(b, TRUE);
        }
}

/* Odd records that contain valid ones: those are found, and the bytes around them are no records, although a chain of odd
 * records leads through all of them to valid ones. */
static void test_valid_records_in_odd_frames(void **state)
{
    (void)state;
    cacheray_layout l = CACHERAY_LE64;
    GByteArray *b = g_byte_array_new();
    put_valid(b, l, 3);
    put_repeated(b, 0, 5); /* a read whose last 13 bytes are the beginning of the next record */
    put_valid(b, l, 2);
    put_repeated(b, 0, 13);
    put_valid(b, l, 40);
    GArray *all = walk_bytes_of(b, b->len, l);
    assert_int_equal(all->len, 3 + 1 + 2 + 1 + 40);
    for (unsigned i = 0; i < all->len; i++)
        assert_int_equal(context(all, i)->kind, i == 3 || i == 6 ? KIND_UNKNOWN : CACHERAY_READ);
    assert_int_equal(context(all, 3)->length, 5);
    assert_int_equal(context(all, 3)->fault, FAULT_SKIPPED);
    assert_int_equal(context(all, 6)->length, 13);
    g_array_free(all, TRUE);
    g_byte_array_free(b, TRUE);
}

/* --- damage ------------------------------------------------------------------------------------------------------------ */

static void test_invalid_tag_begins_unknown_bytes(void **state)
{
    (void)state;
    EACH_LAYOUT(l)
    {
        GByteArray *b = g_byte_array_new();
        const guint8 garbage[] = {0x04, 0x3f, 0xff, 0x77};
        put_valid(b, l, 3);
        size_t at = b->len;
        g_byte_array_append(b, garbage, sizeof garbage);
        put_valid(b, l, 2);
        g_byte_array_append(b, garbage, sizeof garbage); /* up to the end of the file */
        GArray *all = walk_bytes_of(b, b->len, l);
        assert_int_equal(all->len, 7);
        assert_int_equal(context(all, 3)->kind, KIND_UNKNOWN);
        assert_int_equal(context(all, 3)->offset, at);
        assert_int_equal(context(all, 3)->length, sizeof garbage);
        assert_int_equal(context(all, 6)->kind, KIND_UNKNOWN);
        assert_int_equal(context(all, 6)->flags & CONTEXT_TRUNCATED, 0);
        g_array_free(all, TRUE);
        g_byte_array_free(b, TRUE);
    }
}

/* A record that passes and ends the file is enough to resynchronise. */
static void test_last_record_after_damage(void **state)
{
    (void)state;
    GByteArray *b = g_byte_array_new();
    put_valid(b, CACHERAY_LE64, 2);
    put_value(b, CACHERAY_LE64, 0x3f, 1);
    put_valid(b, CACHERAY_LE64, 1);
    GArray *all = walk_bytes_of(b, b->len, CACHERAY_LE64);
    assert_int_equal(all->len, 4);
    assert_int_equal(context(all, 2)->length, 1);
    assert_int_equal(context(all, 3)->kind, CACHERAY_READ);
    g_array_free(all, TRUE);
    g_byte_array_free(b, TRUE);
}

/* Long unknown bytes are split into pieces, which tile the file. */
static void check_unknown(uint8_t byte, size_t length)
{
    GByteArray *b = g_byte_array_new();
    put_valid(b, CACHERAY_LE64, 3);
    size_t at = b->len;
    g_byte_array_set_size(b, (guint)(at + length));
    memset(b->data + at, byte, length);
    put_valid(b, CACHERAY_LE64, 3);
    GArray *all = walk_bytes_of(b, b->len, CACHERAY_LE64);
    unsigned pieces = (unsigned)((length + RECORD_UNKNOWN_MAX - 1) / RECORD_UNKNOWN_MAX);
    assert_int_equal(all->len, 6 + pieces);
    for (unsigned i = 0; i < pieces; i++) {
        assert_int_equal(context(all, 3 + i)->kind, KIND_UNKNOWN);
        assert_true(context(all, 3 + i)->length <= RECORD_UNKNOWN_MAX);
    }
    assert_int_equal(context(all, 3 + pieces)->offset, at + length);
    assert_int_equal(context(all, 3 + pieces)->kind, CACHERAY_READ);
    g_array_free(all, TRUE);
    g_byte_array_free(b, TRUE);
}

static void test_many_unknown_bytes_are_split(void **state)
{
    (void)state;
    static const size_t lengths[] = {1,
                                     1000,
                                     RECORD_UNKNOWN_MAX - 1,
                                     RECORD_UNKNOWN_MAX,
                                     RECORD_UNKNOWN_MAX + 1,
                                     5 * RECORD_UNKNOWN_MAX - 17,
                                     5 * RECORD_UNKNOWN_MAX};
    for (unsigned i = 0; i < G_N_ELEMENTS(lengths); i++) {
        check_unknown(0xff, lengths[i]);
        check_unknown(0x3f, lengths[i]);
    }
}

/* The last bytes of a long run of unknown bytes are not a cut record just because a piece ends before them. */
static void test_many_unknown_bytes_at_the_end(void **state)
{
    (void)state;
    for (unsigned more = 1; more < 40; more++) {
        GByteArray *b = g_byte_array_new();
        put_valid(b, CACHERAY_LE64, 3);
        g_byte_array_set_size(b, b->len + 2 * RECORD_UNKNOWN_MAX + more);
        memset(b->data + 54, 0x3f, b->len - 54);
        GArray *all = walk_bytes_of(b, b->len, CACHERAY_LE64);
        assert_int_equal(all->len, 6);
        for (unsigned i = 3; i < 6; i++)
            assert_int_equal(context(all, i)->kind, KIND_UNKNOWN);
        assert_int_equal(context(all, 5)->length, more);
        g_array_free(all, TRUE);
        g_byte_array_free(b, TRUE);
    }
}

/* With 32-bit addresses, bytes shifted by one pass as well, in this and all following records. */
static void test_shifted_records_are_not_taken(void **state)
{
    (void)state;
    cacheray_layout l = CACHERAY_LE32;
    GByteArray *b = g_byte_array_new();
    const guint8 garbage[] = {0xff, 0xff, 0x00}; /* a zero byte: the tag of a shifted read */
    for (unsigned i = 0; i < 20; i++)
        put_access(b, l, CACHERAY_READ, 0x08d30000 + 0x108 * i, 8, 0);
    g_byte_array_append(b, garbage, sizeof garbage);
    size_t at = b->len;
    for (unsigned i = 0; i < 20; i++)
        put_access(b, l, CACHERAY_READ, 0x08d30000 + 0x108 * i, 8, 0);
    GArray *all = walk_bytes_of(b, b->len, l);
    assert_int_equal(all->len, 41);
    assert_int_equal(context(all, 20)->kind, KIND_UNKNOWN);
    assert_int_equal(context(all, 21)->offset, at);
    g_array_free(all, TRUE);
    g_byte_array_free(b, TRUE);
}

/* --- names ------------------------------------------------------------------------------------------------------------- */

static void test_long_names(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {256, 4096, RECORD_UNKNOWN_MAX, 3 * RECORD_UNKNOWN_MAX, 5u << 20};
    for (unsigned i = 0; i < G_N_ELEMENTS(lengths); i++) {
        cacheray_layout l = CACHERAY_BE64;
        GByteArray *b = g_byte_array_new();
        put_valid(b, l, 2);
        put_add(b, l, heap(l), 8, 1, "", lengths[i]);
        size_t name = b->len;
        g_byte_array_set_size(b, (guint)(name + lengths[i]));
        memset(b->data + name, 0, lengths[i]); /* names are not examined */
        put_valid(b, l, 2);
        GArray *all = walk_bytes_of(b, b->len, l);
        assert_int_equal(all->len, 5);
        assert_int_equal(context(all, 2)->length, 29 + lengths[i]);
        g_array_free(all, TRUE);
        for (size_t cut = 1; cut < lengths[i]; cut *= 3) { /* inside the name */
            all = walk_bytes_of(b, name + lengths[i] - cut, l);
            assert_int_equal(all->len, 3);
            assert_int_equal(context(all, 2)->kind, KIND_CUT);
            g_array_free(all, TRUE);
        }
        g_byte_array_free(b, TRUE);
    }
}

/* An impossible length is damage if valid records follow, however far away. */
static void test_name_beyond_the_file(void **state)
{
    (void)state;
    static const size_t gaps[] = {
        0, 1, 1000, RECORD_UNKNOWN_MAX, 2 * RECORD_UNKNOWN_MAX - 25 - 20, 7 * RECORD_UNKNOWN_MAX + 5};
    for (unsigned i = 0; i < G_N_ELEMENTS(gaps); i++) {
        GByteArray *b = g_byte_array_new();
        put_valid(b, CACHERAY_LE32, 4);
        put_add(b, CACHERAY_LE32, heap(CACHERAY_LE32), 8, 1, "", UINT32_MAX);
        size_t end = b->len + gaps[i];
        guint from = b->len;
        g_byte_array_set_size(b, (guint)end);
        memset(b->data + from, 'x', gaps[i]);
        GArray *all = walk_bytes_of(b, end, CACHERAY_LE32);
        assert_int_equal(all->len, 5);
        assert_int_equal(context(all, 4)->kind, KIND_CUT);
        g_array_free(all, TRUE);

        put_valid(b, CACHERAY_LE32, 2);
        all = walk_bytes_of(b, b->len, CACHERAY_LE32);
        assert_int_equal(context(all, 4)->kind, KIND_UNKNOWN);
        assert_int_equal(context(all, all->len - 2)->offset, end);
        assert_int_equal(context(all, all->len - 1)->kind, CACHERAY_READ);
        g_array_free(all, TRUE);
        g_byte_array_free(b, TRUE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables_cover_every_byte_once),
        cmocka_unit_test(test_known_bytes),
        cmocka_unit_test(test_number_is_time),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_cut_name_that_looks_like_a_record),
        cmocka_unit_test(test_odd_records_are_kept),
        cmocka_unit_test(test_address_of_nobody),
        cmocka_unit_test(test_runs_of_odd_records),
        cmocka_unit_test(test_valid_records_in_odd_frames),
        cmocka_unit_test(test_invalid_tag_begins_unknown_bytes),
        cmocka_unit_test(test_last_record_after_damage),
        cmocka_unit_test(test_many_unknown_bytes_are_split),
        cmocka_unit_test(test_many_unknown_bytes_at_the_end),
        cmocka_unit_test(test_shifted_records_are_not_taken),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_name_beyond_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
