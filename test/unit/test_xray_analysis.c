/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which records of an XRay log begin or end a call, or are inside one. calls.h is tested in test_calls.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "xray/tails.h"
#include "xray/missing_exits.h"
#include "xray/session.h"
#include "xray_log.h"

#define THREAD 7u

static record_context record_of(uint8_t kind, uint64_t tsc, uint8_t previous)
{
    record_context c = {.kind = kind, .stream = 3};
    *xray_context_of(&c) = (xray_context){.tsc = tsc,
                                          .type = XRAY_TYPE_FDR,
                                          .thread = THREAD,
                                          .process = 5,
                                          .known = XRAY_KNOWN_THREAD | XRAY_KNOWN_PROCESS | XRAY_KNOWN_TSC,
                                          .previous = previous};
    return c;
}

static bool visit_with(calls *c, xray_tails *tails, uint32_t frame, const record_context *r, uint32_t function, call *k)
{
    xray_session s = {.calls = c, .ahead.tails = tails};
    xray_tapped of = {.context = r, .session = &s, .function = function, .stack = xray_stack_of(r)};
    xray_session_visit(&of, frame);
    *k = of.call;
    return of.has_call;
}

static bool visit(calls *c, uint32_t frame, record_context r, uint32_t function, call *k)
{
    return visit_with(c, NULL, frame, &r, function, k);
}

/* A call that an exit has ended, as above. */
static bool ended_of(calls *c, uint8_t kind, const call *own, uint32_t function, uint32_t i, span *ended)
{
    const record_context r = {.kind = kind};
    xray_session s = {.calls = c};
    const xray_tapped of = {.context = &r, .session = &s, .function = function, .has_call = true, .call = *own};
    return xray_session_ended(&of, i, ended);
}

static void test_stacks(void **state)
{
    (void)state;
    record_context r = record_of(XRAY_ENTRY, 0, 0), other = r;
    assert_int_equal(xray_stack_of(&r), UINT64_C(5) << 32 | THREAD);
    xray_context_of(&other)->known = XRAY_KNOWN_THREAD;
    assert_int_equal(xray_stack_of(&other), THREAD);
    xray_context_of(&other)->known = 0;
    assert_int_equal(xray_stack_of(&other), UINT64_MAX - 3);
    r.flags = CONTEXT_EXPORTED;
    assert_int_equal(xray_stack_of(&r), UINT64_MAX - 3);
}

/* Entry, argument, event, exit; looked up again by frame. */
static void test_call(void **state)
{
    (void)state;
    call k;
    calls *c = calls_new(CALLS_UNWIND | CALLS_KEEP);
    assert_true(visit(c, 1, record_of(XRAY_ENTRY_ARGUMENTS, 100, 0), 9, &k));
    assert_true(visit(c, 2, record_of(XRAY_CALL_ARGUMENT, 100, XRAY_ENTRY_ARGUMENTS), 0, &k));
    assert_int_equal(k.begin, 1);
    assert_true(visit(c, 3, record_of(XRAY_CUSTOM_EVENT, 120, XRAY_ENTRY_ARGUMENTS), 0, &k));
    assert_int_equal(k.begin, 1);
    assert_false(visit(c, 4, record_of(XRAY_CALL_ARGUMENT, 120, XRAY_CUSTOM_EVENT), 0, &k)); /* not of this call */
    assert_true(visit(c, 5, record_of(XRAY_EXIT, 150, XRAY_CUSTOM_EVENT), 9, &k));
    assert_int_equal(k.duration, 50);
    assert_true(calls_find(c, 1, &k));
    assert_int_equal(k.end, 5);
    assert_true(calls_find(c, 3, &k));
    assert_int_equal(k.begin, 1);
    assert_true(calls_find(c, 4, &k));
    assert_int_equal(k.state, CALL_AROUND);
    assert_int_equal(k.begin, 1);
    calls_free(c);
}

