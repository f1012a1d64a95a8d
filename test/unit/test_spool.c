/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes come back as they were put aside, before and after there are too many for memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <glib.h>

#include "spool.h"

static void any_place(void **state)
{
    (void)state;
    enum { CHUNK = 3 << 20, CHUNKS = 14 };
    uint8_t *chunk = g_malloc(CHUNK), *back = g_malloc(CHUNK);
    spool *s = spool_new();
    for (unsigned i = 0; i < CHUNKS; i++) {
        memset(chunk, (int)i, CHUNK);
        assert_int_equal(spool_length(s), (uint64_t)i * CHUNK);
        assert_int_equal(spool_append(s, chunk, CHUNK), 0);
    }
    for (unsigned i = 0; i + 1 < CHUNKS; i++) { /* across the borders of chunks, file and memory */
        uint64_t at = (uint64_t)i * CHUNK + CHUNK / 2;
        assert_int_equal(spool_read(s, at, back, CHUNK), 0);
        assert_int_equal(back[0], i);
        assert_int_equal(back[CHUNK / 2 - 1], i);
        assert_int_equal(back[CHUNK / 2], i + 1);
        assert_int_equal(back[CHUNK - 1], i + 1);
    }
    assert_int_equal(spool_read(s, (uint64_t)CHUNKS * CHUNK - 1, back, 2), EIO);
    assert_int_equal(spool_read(s, 0, back, 0), 0);
    spool_free(s);
    g_free(chunk);
    g_free(back);
}

static void larger_than_memory(void **state)
{
    (void)state;
    size_t length = SPOOL_MEMORY + 5;
    uint8_t *all = g_malloc0(length), last;
    all[length - 1] = 9;
    spool *s = spool_new();
    assert_int_equal(spool_append(s, all, length), 0);
    assert_int_equal(spool_read(s, length - 1, &last, 1), 0);
    assert_int_equal(last, 9);
    spool_free(s);
    g_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_place), cmocka_unit_test(larger_than_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
