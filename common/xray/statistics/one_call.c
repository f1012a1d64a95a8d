/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/statistics/one_call.h"

#include <stdio.h>

const rows_column xray_inside_columns[XRAY_INSIDE_COLUMNS] = {XRAY_INTERVALS_COLUMN_LIST("What", "Kind", ROWS_EACH),
                                                              {"Unwound", ROWS_COUNT, ROWS_EACH}};

struct xray_inside {
    xray_intervals *pieces;
    xray_piece *whole; /* of the call itself; NULL: not entered */
    xray_level children;
    bool each, over;
    bool late; /* calls without an exit were not known at their entries */
    call end;  /* if it is known at its entry that it has no exit; otherwise `begin` is 0 */
    uint32_t begin;
    uint64_t entered;
    bool has_cpu;
    uint16_t cpu;
    xray_inside_state state;
};

xray_inside *xray_inside_new(bool each)
{
    xray_inside *c = g_new0(xray_inside, 1);
    c->each = each;
    c->pieces = xray_intervals_new();
    return c;
}

void xray_inside_free(xray_inside *c)
{
    if (!c)
        return;
    xray_intervals_free(c->pieces);
    g_free(c);
}

static xray_piece *xray_inside_piece_of(xray_inside *c, const char *kind, shown_name what, uint32_t place)
{
    return xray_intervals_of(c->pieces, kind, what, c->each ? place : 0, &c->children);
}

void xray_inside_enter(xray_inside *c, const xray_call_event *v)
{
    xray_number number;
    c->begin = v->has_call ? v->call.begin : 0;
    if (c->begin != v->place) {
        c->state = c->begin ? XRAY_INSIDE_NO_ENTRY : XRAY_INSIDE_NO_CALL;
        c->over = true;
        return;
    }
    c->entered = v->now;
    c->children = (xray_level){.stack = v->stack, .depth = v->call.depth + 1, .begun = true, .first = v->now};
    xray_level_note(&c->children, v->now, v->place, 0, shown_name_of("(entry)"));
    if (v->unwound)
        c->end = v->unwound->call;
    c->whole = xray_inside_piece_of(c, "this call", xray_display_name(v->shown, v->function, number), v->place);
    xray_piece_add(c->whole, 0, v->place);
}

static void xray_inside_count_gap(xray_inside *c, uint64_t now, uint32_t function, shown_name name)
{
    const shown_name what = xray_level_gap(&c->children, now, function, name);
    g_autofree char *text = (char *)(uintptr_t)what.text;
    if (text)
        xray_piece_add_gap(xray_inside_piece_of(c, "self time", what, c->children.place), &c->children, now);
}

/* When a call ended that has an exit in this record, or none. */
static uint64_t xray_inside_end_of(const xray_call_event *v, const call *k)
{
    return k->state & CALL_CLOSED ? k->until : v->now;
}

static void count_child(xray_inside *c, const xray_call_event *v, const span *child)
{
    const call *k = &child->call;
    const bool unwound = k->state & CALL_CLOSED;
    const uint64_t end = xray_inside_end_of(v, k);
    xray_number number;
    if (k->state & CALL_TIMED) {
        xray_piece *one = xray_inside_piece_of(c, "call", xray_display_name(v->shown, child->function, number), k->begin);
        xray_piece_add_time(one, k->duration, end - k->duration - c->entered, k->begin);
        one->unwound += unwound;
    }
    xray_level_note(&c->children, end, unwound ? k->last : k->end, child->function,
                    xray_display_known(v->shown, child->function));
}

/* One without an exit is counted at once if it is known where it ended: others may follow it before that shows. */
static void begin_child(xray_inside *c, const xray_call_event *v)
{
    xray_inside_count_gap(c, v->now, v->function, xray_display_known(v->shown, v->function));
    if (!v->unwound)
        return;
    c->children.done = v->unwound->call.begin;
    count_child(c, v, v->unwound);
}

