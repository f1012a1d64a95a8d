/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulated caches, access by access, compared with lists: one per set, with the next line to be evicted at the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>

#include "cacheray/caches.h"
#include "failed.h"
#include "temporary_file.h"

#define THREADS 3u

/* --- the model --------------------------------------------------------------------------------------------------------- */

typedef struct model {
    caches_config config;
    GArray **sets[CACHES_LEVELS][THREADS]; /* of uint64_t lines */
    uint64_t random[CACHES_LEVELS][THREADS];
} model;

static unsigned model_ways(const cache_level *l)
{
    return l->ways ? l->ways : l->size >> l->line_bits;
}

static unsigned model_sets(const cache_level *l)
{
    return (l->size >> l->line_bits) / model_ways(l);
}

static model *model_new(const caches_config *config)
{
    model *m = g_new0(model, 1);
    m->config = *config;
    for (unsigned i = 0; i < config->count; i++)
        for (unsigned t = 0; t < THREADS; t++) {
            m->random[i][t] = config->seed;
            m->sets[i][t] = g_new0(GArray *, model_sets(&config->levels[i]));
            for (unsigned s = 0; s < model_sets(&config->levels[i]); s++)
                m->sets[i][t][s] = g_array_new(FALSE, FALSE, sizeof(uint64_t));
        }
    return m;
}

static void model_free(model *m)
{
    for (unsigned i = 0; i < m->config.count; i++)
        for (unsigned t = 0; t < THREADS; t++) {
            for (unsigned s = 0; s < model_sets(&m->config.levels[i]); s++)
                g_array_free(m->sets[i][t][s], TRUE);
            g_free(m->sets[i][t]);
        }
    g_free(m);
}

static uint64_t model_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717u;
}

static guint model_position(const GArray *set, uint64_t line)
{
    guint i = 0;
    while (i < set->len && g_array_index(set, uint64_t, i) != line)
        i++;
    return i;
}

/* Whether a level has the line. With LRU and FIFO new lines go to the front, with random replacement to the end or in
 * place of the evicted one. */
static bool model_look_up(model *m, unsigned level, unsigned thread, uint64_t line, bool keep_out, bool *goes,
                          uint64_t *gone)
{
    const cache_level *l = &m->config.levels[level];
    unsigned owner = l->per_thread ? thread : 0;
    GArray *set = m->sets[level][owner][line % model_sets(l)];
    guint at = model_position(set, line);
    bool hit = at < set->len;
    *goes = false;
    if (hit && l->replacement == REPLACE_LRU) {
        g_array_remove_index(set, at);
        g_array_prepend_val(set, line);
    }
    if (hit || keep_out)
        return hit;
    if (set->len == model_ways(l)) {
        guint victim = l->replacement == REPLACE_RANDOM ? (guint)((model_random(&m->random[level][owner]) >> 32) % set->len)
                                                        : set->len - 1;
        *goes = true;
        *gone = g_array_index(set, uint64_t, victim);
        if (l->replacement == REPLACE_RANDOM) {
            g_array_index(set, uint64_t, victim) = line;
            return false;
        }
        g_array_remove_index(set, victim);
    }
    if (l->replacement == REPLACE_RANDOM)
        g_array_append_val(set, line);
    else
        g_array_prepend_val(set, line);
    return false;
}

/* What a write of a line does to the caches of other threads. */
static void model_invalidate(model *m, uint64_t address, unsigned thread, cache_result *want)
{
    for (unsigned i = 0; i < m->config.count; i++)
        for (unsigned t = 0; m->config.levels[i].per_thread && t < THREADS; t++) {
            const cache_level *l = &m->config.levels[i];
            GArray *set = m->sets[i][t][(address >> l->line_bits) % model_sets(l)];
            guint at = model_position(set, address >> l->line_bits);
            if (t == thread || at == set->len)
                continue;
            g_array_remove_index(set, at);
            want->invalidated++;
        }
}

