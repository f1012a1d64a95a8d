/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/statistics/counts.h"

#include "xray/statistics/display.h"
#include "xray/xray.h"

const char *const xray_counts_first[XRAY_COUNTS_FIRST] = {"Kinds", "Threads", "Functions entered"};

enum { KINDS, THREADS, FUNCTIONS }; /* the first cells */
enum { OF_KINDS, OF_THREADS, OF_FUNCTIONS, OF_UNKNOWN };

static void add_kind(count_cells *c, uint8_t kind)
{
    const hash_pair key = {OF_KINDS, kind};
    count_cell *cell = count_cells_find(c, &key);
    if (!cell)
        cell = count_cells_make(c, OF_KINDS, &key, count_cells_first(c, KINDS), shown_name_of(xray_kind_name(kind)), false);
    count_cells_add(c, cell);
}

static count_cell *make_thread(count_cells *c, const hash_pair *key, const xray_context *x)
{
    g_autofree char *text = x->known & XRAY_KNOWN_PROCESS ? g_strdup_printf("%u/%u", x->process, x->thread)
                                                          : g_strdup_printf("?/%u", x->thread);
    return count_cells_make(c, OF_THREADS, key, count_cells_first(c, THREADS), shown_name_of(text), false);
}

/* Threads of unknown processes have keys of their own, as any number may be that of a process. */
static void xray_counts_add_thread(count_cells *c, const xray_context *x)
{
    const bool has_process = x->known & XRAY_KNOWN_PROCESS;
    const hash_pair key = {has_process ? OF_THREADS : OF_UNKNOWN,
                           (uint64_t)(has_process ? x->process : 0) << 32 | x->thread};
    count_cell *cell = count_cells_find(c, &key);
    count_cells_add(c, cell ? cell : make_thread(c, &key, x));
}

static void add_function(count_cells *c, uint32_t function, xray_counts_label label)
{
    xray_number number;
    const hash_pair key = {OF_FUNCTIONS, function};
    count_cell *cell = count_cells_find(c, &key);
    if (!cell)
        cell = count_cells_make(c, OF_FUNCTIONS, &key, count_cells_first(c, FUNCTIONS),
                                xray_name_words(label(function), function, number), false);
    count_cells_add(c, cell);
}

void xray_counts_add(count_cells *c, const record_context *r, uint32_t function, xray_counts_label label)
{
    const xray_context *x = xray_context_of(r);
    add_kind(c, r->kind);
    if (x->known & XRAY_KNOWN_THREAD)
        xray_counts_add_thread(c, x);
    if (r->kind == XRAY_ENTRY || r->kind == XRAY_ENTRY_ARGUMENTS)
        add_function(c, function, label);
}