/* Basic mode logs arguments of calls that it drops. */
static void test_basic_arguments(void **state)
{
    (void)state;
    call k;
    calls *c = calls_new(CALLS_UNWIND);
    record_context entry = record_of(XRAY_ENTRY, 1, 0), argument = record_of(XRAY_CALL_ARGUMENT, 1, XRAY_ENTRY);
    xray_context_of(&entry)->type = xray_context_of(&argument)->type = XRAY_TYPE_BASIC;
    visit(c, 1, entry, 9, &k);
    assert_true(visit(c, 2, argument, 9, &k));
    assert_false(visit(c, 3, argument, 8, &k));
    xray_context_of(&argument)->argument_index = 1;
    assert_false(visit(c, 4, argument, 9, &k));
    calls_free(c);
}

/* A buffer that is in the log twice counts once; damage, and a clock that goes back, make a call unsure. */
static void test_doubts(void **state)
{
    (void)state;
    call k;
    calls *c = calls_new(CALLS_UNWIND);
    record_context repeated = record_of(XRAY_EXIT, 150, 0);
    xray_context_of(&repeated)->known |= XRAY_REPEATED;
    visit(c, 1, record_of(XRAY_ENTRY, 100, 0), 9, &k);
    assert_false(visit(c, 2, repeated, 9, &k));
    assert_true(visit(c, 3, record_of(XRAY_EXIT, 150, 0), 9, &k));
    assert_int_equal(k.state & (CALL_TIMED | CALL_UNSURE), CALL_TIMED);
    visit(c, 4, record_of(XRAY_ENTRY, 200, 0), 9, &k);
    visit(c, 5, record_of(KIND_CUT, 0, 0), 0, &k);
    visit(c, 6, record_of(XRAY_EXIT, 250, 0), 9, &k);
    assert_true(k.state & CALL_UNSURE);
    visit(c, 7, record_of(XRAY_ENTRY, 300, 0), 9, &k);
    visit(c, 8, record_of(XRAY_NEW_CPU, 10, 0), 0, &k);
    visit(c, 9, record_of(XRAY_EXIT, 350, 0), 9, &k);
    assert_true(k.state & CALL_UNSURE);
    calls_free(c);
}

/* The end of a buffer with typed events is missing, so what is open at the next one is unsure; earlier calls are not. */
static void test_lost_ends(void **state)
{
    (void)state;
    for (uint16_t version = 4; version <= 5; version++) {
        call k;
        calls *c = calls_new(CALLS_UNWIND);
        record_context event = record_of(XRAY_TYPED_EVENT, 120, 0);
        xray_context_of(&event)->version = version;
        visit(c, 1, record_of(XRAY_NEW_BUFFER, 0, 0), 0, &k);
        visit(c, 2, record_of(XRAY_ENTRY, 100, 0), 8, &k);
        visit(c, 3, record_of(XRAY_ENTRY, 110, 0), 9, &k);
        visit(c, 4, event, 0, &k);
        visit(c, 5, record_of(XRAY_EXIT, 150, 0), 9, &k);
        assert_false(k.state & CALL_UNSURE);
        visit(c, 6, record_of(XRAY_NEW_BUFFER, 0, 0), 0, &k);
        visit(c, 7, record_of(XRAY_ENTRY, 160, 0), 9, &k);
        visit(c, 8, record_of(XRAY_NEW_BUFFER, 0, 0), 0, &k); /* one without events before it */
        visit(c, 9, record_of(XRAY_EXIT, 170, 0), 9, &k);
        assert_false(k.state & CALL_UNSURE);
        visit(c, 10, record_of(XRAY_EXIT, 200, 0), 8, &k);
        assert_int_equal((k.state & CALL_UNSURE) != 0, version == 5);
        calls_free(c);
    }
}

