/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a statistic has found: rows of typed cells. Numbers stay numbers until somebody prints them (rows_print.h) or shows
 * them in a window. Knows nothing of what is counted. */
#ifndef WIRETRACE_STATISTICS_ROWS_H
#define WIRETRACE_STATISTICS_ROWS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "statistics/limit.h"
#include "util/shown_name.h"

typedef enum rows_kind {
    ROWS_TEXT,
    ROWS_COUNT,   /* of records or calls: at most 2^32 */
    ROWS_NUMBER,  /* any other number without a unit */
    ROWS_ORDINAL, /* the number of a record, a line, a function: at most 2^32 */
    ROWS_TIME,    /* ns, or ticks if those are asked for */
    ROWS_CLOCK,   /* ns of a clock that has no ticks, such as since 1970 */
    ROWS_RATIO,   /* in thousandths */
    ROWS_PERCENT, /* in tenths of a percent */
    ROWS_ADDRESS,
    ROWS_YES_NO, /* a number, 0: no */
} rows_kind;

/* The sum of all rows means something only with ROWS_ADDS. */
typedef enum rows_total { ROWS_EACH, ROWS_ADDS } rows_total;

typedef struct rows_column {
    const char *title; /* without a unit */
    rows_kind kind;
    rows_total total;
} rows_column;

typedef enum rows_state { ROWS_NONE, ROWS_UNKNOWN, ROWS_IS_NUMBER, ROWS_IS_TEXT } rows_state;

/* ROWS_NONE: there is no value. ROWS_UNKNOWN: there is one, but not in the part of the trace that is open. */
typedef struct rows_cell {
    union {
        uint64_t number;
        const char *text;
    };
    uint8_t state;
    union {
        bool negative; /* of a number */
        uint8_t names; /* of a text: ROWS_TWO_NAMES and others */
    };
    uint8_t remark, other_remark; /* of a text: as in shown_name */
    union {
        uint32_t plain; /* the length of a text, if it is known that it is printed as it is (rows_plain()); 0: not known */
        uint32_t first; /* with ROWS_TWO_NAMES: as in shown_name */
        uint32_t depth; /* with ROWS_INDENTED: of a row in a tree, which people see */
    };
} rows_cell;

enum {
    ROWS_TWO_NAMES = 1,
    ROWS_INDENTED = 2,
    ROWS_NUMBERED = 4, /* its remark has a number that only distinguishes it from other short names (rows_names.h) */
};

typedef struct rows {
    const rows_column *columns; /* not owned */
    unsigned count;             /* of columns */
    GArray *cells;              /* of rows_cell, row by row */
    GStringChunk *texts;
    const char *missing; /* a sentence about what has no row, as there was no room; NULL: all have one */
} rows;

#define ROWS_FIRST_COME \
    "There was no room for all rows: those that came first are shown, and (others) is the sum of all others."

rows *rows_new(const rows_column *columns, unsigned count);
void rows_free(rows *r);
unsigned rows_length(const rows *r);
/* Adds a row of cells without a value; the pointer is valid until the next one is added. */
rows_cell *rows_add(rows *r);
rows_cell *rows_at(const rows *r, unsigned row);

/* Cells. A text is copied, or must last as long as the rows. */
rows_cell rows_text(rows *r, const char *text);
rows_cell rows_lasting_text(const char *text);
/* The same of a name, and back. */
rows_cell rows_name(rows *r, const shown_name *name);
rows_cell rows_lasting_name(const shown_name *name);
shown_name rows_name_in(const rows_cell *c);
/* A name in a tree. */
rows_cell rows_name_at(rows *r, const shown_name *name, unsigned depth);
/* The cell itself, with a copy of its text. */
rows_cell rows_kept(rows *r, const rows_cell *c);
/* The length of a text that is printed as it is, also as CSV; 0: of any other. */
uint32_t rows_plain(const char *text);
rows_cell rows_number(uint64_t number);
rows_cell rows_signed(int64_t number);
rows_cell rows_unknown(void);
/* A number, unless it is not known: UINT64_MAX, as sum_saturated() makes it. */
rows_cell rows_known(uint64_t number);
/* Makes the number of a record that of its frame; none, if it has none. */
void rows_show_frame(rows_cell *c, uint32_t (*frame_of)(uint32_t place));
/* How much a number has changed, and the ratio of the second to the first; no value if the first is 0, not known if it does
 * not fit. */
rows_cell rows_change(uint64_t before, uint64_t after);
rows_cell rows_ratio(uint64_t before, uint64_t after);

/* Returns whether a column holds times. */
bool rows_holds_times(const rows_column *c);
/* Returns whether a column holds numbers. */
bool rows_holds_numbers(const rows_column *c);

/* How rows are sorted: by one column, or by the sum of up to two, largest first. TEXT_OTHERS is always last. */
typedef enum rows_order { ROWS_OWN_ORDER, ROWS_USUAL, ROWS_RISING, ROWS_FALLING } rows_order;
typedef struct rows_sorting {
    rows_order order;        /* ROWS_USUAL: numbers falling, texts rising */
    unsigned column;         /* unless it is ROWS_OWN_ORDER */
    const unsigned *largest; /* for ROWS_OWN_ORDER: columns, 0: no more; signs do not matter. NULL: rows stay as they are */
    unsigned first;          /* a column of numbers that decides before them; 0: none */
} rows_sorting;
enum { ROWS_LARGEST = 2 };
void rows_sort(rows *r, const rows_sorting *by);
/* Orders two cells of a column of texts, or of numbers, as rows_sort() does. Cells without a number come last in any order.
 */
int rows_compare_texts(const rows_cell *x, const rows_cell *y);
static inline int rows_compare_numbers(const rows_cell *x, const rows_cell *y)
{
    if (x->negative != y->negative)
        return x->negative ? -1 : 1;
    const int order = (x->number > y->number) - (x->number < y->number);
    return x->negative ? -order : order;
}
static inline int rows_compare(bool numbers, bool falling, const rows_cell *x, const rows_cell *y)
{
    const bool none_x = numbers && x->state != ROWS_IS_NUMBER, none_y = numbers && y->state != ROWS_IS_NUMBER;
    if (none_x || none_y)
        return none_x - none_y;
    const int order = numbers ? rows_compare_numbers(x, y) : rows_compare_texts(x, y);
    return falling ? -order : order;
}
/* The numbers of the rows in that order; g_free() them. */
unsigned *rows_in_order(const rows *r, const rows_sorting *by);
/* Removes rows with a smaller percentage, or without one, in the first column of percentages; `least` is in tenths of a
 * percent, 0 removes none. */
void rows_drop_below(rows *r, unsigned least);

#endif
