/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sharing of cache lines, compared with a table of every byte touched by every thread; also counts per line, and
 * hash_map. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <string.h>

#include "cacheray/lines.h"
#include "cacheray/statistics/tallies.h"
#include "containers/hash_map.h"

#define THREADS 5u
#define SPAN 1024u

/* The model: what each thread has done with each byte from `base` on. */
typedef struct model {
    uint64_t base;
    unsigned size;
    bool touched[THREADS][SPAN], written[THREADS][SPAN];
    /* Per line. */
    uint32_t last[SPAN], number[SPAN];       /* numbers count from 1 */
    bool copies[SPAN][THREADS], wrote[SPAN]; /* it was written */
    uint32_t lines;
} model;

/* A touch of a line in the model. */
static void model_touch(model *m, unsigned line, unsigned thread, bool write, uint32_t record, const line_touched *got)
{
    if (!m->number[line])
        m->number[line] = ++m->lines;
    assert_int_equal(got->number + 1, m->number[line]);
    unsigned others = 0;
    for (unsigned i = 0; i < THREADS; i++)
        others += i != thread && m->copies[line][i];
    assert_int_equal(got->contended, write ? others > 0 : m->wrote[line] && !m->copies[line][thread]);
    if (write)
        memset(m->copies[line], 0, sizeof m->copies[line]);
    m->copies[line][thread] = true;
    m->wrote[line] |= write;
    m->last[line] = record;
}

static sharing model_sharing(const model *m, unsigned line)
{
    unsigned users = 0;
    bool truly = false, falsely = false;
    for (unsigned a = 0; a < THREADS; a++) {
        bool uses = false;
        for (unsigned i = line; i < line + m->size; i++)
            uses = uses || m->touched[a][i];
        users += uses;
        for (unsigned b = 0; b < THREADS; b++) {
            bool both = false, writes = false, there = false;
            for (unsigned i = line; i < line + m->size; i++) {
                both = both || (m->written[a][i] && m->touched[b][i]);
                writes = writes || m->written[a][i];
                there = there || m->touched[b][i];
            }
            truly = truly || (a != b && both);
            falsely = falsely || (a != b && there && writes && !both);
        }
    }
    if (users < 2)
        return SHARING_PRIVATE;
    if (truly && falsely)
        return SHARING_BOTH;
    return truly ? SHARING_TRUE : falsely ? SHARING_FALSE : SHARING_READ_ONLY;
}

static void step(model *m, line_table *t, GRand *r, uint32_t record, bool writes)
{
    unsigned at = g_rand_int(r) % (SPAN - 16), size = 1u << g_rand_int_range(r, 0, 5), thread = g_rand_int(r) % THREADS;
    line_touch access = {m->base + at, thread + 100, record, (uint8_t)size, writes && g_rand_boolean(r)};
    unsigned line = at / m->size * m->size, second = (at + size - 1) / m->size * m->size;
    for (unsigned i = at; i < at + size; i++) {
        m->touched[thread][i] = true;
        m->written[thread][i] = m->written[thread][i] || access.write;
    }
    line_result got;
    lines_touch(t, &access, &got);
    assert_int_equal(got.line, m->base + line);
    assert_int_equal(got.split, second != line);
    assert_int_equal(got.before, m->last[line]);
    assert_int_equal(got.sharing, model_sharing(m, line));
    model_touch(m, line, thread, access.write, record, &got.touched[0]);
    if (second != line)
        model_touch(m, second, thread, access.write, record, &got.touched[1]);
}

static void test_random(void **state)
{
    (void)state;
    for (unsigned size = LINES_SIZE_MIN; size <= LINES_SIZE_MAX; size *= 2)
        for (unsigned steps = 20; steps <= 1280; steps *= 8) {
            GRand *r = g_rand_new_with_seed(size + steps);
            model *m = g_new0(model, 1);
            line_table *t = lines_new(size);
            m->base = 0x7f0000001000;
            m->size = size;
            for (uint32_t i = 1; i <= steps; i++)
                step(m, t, r, i, i > steps / 2);
            uint32_t lines = 0;
            for (unsigned line = 0; line < SPAN; line += size) {
                line_summary s = lines_summary(t, m->base + line);
                assert_int_equal(s.sharing, model_sharing(m, line));
                assert_int_equal(s.threads != 0, m->last[line] != 0);
                lines += s.threads != 0;
            }
            assert_int_equal(lines_count(t), lines);
            lines_free(t);
            g_free(m);
            g_rand_free(r);
        }
}

