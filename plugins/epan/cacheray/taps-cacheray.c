/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics of Cacheray traces: cacheray,tree (counts), cacheray,types (a row per type and member) and cacheray,lines (a
 * row per cache line). They use the tap "cacheray" and take a display filter as last argument. Only the accesses that
 * pass it decide how a line is shared. */
#include "cacheray-analysis.h"
#include "counts.h"
#include "table.h"

#include <epan/stats_tree.h>
#include <epan/tap.h>

#include "cacheray/cacheray.h"
#include "cacheray/tallies.h"
#include "hash_map.h"
#include "sorted.h"

/* --- cells, for both tables -------------------------------------------------------------------------------------------- */

static void set_number(stat_tap_table *table, guint row, guint column, unsigned value)
{
    stat_tap_get_field_data(table, row, column)->value.uint_value = value;
}

/* Adds a row of empty texts and zeros. */
static void add_row(stat_tap_table *table, guint row, const stat_tap_table_item *columns, guint count)
{
    stat_tap_table_item_type *cells = g_new0(stat_tap_table_item_type, count);
    for (guint i = 0; i < count; i++) {
        if (columns[i].type == TABLE_ITEM_STRING && columns[i].align == TAP_ALIGN_RIGHT)
            cells[i] = table_number();
        else if (columns[i].type == TABLE_ITEM_STRING)
            cells[i] = table_text("");
        else
            cells[i].type = columns[i].type;
    }
    stat_tap_init_table_row(table, row, count, cells);
    g_free(cells);
}

/* --- types: a row per type and member --------------------------------------------------------------------------------- */

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
    TABLE_NUMBER("Level 1"),
    TABLE_NUMBER("Level 2"),
    TABLE_NUMBER("Level 3"),
    TABLE_NUMBER("Level 4"),
    TABLE_NUMBER("Misses"),
};

/* Each text is stored once per file, so pointers can be compared. */
typedef struct types_key {
    const char *type, *variable, *member; /* NULL: unknown */
} types_key;

typedef struct types_row {
    guint row;
    types_key key;
    unsigned counts[TYPES_COLUMNS];
    hash_map threads;
} types_row;

static GHashTable *types_known; /* types_key -> types_row, which contains the key */
static uint64_t types_accesses;

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

static void types_free_row(gpointer p)
{
    types_row *t = p;
    hash_map_clear(&t->threads);
    g_free(t);
}

static void types_forget(void)
{
    if (types_known)
        g_hash_table_destroy(types_known);
    types_known = g_hash_table_new_full(types_hash, types_equal, NULL, types_free_row);
    types_accesses = 0;
}

static char *name_of_data(const types_key *k)
{
    if (k->variable)
        return g_strdup_printf("variable %s", k->variable);
    return g_strdup(k->type ? k->type : "(not annotated)");
}

/* The names of the data that is accessed. */
static types_key key_of_data(const cacheray_view *v)
{
    return (types_key){v->type, v->variable, v->member};
}

static types_row *types_row_of(stat_tap_table *table, const types_key *key)
{
    static const types_key others = {.type = TABLE_OTHERS};
    types_row *t = g_hash_table_lookup(types_known, key);
    if (t)
        return t;
    if (key != &others && !table_has_room(g_hash_table_size(types_known), types_accesses))
        return types_row_of(table, &others);
    t = g_new0(types_row, 1);
    t->key = *key;
    hash_map_init(&t->threads);
    t->row = table->num_elements;
    add_row(table, t->row, types_columns, TYPES_COLUMNS);
    table_set_text(table, t->row, TYPES_TYPE, name_of_data(key));
    table_set_text(table, t->row, TYPES_MEMBER, g_strdup(key->member ? key->member : ""));
    g_hash_table_insert(types_known, &t->key, t);
    return t;
}

