/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls.h: arbitrary begins, ends and values, with results kept and not kept, compared with plain stacks. */
#include <glib.h>
#include <string.h>

#include "analysis/calls.h"
#include "fuzz.h"

#define STACKS 4u
#define DEPTH_MAX 512u
#define RECORDS_MAX 2000u

typedef struct model {
    uint32_t record[STACKS][DEPTH_MAX], function[STACKS][DEPTH_MAX];
    unsigned depth[STACKS];
    uint32_t value_record, value_function; /* on a stack of its own */
    uint32_t left[RECORDS_MAX + 2];        /* for each record that ends a value */
    uint8_t stack[RECORDS_MAX + 2];        /* for each record that begins a call */
} model;

/* Two stacks have the same upper half. */
static uint64_t key_of(unsigned stack)
{
    return (uint64_t)(stack / 2) << 32 | stack;
}

static void begin(model *m, calls *engines[2], unsigned stack, uint32_t record, uint32_t function, uint64_t ticks)
{
    for (int i = 0; i < 2; i++) {
        call k;
        calls_begin(engines[i], key_of(stack), record, function, ticks, ticks % 5 != 0, &k);
        unsigned d = m->depth[stack];
        FUZZ_CHECK(k.begin == record && k.depth == d && k.caller == (d ? m->record[stack][d - 1] : 0),
                   "begin at depth %u, not %u", k.depth, d);
    }
    m->stack[record] = (uint8_t)stack;
    m->record[stack][m->depth[stack]] = record;
    m->function[stack][m->depth[stack]++] = function;
}

/* Checks the calls that an end has closed besides its own at depth `d`, and their stacks. */
static void closed(const model *m, calls *engines[2], unsigned stack, uint32_t record, unsigned d)
{
    for (int i = 0; i < 2; i++) {
        unsigned count = calls_closed_count(engines[i], record);
        FUZZ_CHECK(count == (d ? m->depth[stack] - d : 0), "%u calls closed above depth %u", count, d);
        for (unsigned n = 0; n <= count; n++) {
            call k;
            uint32_t function, functions[CALLS_STACK_MAX], left_out;
            bool found = calls_closed(engines[i], record, n, &k, &function);
            FUZZ_CHECK(found == (n < count), "closed call %u of %u", n, count);
            if (!found)
                break;
            unsigned at = m->depth[stack] - 1 - n;
            FUZZ_CHECK(k.begin == m->record[stack][at] && k.depth == at && k.end == record &&
                           function == m->function[stack][at],
                       "closed call %u", n);
            unsigned shown = calls_stack(engines[i], key_of(stack), &k, function, functions, NULL, &left_out);
            FUZZ_CHECK(shown + left_out == at + 1 && functions[0] == m->function[stack][0] &&
                           (shown < 2 || functions[shown - 2] == m->function[stack][at - 1]),
                       "stack of closed call %u", n);
        }
    }
}

static void end(model *m, calls *engines[2], unsigned stack, uint32_t record, uint32_t function, uint64_t ticks)
{
    unsigned d = m->depth[stack];
    while (d > 0 && m->function[stack][d - 1] != function)
        d--;
    for (int i = 0; i < 2; i++) {
        call k;
        calls_end(engines[i], key_of(stack), record, function, ticks, ticks % 5 != 0, &k);
        FUZZ_CHECK(k.begin == (d ? m->record[stack][d - 1] : 0) && k.end == record, "ends what began in %u", k.begin);
        FUZZ_CHECK(d == 0 || k.depth == d - 1, "end at depth %u, not %u", k.depth, d);
        FUZZ_CHECK(!(k.state & CALL_SELF) || ((k.state & CALL_TIMED) && k.self <= k.duration), "self time");
    }
    closed(m, engines, stack, record, d);
    if (d)
        m->depth[stack] = d - 1;
}

