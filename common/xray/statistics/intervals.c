/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/statistics/intervals.h"

#include "util/math128.h"

#include <math.h>
#include <string.h>

#include "containers/hash.h"

/* --- calls next to each other ------------------------------------------------------------------------------------------ */

bool xray_level_begins(const xray_level *l, const xray_call_event *v)
{
    const bool entry = v->context->kind == XRAY_ENTRY || v->context->kind == XRAY_ENTRY_ARGUMENTS;
    return entry && v->has_call && v->stack == l->stack && v->call.begin == v->place && v->call.depth == l->depth;
}

const span *xray_level_ends(const xray_level *l, const xray_call_event *v)
{
    for (unsigned i = 0; v->stack == l->stack && i < v->ended_count; i++)
        if (v->ended[i].call.begin > l->done && v->ended[i].call.depth == l->depth)
            return &v->ended[i];
    return NULL;
}

void xray_level_note(xray_level *l, uint64_t now, uint32_t place, uint32_t function, shown_name name)
{
    l->last = now;
    l->place = place;
    l->function = function;
    l->name = name;
}

shown_name xray_level_gap(const xray_level *l, uint64_t now, uint32_t function, shown_name name)
{
    xray_number number_before, number_after;
    if (!l->begun || now <= l->last)
        return (shown_name){0};
    const shown_name before = xray_name_words(l->name, l->function, number_before),
                     after = xray_name_words(name, function, number_after);
    return shown_name_pair(&before, &after);
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

struct xray_intervals {
    GHashTable *known; /* "place kind what" -> xray_piece */
    GPtrArray *all;
    counting_limit limit;
};

static void free_piece(gpointer data)
{
    xray_piece *one = data;
    g_free((char *)(uintptr_t)one->what.text);
    g_free(one->kind);
    g_free(one);
}

xray_intervals *xray_intervals_new(void)
{
    xray_intervals *p = g_new0(xray_intervals, 1);
    p->limit = LIMIT_OF_ROWS;
    p->known = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    p->all = g_ptr_array_new_with_free_func(free_piece);
    return p;
}

void xray_intervals_free(xray_intervals *p)
{
    g_hash_table_destroy(p->known);
    g_ptr_array_free(p->all, TRUE);
    g_free(p);
}

xray_piece *xray_intervals_of(xray_intervals *p, const char *kind, shown_name what, uint32_t place, const xray_level *within)
{
    g_autofree char *key = g_strdup_printf("%u %s %s", place, kind, what.text);
    xray_piece *one = g_hash_table_lookup(p->known, key);
    if (one)
        return one;
    if (strcmp(what.text, TEXT_OTHERS) != 0 && (p->limit.counted++, !limit_allows_row(&p->limit, p->all->len)))
        return xray_intervals_of(p, kind, shown_name_of(TEXT_OTHERS), 0, within);
    what.text = g_strdup(what.text);
    one = g_new0(xray_piece, 1);
    *one = (xray_piece){.what = what, .kind = g_strdup(kind), .within = within};
    g_hash_table_insert(p->known, g_steal_pointer(&key), one);
    g_ptr_array_add(p->all, one);
    return one;
}

void xray_piece_add(xray_piece *one, uint64_t at, uint32_t place)
{
    if (one->count++ > 0)
        return;
    one->at = at;
    one->place = place;
}

static void note_longest(xray_piece *one, uint64_t longest, uint64_t at, uint32_t place)
{
    if (longest <= one->longest)
        return;
    one->longest = longest;
    one->at = at;
    one->place = place;
}

void xray_piece_add_time(xray_piece *one, uint64_t ticks, uint64_t at, uint32_t place)
{
    xray_piece_add(one, at, place);
    one->timed = true;
    one->sum = sum_saturated(one->sum, ticks);
    note_longest(one, ticks, at, place);
}

void xray_piece_add_gap(xray_piece *one, const xray_level *l, uint64_t now)
{
    xray_piece_add_time(one, now - l->last, l->last - l->first, l->place);
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

/* Returns a part in tenths of a percent; the nearest, and of two the even one. */
static uint64_t part_of(uint64_t sum, uint64_t whole)
{
    return (uint64_t)llrintl(10.0L * (100.0 * (double)sum / (double)whole));
}

static void xray_intervals_fill_row(const xray_piece *one, const xray_display *shown, uint32_t (*frame_of)(uint32_t place),
                                    rows *to)
{
    rows_cell *cells = rows_add(to);
    cells[XRAY_INTERVALS_WHAT] = rows_name(to, &one->what);
    cells[XRAY_INTERVALS_KIND] = rows_text(to, one->kind);
    cells[XRAY_INTERVALS_COUNT] = rows_number(one->count);
    cells[XRAY_INTERVALS_AT] = rows_known(xray_display_time(shown, one->at));
    cells[XRAY_INTERVALS_RECORD] = rows_number(frame_of(one->place));
    if (to->count > XRAY_INTERVALS_UNWOUND)
        cells[XRAY_INTERVALS_UNWOUND] = rows_number(one->unwound);
    if (!one->timed)
        return;
    cells[XRAY_INTERVALS_SUM] = rows_known(xray_display_time(shown, one->sum));
    cells[XRAY_INTERVALS_LONGEST] = rows_known(xray_display_time(shown, one->longest));
    if (one->within->last != one->within->first)
        cells[XRAY_INTERVALS_PART] = one->sum == UINT64_MAX
                                         ? rows_unknown()
                                         : rows_number(part_of(one->sum, one->within->last - one->within->first));
}

void xray_intervals_fill(const xray_intervals *p, const xray_display *shown, uint32_t (*frame_of)(uint32_t place), rows *to)
{
    to->missing = p->limit.full ? ROWS_FIRST_COME : NULL;
    for (guint i = 0; i < p->all->len; i++)
        xray_intervals_fill_row(g_ptr_array_index(p->all, i), shown, frame_of, to);
}
