/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/comparison.h"

static const rows_column columns[CACHERAY_COMPARISON_COLUMNS] = {
    COMPARISON_NAME_COLUMNS("Type", "Member"),
    COMPARISON_MEASURE_COLUMNS("Slow", ROWS_NUMBER),
    COMPARISON_MEASURE_COLUMNS("Accesses", ROWS_NUMBER),
    COMPARISON_MEASURE_COLUMNS("Reads", ROWS_NUMBER),
    COMPARISON_MEASURE_COLUMNS("Writes", ROWS_NUMBER),
    COMPARISON_MEASURE_COLUMNS("Misses", ROWS_NUMBER),
    COMPARISON_MEASURE_COLUMNS("Contended", ROWS_NUMBER),
};

static const comparison_measure measures[CACHERAY_COMPARISON_MEASURES] = {
    [CACHERAY_COMPARISON_SLOW] = {.column = CACHERAY_TYPES_SLOW, .counts = true},
    [CACHERAY_COMPARISON_ACCESSES] = {.column = CACHERAY_TYPES_READS, .plus = CACHERAY_TYPES_WRITES, .counts = true},
    [CACHERAY_COMPARISON_READS] = {.column = CACHERAY_TYPES_READS, .counts = true},
    [CACHERAY_COMPARISON_WRITES] = {.column = CACHERAY_TYPES_WRITES, .counts = true},
    [CACHERAY_COMPARISON_MISSES] = {.column = CACHERAY_TYPES_MISSES, .counts = true},
    [CACHERAY_COMPARISON_CONTENDED] = {.column = CACHERAY_TYPES_CONTENDED, .counts = true},
};

static void *comparison_begin(const statistic_words *words, const void *how)
{
    cacheray_comparison *c = g_new(cacheray_comparison, 1);
    c->before = cacheray_types_compared.begin(words, how);
    c->after = cacheray_types_compared.begin(words, how);
    return c;
}

static bool comparison_count(void *data, const counted_record *r)
{
    return cacheray_types_compared.count(((const cacheray_comparison *)data)->after, r);
}

static rows *rows_of(void *types, const void *how)
{
    rows *r = rows_new(cacheray_types_compared.columns, cacheray_types_compared.column_count);
    cacheray_types_compared.fill(types, how, r);
    return r;
}

static void cacheray_comparison_fill(void *data, const void *how, rows *to)
{
    static const uint8_t names[COMPARISON_SEEN] = {CACHERAY_TYPES_TYPE, CACHERAY_TYPES_MEMBER};
    const cacheray_comparison *c = data;
    comparison_fill(rows_of(c->before, how), rows_of(c->after, how), names, measures, to);
}

static void comparison_free(void *data)
{
    const cacheray_comparison *c = data;
    cacheray_types_compared.free(c->before);
    cacheray_types_compared.free(c->after);
    g_free(data);
}

const counted cacheray_comparison_counted = {.columns = columns,
                                             .column_count = CACHERAY_COMPARISON_COLUMNS,
                                             .words = "binary:FILE, load_bias:HEX, " COMPARISON_BASELINE,
                                             .begin = comparison_begin,
                                             .count = comparison_count,
                                             .fill = cacheray_comparison_fill,
                                             .free = comparison_free};