/* An exit ends calls that had none, too: all of them, from the innermost outwards; and who called whom. */
static void test_ended(void **state)
{
    (void)state;
    call own;
    span ended;
    uint32_t function = 0;
    calls *c = calls_new(CALLS_UNWIND | CALLS_KEEP);
    assert_true(visit(c, 1, record_of(XRAY_ENTRY, 100, 0), 7, &own));
    assert_true(visit(c, 2, record_of(XRAY_ENTRY, 110, 0), 8, &own));
    const uint64_t stack = UINT64_C(5) << 32 | THREAD;
    assert_true(calls_caller(c, stack, &own, &function));
    assert_int_equal(function, 7);
    assert_false(ended_of(c, XRAY_ENTRY, &own, 8, 0, &ended));
    assert_true(visit(c, 3, record_of(XRAY_EXIT, 150, 0), 7, &own)); /* that of 8 is lost */
    assert_true(ended_of(c, XRAY_EXIT, &own, 7, 0, &ended));
    assert_int_equal(ended.function, 7);
    assert_int_equal(ended.call.begin, 1);
    assert_true(ended_of(c, XRAY_TAIL_EXIT, &own, 7, 1, &ended));
    assert_int_equal(ended.function, 8);
    assert_int_equal(ended.call.begin, 2);
    assert_false(ended_of(c, XRAY_EXIT, &own, 7, 2, &ended));
    assert_false(calls_caller(c, stack, &own, &function)); /* the outermost */
    calls_free(c);
    c = calls_new(CALLS_UNWIND); /* callers are known only while their calls are open */
    assert_true(visit(c, 1, record_of(XRAY_ENTRY, 100, 0), 7, &own));
    assert_true(visit(c, 2, record_of(XRAY_ENTRY, 110, 0), 8, &own));
    assert_true(calls_caller(c, stack, &own, &function));
    assert_int_equal(function, 7);
    calls_free(c);
}

/* --- whether a log may have calls without an exit ---------------------------------------------------------------------- */

/* The depth of the last record of thread 1 that ends a call. */
static uint32_t last_depth(const builder *b)
{
    opened log = log_open(b, b->bytes->len);
    calls *c = calls_new(CALLS_UNWIND);
    uint32_t depth = UINT32_MAX;
    walk *w;
    for (uint32_t frame = 1; (w = trace_next(log.trace)); frame++) {
        const record_context *r = &w->record.context;
        cursor bytes = {.big_endian = b->big};
        uint64_t values[XRAY_FIELD_COUNT] = {0};
        call k = {0};
        bytes.length = walk_bytes(w, &bytes.data);
        xray_read(r, &bytes, values);
        if (visit_with(c, NULL, frame, r, (uint32_t)values[XRAY_FIELD_FUNCTION], &k) && xray_context_of(r)->thread == 1 &&
            k.begin && k.end)
            depth = k.depth;
    }
    calls_free(c);
    log_close(&log);
    return depth;
}

/* A thread that begins its next buffer before one was full is another one with the same id, unless an event did not fit or
 * was in it, or the size of buffers is not known. */
static void test_reused(void **state)
{
    static const struct {
        uint64_t buffer_size;
        const char *first, *second; /* of put_letters() */
        uint32_t depth;
    } logs[] = {
        {0, "ab", "cC", 2}, {112, "ab", "cC", 2}, {4096, "ab", "cC", 0}, {4096, "ab", "!cC", 2}, {4096, "a!b", "cC", 2}};
    (void)state;
    for (unsigned i = 0; i < 2 * G_N_ELEMENTS(logs); i++) {
        builder b = log_begin(5, XRAY_TYPE_FDR, i & 1, logs[i / 2].buffer_size);
        put_letters(&b, 1, 1000, logs[i / 2].first);
        put_letters(&b, 2, 1001, "xX");
        put_letters(&b, 1, 2000, logs[i / 2].second);
        assert_int_equal(last_depth(&b), logs[i / 2].depth);
        log_free(&b);
    }
}