static void look(calls *engines[2], const model *m, unsigned stack, uint32_t record, uint64_t ticks)
{
    for (int i = 0; i < 2; i++) {
        call k;
        uint32_t function = 0, functions[CALLS_STACK_MAX], left_out;
        unsigned d = m->depth[stack];
        uint32_t open = calls_open(engines[i], key_of(stack), &function);
        FUZZ_CHECK(open == (d ? m->record[stack][d - 1] : 0), "open is %u", open);
        bool inside = calls_inside(engines[i], key_of(stack), record, ticks, ticks % 5 != 0, false, &k);
        FUZZ_CHECK(inside == (d > 0), "inside of a call");
        if (!inside)
            continue;
        unsigned n = calls_stack(engines[i], key_of(stack), &k, function, functions, NULL, &left_out);
        FUZZ_CHECK(n + left_out == d && functions[n - 1] == function && functions[0] == m->function[stack][0],
                   "stack of %u and %u, not %u", n, left_out, d);
    }
}

static void set(model *m, calls *engines[2], uint32_t record, uint32_t function, uint64_t ticks)
{
    for (int i = 0; i < 2; i++) {
        call k;
        uint32_t left;
        calls_set(engines[i], key_of(STACKS), record, function, ticks, ticks % 5 != 0, &k, &left);
        FUZZ_CHECK(k.begin == m->value_record && k.end == record && left == m->value_function, "value of %u", k.begin);
    }
    m->left[record] = m->value_function;
    m->value_record = record;
    m->value_function = function;
}

static void lose(calls *engines[2], unsigned stack, uint8_t what, uint64_t ticks)
{
    for (int i = 0; i < 2; i++)
        if (what >> 4 == 0)
            calls_lost_all(engines[i], stack / 2);
        else if (what >> 4 < 8)
            calls_clock(engines[i], key_of(stack), ticks);
        else
            calls_lost(engines[i], key_of(stack));
}

/* Checks what was kept of a record. */
static void find(calls *c, const model *m, uint32_t record, uint32_t last)
{
    call k;
    uint32_t function = calls_function(c, record), functions[CALLS_STACK_MAX], left_out;
    FUZZ_CHECK(calls_left(c, record) == (record <= last ? m->left[record] : 0), "value that record %u ends", record);
    if (!calls_find(c, record, &k))
        return;
    FUZZ_CHECK(k.begin <= last && k.end <= last && k.caller <= last, "record %u", record);
    if (k.begin != record || !function)
        return;
    unsigned n = calls_stack(c, key_of(m->stack[record]), &k, function, functions, NULL, &left_out);
    FUZZ_CHECK(n + left_out == k.depth + 1 && functions[n - 1] == function, "stack of %u and %u at depth %u", n, left_out,
               k.depth);
    FUZZ_CHECK(n < 2 || left_out || functions[n - 2] == calls_function(c, k.caller), "caller of record %u", record);
}

/* What was done, so that it can be done again by who knows the calls without an end in advance. */
typedef struct deed {
    unsigned stack;
    uint32_t record, function;
    uint64_t ticks;
    enum { BEGIN, END, INSIDE, LOSE_ALL, CLOCK, LOSE } what;
} deed;

static void note_closed(const calls *c, uint32_t record, GArray *closed)
{
    call k;
    uint32_t function;
    for (uint32_t i = 0; calls_closed(c, record, i, &k, &function); i++)
        g_array_append_val(closed, k);
}

