/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xray,account: a row per function, or per function and caller. */
#include "statistics/table.h"
#include "xray/calls-xray.h"

#include <epan/tap.h>

#include "containers/hash.h"
#include "containers/quantile.h"

enum {
    COLUMN_NAME,
    COLUMN_ID,
    COLUMN_COUNT,
    COLUMN_MIN,
    COLUMN_MEDIAN,
    COLUMN_90,
    COLUMN_99,
    COLUMN_MAX,
    COLUMN_SUM,
    COLUMN_SELF,
    COLUMN_UNWOUND,
    COLUMN_UNSURE,
    COLUMN_FILE,
    COLUMN_LINE,
    COLUMN_CALLER,
    COLUMNS
};

static stat_tap_table_item account_columns[COLUMNS] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Function", "%-40s"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Id", "%6u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Calls", "%10u"},
    TABLE_NUMBER("Min (ns)"),
    TABLE_NUMBER("Median (ns)"),
    TABLE_NUMBER("90 % (ns)"),
    TABLE_NUMBER("99 % (ns)"),
    TABLE_NUMBER("Max (ns)"),
    TABLE_NUMBER("Sum (ns)"),
    TABLE_NUMBER("Self (ns)"),
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Unwound", "%10u"},
    {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Unsure", "%10u"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "File", "%-20s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Line", "%6s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Caller", "%-40s"},
};

/* The sums for a function in ticks; the table shows nanoseconds, or ticks if they are wanted. */
typedef struct account_row {
    guint row;
    uint32_t function;
    unsigned count, unwound, unsure; /* number of calls, of those without an exit, and of those whose self time is unsure */
    uint64_t min, max, sum, self;
    quantiles shown;
} account_row;

static table_statistic account_statistic;
static GHashTable *account_rows; /* caller << 32 | function id, as uint64_t -> account_row */
static uint64_t account_calls;
static bool account_full; /* see table_has_room() */

/* Words: a row per caller and function; only calls of functions that have called themselves, as `llvm-xray account
 * --recursive-calls-only`; only the outermost of such calls, which contains the others. */
static bool account_by_caller;
static enum { COUNT_ALL, COUNT_RECURSIVE, COUNT_OUTERMOST } account_counts;

/* How many calls of a function are open on a stack, and whether there were several since the first of them began. */
typedef struct recursion {
    hash_pair key; /* stack and function */
    uint32_t depth;
    bool recursive;
} recursion;

static GHashTable *account_recursions; /* recursion.key -> recursion */

static void free_row(gpointer p)
{
    account_row *a = p;
    quantiles_clear(&a->shown);
    g_free(a);
}

static void account_forget(void)
{
    if (account_rows)
        g_hash_table_destroy(account_rows);
    if (account_recursions)
        g_hash_table_destroy(account_recursions);
    account_rows = g_hash_table_new_full(hash_number, g_int64_equal, g_free, free_row);
    account_recursions = g_hash_table_new_full(hash_pair_of, hash_pair_equal, NULL, g_free);
    account_calls = 0;
    account_full = false;
}

/* `caller`: in words; NULL: rows are not separated by it. */
static account_row *account_add_row(stat_tap_table *table, uint64_t key, uint32_t function, const char *name,
                                    const char *caller)
{
    stat_tap_table_item_type cells[COLUMNS] = {0};
    char number[16];
    account_row *a = g_new0(account_row, 1);
    a->row = g_hash_table_size(account_rows);
    a->function = function;
    a->min = UINT64_MAX;
    snprintf(number, sizeof number, "#%u", function);
    cells[COLUMN_NAME] = table_text(name ? name : number);
    cells[COLUMN_ID].type = cells[COLUMN_COUNT].type = TABLE_ITEM_UINT;
    cells[COLUMN_UNWOUND].type = cells[COLUMN_UNSURE].type = TABLE_ITEM_UINT;
    cells[COLUMN_ID].value.uint_value = function;
    for (int i = COLUMN_MIN; i <= COLUMN_SELF; i++)
        cells[i] = table_number();
    cells[COLUMN_FILE] = table_text("");
    cells[COLUMN_LINE] = table_text("");
    cells[COLUMN_CALLER] = table_text(caller ? caller : "");
    stat_tap_init_table_row(table, a->row, COLUMNS, cells);
    g_hash_table_insert(account_rows, g_memdup2(&key, sizeof key), a);
    return a;
}

static account_row *account_row_of(stat_tap_table *table, const xray_record *r, const xray_ended *ended)
{
    uint32_t caller = 0;
    char number[16];
    bool called = account_by_caller && xray_calls_caller(r, ended, &caller);
    uint64_t key = (uint64_t)caller << 32 | ended->function, others = XRAY_OTHER_FUNCTIONS;
    account_row *a = g_hash_table_lookup(account_rows, &key);
    if (a)
        return a;
    if (!table_has_room(&account_full, g_hash_table_size(account_rows), account_calls)) {
        a = g_hash_table_lookup(account_rows, &others);
        return a ? a : account_add_row(table, others, XRAY_OTHER_FUNCTIONS, TABLE_OTHERS, NULL);
    }
    const char *name = called ? xray_calls_name(caller) : NULL;
    snprintf(number, sizeof number, "#%u", caller);
    return account_add_row(table, key, ended->function, ended->name,
                           !account_by_caller ? NULL
                           : !called          ? "(no caller)"
                           : name             ? name
                                              : number);
}

