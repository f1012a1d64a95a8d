/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The analysis of a log as all who read records use it: what it knows in advance, of each record, and in which ticks. Logs
 * are written as in xray_log.h, with 3 ticks between records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>

#include "core/trace_reader.h"
#include "temporary_file.h"
#include "xray/session.h"
#include "xray_log.h"

/* The spans that thread 1 has ended, in order. */
typedef struct reading {
    xray_session session;
    GArray *ended;      /* of span */
    GString *callers;   /* of these, as letters; `-`: none */
    GString *around;    /* the function around each record of a function, likewise */
    uint32_t unknown;   /* records of thread 1 at which depths are not known */
    uint64_t frequency; /* of the records, if not 0 */
} reading;

static unsigned doubts; /* that were reported since a test began */

static void report(unsigned doubt)
{
    doubts |= doubt;
}

static void feed(void *data, uint32_t frame, const record_context *c, const cursor *bytes, const stream *from, bool outside)
{
    (void)from;
    (void)outside;
    reading *x = data;
    record_context own = *c;
    xray_tapped r;
    uint32_t function;
    span ended;
    if (x->frequency)
        xray_context_of(&own)->frequency = x->frequency;
    if (frame == 1 && !x->session.frequency)
        xray_session_begin(&x->session, &own);
    xray_session_read(&x->session, &r, &own, bytes);
    xray_session_visit(&r, frame);
    if (xray_context_of(c)->thread != 1)
        return;
    x->unknown += xray_session_depth_unknown(&r);
    if (xray_is_function(c->kind))
        g_string_append_c(x->around, xray_session_around(&r, &function) ? (char)function : '-');
    for (uint32_t i = 0; xray_session_span(&r, i, &ended); i++) {
        g_array_append_val(x->ended, ended);
        g_string_append_c(x->callers, xray_session_caller(&r, &ended, &function) ? (char)function : '-');
    }
}

static const span *span_at(const reading *x, guint i)
{
    return &g_array_index(x->ended, span, i);
}

static char *log_file(const char *first, const char *second)
{
    builder b = log_of_calls(false, first, second, "xX");
    char *path = temporary_file(b.bytes->data, b.bytes->len);
    log_free(&b);
    return path;
}

/* Finds out about the log in advance, then reads it. */
static void read_log(reading *x, const char *path)
{
    trace_reader r;
    x->ended = g_array_new(FALSE, FALSE, sizeof(span));
    x->callers = g_string_new(NULL);
    x->around = g_string_new(NULL);
    x->session.report = report;
    doubts = 0;
    assert_true(trace_reader_open(&r, path, "xray", NULL));
    xray_session_look_ahead(&x->session, r.trace, NULL, false, true);
    trace_reader_close(&r);
    xray_session_analyse(&x->session, 0);
    assert_true(trace_reader_read(path, "xray", feed, x, NULL));
}

static void end_reading(reading *x, char *path)
{
    xray_session_end(&x->session);
    g_array_free(x->ended, TRUE);
    g_string_free(x->callers, TRUE);
    g_string_free(x->around, TRUE);
    g_remove(path);
    g_free(path);
}

/* Calls and their callers; one without an exit is ended by that of the call around it. */
static void test_spans(void **state)
{
    (void)state;
    char *path = log_file("abBcA", "dD");
    reading x = {0};
    read_log(&x, path);
    assert_false(x.session.ahead.none);
    assert_int_equal(x.ended->len, 4);
    assert_string_equal(x.callers->str, "a-a-"); /* b, a, c that a has ended, d */
    assert_string_equal(x.around->str, "-aaa---");
    assert_int_equal(span_at(&x, 0)->function, 'b');
    assert_int_equal(span_at(&x, 0)->call.duration, 3);
    assert_int_equal(span_at(&x, 1)->call.duration, 12);
    assert_true(span_at(&x, 2)->call.state & CALL_CLOSED);
    assert_int_equal(doubts, 0);
    end_reading(&x, path);
}

/* All times are in ticks of the session, also of records with another counter. */
static void test_clocks(void **state)
{
    (void)state;
    for (uint64_t factor = 1; factor <= 3; factor++) {
        char *path = log_file("abBcA", "");
        reading x = {.session.frequency = factor * 1000000000, .frequency = 1000000000};
        read_log(&x, path);
        assert_int_equal(span_at(&x, 1)->call.duration, factor * 12);
        assert_int_equal(span_at(&x, 0)->call.self, factor * 3);
        assert_int_equal(span_at(&x, 2)->call.until, factor * (1000 + 4 * 3));
        assert_int_equal(doubts, 0);
        end_reading(&x, path);
    }
}

