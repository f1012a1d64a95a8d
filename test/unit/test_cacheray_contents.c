/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a Cacheray record says by itself, in each layout, also cut at every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cacheray/session.h"

enum { LAYOUTS = 4, ROOM = 64 };
static const cacheray_layout layouts[LAYOUTS] = {CACHERAY_LE32, CACHERAY_LE64, CACHERAY_BE32, CACHERAY_BE64};

static void put(uint8_t *data, cacheray_layout l, uint8_t kind, unsigned field, unsigned width, uint64_t value)
{
    uint8_t *at = data + cacheray_field_at(l, kind, field);
    for (unsigned i = 0; i < width; i++)
        at[i] = (uint8_t)(value >> 8 * (cacheray_big_endian(l) ? width - 1 - i : i));
}

static int view_of(cacheray_layout l, uint8_t kind, const uint8_t *data, size_t length, cacheray_tapped *v)
{
    record_context c = {.kind = kind, .length = length};
    cacheray_context_of(&c)->layout = (uint8_t)l;
    const cursor bytes = {data, length, cacheray_big_endian(l)};
    cacheray_session_read(v, &c, &bytes);
    v->context = NULL; /* it does not last */
    assert_true(v->name_length == 0 || (const uint8_t *)v->name + v->name_length <= data + length);
    return v->name_length;
}

static void accesses(void **state)
{
    (void)state;
    for (unsigned i = 0; i < LAYOUTS; i++) {
        const cacheray_layout l = layouts[i];
        const unsigned pointer = cacheray_pointer(l);
        const size_t length = cacheray_fixed_length(CACHERAY_WRITE, pointer);
        uint8_t data[ROOM] = {CACHERAY_WRITE | CACHERAY_ATOMIC};
        cacheray_tapped v;
        put(data, l, CACHERAY_WRITE, CACHERAY_FIELD_ADDRESS, pointer, 0x12345678);
        put(data, l, CACHERAY_WRITE, CACHERAY_FIELD_SIZE, 1, 4);
        put(data, l, CACHERAY_WRITE, CACHERAY_FIELD_THREAD, 8, 77);
        assert_int_equal(view_of(l, CACHERAY_WRITE, data, length, &v), 0);
        assert_true(v.is_access && v.atomic && !v.unaligned);
        assert_int_equal(v.kind, CACHERAY_WRITE);
        assert_int_equal(v.address, 0x12345678);
        assert_int_equal(v.size, 4);
        assert_int_equal(v.thread, 77);
        for (size_t n = 0; n < length; n++) {
            assert_int_equal(view_of(l, CACHERAY_WRITE, data, n, &v), 0);
            assert_int_equal(v.kind, KIND_UNKNOWN);
            assert_false(v.is_access);
        }
        view_of(l, KIND_UNKNOWN, data, length, &v); /* bytes that are no record, whatever they look like */
        assert_int_equal(v.kind, KIND_UNKNOWN);
        assert_int_equal(v.address, 0);
    }
}

static void adds_and_removals(void **state)
{
    (void)state;
    for (unsigned i = 0; i < LAYOUTS; i++) {
        const cacheray_layout l = layouts[i];
        const size_t fixed = cacheray_fixed_length(CACHERAY_RTTA_ADD, cacheray_pointer(l));
        uint8_t data[ROOM] = {CACHERAY_RTTA_ADD};
        cacheray_tapped v;
        put(data, l, CACHERAY_RTTA_ADD, CACHERAY_FIELD_ELEM_SIZE, 4, 24);
        put(data, l, CACHERAY_RTTA_ADD, CACHERAY_FIELD_ELEM_COUNT, 4, 3);
        put(data, l, CACHERAY_RTTA_ADD, CACHERAY_FIELD_NAME_LENGTH, 4, 5);
        for (size_t n = 0; n <= fixed + 7; n++) {
            const int name = n < fixed ? 0 : (int)MIN(n - fixed, 5);
            assert_int_equal(view_of(l, CACHERAY_RTTA_ADD, data, n, &v), name);
            assert_int_equal(v.kind, n < fixed ? KIND_UNKNOWN : CACHERAY_RTTA_ADD);
            assert_false(v.is_access);
        }
        assert_int_equal(v.region.elem_size, 24);
        assert_int_equal(v.region.elem_count, 3);
        data[0] = CACHERAY_RTTA_REMOVE | CACHERAY_UNALIGNED;
        assert_int_equal(view_of(l, CACHERAY_RTTA_REMOVE, data, ROOM, &v), 0);
        assert_true(v.unaligned && !v.is_access);
        assert_int_equal(v.kind, CACHERAY_RTTA_REMOVE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses),
        cmocka_unit_test(adds_and_removals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