static bool may_have(const builder *b)
{
    opened log = log_open(b, b->bytes->len);
    const bool any = xray_missing_exits_any(log.trace);
    log_close(&log);
    return any;
}

static void test_unwound(void **state)
{
    static const struct {
        const char *first, *second, *other;
        bool any;
    } logs[] = {
        {"abBA", "aA", "abBA", false}, {"ab", "BA", "xX", false}, /* a call may last longer than a buffer, */
        {"Bab", "", "x", false},                                  /* and begin before the log, or end after it */
        {"abA", "", "x", true},        {"ab", "A", "xX", true},
        {"aA", "", "xyX", true},       {"aB", "A", "x", true},       /* lost records: perhaps */
        {"a2A", "", "x", true},                                      /* a stack in two streams */
        {"ma.AbBM", "", "x", false},   {"ma.Ab.B", "M", "X", false}, /* real tail calls */
        {"a.AbB", "A", "x", true},     {"ma.AbBAM", "", "x", true},
    };
    (void)state;
    for (unsigned i = 0; i < 2 * G_N_ELEMENTS(logs); i++) {
        builder b = log_of_calls(i & 1, logs[i / 2].first, logs[i / 2].second, logs[i / 2].other);
        assert_int_equal(may_have(&b), logs[i / 2].any);
        log_free(&b);
    }
}

/* How many calls the analysis finds that have no exit. */
static uint32_t count_unwound(const builder *b)
{
    opened log = log_open(b, b->bytes->len);
    calls *c = calls_new(CALLS_UNWIND);
    uint32_t found = 0;
    walk *w;
    for (uint32_t frame = 1; (w = trace_next(log.trace)); frame++) {
        const record_context *r = &w->record.context;
        cursor bytes = {.big_endian = b->big};
        uint64_t values[XRAY_FIELD_COUNT] = {0};
        call k;
        bytes.length = walk_bytes(w, &bytes.data);
        xray_read(r, &bytes, values);
        visit_with(c, NULL, frame, r, (uint32_t)values[XRAY_FIELD_FUNCTION], &k);
        found += calls_closed_count(c, frame);
    }
    calls_free(c);
    log_close(&log);
    return found;
}

static char *random_letters(GRand *chance, unsigned n)
{
    char *letters = g_strnfill(n, 'a');
    for (unsigned i = 0; i < n; i++)
        letters[i] = "aaabbbccAAABBBCC12"[g_rand_int_range(chance, 0, 18)];
    return letters;
}

/* No log for which the answer is no has any. */
static void test_unwound_never_missed(void **state)
{
    (void)state;
    g_autoptr(GRand) chance = g_rand_new_with_seed(27);
    unsigned none = 0, some = 0;
    for (unsigned i = 0; i < 2000; i++) {
        g_autofree char *first = random_letters(chance, 3), *second = random_letters(chance, 3);
        g_autofree char *other = random_letters(chance, 4);
        builder b = log_of_calls(false, first, second, other);
        const bool any = may_have(&b);
        const uint32_t found = count_unwound(&b);
        assert_false(found && !any);
        none += !any;
        some += found > 0;
        log_free(&b);
    }
    assert_true(none > 100 && some > 100);
}

/* Where they ended, from the file. Its header is record 1, each buffer begins with 5, and the first buffers alternate: a is
 * 12, b 14 and c 15. x is 22. Ticks are 3 apart. */
