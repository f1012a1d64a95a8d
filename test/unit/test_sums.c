/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums by text, with and without room for all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "statistics/sums.h"

static void texts_have_sums(void **state)
{
    (void)state;
    sums s;
    sums_init(&s, 2);
    for (unsigned i = 1; i <= 3; i++) {
        uint64_t *numbers = sums_of(&s, i == 2 ? "b" : "a", SUMS_OTHERS);
        numbers[0]++;
        numbers[1] += i;
    }
    assert_int_equal(sums_look(&s, "a")[0], 2);
    assert_int_equal(sums_look(&s, "a")[1], 4);
    assert_int_equal(sums_look(&s, "b")[1], 2);
    assert_null(sums_look(&s, "c"));
    assert_null(sums_look(&s, SUMS_OTHERS));
    assert_int_equal(s.counted, 3);
    assert_false(s.full);
    sums_clear(&s);
}

static int backwards(gconstpointer a, gconstpointer b)
{
    return strcmp(b, a);
}

static void texts_are_sorted(void **state)
{
    (void)state;
    sums s;
    sums_init(&s, 1);
    for (const char *text = "caddeb"; *text; text++)
        sums_of(&s, (char[]){*text, 0}, SUMS_OTHERS);
    for (int turned = 0; turned < 2; turned++) {
        g_autoptr(GList) keys = sums_keys(&s, turned ? backwards : NULL);
        g_autoptr(GString) text = g_string_new(NULL);
        for (const GList *k = keys; k; k = k->next)
            g_string_append(text, k->data);
        assert_string_equal(text->str, turned ? "edcba" : "abcde");
    }
    sums_clear(&s);
}

/* Texts that had sums when the room ended keep them; all further ones count together, also one that would fit. */
static void room_ends(void **state)
{
    (void)state;
    enum { LONG = 1 << 20 };
    sums s;
    uint64_t added = 0;
    g_autofree char *text = g_strnfill(LONG, 'x');
    sums_init(&s, 1);
    for (unsigned i = 0; !s.full; i++) {
        text[i] = 'y';
        ++*sums_of(&s, text, SUMS_OTHERS);
        added++;
        assert_true(s.kept < (48u << 20));
    }
    assert_int_equal(added, 40); /* 39 have room, with 120 bytes for each */
    assert_int_equal(*sums_look(&s, SUMS_OTHERS), 1);
    assert_null(sums_look(&s, text));
    ++*sums_of(&s, "short", SUMS_OTHERS);
    assert_null(sums_look(&s, "short"));
    assert_int_equal(*sums_look(&s, SUMS_OTHERS), 2);
    text[added - 1] = 'x';
    ++*sums_of(&s, text, SUMS_OTHERS);
    assert_int_equal(*sums_look(&s, text), 2);
    sums_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_have_sums),
        cmocka_unit_test(texts_are_sorted),
        cmocka_unit_test(room_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
