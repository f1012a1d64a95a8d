/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names.h"

#include <glib.h>

#include "hash.h"
#include "text.h"

typedef enum { TITLE, LABEL, COUNTER } kind;

typedef struct {
    uint32_t kind;
    int32_t of; /* type of a mark, index of a counter */
    uint64_t value;
} key;

struct ovni_names {
    GHashTable *texts; /* key -> char* */
};

static guint hash_key(gconstpointer p)
{
    const key *k = p;
    const uint64_t numbers[] = {k->value, (uint32_t)k->of, k->kind};
    return hash_bytes(numbers, sizeof numbers);
}

static gboolean equal_keys(gconstpointer p, gconstpointer q)
{
    const key *a = p, *b = q;
    return a->kind == b->kind && a->of == b->of && a->value == b->value;
}

ovni_names *ovni_names_new(void)
{
    ovni_names *n = g_new0(ovni_names, 1);
    n->texts = g_hash_table_new_full(hash_key, equal_keys, g_free, g_free);
    return n;
}

void ovni_names_free(ovni_names *n)
{
    if (n)
        g_hash_table_destroy(n->texts);
    g_free(n);
}

static void add(ovni_names *n, key k, const char *text)
{
    if (!g_hash_table_contains(n->texts, &k))
        g_hash_table_insert(n->texts, g_memdup2(&k, sizeof k), text_show(text, -1));
}

static const char *find(const ovni_names *n, key k)
{
    return g_hash_table_lookup(n->texts, &k);
}

void ovni_names_mark_title(ovni_names *n, int32_t type, const char *title)
{
    add(n, (key){TITLE, type, 0}, title);
}

void ovni_names_mark_label(ovni_names *n, int32_t type, int64_t value, const char *label)
{
    add(n, (key){LABEL, type, (uint64_t)value}, label);
}

void ovni_names_counter(ovni_names *n, uint64_t owner, uint32_t index, const char *name)
{
    if (index < OVNI_COUNTERS_MAX)
        add(n, (key){COUNTER, (int32_t)index, owner}, name);
}

const char *ovni_names_find_title(const ovni_names *n, int32_t type)
{
    return find(n, (key){TITLE, type, 0});
}

const char *ovni_names_find_label(const ovni_names *n, int32_t type, int64_t value)
{
    return find(n, (key){LABEL, type, (uint64_t)value});
}

const char *ovni_names_find_counter(const ovni_names *n, uint64_t owner, uint32_t index)
{
    return index < OVNI_COUNTERS_MAX ? find(n, (key){COUNTER, (int32_t)index, owner}) : NULL;
}