static bool types_record(stat_tap_table *table, const packet_info *pinfo, const void *tapped)
{
    (void)pinfo;
    const cacheray_view *v = tapped;
    if (!v->is_access)
        return false;
    const types_key key = key_of_data(v);
    types_accesses++;
    types_row *t = types_row_of(table, &key);
    t->counts[v->kind == CACHERAY_WRITE ? TYPES_WRITES : TYPES_READS]++;
    t->counts[TYPES_ATOMICS] += v->atomic;
    t->counts[TYPES_UNALIGNED] += v->unaligned;
    if (v->has_cache)
        t->counts[v->cache.level ? TYPES_LEVEL + v->cache.level - 1 : TYPES_MISSES]++;
    hash_map_add(&t->threads, v->thread);
    t->counts[TYPES_THREADS] = t->threads.count;
    for (guint i = TYPES_READS; i < TYPES_LEVEL; i++)
        set_number(table, t->row, i, t->counts[i]);
    for (guint i = TYPES_LEVEL; v->has_cache && i < TYPES_COLUMNS; i++) /* without caches the cells stay empty */
        table_set(table, t->row, i, t->counts[i]);
    return true;
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
};

/* --- lines: a row per cache line --------------------------------------------------------------------------------------- */

enum {
    LINES_LINE,
    LINES_READS,
    LINES_WRITES,
    LINES_CONTENDED,
    LINES_SHARING,
    LINES_WHO,
    LINES_USERS,
    LINES_ATOMICS,
    LINES_COLUMNS
};

#define WHO_MAX 8u /* at most this many threads are listed */

static stat_tap_table_item lines_columns[LINES_COLUMNS] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Line", "%s"},      {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Reads", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Writes", "%10u"},    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Contended", "%10u"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Sharing", "%-14s"}, {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Shared by", "%-20s"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Threads", "%8u"},    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Atomic", "%10u"},
};

/* A line takes little memory but its row takes much, so only the lines worth most have rows. A contended access is worth
 * this many others, as it takes a program about as much longer. All other lines are added up in the last row. */
#define CONTENDED_WORTH 64u

typedef struct lines_row {
    guint row;
    guint place;        /* in lines_ranked */
    uint64_t worth;     /* worth_of() its counts */
    uint32_t line;      /* number */
    line_summary shown; /* in the table */
} lines_row;

static line_table *lines_all;
static unsigned lines_size;     /* in bytes */
static tallies *lines_counts;   /* one per line, see lines_note() */
static GPtrArray *lines_made;   /* of lines_row, by tally.row - 1 */
static GPtrArray *lines_ranked; /* the same rows, highest worth first */
static tally lines_others;
static guint lines_others_row; /* G_MAXUINT: not added yet */
static uint64_t lines_accesses;

static void lines_forget(void)
{
    lines_free(lines_all);
    tallies_free(lines_counts);
    if (lines_made) {
        g_ptr_array_free(lines_made, TRUE);
        g_ptr_array_free(lines_ranked, TRUE);
    }
    lines_ranked = g_ptr_array_new();
    lines_made = g_ptr_array_new_with_free_func(g_free);
    lines_size = cacheray_analysis_line_size();
    lines_all = lines_new(lines_size);
    lines_counts = tallies_new();
    lines_others = (tally){0};
    lines_others_row = G_MAXUINT;
    lines_accesses = 0;
}