static bool contends(line_table *t, uint64_t thread, bool write)
{
    line_result got;
    lines_touch(t, &(line_touch){0x1000, thread, 1, 8, write}, &got);
    return lines_contended(&got);
}

/* Who comes right after whom does not matter. */
static void test_contended(void **state)
{
    (void)state;
    line_table *t = lines_new(64);
    assert_false(contends(t, 1, true));
    assert_false(contends(t, 1, false));
    assert_true(contends(t, 2, false)); /* what 1 wrote has to come from its cache, although 1 has read it since */
    assert_false(contends(t, 1, false));
    assert_false(contends(t, 2, false));
    assert_true(contends(t, 2, true)); /* 1 loses its copy */
    assert_false(contends(t, 2, true));
    assert_true(contends(t, 1, true));
    assert_true(contends(t, 3, false));
    lines_free(t);
    t = lines_new(64);
    assert_false(contends(t, 1, false)); /* nobody has written */
    assert_false(contends(t, 2, false));
    assert_true(contends(t, 3, true)); /* it never had a copy, but 1 and 2 lose theirs */
    assert_false(contends(t, 3, false));
    lines_free(t);
}

static sharing one(line_table *t, uint64_t address, uint8_t size, uint64_t thread, bool write)
{
    line_result got;
    lines_touch(t, &(line_touch){address, thread, 1, size, write}, &got);
    return got.sharing;
}

static void test_rules(void **state)
{
    (void)state;
    line_table *t = lines_new(64);
    assert_int_equal(one(t, 0x1000, 8, 1, false), SHARING_PRIVATE);
    assert_int_equal(one(t, 0x1000, 8, 2, false), SHARING_READ_ONLY);
    assert_int_equal(one(t, 0x1008, 8, 1, true), SHARING_FALSE);
    assert_int_equal(one(t, 0x1008, 1, 2, false), SHARING_TRUE);
    assert_int_equal(one(t, 0x1010, 1, 2, true), SHARING_BOTH); /* 2 writes something that 1 does not touch */
    assert_int_equal(one(t, 0x1010, 1, 1, false), SHARING_TRUE);
    assert_int_equal(one(t, 0x1018, 1, 3, false), SHARING_BOTH);
    line_thread threads[8];
    assert_int_equal(lines_threads(t, 0x1000, threads, 8), 3);
    const uint64_t order[] = {1, 2, 3};
    unsigned writers = 0;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(threads[i].thread, order[i]);
        writers += threads[i].writes;
    }
    assert_int_equal(lines_summary(t, 0x1000).writers, writers);
    assert_int_equal(lines_threads(t, 0x1000, threads, 2), 2);
    assert_int_equal(lines_threads(t, 0x1040, threads, 8), 0);
    lines_free(t);
}

/* Unrealistic sizes, and the end of the address space. */
static void test_bounds(void **state)
{
    (void)state;
    line_table *t = lines_new(16);
    line_result got;
    lines_touch(t, &(line_touch){0x100f, 1, 1, 255, true}, &got);
    assert_true(got.split);
    assert_int_equal(lines_count(t), 2);
    assert_int_equal(one(t, 0x101f, 1, 2, false), SHARING_TRUE);
    lines_touch(t, &(line_touch){0x1000, 1, 1, 0, true}, &got);
    assert_false(got.split);
    lines_touch(t, &(line_touch){UINT64_MAX, 1, 1, 16, true}, &got);
    assert_false(got.split);
    assert_int_equal(got.line, UINT64_MAX - 15);
    lines_free(t);
}

/* Every access by another thread: all after the first 64 count as one. */
static void test_many_threads(void **state)
{
    (void)state;
    line_table *t = lines_new(64);
    for (uint32_t i = 0; i < 100000; i++)
        one(t, 0x1000 + i % 64, 1, i, true);
    line_summary s = lines_summary(t, 0x1000);
    assert_int_equal(s.threads, LINES_THREADS + 1);
    assert_int_equal(s.sharing, SHARING_BOTH);
    lines_free(t);
}