static unsigned model_line(model *m, uint64_t address, unsigned thread, bool write, cache_result *want)
{
    if (write && m->config.coherent)
        model_invalidate(m, address, thread, want);
    for (unsigned i = 0; i < m->config.count; i++) {
        bool goes;
        uint64_t gone = 0;
        if (model_look_up(m, i, thread, address >> m->config.levels[i].line_bits, write && m->config.no_write_allocate,
                          &goes, &gone))
            return i + 1;
        if (i == 0 && goes && !want->evicts) {
            want->evicts = true;
            want->evicted = gone << m->config.levels[0].line_bits;
        }
    }
    return CACHES_LEVELS + 1;
}

static void model_access(model *m, uint64_t address, unsigned size, unsigned thread, bool write, cache_result *want)
{
    unsigned bits = m->config.levels[0].line_bits;
    *want = (cache_result){.level = 0};
    unsigned level = model_line(m, address, thread, write, want), other = 0;
    if (address >> bits != (address + size - 1) >> bits)
        other = model_line(m, (address + size - 1) >> bits << bits, thread, write, want);
    level = MAX(level, other);
    want->level = (uint8_t)(level > CACHES_LEVELS ? 0 : level);
}

/* --- tests ------------------------------------------------------------------------------------------------------------- */

static const caches_config configs[] = {
    {{{256, 4, 1, REPLACE_LRU, false}}, 1, 1, false, false},
    {{{256, 4, 0, REPLACE_LRU, false}}, 1, 1, false, false},
    {{{256, 5, 4, REPLACE_FIFO, true}}, 1, 1, false, false},
    {{{512, 4, 4, REPLACE_RANDOM, true}}, 1, 12345, false, false},
    {{{256, 4, 2, REPLACE_LRU, true}, {1024, 5, 4, REPLACE_LRU, false}}, 2, 1, false, false},
    {{{128, 4, 2, REPLACE_LRU, true}, {512, 4, 4, REPLACE_FIFO, true}, {2048, 6, 0, REPLACE_RANDOM, false}},
     3,
     77,
     false,
     false},
    {{{768, 4, 12, REPLACE_LRU, true}, {11 * 3 * 32, 5, 3, REPLACE_FIFO, false}}, 2, 1, false, false}, /* 4 and 11 sets */
};

/* 20000 accesses of some threads to caches and to the model. Returns how many copies were removed. */
static uint64_t compare(const caches_config *config, guint32 seed, unsigned threads)
{
    GRand *r = g_rand_new_with_seed(seed);
    model *m = model_new(config);
    caches *c = caches_new(config);
    uint64_t invalidated = 0;
    assert_true(caches_check(config, NULL));
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t address = 0x10000 + g_rand_int(r) % (i % 3000 < 1500 ? 600 : 6000);
        unsigned size = 1u << g_rand_int_range(r, 0, 5), thread = g_rand_int(r) % threads;
        bool write = g_rand_int(r) % 3 == 0;
        cache_result got, want;
        model_access(m, address, size, thread, write, &want);
        caches_access(c, address, (uint8_t)size, thread, write, &got);
        assert_int_equal(got.level, want.level);
        assert_int_equal(got.evicts, want.evicts);
        assert_int_equal(got.evicted, want.evicted);
        assert_int_equal(got.invalidated, want.invalidated);
        invalidated += got.invalidated;
    }
    caches_free(c);
    model_free(m);
    g_rand_free(r);
    return invalidated;
}

static void test_random(void **state)
{
    (void)state;
    for (unsigned k = 0; k < G_N_ELEMENTS(configs); k++)
        assert_int_equal(compare(&configs[k], k, THREADS), 0);
}

/* Writes that go past the caches, and that remove copies. The model knows no holes in a set with random replacement. */
static void test_writes(void **state)
{
    (void)state;
    for (unsigned k = 0; k < G_N_ELEMENTS(configs); k++) {
        caches_config config = configs[k];
        config.no_write_allocate = true;
        compare(&config, k, THREADS);
        bool removes = config.levels[0].per_thread && config.levels[0].replacement != REPLACE_RANDOM;
        config.coherent = removes;
        assert_int_equal(compare(&config, k, THREADS) > 0, removes);
        config.no_write_allocate = false;
        assert_int_equal(compare(&config, k, THREADS) > 0, removes);
    }
}