static recursion *recursion_of(const xray_record *r, uint32_t function)
{
    const hash_pair key = {r->stack, function};
    recursion *one = g_hash_table_lookup(account_recursions, &key);
    if (!one) {
        one = g_new0(recursion, 1);
        one->key = key;
        g_hash_table_insert(account_recursions, &one->key, one);
    }
    return one;
}

static void note_entry(const xray_record *r)
{
    recursion *one = recursion_of(r, r->function);
    one->recursive = one->depth++ > 0;
}

/* Whether a call that has ended is one of those that are asked for. */
static bool is_wanted(const xray_record *r, const xray_ended *ended)
{
    if (account_counts == COUNT_ALL)
        return true;
    recursion *one = recursion_of(r, ended->function);
    bool recursive = one->recursive;
    one->depth -= one->depth > 0;
    return account_counts == COUNT_RECURSIVE ? recursive : one->depth == 0;
}

/* Adds `file:line` as two cells. */
static void account_show_source(stat_tap_table *table, const account_row *a)
{
    const char *place = a->function == XRAY_OTHER_FUNCTIONS ? NULL : xray_calls_source(a->function);
    const char *colon = place ? strrchr(place, ':') : NULL;
    if (!colon)
        return;
    table_set_text(table, a->row, COLUMN_FILE, g_strndup(place, (gsize)(colon - place)));
    table_set_text(table, a->row, COLUMN_LINE, g_strdup(colon + 1));
}

static void account_show(stat_tap_table *table, account_row *a)
{
    const uint64_t ticks[COLUMNS] = {
        [COLUMN_MIN] = a->min,
        [COLUMN_MEDIAN] = quantiles_value(&a->shown, 50),
        [COLUMN_90] = quantiles_value(&a->shown, 90),
        [COLUMN_99] = quantiles_value(&a->shown, 99),
        [COLUMN_MAX] = a->max,
        [COLUMN_SUM] = a->sum,
        [COLUMN_SELF] = a->self,
    };
    bool as_they_are = table_in_ticks(&account_statistic);
    stat_tap_get_field_data(table, a->row, COLUMN_COUNT)->value.uint_value = a->count;
    stat_tap_get_field_data(table, a->row, COLUMN_UNWOUND)->value.uint_value = a->unwound;
    stat_tap_get_field_data(table, a->row, COLUMN_UNSURE)->value.uint_value = a->unsure;
    for (unsigned i = COLUMN_MIN; i <= COLUMN_SELF; i++)
        table_set(table, a->row, i, as_they_are ? ticks[i] : xray_calls_sum_nanoseconds(ticks[i]));
    account_show_source(table, a);
}

static void account_finish(stat_tap_table *table)
{
    GHashTableIter all;
    gpointer row;
    g_hash_table_iter_init(&all, account_rows);
    while (g_hash_table_iter_next(&all, NULL, &row))
        account_show(table, row);
}

static void account_add(stat_tap_table *table, const xray_record *r, const xray_ended *ended)
{
    account_calls++;
    account_row *a = account_row_of(table, r, ended);
    uint64_t ticks = ended->call.duration;
    a->count++;
    a->unwound += ended->call.state & CALL_CLOSED ? 1 : 0;
    a->unsure += ended->call.state & CALL_UNATTRIBUTED ? 1 : 0;
    a->sum += ticks;
    a->self += ended->call.state & CALL_SELF ? ended->call.self : 0;
    a->min = MIN(a->min, ticks);
    a->max = MAX(a->max, ticks);
    quantiles_add(&a->shown, ticks);
}

static bool account_record(stat_tap_table *table, const packet_info *pinfo, const void *tapped)
{
    (void)pinfo;
    const xray_record *r = tapped;
    bool any = false;
    xray_ended ended;
    if (account_counts != COUNT_ALL && r->has_call &&
        (r->context->kind == XRAY_ENTRY || r->context->kind == XRAY_ENTRY_ARGUMENTS))
        note_entry(r);
    for (uint32_t i = 0; xray_calls_added(r, i, &ended); i++)
        if (ended.call.begin && is_wanted(r, &ended) && ended.call.state & CALL_TIMED) {
            account_add(table, r, &ended);
            any = true;
        }
    return any;
}

static bool account_word(const char *word)
{
    bool forget = !word;
    if (forget) {
        account_by_caller = false;
        account_counts = COUNT_ALL;
        return false;
    }
    bool graph = strcmp(word, "graph") == 0, recursive = strcmp(word, "recursive") == 0,
         outermost = strcmp(word, "outermost") == 0;
    account_by_caller = account_by_caller || graph;
    if (recursive || outermost)
        account_counts = recursive ? COUNT_RECURSIVE : COUNT_OUTERMOST;
    return graph || recursive || outermost;
}

static table_statistic account_statistic = {
    .ui = {.title = "XRay Functions",
           .tap_name = "xray",
           .cli_string = "xray,account",
           .nfields = COLUMNS,
           .fields = account_columns},
    .title = "XRay functions",
    .sorted_by = {COLUMN_SELF},
    .count = account_record,
    .forget = account_forget,
    .word = account_word,
    .words = "graph, recursive, outermost",
    .finish = account_finish,
};

void xray_account_register(void)
{
    table_register(&account_statistic);
}
