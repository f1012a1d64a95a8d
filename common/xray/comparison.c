/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/comparison.h"

#include "containers/hash_map.h"
#include "core/trace_reader.h"
#include "xray/analysis.h"

const rows_column xray_comparison_columns[XRAY_COMPARISON_COLUMNS] = {
    COMPARISON_NAME_COLUMNS("Function", "Caller"),      COMPARISON_MEASURE_COLUMNS("Calls", ROWS_NUMBER),
    COMPARISON_MEASURE_COLUMNS("Sum", ROWS_TIME),       COMPARISON_MEASURE_COLUMNS("Mean", ROWS_TIME),
    COMPARISON_MEASURE_COLUMNS("Median", ROWS_TIME),    COMPARISON_MEASURE_COLUMNS("99 %", ROWS_TIME),
    COMPARISON_MEASURE_COLUMNS("Unwound", ROWS_NUMBER),
};

enum { NUMBER_SUM, NUMBER_UNWOUND }; /* ticks; calls without an exit */

/* The rows of functions, whose names are looked up once: without a caller, and by caller << 32 | function. */
typedef struct known_rows {
    hash_map numbers;
    GArray *rows; /* of unsigned, by number - 1 */
} known_rows;
enum { OUTERMOST, CALLED, KNOWN };

struct xray_comparison {
    bool callers;
    comparison *pairs;
    known_rows known[COMPARISON_SIDES][KNOWN];
    xray_functions *functions; /* of the baseline; NULL: not known */
    uint64_t frequency;        /* of its first record, ticks per second */
};

static void forget_rows(known_rows k[KNOWN])
{
    for (int i = 0; i < KNOWN; i++) {
        hash_map_clear(&k[i].numbers);
        hash_map_init(&k[i].numbers);
        g_array_set_size(k[i].rows, 0);
    }
}

xray_comparison *xray_comparison_new(bool callers)
{
    xray_comparison *c = g_new0(xray_comparison, 1);
    c->callers = callers;
    c->pairs = comparison_new();
    for (int i = 0; i < COMPARISON_SIDES * KNOWN; i++) {
        known_rows *k = &c->known[i / KNOWN][i % KNOWN];
        hash_map_init(&k->numbers);
        k->rows = g_array_new(FALSE, FALSE, sizeof(unsigned));
    }
    return c;
}

void xray_comparison_free(xray_comparison *c)
{
    if (!c)
        return;
    for (int i = 0; i < COMPARISON_SIDES * KNOWN; i++) {
        hash_map_clear(&c->known[i / KNOWN][i % KNOWN].numbers);
        g_array_free(c->known[i / KNOWN][i % KNOWN].rows, TRUE);
    }
    comparison_free(c->pairs);
    xray_functions_free(c->functions);
    g_free(c);
}

