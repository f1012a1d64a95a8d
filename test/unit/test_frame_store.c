/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Items are found again by frame, and ranges without items take no memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "containers/frame_store.h"

typedef struct __attribute__((packed)) odd {
    uint64_t value;
    uint8_t byte;
} odd;

static void test_each_its_own(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {0, 1, FRAMES_CHUNK - 1, FRAMES_CHUNK, 5 * FRAMES_CHUNK + 7, 9 * FRAMES_CHUNK - 1};
    frames f;
    frames_init(&f, sizeof(odd));
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        *(odd *)frames_keep(&f, numbers[i]) = (odd){i + 100, (uint8_t)i};
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
        odd *kept = frames_find(&f, numbers[i]);
        assert_ptr_equal(kept, frames_keep(&f, numbers[i]));
        assert_int_equal(kept->value, i + 100);
        assert_int_equal(kept->byte, i);
    }
    assert_int_equal(((odd *)frames_find(&f, 2))->value, 0); /* in the chunk of a neighbour */
    assert_null(frames_find(&f, 3 * FRAMES_CHUNK));          /* an unused chunk */
    assert_null(frames_find(&f, 20 * FRAMES_CHUNK));         /* after the last chunk */
    assert_null(frames_find(&f, UINT32_MAX));
    frames_clear(&f);
}

static void test_numbers(void **state)
{
    (void)state;
    frames f;
    frames_init(&f, sizeof(uint32_t));
    frames_keep_number(&f, 3 * FRAMES_CHUNK, 0);
    assert_int_equal(f.chunks->len, 0); /* takes no memory */
    assert_int_equal(frames_number(&f, 3 * FRAMES_CHUNK), 0);
    frames_keep_number(&f, 3 * FRAMES_CHUNK, 8);
    assert_int_equal(frames_number(&f, 3 * FRAMES_CHUNK), 8);
    assert_int_equal(frames_number(&f, 3 * FRAMES_CHUNK + 1), 0);
    frames_keep_number(&f, 3 * FRAMES_CHUNK, 0);
    assert_int_equal(frames_number(&f, 3 * FRAMES_CHUNK), 0);
    frames_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_its_own), cmocka_unit_test(test_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