/* Counts of lines in any order, small and large. */
static void test_tallies(void **state)
{
    (void)state;
    enum { LINES = 300, SMALL = 40 };
    static const uint32_t sizes[] = {1, 31, 32, 63, 64, 127, 128, 191, 192, 1023, 1024, 2047, 2048, 65536, UINT32_MAX};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    uint32_t kept[LINES] = {0};
    pool large;
    pool_init(&large, sizeof(tally));
    for (unsigned round = 0; round < 5; round++)
        for (uint32_t i = 0; i < LINES; i++) {
            uint32_t line = i * 7 % LINES, n = line < SMALL ? 1 : sizes[(line + round) % SIZES];
            const tally c = {n, n / 2, n / 3, n / 4};
            tallies_set(&large, &kept[line], &c);
            tally got = tallies_get(&large, kept[line]);
            assert_memory_equal(&got, &c, sizeof c);
        }
    for (uint32_t line = 0; line < LINES; line++)
        assert_int_equal(tallies_get(&large, kept[line]).reads, line < SMALL ? 1 : sizes[(line + 4) % SIZES]);
    assert_int_equal(tallies_get(&large, 0).reads, 0);
    pool_clear(&large);
}

static void test_note(void **state)
{
    (void)state;
    line_table *t = lines_new(64);
    line_result first, second, result;
    lines_touch(t, &(line_touch){0x103c, 1, 0, 8, true}, &first); /* two lines */
    lines_touch(t, &(line_touch){0x2000, 1, 7, 8, true}, &second);
    assert_int_equal(*lines_note(t, first.touched[1].number), 0);
    *lines_note(t, first.touched[1].number) = 33;
    lines_touch(t, &(line_touch){0x1040, 2, 0, 8, true}, &result); /* the line gets sets */
    assert_int_equal(result.before, 0);
    assert_int_equal(*lines_note(t, first.touched[1].number), 33);
    assert_int_equal(*lines_note(t, first.touched[0].number), 0);
    assert_int_equal(*lines_note(t, second.touched[0].number), 7);
    lines_free(t);
}

static void test_numbers(void **state)
{
    (void)state;
    hash_map n;
    hash_map_init(&n);
    assert_int_equal(hash_map_find(&n, 0), 0);
    for (uint32_t i = 0; i < 20000; i++)
        assert_int_equal(hash_map_add(&n, (uint64_t)i << 40), i + 1);
    for (uint32_t i = 0; i < 20000; i++) {
        assert_int_equal(hash_map_add(&n, (uint64_t)i << 40), i + 1);
        assert_int_equal(hash_map_find(&n, (uint64_t)i << 40), i + 1);
        assert_int_equal(hash_map_find(&n, ((uint64_t)i << 40) + 1), 0);
    }
    assert_int_equal(n.count, 20000);
    hash_map_clear(&n);
}

/* More lines than there is room for at first; which threads touched them. */
static void test_growth(void **state)
{
    (void)state;
    enum { LINES = 5000 };
    line_table *t = lines_new(64);
    line_result result;
    line_thread threads[4];
    for (uint32_t i = 0; i < LINES; i++)
        for (uint32_t thread = 1; thread <= 1 + i % 3; thread++) {
            lines_touch(t, &(line_touch){(uint64_t)i << 20, thread, i + 1, 4, thread == 2}, &result);
            assert_int_equal(result.touched[0].number, i);
        }
    assert_int_equal(lines_count(t), LINES);
    for (uint32_t i = 0; i < LINES; i++) {
        assert_int_equal(lines_address(t, i), (uint64_t)i << 20);
        const line_summary s = lines_summary(t, (uint64_t)i << 20);
        assert_int_equal(s.threads, 1 + i % 3);
        assert_int_equal(s.writers, i % 3 > 0);
        assert_int_equal(lines_threads(t, (uint64_t)i << 20, threads, 4), 1 + i % 3);
        for (unsigned k = 0; k <= i % 3; k++)
            assert_true(threads[k].thread == k + 1 && threads[k].writes == (k == 1));
    }
    assert_int_equal(lines_summary(t, 64).threads, 0);
    assert_int_equal(lines_threads(t, 64, threads, 4), 0);
    assert_int_equal(lines_threads(t, (uint64_t)2 << 20, threads, 0), 0);
    assert_int_equal(lines_threads(t, (uint64_t)2 << 20, threads, 2), 2);
    lines_free(t);
    lines_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growth),    cmocka_unit_test(test_numbers), cmocka_unit_test(test_note),
        cmocka_unit_test(test_tallies),   cmocka_unit_test(test_rules),   cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_contended), cmocka_unit_test(test_random),  cmocka_unit_test(test_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
