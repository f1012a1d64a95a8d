/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses by cache line, and by what lies in it: sums by hand, and lines that have no row. */
#include "cacheray_statistics.h"
#include "counting.h"

#include "cacheray/statistics/line_sums.h"
#include "cacheray/statistics/offsets.h"

#define BASE UINT64_C(0x7f0000000000)

static const cacheray_display shown = {.line_size = 64};

static rows *lines_of(void *s)
{
    return counting_rows(&cacheray_line_sums_counted, s, &shown);
}

static rows *offsets_of(void *o)
{
    return counting_rows(&cacheray_offsets_counted, o, &shown);
}

static bool line_add(void *s, const cacheray_tapped *v)
{
    return counting_add(&cacheray_line_sums_counted, s, v, 0);
}

static bool offset_add(void *o, const cacheray_tapped *v)
{
    return counting_add(&cacheray_offsets_counted, o, v, 0);
}

/* Two threads that write beside each other, one that reads elsewhere, and an access to two lines. */
static unsigned some_accesses(cacheray_tapped *all)
{
    unsigned n = 0;
    all[n++] = access_to(CACHERAY_READ, BASE + 128, 3);
    for (unsigned i = 0; i < 4; i++) { /* 3 of them contended */
        all[n] = access_to(CACHERAY_WRITE, BASE + 8 * (i % 2), 1 + i % 2);
        all[n].type = "struct.pair";
        all[n].member = i % 2 ? "right" : "left";
        all[n].atomic = i == 3;
        n++;
    }
    all[n] = access_to(CACHERAY_READ, BASE + 60, 1); /* contended: the one before was a write of thread 2 */
    all[n].type = "int";
    all[n].index = 15;
    all[n].many = true;
    n++;
    all[n] = all[n - 1]; /* not contended: the same thread */
    n++;
    all[n++] = (cacheray_tapped){.kind = CACHERAY_RTTA_REMOVE, .placed = BASE};
    return n;
}

enum { ACCESSES_MAX = 9 };

static void test_lines(void **state)
{
    (void)state;
    cacheray_tapped all[ACCESSES_MAX];
    void *s = counting_begin(&cacheray_line_sums_counted, "", &shown);
    const unsigned n = some_accesses(all);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(line_add(s, &all[i]), all[i].is_access);
    expect_text(lines_of(s), "0x7f0000000080,1,0,0,private,3,1,0\n"
                             "0x7f0000000000,2,4,4,false,\"1*,2*\",2,1\n"
                             "0x7f0000000040,2,0,0,private,1,1,0\n");
    cacheray_line_sums_counted.free(s);
}

/* Only eight threads are listed. */
static void test_many_threads(void **state)
{
    (void)state;
    void *s = counting_begin(&cacheray_line_sums_counted, "", &shown);
    for (unsigned i = 10; i-- > 0;) {
        const cacheray_tapped v = access_to(CACHERAY_READ, BASE, i);
        line_add(s, &v);
    }
    expect_text(lines_of(s), "0x7f0000000000,10,0,0,read-only,\"0,1,2,3,4,5,6,7,...\",10,0\n");
    cacheray_line_sums_counted.free(s);
}

/* Lines with most accesses have rows; a contended access is worth more than many others. The last row has the rest. */
static void test_chosen(void **state)
{
    (void)state;
    enum { MANY = 60000, BUSY = MANY - 2, CONTENDED = MANY - 1 };
    void *s = counting_begin(&cacheray_line_sums_counted, "", &shown);
    for (uint64_t i = 0; i < MANY; i++) {
        const cacheray_tapped v = access_to(CACHERAY_READ, BASE + 64 * i, 1);
        const cacheray_tapped write = access_to(CACHERAY_WRITE, BASE + 64 * i, i == CONTENDED ? 2 : 1);
        for (unsigned k = 0; k < (i == CONTENDED ? 1 : 3); k++)
            line_add(s, &v);
        for (unsigned k = 0; k < (i == CONTENDED ? 1 : i == BUSY ? 40 : 0); k++)
            line_add(s, &write);
    }
    rows *r = lines_of(s);
    const unsigned length = rows_length(r);
    uint64_t reads = 0;
    for (unsigned row = 0; row < length; row++)
        reads += rows_at(r, row)[LINE_ROWS_READS].number;
    assert_true(length > 16000 && length < MANY);
    assert_int_equal(reads, 3 * (MANY - 1) + 1);
    assert_int_equal(rows_at(r, 0)[LINE_ROWS_LINE].number, BASE);
    assert_int_equal(rows_at(r, length - 3)[LINE_ROWS_LINE].number, BASE + 64 * BUSY);
    assert_int_equal(rows_at(r, length - 3)[LINE_ROWS_WRITES].number, 40);
    assert_int_equal(rows_at(r, length - 2)[LINE_ROWS_LINE].number, BASE + 64 * CONTENDED);
    assert_int_equal(rows_at(r, length - 2)[LINE_ROWS_CONTENDED].number, 1);
    assert_string_equal(rows_at(r, length - 1)[LINE_ROWS_LINE].text, TEXT_OTHERS);
    assert_int_equal(rows_at(r, length - 1)[LINE_ROWS_WRITES].number, 0);
    rows_free(r);
    cacheray_line_sums_counted.free(s);
}