static int compare_unwound(gconstpointer a, gconstpointer b)
{
    const calls_unwound *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static void do_again(calls *c, const deed *d, GArray *closed)
{
    call k;
    const uint64_t key = key_of(d->stack);
    calls_record(c, d->record);
    calls_unwind_to(c, key, d->record);
    switch (d->what) {
    case BEGIN:
        calls_begin(c, key, d->record, d->function, d->ticks, d->ticks % 5 != 0, &k);
        break;
    case END:
        calls_end(c, key, d->record, d->function, d->ticks, d->ticks % 5 != 0, &k);
        note_closed(c, d->record, closed);
        break;
    case INSIDE:
        calls_inside(c, key, d->record, d->ticks, d->ticks % 5 != 0, false, &k);
        break;
    case LOSE_ALL:
        calls_lost_all(c, d->stack / 2);
        break;
    case CLOCK:
        calls_clock(c, key, d->ticks);
        break;
    case LOSE:
        calls_lost(c, key);
        break;
    }
}

/* The calls without an end are the same for who follows an earlier pass. */
static void follow(const GArray *deeds, const GArray *closed)
{
    GArray *unwound = g_array_new(FALSE, FALSE, sizeof(calls_unwound)), *again = g_array_new(FALSE, FALSE, sizeof(call));
    for (guint i = 0; i < closed->len; i++) {
        const call *k = &g_array_index(closed, call, i);
        const calls_unwound one = {k->begin, k->last, k->sure, k->until, k->duration - k->self, k->state};
        g_array_append_val(unwound, one);
    }
    g_array_sort(unwound, compare_unwound);
    calls *c = calls_new(CALLS_UNWIND);
    calls_follow(c, unwound);
    for (guint i = 0; i < deeds->len; i++)
        do_again(c, &g_array_index(deeds, deed, i), again);
    FUZZ_CHECK(again->len == closed->len, "%u calls without an end, not %u", again->len, closed->len);
    for (guint i = 0; i < again->len; i++) {
        const call *a = &g_array_index(again, call, i), *b = &g_array_index(closed, call, i);
        FUZZ_CHECK(a->begin == b->begin && a->end == b->end && a->last == b->last && a->until == b->until &&
                       a->duration == b->duration,
                   "the call of %u", b->begin);
    }
    calls_free(c);
    g_array_free(unwound, TRUE);
    g_array_free(again, TRUE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    static model m;
    GArray *deeds = g_array_new(FALSE, FALSE, sizeof(deed)), *without = g_array_new(FALSE, FALSE, sizeof(call));
    fuzz_numbers n = {data, length};
    calls *engines[2] = {calls_new(CALLS_KEEP | CALLS_UNWIND), calls_new(CALLS_UNWIND)};
    uint64_t ticks = 1000;
    uint32_t record = 0;
    for (unsigned i = 0; i < STACKS; i++)
        m.depth[i] = 0;
    m.value_record = m.value_function = 0;
    memset(m.left, 0, sizeof m.left);
    while (n.left && record < RECORDS_MAX) {
        uint8_t what = fuzz_u8(&n), whose = fuzz_u8(&n);
        unsigned stack = whose % STACKS;
        record += 1u + (whose >> 7);
        ticks += fuzz_u8(&n) - 8u; /* may go back */
        for (int i = 0; i < 2; i++)
            calls_record(engines[i], record);
        if (what % 8 < 4 && whose & 64)
            set(&m, engines, record, what, ticks);
        else if (what % 8 < 4 && m.depth[stack] < DEPTH_MAX)
            begin(&m, engines, stack, record, what >> 5, ticks);
        else if (what % 8 < 7)
            end(&m, engines, stack, record, what >> 5, ticks);
        else if (what & 8)
            look(engines, &m, stack, record, ticks);
        else
            lose(engines, stack, what, ticks);
        note_closed(engines[1], record, without);
        deed d = {stack, record, what >> 5, ticks, BEGIN};
        if (what % 8 < 4 && (whose & 64 || m.depth[stack] == 0 || m.record[stack][m.depth[stack] - 1] != record))
            continue; /* a value, or nothing */
        if (what % 8 >= 4)
            d.what = what % 8 < 7 ? END : what & 8 ? INSIDE : what >> 4 == 0 ? LOSE_ALL : what >> 4 < 8 ? CLOCK : LOSE;
        g_array_append_val(deeds, d);
    }
    follow(deeds, without);
    g_array_free(deeds, TRUE);
    g_array_free(without, TRUE);
    for (uint32_t i = 0; i <= record + 1; i++)
        find(engines[0], &m, i, record);
    calls_free(engines[0]);
    calls_free(engines[1]);
    return 0;
}
