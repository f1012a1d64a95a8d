/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Analyses of Cacheray traces: annotations, compared with a plain list, cache lines, caches, and
 * reuse distances, compared with a cache. */
#include <glib.h>

#include "cacheray/annotations.h"
#include "cacheray/caches.h"
#include "cacheray/distances.h"
#include "cacheray/lines.h"
#include "fuzz.h"

#define STEPS_MAX 256u

/* Addresses close together, so that regions meet; and the last ones of the address space. */
static uint64_t address_of(fuzz_numbers *n)
{
    uint8_t a = fuzz_u8(n);
    return a & 0x80 ? UINT64_MAX - (a & 0x7fu) : a;
}

typedef struct model {
    annotation all[STEPS_MAX];
    uint32_t count;
} model;

static bool covers(const annotation *n, uint64_t address)
{
    return !n->removed && address >= n->start && address - n->start < annotation_length(n);
}

static uint32_t model_find(const model *m, uint64_t address)
{
    for (uint32_t i = m->count; i > 0; i--)
        if (covers(&m->all[i - 1], address))
            return i;
    return 0;
}

static uint32_t model_remove(model *m, uint64_t start, uint32_t record)
{
    for (uint32_t i = m->count; i > 0; i--)
        if (!m->all[i - 1].removed && m->all[i - 1].start == start) {
            m->all[i - 1].removed = record;
            return i;
        }
    return 0;
}

static bool model_overlaps(const model *m, const annotation *one)
{
    for (uint32_t i = 0; i < m->count; i++) {
        const annotation *n = &m->all[i];
        if (annotation_length(one) && annotation_length(n) &&
            (covers(n, one->start) || (!n->removed && covers(one, n->start))))
            return true;
    }
    return false;
}

static void add(annotations *a, model *m, fuzz_numbers *n, uint32_t record)
{
    annotation one = {
        .start = address_of(n), .elem_size = fuzz_u8(n) % 16u, .elem_count = fuzz_u8(n) % 16u, .added = record};
    FUZZ_CHECK(annotations_overlap(a, one.start, annotation_length(&one)) == model_overlaps(m, &one), "overlap");
    m->all[m->count++] = one;
    FUZZ_CHECK(annotations_add(a, &one) == m->count, "not the next number");
}

/* Of two lines, the distance of the later one. */
static void check_distance(distances *d, caches *four, const line_touch *touch)
{
    const uint64_t line = touch->address >> 4, next = (line + 1) << 4;
    cache_result cache;
    const uint32_t first = distances_use(d, line),
                   second = next && next - touch->address < MAX(touch->size, 1) ? distances_use(d, line + 1) : 0,
                   distance = MAX(first, second);
    caches_access(four, touch->address, touch->size, touch->thread, touch->write, &cache);
    FUZZ_CHECK((distance < 4) == (cache.level == 1), "distance %u", distance);
}

typedef struct simulated {
    caches *levels, *four; /* four: of as many lines */
    distances *distances;
} simulated;

static void step(annotations *a, model *m, line_table *lines, const simulated *c, fuzz_numbers *n, uint32_t record)
{
    uint8_t what = fuzz_u8(n);
    if (what % 4 == 0) {
        add(a, m, n, record);
    } else if (what % 4 == 1) {
        uint64_t start = address_of(n);
        uint32_t expected = model_remove(m, start, record);
        FUZZ_CHECK(annotations_remove(a, start, record) == expected, "another one is removed");
    } else {
        line_touch touch = {address_of(n), what >> 4, record, fuzz_u8(n), what % 4 == 2};
        line_result line;
        cache_result cache;
        bool cut;
        FUZZ_CHECK(annotations_find(a, touch.address, &cut) == model_find(m, touch.address) && !cut, "another one is found");
        lines_touch(lines, &touch, &line);
        caches_access(c->levels, touch.address, touch.size, touch.thread, touch.write, &cache);
        check_distance(c->distances, c->four, &touch);
        line_summary sum = lines_summary(lines, line.line);
        line_thread threads[LINES_THREADS + 1];
        FUZZ_CHECK(line.before < record && line.sharing == sum.sharing, "line");
        FUZZ_CHECK(line.touched[0].number < lines_count(lines) && (!line.touched[0].contended || sum.threads > 1), "touch");
        FUZZ_CHECK(lines_threads(lines, line.line, threads, LINES_THREADS + 1) == sum.threads, "threads of the line");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static const caches_config config = {.levels = {{256, 4, 2, REPLACE_LRU, true},
                                                    {512, 5, 0, REPLACE_FIFO, false},
                                                    {1024, 5, 4, REPLACE_RANDOM, false}},
                                         .count = 3,
                                         .seed = 1},
                               four = {.levels = {{.size = 64, .line_bits = 4}}, .count = 1, .seed = 1};
    fuzz_numbers n = {data, length};
    model m = {.count = 0};
    annotations *a = annotations_new();
    line_table *lines = lines_new(16);
    const simulated c = {caches_new(&config), caches_new(&four), distances_new(1000)};
    for (uint32_t i = 1; i <= STEPS_MAX && n.left; i++)
        step(a, &m, lines, &c, &n, i);
    for (uint32_t i = 1; i <= m.count; i++)
        FUZZ_CHECK(annotations_get(a, i)->removed == m.all[i - 1].removed, "annotation %u", i);
    annotations_free(a);
    lines_free(lines);
    caches_free(c.levels);
    caches_free(c.four);
    distances_free(c.distances);
    return 0;
}
