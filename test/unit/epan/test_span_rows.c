/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The spans that took longest: rows by hand, by each kind of column, and those that are open at the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "showing/span_rows.h"

#include <epan/tap.h>
#include <epan/wmem_scopes.h>

enum { BACKGROUND = 1, OTHER_KIND = 1 };

/* What a record has ended; its data. */
typedef struct ended {
    span spans[2];
    unsigned count;
    uint64_t now;
    bool begins;
} ended;

static bool ended_span(const void *tapped, uint32_t i, span *s)
{
    const ended *e = tapped;
    if (i < e->count)
        *s = e->spans[i];
    return i < e->count;
}

static uint64_t half(uint64_t ticks)
{
    return ticks / 2;
}

static const span_source source = {.tap = "spans", .span = ended_span, .nanoseconds = half};

/* --- the table --------------------------------------------------------------------------------------------------------- */

enum { DURATION, SELF, BEGIN, END, NAME, OWN, COLUMNS };
static const rows_column columns[COLUMNS] = {
    [DURATION] = {"Duration", ROWS_TIME, ROWS_EACH}, [SELF] = {"Self", ROWS_TIME, ROWS_EACH},
    [BEGIN] = {"Begin", ROWS_ORDINAL, ROWS_EACH},    [END] = {"End", ROWS_ORDINAL, ROWS_EACH},
    [NAME] = {"Name", ROWS_TEXT, ROWS_EACH},         [OWN] = {"Own", ROWS_NUMBER, ROWS_EACH}};
static const unsigned char cells[COLUMNS] = {SPAN_DURATION, SPAN_SELF, SPAN_BEGIN, SPAN_END, SPAN_NAME, SPAN_COLUMNS};

static rows_cell own_cell(unsigned which, const record_seen *seen, const void *tapped, const span *s, bool ticks)
{
    (void)which, (void)seen, (void)tapped, (void)ticks;
    return rows_signed(10 - (int64_t)s->call.begin);
}

static shown_name name_of(const record_seen *seen, const span *s, bool full)
{
    static char text[16];
    (void)seen;
    g_snprintf(text, sizeof text, "%s %u", full ? "function" : "f", s->function);
    return shown_name_of(text);
}

static bool is_background(const span *s)
{
    return s->function == BACKGROUND;
}

static uint64_t now_of(const void *tapped)
{
    return ((const ended *)tapped)->now;
}

static bool begins(const void *tapped)
{
    return ((const ended *)tapped)->begins;
}

static span called(uint32_t begin, uint32_t end, uint64_t duration, uint64_t self, unsigned state)
{
    return (span){.call = {.begin = begin,
                           .end = end,
                           .last = end - 1,
                           .duration = duration,
                           .self = self,
                           .state = (uint8_t)(CALL_TIMED | state)},
                  .function = 10 * begin};
}

static bool end_missing;

static void each_open(const void *tapped, uint64_t now, span_opened visit, void *data)
{
    (void)tapped;
    for (uint32_t begin = 20; begin < 23 && !end_missing; begin++) {
        const span s = called(begin, 0, now - 2 * begin, 0, 0);
        visit(data, NULL, &s);
    }
}

static const span_table ended_only = {.from = &source,
                                      .command = "spans,slowest",
                                      .title = "Slowest",
                                      .slowest = "slowest spans",
                                      .columns = columns,
                                      .count = COLUMNS,
                                      .cells = cells,
                                      .cell = own_cell,
                                      .name = name_of},
                        open_too = {.from = &source,
                                    .kind = SPAN_ALL_KINDS,
                                    .command = "spans,open",
                                    .title = "Open",
                                    .slowest = "slowest spans, also open",
                                    .columns = columns,
                                    .count = COLUMNS,
                                    .cells = cells,
                                    .cell = own_cell,
                                    .name = name_of,
                                    .is_background = is_background,
                                    .now = now_of,
                                    .each_open = each_open,
                                    .begins = begins};
static statistic *of_ended, *of_open;

/* --- a run ------------------------------------------------------------------------------------------------------------- */

static statistic_run *asked(statistic *s, const char *words)
{
    statistic_run *run = statistic_run_new(s);
    assert_true(statistic_run_take(run, words, NULL));
    statistic_run_begin(run);
    return run;
}

static bool count(statistic_run *run, uint32_t place, ended e)
{
    const record_seen seen = {.frame = place, .number = place};
    const counted_record r = record_counted(&seen, &e);
    return run->of->counts->count(run->data, &r);
}

static bool count_one(statistic_run *run, span s)
{
    return count(run, s.call.end, (ended){.spans = {s}, .count = 1});
}

