/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "statistics/sums.h"

#include <string.h>

#include "containers/hash.h"

/* Bytes; more for each call of sums_of(). The limit is needed: every call in a file may have a stack of its own, of up to
 * 64 names. */
#define KEPT_MAX (40u << 20)
#define KEPT_PER_COUNT 32u
#define ENTRY 120u /* bytes of the hash table per text, without the text and its sums */

void sums_init(sums *s, unsigned columns)
{
    *s = (sums){.columns = columns, .by_text = g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free)};
}

void sums_clear(sums *s)
{
    g_hash_table_destroy(s->by_text);
}

static uint64_t *add_text(sums *s, const char *text)
{
    uint64_t *numbers = g_new0(uint64_t, s->columns);
    g_hash_table_insert(s->by_text, g_strdup(text), numbers);
    return numbers;
}

uint64_t *sums_of(sums *s, const char *text, const char *otherwise)
{
    uint64_t *numbers = g_hash_table_lookup(s->by_text, text);
    s->counted++;
    if (numbers)
        return numbers;
    uint64_t bytes = strlen(text) + ENTRY + s->columns * sizeof *numbers;
    s->full = s->full || s->kept + bytes > KEPT_MAX + s->counted * KEPT_PER_COUNT;
    if (s->full) {
        numbers = g_hash_table_lookup(s->by_text, otherwise);
        return numbers ? numbers : add_text(s, otherwise);
    }
    s->kept += bytes;
    return add_text(s, text);
}

const uint64_t *sums_look(const sums *s, const char *text)
{
    return g_hash_table_lookup(s->by_text, text);
}

static int compare_texts(gconstpointer a, gconstpointer b)
{
    return strcmp(a, b);
}

GList *sums_keys(const sums *s, GCompareFunc compare)
{
    return g_list_sort(g_hash_table_get_keys(s->by_text), compare ? compare : compare_texts);
}
