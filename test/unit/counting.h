/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics (statistics/counted.h) that count records built in memory. Include after cmocka.h. */
#ifndef WIRETRACE_TEST_COUNTING_H
#define WIRETRACE_TEST_COUNTING_H

#include "statistics/counted.h"

static inline void *counting_begin(const counted *c, const char *arguments, const void *how)
{
    statistic_words words = {0};
    unsigned count = c->column_count;
    const rows_column *columns = c->columns_for ? c->columns_for(NULL, arguments, &count) : c->columns;
    assert_true(statistic_words_take(&words, c->words, columns, count, &arguments, NULL));
    assert_string_equal(arguments, "");
    void *data = c->begin(&words, how);
    statistic_words_clear(&words);
    return data;
}

static inline bool counting_add(const counted *c, void *data, const void *tapped, uint32_t number)
{
    return c->count(data, &(counted_record){.tapped = tapped, .number = number});
}

static inline rows *counting_rows(const counted *c, void *data, const void *how)
{
    rows *r = rows_new(c->columns, c->column_count);
    c->fill(data, how, r);
    return r;
}

#endif
