/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/names.h"

#include "containers/hash.h"
#include "util/text.h"

static hash_pair ovni_names_key_of(ovni_named what, int64_t of, uint64_t number)
{
    return (hash_pair){(uint64_t)what << 32 | (uint32_t)of, number};
}

GHashTable *ovni_names_new(void)
{
    return g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, g_free);
}

void ovni_names_add(GHashTable *n, ovni_named what, int64_t of, uint64_t number, const char *text)
{
    const hash_pair key = ovni_names_key_of(what, of, number);
    if ((what != OVNI_NAMED_COUNTER || (of >= 0 && of < OVNI_COUNTERS_MAX)) && !g_hash_table_contains(n, &key))
        g_hash_table_insert(n, g_memdup2(&key, sizeof key), text_show(text, -1));
}

const char *ovni_names_find(GHashTable *n, ovni_named what, int64_t of, uint64_t number)
{
    const hash_pair key = ovni_names_key_of(what, of, number);
    return g_hash_table_lookup(n, &key);
}