/* Calls that begin at records 1 to 6. Only some have self times. */
static void count_all(statistic_run *run)
{
    assert_true(count_one(run, called(2, 5, 30, 30, CALL_SELF)));
    assert_true(count_one(run, called(3, 8, 50, 4, CALL_SELF | CALL_CLOSED)));
    assert_true(
        count(run, 9, (ended){.spans = {called(4, 9, 30, 24, CALL_SELF), called(1, 9, 90, 10, CALL_SELF)}, .count = 2}));
    assert_true(count_one(run, called(5, 10, 31, 8, CALL_SELF)));
    assert_true(count_one(run, called(6, 12, 20, 0, 0)));
}

static void expect(const statistic_run *run, const char *expected)
{
    g_autoptr(GString) text = g_string_new(NULL);
    rows *r = statistic_run_rows(run);
    for (unsigned row = 0; row < rows_length(r); row++)
        for (unsigned i = 0; i < r->count; i++) {
            rows_append_cell(text, &columns[i], &rows_at(r, row)[i]);
            g_string_append_c(text, i + 1 < r->count ? '|' : '\n');
        }
    assert_string_equal(text->str, expected);
    rows_free(r);
}

/* --- tests ------------------------------------------------------------------------------------------------------------- */

/* Without an exit the end is the last record inside. 31 ticks are as many nanoseconds as 30, but more; of two that took
 * equally long the one that began first is first. */
static void rows_by_hand(void **state)
{
    (void)state;
    statistic_run *run = asked(of_ended, "top:5");
    span untimed = called(7, 13, 1000, 0, 0), stray = called(0, 14, 1000, 0, 0), other = called(8, 15, 1000, 0, 0);
    untimed.call.state = CALL_UNMATCHED;
    other.kind = OTHER_KIND;
    expect(run, "");
    count_all(run);
    assert_false(count_one(run, untimed));
    assert_false(count_one(run, stray));
    assert_false(count_one(run, other));
    for (unsigned again = 0; again < 2; again++)
        expect(run, "45|5|1|9|f 10|9\n25|2|3|7|f 30|7\n15|4|5|10|f 50|5\n15|15|2|5|f 20|8\n15|12|4|9|f 40|6\n");
    statistic_run_free(run);
    run = asked(of_ended, "top:1,ticks,csv");
    count_all(run);
    expect(run, "90|10|1|9|function 10|9\n");
    statistic_run_free(run);
}

static void expect_first(const char *words, const char *expected)
{
    g_autoptr(GString) begun = g_string_new(NULL);
    statistic_run *run = asked(of_ended, words);
    count_all(run);
    rows *r = statistic_run_rows(run);
    for (unsigned row = 0; row < rows_length(r); row++)
        g_string_append_printf(begun, "%u ", (unsigned)rows_at(r, row)[BEGIN].number);
    assert_string_equal(begun->str, expected);
    rows_free(r);
    statistic_run_free(run);
}

/* Which texts are first does not say which matter. */
static void by_columns(void **state)
{
    (void)state;
    expect_first("top:2,sort:+duration", "6 2 ");
    expect_first("top:2,sort:self", "2 4 ");
    expect_first("top:2,sort:+self", "3 5 "); /* not the one without */
    expect_first("sort:+self", "3 5 1 4 2 6 ");
    expect_first("top:2,sort:+begin", "1 2 ");
    expect_first("top:3,sort:end", "6 5 1 ");
    expect_first("top:2,sort:name", "1 3 ");
    expect_first("top:2,sort:own", "1 2 ");
    expect_first("top:2,sort:+own", "6 5 ");
}

/* Only what a record began that has been counted; such rows go when they have ended. */
static void open_at_the_end(void **state)
{
    (void)state;
    statistic_run *run = asked(of_open, "");
    expect(run, "");
    assert_false(count(run, 20, (ended){.begins = true, .now = 100}));
    assert_false(count(run, 22, (ended){.begins = true, .now = 110}));
    assert_true(count_one(run, called(19, 23, 140, 0, 0)));
    for (unsigned again = 0; again < 2; again++)
        expect(run, "70||19|23|f 190|-9\n35||20||f 200|-10\n33||22||f 220|-12\n");
    end_missing = true;
    expect(run, "70||19|23|f 190|-9\n");
    end_missing = false;
    statistic_run_free(run);
}

static void every_word(void **state)
{
    (void)state;
    span background = called(3, 4, 10, 0, 0), other = called(5, 6, 8, 0, 0);
    background.function = BACKGROUND;
    other.kind = OTHER_KIND;
    statistic_run *run = asked(of_open, ""), *every = asked(of_open, "every");
    assert_false(count_one(run, background));
    assert_true(count_one(every, background));
    assert_true(count_one(run, other));
    assert_true(count_one(every, other));
    expect(run, "4||5|6|f 50|5\n");
    expect(every, "5||3|4|f 1|7\n4||5|6|f 50|5\n");
    statistic_run_free(run);
    statistic_run_free(every);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_by_hand), cmocka_unit_test(by_columns),
                                       cmocka_unit_test(open_at_the_end), cmocka_unit_test(every_word)};
    wmem_init_scopes();
    register_tap("spans");
    of_ended = span_rows_register(&ended_only);
    of_open = span_rows_register(&open_too);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
