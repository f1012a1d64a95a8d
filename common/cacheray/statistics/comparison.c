/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/comparison.h"

const rows_column cacheray_comparison_columns[CACHERAY_COMPARISON_COLUMNS] = {
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

static rows *cacheray_comparison_rows_of(const cacheray_types *t)
{
    rows *r = rows_new(cacheray_types_columns, CACHERAY_TYPES_COMPARED);
    cacheray_types_fill_parts(t, r);
    return r;
}

void cacheray_comparison_fill(const cacheray_types *before, const cacheray_types *after, rows *to)
{
    static const uint8_t names[COMPARISON_SEEN] = {CACHERAY_TYPES_TYPE, CACHERAY_TYPES_MEMBER};
    comparison_fill(cacheray_comparison_rows_of(before), cacheray_comparison_rows_of(after), names, measures, to);
}