/* The line that threads contend for comes first, below it the data that they contend for; each says against whom. */
static void test_offsets(void **state)
{
    (void)state;
    cacheray_tapped all[ACCESSES_MAX];
    void *o = counting_begin(&cacheray_offsets_counted, "", &shown);
    const unsigned n = some_accesses(all);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(offset_add(o, &all[i]), all[i].is_access);
    for (unsigned i = 0; i < 2; i++)
        expect_text(offsets_of(o),
                    "0x7f0000000000,2,4,4,false,\"1*,2*\",2,1,,struct.pair.left (thread 1),struct.pair.right (thread 2),3\n"
                    "0x7f0000000000,0,2,2,,2*,1,1,8,struct.pair.right,struct.pair.left (thread 1),3\n"
                    "0x7f0000000000,0,2,1,,1*,1,0,0,struct.pair.left,struct.pair.right (thread 2),3\n"
                    "0x7f0000000000,2,0,1,,1,1,0,60,int[15],struct.pair.right (thread 2),1\n"
                    "0x7f0000000040,2,0,0,private,1,1,0,,,,0\n"
                    "0x7f0000000040,2,0,0,,1,1,0,0,int[15],,0\n"
                    "0x7f0000000080,1,0,0,private,3,1,0,,,,0\n"
                    "0x7f0000000080,1,0,0,,3,1,0,0,(not annotated),,0\n");
    cacheray_offsets_counted.free(o);
}

static void write_to(void *o, uint64_t address, uint64_t thread)
{
    const cacheray_tapped v = access_to(CACHERAY_WRITE, address, thread);
    offset_add(o, &v);
}

static bool is_of_line(const rows_cell *cells)
{
    return cells[LINE_ROWS_SHARING].state == ROWS_IS_TEXT;
}

/* The busiest lines have rows, whenever they were busy; their counts are exact, and all rows add up. */
static void test_offsets_full(void **state)
{
    (void)state;
    enum { MANY = 60000, BUSY = 999 };
    const uint64_t late = BASE + 64 * MANY, again = BASE + 64 * MANY / 2;
    void *o = counting_begin(&cacheray_offsets_counted, "", &shown);
    for (unsigned i = 0; i < MANY; i++)
        write_to(o, BASE + 64 * i, 1);
    for (unsigned i = 0; i < BUSY; i++) {
        write_to(o, late + 8 * (i % 2), 1 + i % 2);
        if (i < BUSY / 2)
            write_to(o, again + 8 * (i % 2), 1 + i % 2); /* it was dropped */
    }
    rows *r = offsets_of(o);
    uint64_t writes = 0, below = 0;
    for (unsigned row = 0; row < rows_length(r); row++) {
        const rows_cell *cells = rows_at(r, row);
        if (is_of_line(cells) || row + 1 == rows_length(r))
            writes += cells[LINE_ROWS_WRITES].number;
        else
            below += cells[LINE_ROWS_WRITES].number;
    }
    assert_int_equal(writes, MANY + BUSY + BUSY / 2);
    assert_int_equal(below, writes - rows_at(r, rows_length(r) - 1)[LINE_ROWS_WRITES].number);
    assert_string_equal(rows_at(r, rows_length(r) - 1)[LINE_ROWS_LINE].text, TEXT_OTHERS);
    assert_string_equal(r->missing, LINE_ROWS_MISSING);
    assert_int_equal(rows_at(r, 0)[LINE_ROWS_LINE].number, late);
    assert_int_equal(rows_at(r, 0)[LINE_ROWS_CONTENDED].number, BUSY - 1);
    assert_int_equal(rows_at(r, 0)[CACHERAY_OFFSETS_TIMES].number, BUSY - 1);
    assert_int_equal(rows_at(r, 3)[LINE_ROWS_LINE].number, again);
    assert_int_equal(rows_at(r, 3)[LINE_ROWS_CONTENDED].number, BUSY / 2 - 1);
    assert_int_equal(rows_at(r, 3)[LINE_ROWS_WRITES].number, BUSY / 2 + 1);
    assert_string_equal(rows_at(r, 6)[CACHERAY_OFFSETS_DATA].text, TEXT_OTHERS);
    assert_int_equal(rows_at(r, 6)[LINE_ROWS_WRITES].number, 1);
    rows_free(r);
    cacheray_offsets_counted.free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_many_threads),
                                       cmocka_unit_test(test_chosen), cmocka_unit_test(test_offsets),
                                       cmocka_unit_test(test_offsets_full)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