/* For a single thread coherent caches are as any. */
static void test_one_thread(void **state)
{
    (void)state;
    for (unsigned k = 0; k < G_N_ELEMENTS(configs); k++) {
        caches_config config = configs[k];
        caches *plain = caches_new(&config);
        config.coherent = true;
        caches *coherent = caches_new(&config);
        GRand *r = g_rand_new_with_seed(k);
        for (unsigned i = 0; i < 20000; i++) {
            uint64_t address = 0x10000 + g_rand_int(r) % 4000;
            bool write = g_rand_boolean(r);
            cache_result one, other;
            caches_access(plain, address, 8, 7, write, &one);
            caches_access(coherent, address, 8, 7, write, &other);
            assert_memory_equal(&one, &other, sizeof one);
        }
        caches_free(plain);
        caches_free(coherent);
        g_rand_free(r);
    }
}

static void test_bounds(void **state)
{
    (void)state;
    cache_result got;
    caches *c = caches_new(&configs[2]);
    caches_access(c, UINT64_MAX, 16, 1, false, &got);
    assert_int_equal(got.level, 0);
    caches_access(c, UINT64_MAX, 0, 1, false, &got);
    assert_int_equal(got.level, 1);
    caches_access(c, 0x1000, 255, 1, false, &got);
    for (uint64_t thread = 2; thread < 2000; thread++)
        caches_access(c, 0x1000, 1, thread, false, &got);
    assert_int_equal(got.level, 1); /* in the cache shared by all further threads */
    caches_free(c);
}

static bool read_text(const char *text, caches_config *config, GError **error)
{
    char *path = temporary_file(text, -1);
    const bool valid = caches_read(path, config, error);
    temporary_drop(path);
    return valid;
}

#define LEVEL(size, line, ways, policy) \
    "{\"name\":\"L\",\"cache_size\":" #size ",\"block_size\":" #line ",\"write_policy\":0,\"set_assoc\":" #ways \
    ",\"rep_policy\":" #policy "}"

static void test_configuration(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "[]",
        "{\"caches\":1}",
        "{\"caches\":[]}",
        "{\"caches\":[1]}",
        "{\"caches\":[{\"cache_size\":10}]}",
        "{\"caches\":[" LEVEL(10, 6, 2, 2) "]}",
        "{\"caches\":[" LEVEL(10, 6, 3, 0) "]}",
        "{\"caches\":[" LEVEL(10, 6, 32, 0) "]}",
        "{\"caches\":[" LEVEL(40, 6, 2, 0) "]}",
        "{\"caches\":[" LEVEL(10, 11, 1, 0) "]}",
        "{\"caches\":[" LEVEL(10, 2, 1, 0) "]}",
    };
    caches_config config;
    GError *error = NULL;
    for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
        assert_false(read_text(bad[i], &config, &error));
        assert_failed(&error, NULL);
    }
    char *deep = g_strnfill(60000, '[');
    memcpy(deep, "{\"caches\":", strlen("{\"caches\":"));
    assert_false(read_text(deep, &config, &error));
    assert_failed(&error, "it is nested deeper than 64 levels");
    g_free(deep);
    assert_true(read_text("{\"seed\":5,\"caches\":[" LEVEL(10, 6, 2, 0) "," LEVEL(12, 6, 0, 4) "]}", &config, NULL));
    assert_int_equal(config.count, 2);
    assert_int_equal(config.seed, 5);
    assert_int_equal(config.levels[0].ways, 2);
    assert_int_equal(config.levels[1].replacement, REPLACE_RANDOM);
    assert_false(config.levels[1].per_thread);
    assert_true(read_text("{\"caches\":[{\"cache_size\":10,\"block_size\":6,\"set_assoc\":1,\"rep_policy\":1,"
                          "\"private\":true}]}",
                          &config, NULL));
    assert_true(config.levels[0].per_thread);
    assert_true(
        read_text("{\"caches\":[{\"bytes\":49152,\"block_size\":6,\"set_assoc\":12,\"rep_policy\":0}]}", &config, NULL));
    assert_int_equal(config.levels[0].size, 48 << 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random), cmocka_unit_test(test_writes),        cmocka_unit_test(test_one_thread),
        cmocka_unit_test(test_bounds), cmocka_unit_test(test_configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
