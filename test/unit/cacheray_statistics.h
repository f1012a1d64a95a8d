/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of what is counted of accesses: records made in memory, and rows as text. */
#ifndef WIRETRACE_TEST_CACHERAY_STATISTICS_H
#define WIRETRACE_TEST_CACHERAY_STATISTICS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glib.h>
#include <string.h>

#include "cacheray/cacheray.h"
#include "cacheray/statistics/display.h"
#include "statistics/rows_print.h"

static GString *printed_rows;

static void keep_printed(GString *text)
{
    g_string_append_len(printed_rows, text->str, (gssize)text->len);
    g_string_truncate(text, 0);
}

/* Frees the rows. As CSV without the heading; g_free() it. */
static inline char *rows_as_text(rows *r)
{
    const rows_words csv = {.form = ROWS_AS_CSV};
    printed_rows = g_string_new(NULL);
    rows_print(r, &csv, keep_printed);
    g_string_erase(printed_rows, 0, strchr(printed_rows->str, '\n') + 1 - printed_rows->str);
    rows_free(r);
    return g_string_free(printed_rows, FALSE);
}

static inline void expect_text(rows *r, const char *expected)
{
    g_autofree char *text = rows_as_text(r);
    assert_string_equal(text, expected);
}

static inline cacheray_tapped access_to(uint8_t kind, uint64_t address, uint64_t thread)
{
    return (cacheray_tapped){
        .kind = kind, .is_access = true, .address = address, .placed = address, .size = 8, .thread = thread};
}

#endif
