/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/counts.h"

#include "cacheray/cacheray.h"
#include "cacheray/statistics/display.h"

const char *const cacheray_counts_first[CACHERAY_COUNTS_FIRST] = {"Kinds", "Threads", "Accesses by type"};

/* The first cells are 1 to 3; each kind of cells has a limit of its own. */
enum { KINDS = 1, THREADS, TYPES };
enum { OF_FIRST, OF_THREADS, OF_TYPES, OF_MEMBERS };

count_cells *cacheray_counts_new(void)
{
    count_cells *c = count_cells_new();
    for (unsigned i = 0; i < CACHERAY_COUNTS_FIRST; i++)
        count_cells_make(c, OF_FIRST, COUNT_CELLS_TOP, i, cacheray_counts_first[i], true);
    return c;
}

static void cacheray_counts_add_thread(count_cells *c, uint64_t thread)
{
    uint32_t cell = count_cells_known(c, THREADS, thread);
    if (!cell) {
        g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, thread);
        cell = count_cells_make(c, OF_THREADS, THREADS, thread, text, false);
    }
    count_cells_add(c, cell);
}

static void add_data(count_cells *c, const cacheray_tapped *v)
{
    uint32_t data = count_cells_known(c, TYPES, cacheray_data_key(v));
    if (!data) {
        g_autofree char *name = cacheray_data_name(v);
        data = count_cells_make(c, OF_TYPES, TYPES, cacheray_data_key(v), name, true);
    }
    uint32_t member = v->member ? count_cells_known(c, data, (uintptr_t)v->member) : data;
    if (!member)
        member = count_cells_make(c, OF_MEMBERS, data, (uintptr_t)v->member, v->member, false);
    count_cells_add(c, member);
}

void cacheray_counts_add(count_cells *c, const cacheray_tapped *v, const char *(*kind_name)(uint8_t kind))
{
    const uint8_t kind = v->kind == KIND_PADDING ? v->kind : v->context->kind;
    const count_cells_key alike = {{kind | (uint64_t)v->kind << 8 | (uint64_t)v->is_access << 16, v->thread,
                                    v->is_access ? cacheray_data_key(v) : 0, v->is_access ? (uintptr_t)v->member : 0}};
    if (count_cells_again(c, &alike))
        return;
    uint32_t cell = count_cells_known(c, KINDS, kind);
    if (!cell)
        cell = count_cells_make(c, OF_FIRST, KINDS, kind, kind_name(kind), false);
    count_cells_add(c, cell);
    if (v->kind < CACHERAY_KINDS)
        cacheray_counts_add_thread(c, v->thread);
    if (v->is_access)
        add_data(c, v);
}