static void count_move(xray_inside *c, const xray_call_event *v)
{
    const xray_context *x = xray_context_of(v->context);
    if (!(x->known & XRAY_KNOWN_CPU))
        return;
    if (c->has_cpu && x->cpu != c->cpu) {
        char from[16], to[16];
        snprintf(from, sizeof from, "CPU %u", c->cpu);
        snprintf(to, sizeof to, "CPU %u", x->cpu);
        const shown_name before = shown_name_of(from), after = shown_name_of(to), what = shown_name_pair(&before, &after);
        xray_piece_add(xray_inside_piece_of(c, "move", what, v->place), v->now - c->entered, v->place);
        g_free((char *)(uintptr_t)what.text);
    }
    c->has_cpu = true;
    c->cpu = x->cpu;
}

static void count_event(xray_inside *c, const xray_call_event *v)
{
    char what[32] = "custom event";
    if (v->context->kind == XRAY_TYPED_EVENT)
        snprintf(what, sizeof what, "type %u", v->event);
    xray_piece_add(xray_inside_piece_of(c, "event", shown_name_of(what), v->place), v->now - c->entered, v->place);
}

/* The call ends: its row, and the parts of it that the others are. */
static void xray_inside_leave(xray_inside *c, const xray_call_event *v, const call *k)
{
    c->whole->unwound = k->state & CALL_CLOSED ? 1 : 0;
    c->over = true;
    if (!(k->state & CALL_TIMED)) {
        c->state = XRAY_INSIDE_UNTIMED;
        return;
    }
    xray_inside_count_gap(c, xray_inside_end_of(v, k), 0, shown_name_of("(exit)"));
    c->whole->timed = true;
    c->whole->sum = c->whole->longest = k->duration;
    xray_level_note(&c->children, xray_inside_end_of(v, k), 0, 0, (shown_name){0});
}

static const span *ends_whole(const xray_inside *c, const xray_call_event *v)
{
    for (unsigned i = 0; i < v->ended_count; i++)
        if (v->ended[i].call.begin == c->begin)
            return &v->ended[i];
    return NULL;
}

static void count_inside(xray_inside *c, const xray_call_event *v)
{
    const span *child = xray_level_ends(&c->children, v);
    count_move(c, v);
    if (xray_level_begins(&c->children, v)) {
        begin_child(c, v);
    } else if (child) {
        c->late |= child->call.state & CALL_CLOSED;
        count_child(c, v, child);
    }
    if (xray_is_event(v->context->kind))
        count_event(c, v);
}

bool xray_inside_wants(const xray_inside *c, uint64_t stack)
{
    return c->whole && !c->over && stack == c->children.stack;
}

bool xray_inside_add(xray_inside *c, const xray_call_event *v)
{
    if (!xray_inside_wants(c, v->stack))
        return false;
    const span *ended = ends_whole(c, v);
    if (!c->end.begin || v->place <= c->end.sure)
        count_inside(c, v);
    if (c->end.begin && v->place >= c->end.sure) {
        xray_inside_leave(c, v, &c->end);
    } else if (ended) {
        c->late |= ended->call.state & CALL_CLOSED;
        xray_inside_leave(c, v, &ended->call);
    }
    return true;
}

xray_inside_state xray_inside_state_of(const xray_inside *c, uint32_t *begin)
{
    *begin = c->begin;
    if (c->state)
        return c->state;
    return !c->whole  ? XRAY_INSIDE_NOT_ENTERED
           : !c->over ? XRAY_INSIDE_UNENDED
           : c->late  ? XRAY_INSIDE_LATE
                      : XRAY_INSIDE_WHOLE;
}

void xray_inside_fill(const xray_inside *c, const xray_display *shown, uint32_t (*frame_of)(uint32_t place), rows *to)
{
    xray_intervals_fill(c->pieces, shown, frame_of, to);
}