/* A counter of unknown speed beside a known one is told. */
static void test_mixed(void **state)
{
    (void)state;
    record_context c = {.kind = XRAY_EXIT};
    xray_session s = {.frequency = 2000000000, .report = report};
    const xray_tapped r = {.context = &c, .session = &s};
    doubts = 0;
    assert_int_equal(xray_session_ticks(&r, 10), 20);
    assert_int_equal(doubts, XRAY_MIXED_TICKS);
    doubts = 0;
    xray_context_of(&c)->frequency = 1000000000;
    assert_int_equal(xray_session_ticks(&r, 10), 20);
    assert_int_equal(doubts, 0);
    assert_int_equal(xray_session_between(&r, 10, 30), 10);
}

/* What is known in advance: nothing of a log whose exits are all there; of others where calls end, if somebody cannot wait.
 */
static void test_look_ahead(void **state)
{
    (void)state;
    static const struct {
        const char *first;
        bool none, tails;
        guint unwound;
    } cases[] = {{"abBA", true, false, 0}, {"abcA", false, true, 2}, {"f.FgGF", false, true, 0}};
    for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++)
        for (unsigned part = 0; part <= 1; part++)
            for (unsigned waits = 0; waits <= 1; waits++) {
                char *path = log_file(cases[i].first, "");
                xray_session s = {0};
                trace_reader r;
                assert_true(trace_reader_open(&r, path, "xray", NULL));
                xray_session_look_ahead(&s, part ? NULL : r.trace, path, part, waits); /* that of a part has not all */
                trace_reader_close(&r);
                assert_int_equal(s.ahead.none, cases[i].none && !part);
                assert_int_equal(s.ahead.tails != NULL, cases[i].tails);
                assert_int_equal(s.ahead.unwound != NULL, !s.ahead.none && !waits);
                assert_int_equal(s.ahead.unwound ? s.ahead.unwound->len : 0, waits ? 0 : cases[i].unwound);
                xray_session_end(&s);
                g_remove(path);
                g_free(path);
            }
    xray_session s = {0};
    xray_session_look_ahead(&s, NULL, "/no/log", true, false); /* it has gone */
    assert_false(s.ahead.none || s.ahead.tails || s.ahead.unwound);
    xray_session_end(&s);
}

/* A tail exit that was not taken is inside its call; a thread that switches stacks has no depths. */
static void test_known(void **state)
{
    (void)state;
    char *path = log_file("mf.FgGFM", "");
    reading x = {0};
    read_log(&x, path);
    assert_string_equal(x.callers->str, "fm-"); /* g, f, m */
    assert_int_equal(x.unknown, 0);
    end_reading(&x, path);
    path = log_file("mngfNGM", "");
    x = (reading){0};
    read_log(&x, path);
    assert_int_equal(g_hash_table_size(x.session.ahead.tails->switching), 1);
    assert_true(x.unknown > 0);
    end_reading(&x, path);
}

/* What was kept of a record is found again. */
static void test_find(void **state)
{
    (void)state;
    xray_session s = {.frequency = 1000000000};
    record_context c = {.kind = XRAY_ENTRY};
    const uint8_t bytes[XRAY_FUNCTION_LENGTH] = {'a' << 4 & 0xff, 'a' >> 4};
    const cursor all = {bytes, sizeof bytes, false};
    xray_tapped r;
    span ended;
    *xray_context_of(&c) = (xray_context){.type = XRAY_TYPE_FDR,
                                          .version = 5,
                                          .thread = 1,
                                          .tsc = 100,
                                          .frequency = 1000000000,
                                          .known = XRAY_KNOWN_THREAD | XRAY_KNOWN_TSC};
    xray_session_analyse(&s, CALLS_KEEP);
    xray_session_read(&s, &r, &c, &all);
    assert_true(r.has_function);
    assert_int_equal(r.function, 'a');
    xray_session_look(&r, 1, false);
    assert_true(r.has_call);
    assert_false(xray_session_span(&r, 0, &ended));
    c.kind = XRAY_NEW_CPU; /* inside the call */
    xray_session_read(&s, &r, &c, &(cursor){bytes, 0, false});
    xray_session_visit(&r, 2);
    assert_false(r.has_call);
    assert_int_equal(r.within, 1);
    r.within = 0;
    xray_session_look(&r, 2, true);
    assert_false(r.has_call);
    assert_int_equal(r.within, 1);
    xray_session_look(&r, 1, true);
    assert_true(r.has_call);
    assert_int_equal(r.call.begin, 1);
    c.kind = XRAY_TAIL_EXIT;
    xray_context_of(&c)->tsc = 130;
    xray_session_read(&s, &r, &c, &all);
    xray_session_look(&r, 3, false);
    assert_true(xray_session_span(&r, 0, &ended));
    assert_int_equal(ended.call.duration, 30);
    xray_session_end(&s);
    assert_int_equal(s.frequency, 1000000000); /* tables may be shown afterwards */
    assert_null(s.calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spans),      cmocka_unit_test(test_clocks), cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_look_ahead), cmocka_unit_test(test_known),  cmocka_unit_test(test_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