bool xray_comparison_named(const xray_comparison *c)
{
    return c->functions != NULL;
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

/* If only one of the programs is known, it names the functions of both. */
static unsigned row_of(xray_comparison *c, comparison_side side, const xray_functions *open, uint32_t function,
                       const uint32_t *caller)
{
    const xray_functions *own = side == COMPARISON_BEFORE ? c->functions : open, *named = own ? own
                                                                                          : side == COMPARISON_BEFORE
                                                                                              ? open
                                                                                              : c->functions;
    xray_number number, around;
    const char *called = !c->callers ? "" : caller ? xray_function_words(named, *caller, around) : "(no caller)";
    return comparison_row(c->pairs, xray_function_words(named, function, number), called);
}

static unsigned known_row(xray_comparison *c, comparison_side side, const xray_functions *open, uint32_t function,
                          const uint32_t *caller)
{
    known_rows *k = &c->known[side][caller ? CALLED : OUTERMOST];
    const uint64_t key = (uint64_t)(caller ? *caller : 0) << 32 | function;
    const uint32_t known = hash_map_find(&k->numbers, key);
    if (known)
        return g_array_index(k->rows, unsigned, known - 1);
    const unsigned row = row_of(c, side, open, function, caller);
    if (!comparison_full(c->pairs)) { /* otherwise there may be any number of functions */
        hash_map_add(&k->numbers, key);
        g_array_append_val(k->rows, row);
    }
    return row;
}

bool xray_comparison_add(xray_comparison *c, comparison_side side, const xray_functions *open, uint32_t function,
                         const uint32_t *caller, const call *k)
{
    if (!(k->state & CALL_TIMED))
        return false;
    const unsigned row = known_row(c, side, open, function, c->callers ? caller : NULL);
    comparison_sums *s = comparison_sums_of(c->pairs, side, row);
    comparison_add(s, k->duration);
    s->all.numbers[NUMBER_UNWOUND] += k->state & CALL_CLOSED ? 1 : 0;
    return true;
}

void xray_comparison_merge(xray_comparison *c, const xray_comparison *other)
{
    comparison_merge(c->pairs, other->pairs);
}

void xray_comparison_forget(xray_comparison *c)
{
    comparison_forget(c->pairs);
    forget_rows(c->known[COMPARISON_AFTER]);
}

/* --- the baseline ------------------------------------------------------------------------------------------------------ */

typedef struct reading {
    xray_comparison *comparison;
    const xray_functions *open;
    calls *calls;
} reading;

static void visit(void *data, uint32_t frame, const record_context *c, const cursor *bytes, const stream *from, bool outside)
{
    (void)from;
    reading *r = data;
    uint64_t values[XRAY_FIELD_COUNT], stack = xray_analysis_stack(c);
    call own, k;
    uint32_t function, caller;
    if (frame == 1)
        r->comparison->frequency = xray_context_of(c)->frequency;
    xray_read(c, bytes, values);
    const uint32_t id = (uint32_t)values[XRAY_FIELD_FUNCTION];
    if (!xray_analysis_visit(r->calls, frame, c, stack, id, &own) || outside)
        return;
    for (uint32_t i = 0; xray_analysis_ended(r->calls, c->kind, &own, id, i, &k, &function); i++) {
        const bool called = r->comparison->callers && calls_caller(r->calls, stack, &k, &caller);
        xray_comparison_add(r->comparison, COMPARISON_BEFORE, r->open, function, called ? &caller : NULL, &k);
    }
}

char *xray_comparison_read(xray_comparison *c, const char *path, const char *binary, bool demangle,
                           const xray_functions *open, GString *problems)
{
    g_autofree char *found = binary ? NULL : xray_functions_discover(path);
    const char *paths = binary ? binary : found;
    reading r = {c, open, calls_new(CALLS_UNWIND)};
    c->functions = paths ? xray_functions_load(paths, demangle, problems) : NULL;
    char *problem = trace_reader_read(path, "xray", visit, &r);
    calls_free(r.calls);
    return problem;
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

/* The mean is that of the sum as it is shown: ticks may be much longer than a nanosecond. */
static rows_cell value(const void *data, comparison_side side, comparison_sums *s, unsigned measure)
{
    const xray_shown *shown = (const xray_shown *)data + side;
    const uint64_t count = s->all.count, sum = xray_shown_time(shown, s->all.numbers[NUMBER_SUM]);
    switch (measure) {
    case XRAY_COMPARISON_CALLS:
        return rows_number(count);
    case XRAY_COMPARISON_SUM:
        return rows_number(sum);
    case XRAY_COMPARISON_UNWOUND:
        return rows_number(s->all.numbers[NUMBER_UNWOUND]);
    default:
        break;
    }
    if (!count)
        return (rows_cell){0};
    if (measure == XRAY_COMPARISON_MEAN)
        return rows_number(sum / count + (sum % count >= (count + 1) / 2));
    return rows_number(xray_shown_time(shown, quantiles_value(&s->spread, measure == XRAY_COMPARISON_99 ? 99 : 50)));
}

void xray_comparison_fill(xray_comparison *c, const xray_shown *after, rows *to)
{
    const xray_shown sides[COMPARISON_SIDES] = {{.frequency = c->frequency, .ticks = after->ticks}, *after};
    comparison_fill(c->pairs, value, sides, to);
}
