/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/statistics/slowest.h"

#include "util/math128.h"

const rows_column xray_slowest_columns[XRAY_SLOWEST_COLUMNS] = {
    [XRAY_SLOWEST_DURATION] = {"Duration", ROWS_TIME, ROWS_EACH},
    [XRAY_SLOWEST_SELF] = {"Self", ROWS_TIME, ROWS_EACH},
    [XRAY_SLOWEST_THREAD] = {"Thread", ROWS_ORDINAL, ROWS_EACH},
    [XRAY_SLOWEST_ENTRY] = {"Entry", ROWS_ORDINAL, ROWS_EACH},
    [XRAY_SLOWEST_END] = {"End", ROWS_ORDINAL, ROWS_EACH},
    [XRAY_SLOWEST_FUNCTION] = {"Function", ROWS_TEXT, ROWS_EACH},
    [XRAY_SLOWEST_CALLER] = {"Caller", ROWS_TEXT, ROWS_EACH},
    [XRAY_SLOWEST_DEPTH] = {"Depth", ROWS_ORDINAL, ROWS_EACH},
    [XRAY_SLOWEST_AT] = {"At", ROWS_TIME, ROWS_EACH},
    [XRAY_SLOWEST_NOTE] = {"Note", ROWS_TEXT, ROWS_EACH},
};

/* The numbers of a row, in ticks, and records. Without an exit a call ends at the last record inside it. */
static void xray_slowest_fill_numbers(const xray_slow_call *c, rows_cell *cells)
{
    const call *k = &c->span.call;
    cells[XRAY_SLOWEST_DURATION] = rows_number(k->duration);
    if (k->state & CALL_SELF)
        cells[XRAY_SLOWEST_SELF] = rows_number(k->self);
    cells[XRAY_SLOWEST_THREAD] = rows_number(c->thread);
    cells[XRAY_SLOWEST_ENTRY] = rows_number(k->begin);
    cells[XRAY_SLOWEST_END] = rows_number(k->state & CALL_CLOSED ? k->last : k->end);
    cells[XRAY_SLOWEST_DEPTH] = c->depth_unknown ? rows_unknown() : rows_number(k->depth);
    cells[XRAY_SLOWEST_AT] = rows_number(c->at);
}

bool xray_slowest_add(top_n *slowest, const xray_slow_call *c)
{
    rows_cell cells[XRAY_SLOWEST_COLUMNS] = {0};
    if (!c->span.call.begin || !(c->span.call.state & CALL_TIMED))
        return false;
    xray_slowest_fill_numbers(c, cells);
    top_n_add_found(slowest, cells, c->span.call.begin, c);
    return true;
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

typedef struct filling {
    const xray_display *shown;
    uint32_t (*frame_of)(uint32_t place);
    rows *to;
} filling;

static void xray_slowest_fill_row(void *data, const void *item)
{
    static const char *const notes[] = {"", "unwound", "unsure", "unwound, unsure"};
    const filling *f = data;
    const xray_display *shown = f->shown;
    const xray_slow_call *c = item;
    const uint8_t state = c->span.call.state;
    xray_number number;
    rows_cell *cells = rows_add(f->to);
    xray_slowest_fill_numbers(c, cells);
    for (unsigned i = XRAY_SLOWEST_DURATION; i <= XRAY_SLOWEST_SELF; i++)
        if (cells[i].state == ROWS_IS_NUMBER)
            cells[i] = rows_known(xray_display_time(shown, cells[i].number));
    const bool ticks = shown->ticks && shown->frequency && c->at != UINT64_MAX;
    cells[XRAY_SLOWEST_AT] = rows_known(ticks ? mul_div_u64(c->at, shown->frequency, 1000000000) : c->at);
    rows_show_frame(&cells[XRAY_SLOWEST_ENTRY], f->frame_of);
    rows_show_frame(&cells[XRAY_SLOWEST_END], f->frame_of);
    cells[XRAY_SLOWEST_FUNCTION] = rows_text(f->to, xray_display_name(shown, c->span.function, number));
    if (c->has_caller)
        cells[XRAY_SLOWEST_CALLER] = rows_text(f->to, xray_display_name(shown, c->caller, number));
    cells[XRAY_SLOWEST_NOTE] = rows_lasting_text(notes[!!(state & CALL_CLOSED) + 2 * !!(state & CALL_UNATTRIBUTED)]);
}

void xray_slowest_fill(const top_n *slowest, const xray_display *shown, uint32_t (*frame_of)(uint32_t place), rows *to)
{
    top_n_each(slowest, xray_slowest_fill_row, &(filling){shown, frame_of, to});
}