static int compare_threads(gconstpointer a, gconstpointer b)
{
    const line_thread *x = a, *y = b;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

/* The threads of a line; those that write have a star. */
static char *who(uint64_t line)
{
    line_thread threads[LINES_THREADS + 1];
    unsigned n = lines_threads(lines_all, line, threads, LINES_THREADS + 1);
    GString *text = g_string_new(NULL);
    qsort(threads, n, sizeof *threads, compare_threads);
    for (unsigned i = 0; i < MIN(n, WHO_MAX); i++)
        g_string_append_printf(text, "%s%" PRIu64 "%s", i ? "," : "", threads[i].thread, threads[i].writes ? "*" : "");
    if (n > WHO_MAX)
        g_string_append(text, ",...");
    char *compact = g_strdup(text->str); /* without spare capacity, as there are very many */
    g_string_free(text, TRUE);
    return compact;
}

/* With a fixed width, so that it sorts like the address. */
static char *address_text(uint64_t address)
{
    char hex[24];
    snprintf(hex, sizeof hex, "0x%" PRIx64, address);
    return g_strdup_printf("%18s", hex);
}

static void lines_show_counts(stat_tap_table *table, guint row, const tally *c)
{
    set_number(table, row, LINES_READS, c->reads);
    set_number(table, row, LINES_WRITES, c->writes);
    set_number(table, row, LINES_ATOMICS, c->atomics);
    set_number(table, row, LINES_CONTENDED, c->contended);
}

static void lines_show(stat_tap_table *table, uint64_t line, lines_row *l, const tally *c)
{
    guint row = l->row;
    line_summary now = lines_summary(lines_all, line);
    bool is_new = l->shown.threads == 0;
    if (is_new)
        table_set_text(table, row, LINES_LINE, address_text(line));
    if (now.threads != l->shown.threads || now.writers != l->shown.writers) {
        set_number(table, row, LINES_USERS, now.threads);
        table_set_text(table, row, LINES_WHO, who(line));
    }
    if (is_new || now.sharing != l->shown.sharing)
        table_set_text(table, row, LINES_SHARING, g_strdup(val_to_str_const(now.sharing, cacheray_sharings, "")));
    lines_show_counts(table, row, c);
    l->shown = now;
}

static void lines_show_others(stat_tap_table *table)
{
    if (lines_others_row == G_MAXUINT) {
        lines_others_row = table->num_elements;
        add_row(table, lines_others_row, lines_columns, LINES_COLUMNS);
        table_set_text(table, lines_others_row, LINES_LINE, g_strdup_printf("%18s", TABLE_OTHERS));
    }
    lines_show_counts(table, lines_others_row, &lines_others);
}

static void lines_count_others(const tally *c, uint32_t by)
{
    lines_others.reads += c->reads * by;
    lines_others.writes += c->writes * by;
    lines_others.atomics += c->atomics * by;
    lines_others.contended += c->contended * by;
}

static uint64_t worth_of(const tally *c)
{
    return (uint64_t)c->reads + c->writes + (uint64_t)c->contended * CONTENDED_WORTH;
}

static void rank_put(lines_row *l, guint place)
{
    g_ptr_array_index(lines_ranked, place) = l;
    l->place = place;
}

static lines_row *ranked_at(guint place)
{
    return g_ptr_array_index(lines_ranked, place);
}

static void rank_swap(guint a, guint b)
{
    lines_row *x = ranked_at(a), *y = ranked_at(b);
    rank_put(x, b);
    rank_put(y, a);
}

/* The first position in [low, end) whose row is worth at most `worth`; `end` if none is. */
static guint rank_first(uint64_t worth, guint low, guint end)
{
    return low + (guint)SORTED_COUNT(end - low, i, ranked_at(low + (guint)i)->worth > worth);
}

/* Moves a row to its place after its worth has changed. Equal rows need no order, so a single swap takes it past all rows
 * that are worth the same. */
static void rank_settle(lines_row *l, uint64_t worth)
{
    l->worth = worth;
    for (guint at = l->place; at > 0 && ranked_at(at - 1)->worth < worth; at = l->place)
        rank_swap(at, rank_first(ranked_at(at - 1)->worth, 0, at));
    for (guint at = l->place; at + 1 < lines_ranked->len && ranked_at(at + 1)->worth > worth; at = l->place)
        rank_swap(at, rank_first(ranked_at(at + 1)->worth - 1, at + 1, lines_ranked->len) - 1);
}

static lines_row *lines_add_row(stat_tap_table *table)
{
    lines_row *l = g_new0(lines_row, 1);
    l->row = table->num_elements;
    l->place = lines_ranked->len;
    g_ptr_array_add(lines_made, l);
    g_ptr_array_add(lines_ranked, l);
    add_row(table, l->row, lines_columns, LINES_COLUMNS);
    return l;
}

/* Gives a line a row if there is room, or if another one is worth less. */
static void lines_give_row(stat_tap_table *table, uint32_t number, tally *c)
{
    /* Only half the rows, since lines without a row need memory, too. */
    if (table_has_room(2 * lines_made->len, lines_accesses)) {
        lines_add_row(table)->line = number;
        c->row = lines_made->len;
        return;
    }
    lines_row *l = ranked_at(lines_ranked->len - 1);
    if (l->worth >= worth_of(c))
        return;
    uint32_t *kept = lines_note(lines_all, l->line);
    tally loser = tallies_get(lines_counts, *kept);
    c->row = loser.row;
    loser.row = 0;
    lines_count_others(&loser, 1);
    tallies_set(lines_counts, kept, &loser);
    l->line = number;
    l->shown = (line_summary){0};
}

static void lines_count_access(stat_tap_table *table, const cacheray_view *v, uint64_t line, const line_touched *touched)
{
    uint32_t *kept = lines_note(lines_all, touched->number);
    tally c = tallies_get(lines_counts, *kept);
    bool writes = v->kind == CACHERAY_WRITE, had_row = c.row;
    if (!had_row)
        lines_count_others(&c, UINT32_MAX); /* takes it back: adds -1 */
    c.reads += !writes;
    c.writes += writes;
    c.atomics += v->atomic;
    c.contended += touched->contended;
    if (!had_row)
        lines_give_row(table, touched->number, &c);
    tallies_set(lines_counts, kept, &c);
    if (!c.row)
        lines_count_others(&c, 1);
    if (!had_row && (lines_others_row != G_MAXUINT || !c.row))
        lines_show_others(table);
    if (!c.row)
        return;
    lines_row *l = g_ptr_array_index(lines_made, c.row - 1);
    rank_settle(l, worth_of(&c));
    lines_show(table, line, l, &c);
}

static bool lines_record(stat_tap_table *table, const packet_info *pinfo, const void *tapped)
{
    (void)pinfo;
    const cacheray_view *v = tapped;
    if (!v->is_access)
        return false;
    line_touch access = {v->address, v->thread, 0, v->size, v->kind == CACHERAY_WRITE};
    line_result result;
    lines_touch(lines_all, &access, &result);
    lines_accesses++;
    lines_count_access(table, v, result.line, &result.touched[0]);
    if (result.split)
        lines_count_access(table, v, result.line + lines_size, &result.touched[1]);
    return true;
}

static table_statistic lines_statistic = {
    .ui = {.title = "Cacheray Lines",
           .tap_name = "cacheray",
           .cli_string = "cacheray,lines",
           .nfields = LINES_COLUMNS,
           .fields = lines_columns},
    .title = "Cacheray lines",
    .sorted_by = {LINES_READS, LINES_WRITES},
    .count = lines_record,
    .forget = lines_forget,
};

/* --- tree: counts by kind, thread, type and member --------------------------------------------------------------------- */

static int node_kinds = -1, node_threads = -1, node_types = -1;
static const char *const name_kinds = "Kinds", *const name_threads = "Threads", *const name_types = "Accesses by type";
static counts tree_threads, tree_types, tree_members;

static void tree_init(stats_tree *tree)
{
    node_kinds = stats_tree_create_node(tree, name_kinds, 0, STAT_DT_INT, TRUE);
    node_threads = stats_tree_create_node(tree, name_threads, 0, STAT_DT_INT, TRUE);
    node_types = stats_tree_create_node(tree, name_types, 0, STAT_DT_INT, TRUE);
    counts_begin(&tree_threads);
    counts_begin(&tree_types);
    counts_begin(&tree_members);
}

static tap_packet_status tree_packet(stats_tree *tree, packet_info *pinfo, epan_dissect_t *edt, const void *tapped,
                                     tap_flags_t flags)
{
    (void)edt;
    (void)flags;
    const cacheray_view *v = tapped;
    bool bursts = counts_enter(pinfo);
    tick_stat_node(tree, name_kinds, 0, TRUE);
    tick_stat_node(tree, val_to_str_const(v->context->kind, cacheray_events, "Unknown"), node_kinds, FALSE);
    if (v->kind < CACHERAY_KINDS) {
        char text[24];
        snprintf(text, sizeof text, "%" PRIu64, v->thread);
        tick_stat_node(tree, name_threads, 0, TRUE);
        counts_tick(&tree_threads, tree, node_threads, text, false);
    }
    if (v->is_access) {
        const types_key key = key_of_data(v);
        char *data = name_of_data(&key);
        tick_stat_node(tree, name_types, 0, TRUE);
        int node = counts_tick(&tree_types, tree, node_types, data, true);
        if (v->member)
            counts_tick(&tree_members, tree, node, v->member, false);
        g_free(data);
    }
    counts_leave(bursts);
    return TAP_PACKET_REDRAW;
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

void cacheray_taps_register(void)
{
    table_register(&types_statistic);
    table_register(&lines_statistic);
}

void cacheray_taps_handoff(void)
{
    stats_tree_register_plugin("cacheray", "cacheray", COMPAT_TREES("Cacheray") "Records", COUNTS_LARGEST_FIRST, tree_packet,
                               tree_init, NULL);
}
