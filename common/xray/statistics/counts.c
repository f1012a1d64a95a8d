/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/statistics/counts.h"

#include "xray/names/display.h"
#include "xray/xray.h"

const char *const xray_counts_first[XRAY_COUNTS_FIRST] = {"Kinds", "Threads", "Functions entered"};

/* The first cells are 1 to 3; each kind of cells has a limit of its own. */
enum { KINDS = 1, THREADS, FUNCTIONS };
enum { OF_FIRST, OF_THREADS, OF_FUNCTIONS };

count_cells *xray_counts_new(void)
{
    count_cells *c = count_cells_new();
    for (unsigned i = 0; i < XRAY_COUNTS_FIRST; i++)
        count_cells_make(c, OF_FIRST, COUNT_CELLS_TOP, i, xray_counts_first[i], true);
    return c;
}

static void add_kind(count_cells *c, uint8_t kind)
{
    uint32_t cell = count_cells_known(c, KINDS, kind);
    if (!cell)
        cell = count_cells_make(c, OF_FIRST, KINDS, kind, xray_kind_name(kind), false);
    count_cells_add(c, cell);
}

static uint32_t make_thread(count_cells *c, uint32_t above, uint64_t key, const xray_context *x)
{
    g_autofree char *text = x->known & XRAY_KNOWN_PROCESS ? g_strdup_printf("%u/%u", x->process, x->thread)
                                                          : g_strdup_printf("?/%u", x->thread);
    return count_cells_make(c, OF_THREADS, above, key, text, false);
}

/* Threads of unknown processes are in a group of their own, as any number may be that of a process. */
static void xray_counts_add_thread(count_cells *c, const xray_context *x)
{
    const bool has_process = x->known & XRAY_KNOWN_PROCESS;
    const uint64_t key = (has_process ? (uint64_t)x->process << 32 : 0) | x->thread;
    uint32_t group = count_cells_known(c, THREADS, has_process);
    if (!group)
        group = count_cells_make(c, OF_FIRST, THREADS, has_process, NULL, true);
    uint32_t cell = count_cells_known(c, group, key);
    if (!cell)
        cell = make_thread(c, group, key, x);
    count_cells_add(c, cell);
}

static void add_function(count_cells *c, uint32_t function, xray_counts_label label)
{
    xray_number number;
    uint32_t cell = count_cells_known(c, FUNCTIONS, function);
    if (!cell)
        cell = count_cells_make(c, OF_FUNCTIONS, FUNCTIONS, function, xray_name_words(label(function), function, number),
                                false);
    count_cells_add(c, cell);
}

void xray_counts_add(count_cells *c, const record_context *r, uint32_t function, xray_counts_label label)
{
    const xray_context *x = xray_context_of(r);
    const bool enters = r->kind == XRAY_ENTRY || r->kind == XRAY_ENTRY_ARGUMENTS;
    const count_cells_key alike = {
        {r->kind | (uint64_t)x->known << 8, (uint64_t)x->process << 32 | x->thread, enters ? function : 0}};
    if (count_cells_again(c, &alike))
        return;
    add_kind(c, r->kind);
    if (x->known & XRAY_KNOWN_THREAD)
        xray_counts_add_thread(c, x);
    if (enters)
        add_function(c, function, label);
}
