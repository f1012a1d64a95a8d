/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/statistics/account.h"

#include <stdio.h>
#include <string.h>

#include "containers/hash.h"
#include "containers/hash_map.h"
#include "containers/percentiles.h"
#include "util/math128.h"
#include "xray/statistics/graph_label.h"

const rows_column xray_account_columns[XRAY_ACCOUNT_COMPARED] = {
    [XRAY_ACCOUNT_FUNCTION] = {"Function", ROWS_TEXT, ROWS_EACH},
    [XRAY_ACCOUNT_ID] = {"Id", ROWS_ORDINAL, ROWS_EACH},
    [XRAY_ACCOUNT_CALLS] = {"Calls", ROWS_COUNT, ROWS_ADDS},
    [XRAY_ACCOUNT_MIN] = {"Min", ROWS_TIME, ROWS_EACH},
    [XRAY_ACCOUNT_MEDIAN] = {"Median", ROWS_TIME, ROWS_EACH},
    [XRAY_ACCOUNT_90] = {"90 %", ROWS_TIME, ROWS_EACH},
    [XRAY_ACCOUNT_99] = {"99 %", ROWS_TIME, ROWS_EACH},
    [XRAY_ACCOUNT_MAX] = {"Max", ROWS_TIME, ROWS_EACH},
    [XRAY_ACCOUNT_SUM] = {"Sum", ROWS_TIME, ROWS_EACH},
    [XRAY_ACCOUNT_SELF] = {"Self", ROWS_TIME, ROWS_ADDS},
    [XRAY_ACCOUNT_UNWOUND] = {"Unwound", ROWS_COUNT, ROWS_ADDS},
    [XRAY_ACCOUNT_UNSURE] = {"Unsure", ROWS_COUNT, ROWS_ADDS},
    [XRAY_ACCOUNT_FILE] = {"File", ROWS_TEXT, ROWS_EACH},
    [XRAY_ACCOUNT_LINE] = {"Line", ROWS_ORDINAL, ROWS_EACH},
    [XRAY_ACCOUNT_CALLER] = {"Caller", ROWS_TEXT, ROWS_EACH},
    [XRAY_ACCOUNT_TYPICAL] = {"Typical self", ROWS_TIME, ROWS_EACH},
};

#define NO_CALLER XRAY_OTHER_FUNCTIONS

typedef xray_account_sums sums;

/* How many calls of a function are open on a stack, and whether there were several since the first of them began. */
typedef struct recursion {
    hash_pair key; /* stack and function */
    uint32_t depth;
    bool recursive;
} recursion;

struct xray_account {
    bool callers, compared, graph, spread;
    xray_account_counts which;
    hash_map known; /* caller << 32 | function -> row + 1 */
    GArray *rows;   /* of sums */
    counting_limit limit;
    uint64_t row_bytes;     /* for the limit */
    hash_map functions;     /* of a graph: that have a row */
    GHashTable *recursions; /* recursion.key -> recursion */
};

static void xray_account_clear_sums(gpointer data)
{
    percentiles_clear(&((sums *)data)->spread);
    percentiles_clear(&((sums *)data)->self_spread);
}

xray_account *xray_account_new(bool callers, xray_account_counts which)
{
    xray_account *a = g_new0(xray_account, 1);
    a->callers = callers;
    a->which = which;
    a->spread = true;
    a->limit = LIMIT_OF_ROWS;
    a->row_bytes = LIMIT_ROW;
    hash_map_init(&a->known);
    hash_map_init(&a->functions);
    a->rows = g_array_new(FALSE, TRUE, sizeof(sums));
    g_array_set_clear_func(a->rows, xray_account_clear_sums);
    a->recursions = g_hash_table_new_full(hash_pair_of, hash_pair_equal, NULL, g_free);
    return a;
}

xray_account *xray_account_new_compared(bool callers)
{
    xray_account *a = xray_account_new(callers, XRAY_COUNT_ALL);
    a->compared = true;
    return a;
}

/* Bytes of memory that an edge and its function may need. */
enum { EDGE = 512, EDGES = 100000, EDGE_SPREAD = 4096 };

