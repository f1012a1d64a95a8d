/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cacheray,types: a row per type (or variable) and member. The elements of an array are one row, `tag[]`; the word
 * `elements` gives each its own. Where several rows belong to a member, to a type or to a variable, another one has their
 * sum: `price.*`, `*`. */
#include "cacheray/tables-cacheray.h"
#include "host/menus.h"
#include "statistics/report.h"

#include "containers/hash.h"
#include "containers/hash_map.h"

#include <string.h>

enum {
    TYPES_TYPE,
    TYPES_MEMBER,
    TYPES_READS,
    TYPES_WRITES,
    TYPES_ATOMICS,
    TYPES_UNALIGNED,
    TYPES_THREADS,
    TYPES_LEVEL,
    TYPES_MISSES = TYPES_LEVEL + CACHES_LEVELS,
    TYPES_INVALIDATIONS,
    TYPES_COLUMNS
};

static stat_tap_table_item types_columns[TYPES_COLUMNS] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Type", "%-30s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Member", "%-30s"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Reads", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Writes", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Atomic", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Unaligned", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Threads", "%8u"},
    LEVELS_COLUMN_ITEMS,
    TABLE_NUMBER("Invalidations"),
};

/* The data of an access. Each text is stored once per file, so pointers can be compared. */
typedef struct types_key {
    const char *type, *variable, *member; /* NULL: unknown */
} types_key;

typedef struct types_row types_row;
struct types_row {
    guint row;              /* in the table; G_MAXUINT: not there yet */
    char *data, *member;    /* as shown */
    types_row *whole, *top; /* the sums over the type and over its member; NULL in a sum, and if there is none */
    unsigned parts;         /* of a sum: its rows */
    unsigned counts[TYPES_COLUMNS];
    hash_map threads;
};

static GHashTable *types_known;   /* types_key -> types_row; several keys may have the same */
static GHashTable *types_by_name; /* see types_named() */
static GPtrArray *types_rows;     /* of types_row, owned */
static uint64_t types_accesses;
static bool types_full;     /* see table_has_room() */
static bool types_elements; /* each element of an array has its own row */
static bool types_cached;   /* caches are simulated */

static void types_free_row(gpointer p)
{
    types_row *t = p;
    hash_map_clear(&t->threads);
    g_free(t->data);
    g_free(t->member);
    g_free(t);
}

static guint types_hash(gconstpointer p)
{
    const types_key *k = p;
    return (g_direct_hash(k->type) * 31 + g_direct_hash(k->variable)) * 31 + g_direct_hash(k->member);
}

static gboolean types_equal(gconstpointer a, gconstpointer b)
{
    const types_key *x = a, *y = b;
    return x->type == y->type && x->variable == y->variable && x->member == y->member;
}

static void types_forget(void)
{
    if (types_known) {
        g_hash_table_destroy(types_known);
        g_hash_table_destroy(types_by_name);
        g_ptr_array_free(types_rows, TRUE);
    }
    types_known = g_hash_table_new_full(types_hash, types_equal, g_free, NULL);
    types_by_name = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    types_rows = g_ptr_array_new_with_free_func(types_free_row);
    types_accesses = 0;
    types_full = false;
    types_cached = false;
}

/* --- names of rows ----------------------------------------------------------------------------------------------------- */

/* The member of the type itself that a folded name belongs to: `price` of `price.units`, also of `price.a|price.b`. NULL:
 * there are several. */
static char *top_of(const char *folded)
{
    size_t length = strcspn(folded, ".|");
    for (const char *next = strchr(folded, '|'); next; next = strchr(next + 1, '|'))
        if (strncmp(next + 1, folded, length) != 0 || !strchr(".|", next[1 + length]))
            return NULL;
    return g_strndup(folded, length);
}

/* The row with this name, and whether it is new; `kind` keeps sums apart from members of the same name. */
static types_row *types_named(const char *data, const char *kind, const char *member, bool *added)
{
    g_autofree char *name = g_strconcat(data, kind, member, NULL);
    types_row *t = g_hash_table_lookup(types_by_name, name);
    *added = !t;
    if (t)
        return t;
    t = g_new0(types_row, 1);
    t->row = G_MAXUINT;
    t->data = g_strdup(data);
    t->member = g_strdup(member);
    hash_map_init(&t->threads);
    g_ptr_array_add(types_rows, t);
    g_hash_table_insert(types_by_name, g_steal_pointer(&name), t);
    return t;
}

static types_row *types_sum(const char *data, const char *member)
{
    bool added;
    types_row *t = types_named(data, "\n\n", member, &added);
    t->parts++;
    return t;
}