static void test_unwound_read(void **state)
{
    static const calls_unwound ended[] = {
        {14, 15, 15, 1009, 0, 0}, {15, 15, 15, 1009, 0, 0}, {23, 24, 24, 2009, 0, 0}, {24, 24, 24, 2009, 0, 0}};
    (void)state;
    g_autofree char *path = NULL;
    const int fd = g_file_open_tmp("unwound-XXXXXX", &path, NULL);
    assert_true(fd >= 0);
    for (unsigned big = 0; big < 2; big++) {
        builder b = log_of_calls(big, "abcA", "xyzX", "d");
        assert_true(g_file_set_contents(path, (const char *)b.bytes->data, (gssize)b.bytes->len, NULL));
        g_autoptr(GArray) found = xray_session_unwound(path, NULL);
        assert_int_equal(found->len, G_N_ELEMENTS(ended));
        log_free(&b);
        for (guint i = 0; i < G_N_ELEMENTS(ended); i++) {
            const calls_unwound *one = &g_array_index(found, calls_unwound, i);
            assert_int_equal(one->begin, ended[i].begin);
            assert_int_equal(one->last, ended[i].last);
            assert_int_equal(one->until, ended[i].until);
            assert_int_equal(one->state, CALL_CLOSED | CALL_TIMED | CALL_SELF);
        }
    }
    assert_true(g_file_set_contents(path, "no log", -1, NULL));
    assert_null(xray_session_unwound(path, NULL));
    close(fd);
    g_remove(path);
}

/* --- tail exits that were not taken -------------------------------------------------------------------------------- */

/* Which tail exits of the first buffer, as a sum of bits, from the first one. */
static unsigned not_taken(const builder *b, const char *letters)
{
    opened log = log_open(b, b->bytes->len);
    xray_tails *tails = xray_tails_read(log.trace);
    unsigned found = 0, bit = 1;
    uint64_t offset = XRAY_HEADER_LENGTH + XRAY_METADATA_LENGTH + PREAMBLE;
    for (; *letters; letters++, offset += g_ascii_isdigit(*letters) ? XRAY_METADATA_LENGTH : XRAY_FUNCTION_LENGTH)
        if (*letters == '.') {
            found |= g_hash_table_contains(tails->not_taken, &offset) ? bit : 0;
            bit <<= 1;
            letters++;
        }
    assert_int_equal(g_hash_table_size(tails->not_taken), __builtin_popcount(found));
    assert_int_equal(g_hash_table_size(tails->switching), 0);
    xray_tails_free(tails);
    log_close(&log);
    return found;
}

static void test_tails(void **state)
{
    static const struct {
        const char *first, *second;
        unsigned found;
    } logs[] = {
        {"f.FgGF", "", 1},      {"f.Fg", "GF", 1},     {"mf.FgGFM", "", 1},      /* the call goes on, */
        {"f.FF", "", 1},        {"f.FgG.FhHF", "", 3}, {"f.FgG.FhH", "", 1},     /* more than once */
        {"mf.FgGM", "", 0},     {"mf.FM", "", 0},      {"f.Fg.GhH", "", 0},      /* tail calls; g has no records */
        {"mf.FgGf.FM", "F", 0}, {"F", "f.F", 0},       {"fFgGF", "", 0},         /* strays; AArch64 has plain exits */
        {"ff.FgGF", "", 0},     {"ff.FgGFF", "", 1},   {"f.Ff.Ff.FgGFF", "", 6}, /* recursion */
        {"fpf.FgGFPF", "", 1},  {"fpf.FgGF", "", 0}, /* an exception in p, if there is no other exit */
        {"f.FgF", "", 0},                            /* g is still open */
        {"f.Fg.GhHGF", "", 3},  {"f.F2F", "", 0},
    };
    (void)state;
    for (unsigned i = 0; i < 2 * G_N_ELEMENTS(logs); i++) {
        builder b = log_of_calls(i & 1, logs[i / 2].first, logs[i / 2].second, "x");
        if (not_taken(&b, logs[i / 2].first) != logs[i / 2].found)
            fail_msg("%s: %x", logs[i / 2].first, not_taken(&b, logs[i / 2].first));
        assert_true(may_have(&b) || !logs[i / 2].found);
        log_free(&b);
    }
}

