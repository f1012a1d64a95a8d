/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call engine: any begins and ends, with results kept and without, against plain stacks. */
#include <glib.h>

#include "calls.h"
#include "fuzz.h"

#define STACKS 4u
#define DEPTH_MAX 512u

typedef struct model {
    uint32_t record[STACKS][DEPTH_MAX], function[STACKS][DEPTH_MAX];
    unsigned depth[STACKS];
} model;

static void begin(model *m, calls *engines[2], unsigned stack, uint32_t record, uint32_t function, uint64_t ticks)
{
    for (int i = 0; i < 2; i++) {
        call k;
        calls_begin(engines[i], stack, record, function, ticks, ticks % 5 != 0, &k);
        unsigned d = m->depth[stack];
        FUZZ_CHECK(k.begin == record && k.depth == d && k.caller == (d ? m->record[stack][d - 1] : 0),
                   "begin at depth %u, not %u", k.depth, d);
    }
    m->record[stack][m->depth[stack]] = record;
    m->function[stack][m->depth[stack]++] = function;
}

static void end(model *m, calls *engines[2], unsigned stack, uint32_t record, uint32_t function, uint64_t ticks)
{
    unsigned d = m->depth[stack];
    while (d > 0 && m->function[stack][d - 1] != function)
        d--;
    for (int i = 0; i < 2; i++) {
        call k;
        calls_end(engines[i], stack, record, function, ticks, ticks % 5 != 0, &k);
        FUZZ_CHECK(k.begin == (d ? m->record[stack][d - 1] : 0) && k.end == record, "ends what began in %u", k.begin);
        FUZZ_CHECK(d == 0 || k.depth == d - 1, "end at depth %u, not %u", k.depth, d);
        FUZZ_CHECK(!(k.state & CALL_SELF) || ((k.state & CALL_TIMED) && k.self <= k.duration), "self time");
    }
    if (d)
        m->depth[stack] = d - 1;
}

static void look(calls *engines[2], const model *m, unsigned stack, uint32_t record)
{
    for (int i = 0; i < 2; i++) {
        call k;
        uint32_t function = 0, functions[CALLS_STACK_MAX], left_out;
        unsigned d = m->depth[stack];
        uint32_t open = calls_open(engines[i], stack, &function);
        FUZZ_CHECK(open == (d ? m->record[stack][d - 1] : 0), "open is %u", open);
        bool inside = calls_inside(engines[i], stack, record, &k);
        FUZZ_CHECK(inside == (d > 0), "inside of a call");
        if (!inside)
            continue;
        unsigned n = calls_stack(engines[i], stack, &k, function, functions, &left_out);
        FUZZ_CHECK(n + left_out == d && functions[n - 1] == function && functions[0] == m->function[stack][0],
                   "stack of %u and %u, not %u", n, left_out, d);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static model m;
    fuzz_numbers n = {data, length};
    calls *engines[2] = {calls_new(true), calls_new(false)};
    uint64_t ticks = 1000;
    uint32_t record = 0;
    for (unsigned i = 0; i < STACKS; i++)
        m.depth[i] = 0;
    while (n.left && record < 2000) {
        uint8_t what = fuzz_u8(&n), whose = fuzz_u8(&n);
        unsigned stack = whose % STACKS;
        record += 1u + (whose >> 7);
        ticks += fuzz_u8(&n) - 8u; /* also back */
        for (int i = 0; i < 2; i++)
            calls_record(engines[i], record);
        if (what % 8 < 4 && m.depth[stack] < DEPTH_MAX)
            begin(&m, engines, stack, record, what >> 5, ticks);
        else if (what % 8 < 7)
            end(&m, engines, stack, record, what >> 5, ticks);
        else if (what & 8)
            look(engines, &m, stack, record);
        else
            for (int i = 0; i < 2; i++)
                calls_lost(engines[i], stack);
    }
    for (uint32_t i = 0; i <= record + 1; i++) {
        call k;
        if (calls_find(engines[0], i, &k))
            FUZZ_CHECK(k.begin <= record && k.end <= record && k.caller <= record, "record %u", i);
        calls_function(engines[0], i);
    }
    calls_free(engines[0]);
    calls_free(engines[1]);
    return 0;
}