static types_row *types_add_row(const char *data, const char *member)
{
    bool added;
    g_autofree char *folded = cacheray_member_of_all(member), *top = top_of(folded);
    const char *own = types_elements ? member : folded;
    types_row *t = types_named(data, "\n", own, &added);
    if (!added)
        return t;
    t->whole = types_sum(data, "*");
    if (top && strcmp(top, own) != 0) {
        g_autofree char *sum = g_strconcat(top, strcmp(top, folded) == 0 ? "" : ".*", NULL);
        t->top = types_sum(data, sum);
    }
    return t;
}

static types_row *types_row_of(const cacheray_view *v)
{
    const types_key key = {v->type, v->variable, v->member};
    types_row *t = g_hash_table_lookup(types_known, &key);
    if (t)
        return t;
    if (!table_has_room(&types_full, MAX(types_rows->len, g_hash_table_size(types_known)), types_accesses)) {
        bool added;
        return types_named(TABLE_OTHERS, "\n", "", &added);
    }
    g_autofree char *data = cacheray_data_name(v);
    t = types_add_row(data, v->member ? v->member : "");
    g_hash_table_insert(types_known, g_memdup2(&key, sizeof key), t);
    return t;
}

/* --- counting and showing ---------------------------------------------------------------------------------------------- */

static bool types_record(stat_tap_table *table, const packet_info *pinfo, const void *tapped)
{
    (void)table;
    (void)pinfo;
    const cacheray_view *v = tapped;
    if (!v->is_access)
        return false;
    types_accesses++;
    types_row *t = types_row_of(v);
    t->counts[v->kind == CACHERAY_WRITE ? TYPES_WRITES : TYPES_READS]++;
    t->counts[TYPES_ATOMICS] += v->atomic;
    t->counts[TYPES_UNALIGNED] += v->unaligned;
    if (v->has_cache)
        t->counts[v->cache.level ? TYPES_LEVEL + v->cache.level - 1 : TYPES_MISSES]++;
    t->counts[TYPES_INVALIDATIONS] += v->cache.invalidated;
    types_cached |= v->has_cache;
    hash_map_add(&t->threads, v->thread);
    return true;
}

static void types_add(types_row *sum, const types_row *part)
{
    for (guint i = TYPES_READS; sum && i < TYPES_COLUMNS; i++)
        sum->counts[i] += part->counts[i];
    for (guint i = 0; sum && i < 1u << part->threads.bits; i++)
        if (part->threads.slots[i].value)
            hash_map_add(&sum->threads, part->threads.slots[i].key);
}

static void types_show(stat_tap_table *table, types_row *t)
{
    if (t->row == G_MAXUINT) {
        t->row = table->num_elements;
        cacheray_table_row(table, t->row, types_columns, TYPES_COLUMNS);
        table_set_text(table, t->row, TYPES_TYPE, g_strdup(t->data));
        table_set_text(table, t->row, TYPES_MEMBER, g_strdup(t->member));
    }
    t->counts[TYPES_THREADS] = t->threads.count;
    for (guint i = TYPES_READS; i < TYPES_LEVEL; i++)
        cacheray_table_number(table, t->row, i, t->counts[i]);
    for (guint i = TYPES_LEVEL; types_cached && i <= TYPES_MISSES; i++) /* without caches the cells stay empty */
        table_set(table, t->row, i, t->counts[i]);
    if (types_cached && cacheray_coherence())
        table_set(table, t->row, TYPES_INVALIDATIONS, t->counts[TYPES_INVALIDATIONS]);
}

/* A sum of a single row would only repeat it. */
static void types_show_sum(stat_tap_table *table, types_row *t)
{
    if (t && t->parts > 1)
        types_show(table, t);
}

static void types_finish(stat_tap_table *table)
{
    for (guint i = 0; i < types_rows->len; i++) {
        types_row *t = g_ptr_array_index(types_rows, i);
        if (t->parts)
            memset(t->counts, 0, sizeof t->counts);
    }
    for (guint i = 0; i < types_rows->len; i++) {
        types_row *t = g_ptr_array_index(types_rows, i);
        types_add(t->whole, t);
        types_add(t->top, t);
    }
    for (guint i = 0; i < types_rows->len; i++) {
        types_row *t = g_ptr_array_index(types_rows, i);
        if (t->parts)
            continue;
        types_show_sum(table, t->whole);
        types_show_sum(table, t->top);
        types_show(table, t);
    }
}

static table_statistic types_statistic = {
    .ui = {.title = "Cacheray Types",
           .tap_name = "cacheray",
           .cli_string = "cacheray,types",
           .nfields = TYPES_COLUMNS,
           .fields = types_columns},
    .title = "Cacheray types",
    .sorted_by = {TYPES_READS, TYPES_WRITES},
    .count = types_record,
    .forget = types_forget,
    .flag = "elements",
    .flagged = &types_elements,
    .finish = types_finish,
};

void cacheray_types_register(void)
{
    static const char title[] = "Cacheray Types by Element";
    table_register(&types_statistic);
    table_add_entry(&types_statistic, title, "elements");
}
