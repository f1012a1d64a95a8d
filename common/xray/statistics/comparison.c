/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/statistics/comparison.h"

#include "core/trace_reader.h"
#include "program/objects.h"
#include "xray/xray.h"

static const rows_column columns[XRAY_COMPARISON_COLUMNS] = {
    COMPARISON_NAME_COLUMNS("Function", "Caller"),         COMPARISON_MEASURE_COLUMNS("Calls", ROWS_NUMBER),
    COMPARISON_MEASURE_COLUMNS("Sum", ROWS_TIME),          COMPARISON_MEASURE_COLUMNS("Self", ROWS_TIME),
    COMPARISON_MEASURE_COLUMNS("Typical self", ROWS_TIME), COMPARISON_MEASURE_COLUMNS("Mean", ROWS_TIME),
    COMPARISON_MEASURE_COLUMNS("Median", ROWS_TIME),       COMPARISON_MEASURE_COLUMNS("99 %", ROWS_TIME),
    COMPARISON_MEASURE_COLUMNS("Unwound", ROWS_NUMBER),
};

static const comparison_measure measures[XRAY_COMPARISON_MEASURES] = {
    [XRAY_COMPARISON_CALLS] = {.column = XRAY_ACCOUNT_CALLS, .counts = true},
    [XRAY_COMPARISON_SUM] = {.column = XRAY_ACCOUNT_SUM, .counts = true},
    [XRAY_COMPARISON_SELF] = {.column = XRAY_ACCOUNT_SELF, .counts = true},
    [XRAY_COMPARISON_TYPICAL] = {.column = XRAY_ACCOUNT_TYPICAL, .counts = true},
    [XRAY_COMPARISON_MEAN] = {.column = XRAY_ACCOUNT_SUM, .per = XRAY_ACCOUNT_CALLS},
    [XRAY_COMPARISON_MEDIAN] = {.column = XRAY_ACCOUNT_MEDIAN},
    [XRAY_COMPARISON_99] = {.column = XRAY_ACCOUNT_99},
    [XRAY_COMPARISON_UNWOUND] = {.column = XRAY_ACCOUNT_UNWOUND, .counts = true},
};

/* --- the baseline ------------------------------------------------------------------------------------------------------ */

typedef struct reading {
    xray_baseline *baseline;
    xray_session session;
} reading;

static void xray_comparison_visit(void *data, uint32_t frame, const record_context *c, const cursor *bytes,
                                  const stream *from, bool outside)
{
    (void)from;
    reading *x = data;
    xray_tapped r;
    if (frame == 1)
        xray_session_begin(&x->session, c);
    x->baseline->loses_ends |= xray_loses_end(c);
    xray_session_read(&x->session, &r, c, bytes);
    xray_session_visit(&r, frame);
    if (!outside)
        xray_account_count(x->baseline->account, &(counted_record){.tapped = &r});
}

/* If a baseline cannot be opened, reading it reports why. */
static void look_ahead(xray_session *s, const char *path)
{
    trace_reader t;
    if (!trace_reader_open(&t, path, "xray", NULL))
        return;
    xray_session_look_ahead(s, t.trace, NULL, false, true);
    trace_reader_close(&t);
}

bool xray_baseline_read(xray_baseline *b, const char *path, bool callers, const char *binary, bool demangle,
                        GString *problems, GError **error)
{
    g_auto(GStrv) paths = xray_functions_discover(path, binary, problems);
    reading x = {.baseline = b};
    *b = (xray_baseline){.account = xray_account_new_compared(callers)};
    b->functions = xray_functions_load(paths, demangle, problems);
    x.session.names = b->functions;
    look_ahead(&x.session, path);
    xray_session_analyse(&x.session, 0);
    const bool read = trace_reader_read(path, "xray", xray_comparison_visit, &x, error);
    b->frequency = x.session.frequency;
    xray_session_end(&x.session);
    return read;
}

const char *xray_baseline_unmatched(const xray_baseline *b, const char *path, const char *after, const xray_functions *names)
{
    enum { LIBRARIES = 1 << (32 - XRAY_LIBRARY_SHIFT) };
    g_autoptr(objects) old = objects_read(path), new = after ? objects_read(after) : NULL;
    for (uint32_t number = 0; number < LIBRARIES; number++) {
        const bool one = !b->functions || !names; /* its names would be those of the other */
        if (!objects_differ(old, new, number) ||
            (!one && (xray_functions_named(b->functions, number) || xray_functions_named(names, number))))
            continue;
        return names && !b->functions ? "the baseline" : b->functions && !names ? "this log" : "both logs";
    }
    return NULL;
}

void xray_baseline_clear(xray_baseline *b)
{
    xray_account_free(b->account);
    xray_functions_free(b->functions);
    *b = (xray_baseline){0};
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

static rows *rows_by_name(const xray_account *a, const xray_display *shown)
{
    rows *r = rows_new(xray_account_columns, XRAY_ACCOUNT_COMPARED);
    xray_account *named = xray_account_by_name(a, shown->functions);
    xray_account_fill(named, shown, r);
    r->missing = xray_account_full(a) ? ROWS_FIRST_COME : r->missing;
    xray_account_free(named);
    return r;
}

static void xray_comparison_fill(void *data, const void *how, rows *to)
{
    static const uint8_t names[COMPARISON_SEEN] = {XRAY_ACCOUNT_FUNCTION, XRAY_ACCOUNT_CALLER};
    const xray_comparison *c = data;
    const xray_baseline *before = &c->before;
    if (c->unmatched)
        return;
    const xray_display *shown = how;
    xray_display sides[COMPARISON_SIDES] = {*shown, *shown};
    sides[COMPARISON_BEFORE].functions = before->functions ? before->functions : shown->functions;
    sides[COMPARISON_BEFORE].frequency = before->frequency;
    sides[COMPARISON_AFTER].functions = shown->functions ? shown->functions : before->functions;
    for (int side = 0; side < COMPARISON_SIDES; side++)
        sides[side].full = true;
    comparison_fill(rows_by_name(before->account, &sides[COMPARISON_BEFORE]),
                    rows_by_name(c->after, &sides[COMPARISON_AFTER]), names, measures, to);
}

static void *comparison_begin(const statistic_words *words, const void *how)
{
    (void)how;
    xray_comparison *c = g_new0(xray_comparison, 1);
    c->after = xray_account_new_compared(statistic_words_has(words, "graph"));
    return c;
}

static bool comparison_count(void *data, const counted_record *r)
{
    return xray_account_count(((const xray_comparison *)data)->after, r);
}

static void comparison_free(void *data)
{
    xray_comparison *c = data;
    xray_baseline_clear(&c->before);
    xray_account_free(c->after);
    g_free(c);
}

const counted xray_comparison_counted = {.columns = columns,
                                         .column_count = XRAY_COMPARISON_COLUMNS,
                                         .words = "graph, binary:FILE, " COMPARISON_BASELINE,
                                         .begin = comparison_begin,
                                         .count = comparison_count,
                                         .fill = xray_comparison_fill,
                                         .free = comparison_free};
