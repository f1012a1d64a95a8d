/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cacheray/statistics/counts.h"

#include "cacheray/cacheray.h"
#include "cacheray/statistics/display.h"

const char *const cacheray_counts_first[CACHERAY_COUNTS_FIRST] = {"Kinds", "Threads", "Accesses by type"};

enum { KINDS, THREADS, TYPES }; /* the first cells */
/* The first number of a key; members have the address of their type instead. */
enum { OF_KINDS, OF_THREADS, OF_TYPES, OF_MEMBERS };

static void add_kind(count_cells *c, uint8_t kind, const char *(*kind_name)(uint8_t kind))
{
    const hash_pair key = {OF_KINDS, kind};
    count_cell *cell = count_cells_find(c, &key);
    if (!cell)
        cell = count_cells_make(c, OF_KINDS, &key, count_cells_first(c, KINDS), shown_name_of(kind_name(kind)), false);
    count_cells_add(c, cell);
}

static count_cell *make_thread(count_cells *c, const hash_pair *key)
{
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, key->second);
    return count_cells_make(c, OF_THREADS, key, count_cells_first(c, THREADS), shown_name_of(text), false);
}

static void cacheray_counts_add_thread(count_cells *c, uint64_t thread)
{
    const hash_pair key = {OF_THREADS, thread};
    count_cell *cell = count_cells_find(c, &key);
    count_cells_add(c, cell ? cell : make_thread(c, &key));
}

static count_cell *make_data(count_cells *c, const cacheray_tapped *v)
{
    const hash_pair key = {OF_TYPES, cacheray_data_key(v)};
    g_autofree char *name = cacheray_data_name(v);
    return count_cells_make(c, OF_TYPES, &key, count_cells_first(c, TYPES), shown_name_of(name), true);
}

static count_cell *make_member(count_cells *c, const hash_pair *key, const cacheray_tapped *v)
{
    count_cell *data = count_cells_find(c, &(hash_pair){OF_TYPES, cacheray_data_key(v)});
    return count_cells_make(c, OF_MEMBERS, key, data ? data : make_data(c, v), shown_name_of(v->member), false);
}

static void add_data(count_cells *c, const cacheray_tapped *v)
{
    const uint64_t data = cacheray_data_key(v);
    const hash_pair key = {v->member ? data : OF_TYPES, v->member ? (uintptr_t)v->member : data};
    count_cell *cell = count_cells_find(c, &key);
    count_cells_add(c, cell ? cell : v->member ? make_member(c, &key, v) : make_data(c, v));
}

void cacheray_counts_add(count_cells *c, const cacheray_tapped *v, const char *(*kind_name)(uint8_t kind))
{
    add_kind(c, v->kind == KIND_PADDING ? v->kind : v->context->kind, kind_name);
    if (v->kind < CACHERAY_KINDS)
        cacheray_counts_add_thread(c, v->thread);
    if (v->is_access)
        add_data(c, v);
}