xray_account *xray_account_new_graph(bool spread)
{
    xray_account *a = xray_account_new(true, XRAY_COUNT_ALL);
    a->graph = true;
    a->spread = spread;
    a->limit.room = (uint64_t)EDGES * EDGE;
    a->row_bytes = spread ? EDGE_SPREAD : EDGE;
    return a;
}

void xray_account_free(void *account)
{
    xray_account *a = account;
    if (!a)
        return;
    hash_map_clear(&a->known);
    hash_map_clear(&a->functions);
    g_array_free(a->rows, TRUE);
    g_hash_table_destroy(a->recursions);
    g_free(a);
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static recursion *recursion_of(xray_account *a, uint64_t stack, uint32_t function)
{
    const hash_pair key = {stack, function};
    recursion *one = g_hash_table_lookup(a->recursions, &key);
    if (!one) {
        one = g_new0(recursion, 1);
        one->key = key;
        g_hash_table_insert(a->recursions, &one->key, one);
    }
    return one;
}

void xray_account_enter(xray_account *a, uint64_t stack, uint32_t function)
{
    if (a->which == XRAY_COUNT_ALL)
        return;
    recursion *one = recursion_of(a, stack, function);
    one->recursive = one->depth++ > 0;
}

static bool xray_account_leave(xray_account *a, uint64_t stack, uint32_t function)
{
    if (a->which == XRAY_COUNT_ALL)
        return true;
    recursion *one = recursion_of(a, stack, function);
    bool recursive = one->recursive;
    one->depth -= one->depth > 0;
    return a->which == XRAY_COUNT_RECURSIVE ? recursive : one->depth == 0;
}

static sums *xray_account_sums_of(xray_account *a, uint32_t function, uint32_t caller)
{
    const uint64_t key = (uint64_t)caller << 32 | function;
    uint32_t row = hash_map_find(&a->known, key);
    if (!row && function != XRAY_OTHER_FUNCTIONS && !limit_allows(&a->limit, (a->rows->len + UINT64_C(1)) * a->row_bytes)) {
        const bool keeps = a->graph && hash_map_find(&a->functions, function);
        if (!keeps || caller != XRAY_OTHER_FUNCTIONS)
            return xray_account_sums_of(a, keeps ? function : XRAY_OTHER_FUNCTIONS, XRAY_OTHER_FUNCTIONS);
    }
    if (!row) {
        if (a->graph)
            hash_map_add(&a->functions, function);
        const sums empty = {.function = function, .caller = caller, .min = UINT64_MAX};
        g_array_append_val(a->rows, empty);
        row = hash_map_add(&a->known, key);
    }
    return &g_array_index(a->rows, sums, row - 1);
}

static void xray_account_add_call(const xray_account *a, sums *s, const call *k)
{
    s->count++;
    s->unwound += k->state & CALL_CLOSED ? 1 : 0;
    s->unsure += k->state & CALL_UNATTRIBUTED ? 1 : 0;
    s->self = sum_saturated(s->self, k->state & CALL_SELF ? k->self : 0);
    s->min = MIN(s->min, k->duration);
    s->max = MAX(s->max, k->duration);
    if (a->spread)
        percentiles_add(&s->spread, k->duration);
    if (a->compared && k->state & CALL_SELF)
        percentiles_add(&s->self_spread, k->self);
}

/* Of a path. A self time that is not known makes that of the row unknown. */
static void xray_account_add_many(sums *s, const span *ended)
{
    const call *k = &ended->call;
    s->has_sums = true;
    s->count = sum_saturated(s->count, ended->many);
    s->unsure = sum_saturated(s->unsure, k->state & CALL_UNATTRIBUTED ? ended->many : 0);
    s->self = sum_saturated(s->self, k->state & CALL_SELF ? k->self : UINT64_MAX);
}

bool xray_account_add(xray_account *a, uint64_t stack, const uint32_t *caller, const span *ended)
{
    const call *k = &ended->call;
    const uint32_t function = ended->function;
    if ((!k->begin && !ended->many) || !xray_account_leave(a, stack, function) || !(k->state & CALL_TIMED))
        return false;
    a->limit.counted++;
    sums *s = xray_account_sums_of(a, function, a->callers && caller ? *caller : a->graph ? 0 : NO_CALLER);
    s->sum = sum_saturated(s->sum, k->duration);
    if (G_UNLIKELY(ended->many))
        xray_account_add_many(s, ended);
    else
        xray_account_add_call(a, s, k);
    return true;
}

void xray_account_share(void *account, unsigned share)
{
    xray_account *a = account;
    limit_share(&a->limit, share);
}

bool xray_account_full(const void *account)
{
    return ((const xray_account *)account)->limit.full;
}

bool xray_account_count(void *account, const counted_record *of)
{
    xray_account *a = account;
    const xray_tapped *r = of->tapped;
    bool any = false;
    span ended;
    if (r->has_call && (r->context->kind == XRAY_ENTRY || r->context->kind == XRAY_ENTRY_ARGUMENTS))
        xray_account_enter(a, r->stack, r->function);
    for (uint32_t i = 0; xray_session_span(r, i, &ended); i++) {
        uint32_t caller;
        const bool called = a->callers && xray_session_caller(r, &ended, &caller);
        any |= xray_account_add(a, r->stack, called ? &caller : NULL, &ended);
    }
    return any;
}

void xray_account_join(sums *to, const sums *from)
{
    to->has_sums |= from->has_sums;
    to->count = sum_saturated(to->count, from->count);
    to->unwound += from->unwound;
    to->unsure = sum_saturated(to->unsure, from->unsure);
    to->sum = sum_saturated(to->sum, from->sum);
    to->self = sum_saturated(to->self, from->self);
    to->min = MIN(to->min, from->min);
    to->max = MAX(to->max, from->max);
    percentiles_merge(&to->spread, &from->spread);
    percentiles_merge(&to->self_spread, &from->self_spread);
}

void xray_account_merge(void *account, const void *of)
{
    xray_account *a = account;
    const xray_account *other = of;
    a->limit.counted += other->limit.counted;
    for (guint i = 0; i < other->rows->len; i++) {
        const sums *from = &g_array_index(other->rows, sums, i);
        xray_account_join(xray_account_sums_of(a, from->function, from->caller), from);
    }
}

int xray_account_compare(gconstpointer a, gconstpointer b)
{
    const sums *x = *(const sums *const *)a, *y = *(const sums *const *)b;
    return x->function != y->function ? (x->function > y->function ? 1 : -1)
                                      : (x->caller > y->caller) - (x->caller < y->caller);
}

GPtrArray *xray_account_rows(const xray_account *a, GCompareFunc compare)
{
    GPtrArray *all = g_ptr_array_new();
    for (guint i = 0; i < a->rows->len; i++)
        g_ptr_array_add(all, &g_array_index(a->rows, sums, i));
    g_ptr_array_sort(all, compare);
    return all;
}

xray_account *xray_account_by_function(const xray_account *a)
{
    xray_account *of = xray_account_new(false, a->which);
    of->limit.room = UINT64_MAX; /* there are no more of them */
    for (guint i = 0; i < a->rows->len; i++) {
        const sums *from = &g_array_index(a->rows, sums, i);
        xray_account_join(xray_account_sums_of(of, from->function, NO_CALLER), from);
    }
    return of;
}

/* The first function that was asked for with the name of this one. */
static uint32_t first_of_name(GHashTable *by_name, const xray_functions *names, uint32_t function)
{
    const xray_function *f = function == NO_CALLER ? NULL : xray_functions_find(names, function);
    gpointer known;
    if (!f || !f->name)
        return function;
    if (g_hash_table_lookup_extended(by_name, f->name, NULL, &known))
        return GPOINTER_TO_UINT(known);
    g_hash_table_insert(by_name, (gpointer)(uintptr_t)f->name, GUINT_TO_POINTER(function));
    return function;
}

xray_account *xray_account_by_name(const xray_account *a, const xray_functions *names)
{
    xray_account *named = xray_account_new(a->callers, a->which);
    named->compared = a->compared;
    named->limit.counted = a->limit.counted;
    g_autoptr(GHashTable) by_name = g_hash_table_new(hash_text, g_str_equal);
    g_autoptr(GPtrArray) all = xray_account_rows(a, xray_account_compare);
    for (guint i = 0; i < all->len; i++) {
        const sums *from = g_ptr_array_index(all, i);
        const uint32_t function = first_of_name(by_name, names, from->function);
        xray_account_join(xray_account_sums_of(named, function, first_of_name(by_name, names, from->caller)), from);
    }
    return named;
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

/* Where a function is in the source, as two cells. */
static void fill_source(const sums *s, const xray_display *shown, rows *to, rows_cell *cells)
{
    if (!shown->sources || s->function == XRAY_OTHER_FUNCTIONS)
        return;
    const source_place place = xray_functions_source(shown->functions, s->function);
    if (!place.text)
        return;
    g_autofree char *file = g_strndup(place.text, place.file);
    cells[XRAY_ACCOUNT_FILE] = rows_text(to, file);
    cells[XRAY_ACCOUNT_LINE] = rows_number(place.line);
}

static rows_cell name_cell(const xray_display *shown, uint32_t function, rows *to)
{
    xray_number number;
    const shown_name name = xray_display_name(shown, function, number);
    return rows_name(to, &name);
}

static void xray_account_fill_row(const xray_account *a, sums *s, const xray_display *shown, rows *to)
{
    const uint64_t times[] = {s->min,
                              percentiles_value(&s->spread, 50),
                              percentiles_value(&s->spread, 90),
                              percentiles_value(&s->spread, 99),
                              s->max,
                              s->sum,
                              s->self};
    const bool others = s->function == XRAY_OTHER_FUNCTIONS;
    rows_cell *cells = rows_add(to);
    cells[XRAY_ACCOUNT_FUNCTION] = name_cell(shown, s->function, to);
    cells[XRAY_ACCOUNT_ID] = rows_number(s->function);
    cells[XRAY_ACCOUNT_CALLS] = rows_known(s->count);
    for (unsigned i = s->has_sums ? XRAY_ACCOUNT_SUM - XRAY_ACCOUNT_MIN : 0; i < G_N_ELEMENTS(times); i++)
        cells[XRAY_ACCOUNT_MIN + i] = rows_known(xray_display_time(shown, times[i]));
    cells[XRAY_ACCOUNT_UNWOUND] = rows_number(s->unwound);
    cells[XRAY_ACCOUNT_UNSURE] = rows_known(s->unsure);
    fill_source(s, shown, to, cells);
    if (a->compared && !s->has_sums)
        cells[XRAY_ACCOUNT_TYPICAL] = rows_known(xray_display_time(shown, percentiles_typical_sum(&s->self_spread)));
    if (a->callers && !others)
        cells[XRAY_ACCOUNT_CALLER] = s->caller == NO_CALLER ? rows_lasting_text("(no caller)")
                                                            : name_cell(shown, s->caller, to);
}

void xray_account_fill(void *account, const void *how, rows *to)
{
    const xray_account *a = account;
    g_autoptr(GPtrArray) all = xray_account_rows(a, xray_account_compare);
    to->missing = a->limit.full ? ROWS_FIRST_COME : NULL;
    for (guint i = 0; i < all->len; i++)
        xray_account_fill_row(a, g_ptr_array_index(all, i), how, to);
}

/* --- as a statistic ------------------------------------------------------------------------------------------------------
 */

static void *xray_account_begin(const statistic_words *words, const void *how)
{
    (void)how;
    const xray_account_counts which = statistic_words_has(words, "recursive")   ? XRAY_COUNT_RECURSIVE
                                      : statistic_words_has(words, "outermost") ? XRAY_COUNT_OUTERMOST
                                                                                : XRAY_COUNT_ALL;
    return statistic_words_has(words, XRAY_GRAPH_DOT)
               ? xray_account_new_graph(xray_graph_percent(xray_graph_asked(words)) != 0)
               : xray_account_new(statistic_words_has(words, "graph"), which);
}

const counted xray_account_counted = {.columns = xray_account_columns,
                                      .column_count = XRAY_ACCOUNT_COLUMNS,
                                      .words = "graph, recursive|outermost, " XRAY_GRAPH_DOT ", " XRAY_GRAPH_LABEL_WORDS,
                                      .begin = xray_account_begin,
                                      .count = xray_account_count,
                                      .merge = xray_account_merge,
                                      .share = xray_account_share,
                                      .full = xray_account_full,
                                      .fill = xray_account_fill,
                                      .free = xray_account_free};