/* Exits of calls that seemed to be unwound: the thread has several stacks, unless calls may have begun before the log. */
static void test_switching(void **state)
{
    static const struct {
        const char *first, *second;
        unsigned switching;
    } logs[] = {
        {"magAMG", "", 0},  {"mngfNGM", "", 1},      {"mngNmnNMGM", "", 1}, /* a call around it ends as well */
        {"abcABC", "", 1},  {"abcABc", "", 0},                              /* or there are two of them */
        {"mngN2GM", "", 0}, {"mfpf.FgGFPFM", "", 0},                        /* lost records; tail exits */
        {"abBA", "aA", 0},  {"mnfNfFM", "", 0},
    };
    (void)state;
    for (unsigned i = 0; i < 2 * G_N_ELEMENTS(logs); i++) {
        builder b = log_of_calls(i & 1, logs[i / 2].first, logs[i / 2].second, "x");
        opened log = log_open(&b, b.bytes->len);
        xray_tails *tails = xray_tails_read(log.trace);
        if (g_hash_table_size(tails->switching) != logs[i / 2].switching)
            fail_msg("%s", logs[i / 2].first);
        xray_tails_free(tails);
        log_close(&log);
        log_free(&b);
    }
}

/* Very many tail exits inside one call do not make the list grow. */
static void test_many_tails(void **state)
{
    (void)state;
    g_autoptr(GString) letters = g_string_new("m");
    for (unsigned i = 0; i < 10 * TAILS_MAX; i++)
        g_string_append(letters, "f.FgG");
    g_string_append(letters, "F"); /* of the last one */
    builder b = log_of_calls(false, letters->str, "M", "x");
    opened log = log_open(&b, b.bytes->len);
    xray_tails *tails = xray_tails_read(log.trace);
    assert_int_equal(g_hash_table_size(tails->not_taken), 1);
    xray_tails_free(tails);
    log_close(&log);
    log_free(&b);
}

/* The call lasts to its last exit, with g inside it. */
static void test_call_goes_on(void **state)
{
    (void)state;
    g_autoptr(GHashTable) offsets = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    xray_tails tails = {.not_taken = offsets};
    const uint64_t offset = 77;
    g_hash_table_add(offsets, g_memdup2(&offset, sizeof offset));
    for (int keep = 0; keep <= 1; keep++) {
        calls *c = calls_new(CALLS_UNWIND | (keep ? CALLS_KEEP : 0));
        call k;
        span ended;
        visit(c, 1, record_of(XRAY_ENTRY, 100, 0), 9, &k);
        record_context r = record_of(XRAY_TAIL_EXIT, 200, 0);
        r.offset = offset;
        assert_true(visit_with(c, &tails, 2, &r, 9, &k));
        assert_int_equal(k.state, CALL_INSIDE);
        assert_false(ended_of(c, XRAY_TAIL_EXIT, &k, 9, 0, &ended));
        visit(c, 3, record_of(XRAY_ENTRY, 300, 0), 8, &k);
        assert_int_equal(k.caller, 1);
        visit(c, 4, record_of(XRAY_EXIT, 400, 0), 8, &k);
        assert_int_equal(k.depth, 1);
        visit(c, 5, record_of(XRAY_EXIT, 500, 0), 9, &k);
        assert_int_equal(k.duration, 400);
        assert_int_equal(k.self, 300);
        calls_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stacks),
                                       cmocka_unit_test(test_call),
                                       cmocka_unit_test(test_basic_arguments),
                                       cmocka_unit_test(test_doubts),
                                       cmocka_unit_test(test_lost_ends),
                                       cmocka_unit_test(test_ended),
                                       cmocka_unit_test(test_tails),
                                       cmocka_unit_test(test_many_tails),
                                       cmocka_unit_test(test_switching),
                                       cmocka_unit_test(test_call_goes_on),
                                       cmocka_unit_test(test_unwound),
                                       cmocka_unit_test(test_reused),
                                       cmocka_unit_test(test_unwound_never_missed),
                                       cmocka_unit_test(test_unwound_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
