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

struct xray_slowest {
    top_n *calls; /* of xray_slow_call */
};

xray_slowest *xray_slowest_new(const top_n_by *by)
{
    xray_slowest *s = g_new0(xray_slowest, 1);
    s->calls = top_n_new(by, sizeof(xray_slow_call));
    return s;
}

void xray_slowest_free(xray_slowest *s)
{
    if (!s)
        return;
    top_n_free(s->calls);
    g_free(s);
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

/* The last record of a call: its exit; without one, the last record inside it. */
static uint32_t xray_slowest_end_of(const xray_slow_call *c)
{
    return c->call.state & CALL_CLOSED ? c->call.last : c->exit;
}

/* The value in the column that decides; false: it has none. */
static bool xray_slowest_value_of(const xray_slow_call *c, unsigned column, uint64_t *value)
{
    switch (column) {
    case XRAY_SLOWEST_SELF:
        *value = c->call.self;
        return c->call.state & CALL_SELF;
    case XRAY_SLOWEST_THREAD:
        *value = c->thread;
        return true;
    case XRAY_SLOWEST_ENTRY:
        *value = c->call.begin;
        return true;
    case XRAY_SLOWEST_END:
        *value = xray_slowest_end_of(c);
        return true;
    case XRAY_SLOWEST_DEPTH:
        *value = c->call.depth;
        return !c->depth_unknown;
    case XRAY_SLOWEST_AT:
        *value = c->at;
        return true;
    default:
        *value = c->call.duration;
        return true;
    }
}

bool xray_slowest_add(xray_slowest *s, const xray_slow_call *c)
{
    uint64_t value;
    if (!c->call.begin || !(c->call.state & CALL_TIMED))
        return false;
    const bool has_value = xray_slowest_value_of(c, top_n_order(s->calls)->column, &value);
    top_n_add(s->calls, has_value ? &value : NULL, c->call.begin, c);
    return true;
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

typedef struct filling {
    const xray_display *shown;
    uint32_t (*frame_of)(uint32_t place);
    rows *to;
} filling;

static rows_cell xray_slowest_cell_of_record(const filling *f, uint32_t place)
{
    const uint32_t frame = f->frame_of(place);
    return frame ? rows_number(frame) : (rows_cell){0};
}

static uint64_t shown_at(const xray_display *shown, uint64_t ns)
{
    return shown->ticks && shown->frequency ? mul_div_u64(ns, shown->frequency, 1000000000) : ns;
}

static void xray_slowest_fill_row(void *data, const void *item)
{
    static const char *const notes[] = {"", "unwound", "unsure", "unwound, unsure"};
    const filling *f = data;
    const xray_slow_call *c = item;
    const uint8_t state = c->call.state;
    xray_number number;
    rows_cell *cells = rows_add(f->to);
    cells[XRAY_SLOWEST_DURATION] = rows_number(xray_display_time(f->shown, c->call.duration));
    if (state & CALL_SELF)
        cells[XRAY_SLOWEST_SELF] = rows_number(xray_display_time(f->shown, c->call.self));
    cells[XRAY_SLOWEST_THREAD] = rows_number(c->thread);
    cells[XRAY_SLOWEST_ENTRY] = xray_slowest_cell_of_record(f, c->call.begin);
    cells[XRAY_SLOWEST_END] = xray_slowest_cell_of_record(f, xray_slowest_end_of(c));
    cells[XRAY_SLOWEST_FUNCTION] = rows_text(f->to, xray_display_name(f->shown, c->function, number));
    if (c->has_caller)
        cells[XRAY_SLOWEST_CALLER] = rows_text(f->to, xray_display_name(f->shown, c->caller, number));
    cells[XRAY_SLOWEST_DEPTH] = c->depth_unknown ? rows_unknown() : rows_number(c->call.depth);
    cells[XRAY_SLOWEST_AT] = rows_number(shown_at(f->shown, c->at));
    cells[XRAY_SLOWEST_NOTE] = rows_lasting_text(notes[!!(state & CALL_CLOSED) + 2 * !!(state & CALL_UNATTRIBUTED)]);
}

void xray_slowest_fill(const xray_slowest *s, const xray_display *shown, uint32_t (*frame_of)(uint32_t place), rows *to)
{
    top_n_each(s->calls, xray_slowest_fill_row, &(filling){shown, frame_of, to});
}
