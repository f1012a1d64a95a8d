/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "showing/responses.h"

#include <epan/srt_table.h>
#include <epan/tap.h>

#include "containers/hash.h"
#include "host/callbacks.h"
#include "host/menus.h"
#include "statistics/limit.h"
#include "util/short_name.h"

enum { NUMBER_OF_OTHERS = INT32_MAX };

/* Wireshark identifies a statistic by its protocol. */
static struct {
    int proto;
    const span_source *from;
} registered[CALLBACKS_COUNT];
static unsigned registered_count;

/* The rows of a table. */
typedef struct row_numbers {
    GHashTable *rows; /* number << 32 | hash of the name, as uint64_t -> row + 1 */
    counting_limit limit;
} row_numbers;

/* srt_stat_table -> row_numbers. Wireshark does not report that it frees a table, so they are freed with the open file.
 * sharkd may go on with a table after that, which therefore has no pointer to them. */
static GHashTable *all_numbers;

static void free_numbers(gpointer p)
{
    g_hash_table_destroy(((row_numbers *)p)->rows);
    g_free(p);
}

static void forget_numbers(void)
{
    if (all_numbers)
        g_hash_table_remove_all(all_numbers);
}

static row_numbers *numbers_begin(srt_stat_table *table)
{
    row_numbers *n = g_new0(row_numbers, 1);
    n->limit = LIMIT_OF_ROWS;
    n->rows = g_hash_table_new_full(hash_number, g_int64_equal, g_free, NULL);
    if (!all_numbers)
        all_numbers = g_hash_table_new_full(NULL, NULL, NULL, free_numbers);
    g_hash_table_replace(all_numbers, table, n);
    return n;
}

static row_numbers *responses_numbers_of(srt_stat_table *table)
{
    row_numbers *n = all_numbers ? g_hash_table_lookup(all_numbers, table) : NULL;
    return n ? n : numbers_begin(table);
}

/* tshark prints which field the index is, but then the number of the row. */
static void init(struct register_srt *srt, GArray *tables)
{
    unsigned i = 0;
    while (registered[i].proto != get_srt_proto_id(srt))
        i++;
    for (const span_kind *k = registered[i].from->kinds; k->name; k++)
        numbers_begin(init_srt_table(k->name, k->name, tables, 0, k->column, menus_windows() ? k->field : "", NULL));
}

/* In a window names come before all numbers, so longer ones would push those out of sight. The number says which name it is.
 */
static void begin_row(srt_stat_table *table, int row, const shown_name *name)
{
    enum { WIDEST = 40 };
    g_autoptr(GString) cut = g_string_new(NULL);
    if (menus_windows())
        short_name_append_cut(cut, name, WIDEST, 0);
    init_srt_table_row(table, row, menus_windows() ? cut->str : name->text);
}

/* The row of a number and name. Numbers too large for Wireshark's index count as others. */
static int find_row(srt_stat_table *table, uint32_t number, const shown_name *name)
{
    row_numbers *n = responses_numbers_of(table);
    uint64_t key = (uint64_t)number << 32 | hash_text(name->text);
    int row = GPOINTER_TO_INT(g_hash_table_lookup(n->rows, &key)) - 1;
    bool others = number == NUMBER_OF_OTHERS;
    if (row >= 0)
        return row;
    if (!others && (number > NUMBER_OF_OTHERS || !limit_allows_row(&n->limit, (guint)table->num_procs)))
        return find_row(table, NUMBER_OF_OTHERS, &(shown_name){.text = TEXT_OTHERS});
    row = table->num_procs;
    begin_row(table, row, name);
    table->procedures[row].proc_index = (int)number;
    g_hash_table_insert(n->rows, g_memdup2(&key, sizeof key), GINT_TO_POINTER(row + 1));
    return row;
}

static void responses_add(srt_stat_table *table, packet_info *pinfo, uint32_t function, const shown_name *name, uint64_t ns)
{
    nstime_t begin = pinfo->abs_ts, took = {(time_t)(ns / 1000000000), (int)(ns % 1000000000)};
    responses_numbers_of(table)->limit.counted++;
    nstime_subtract(&begin, &took);
    add_srt_table_data(table, find_row(table, function, name), &begin, pinfo);
}

/* The data does not tell which statistic it is, so each protocol has its own function. */
static tap_packet_status packet(unsigned which, void *data, packet_info *pinfo, const void *tapped)
{
    const span_source *from = registered[which].from;
    span one;
    bool any = false;
    for (uint32_t i = 0; from->span(tapped, i, &one); i++) {
        const bool counts = one.call.state & CALL_TIMED && spans_is_single(from, &one);
        const shown_name name = counts ? from->called(pinfo->pool, &one) : (shown_name){0};
        if (name.text)
            responses_add(g_array_index(((srt_data_t *)data)->srt_array, srt_stat_table *, one.kind), pinfo, one.function,
                          &name, spans_nanoseconds(from, one.call.duration));
        any |= name.text != NULL;
    }
    return any ? TAP_PACKET_REDRAW : TAP_PACKET_DONT_REDRAW;
}

#define PACKET_FUNCTION(n) \
    static tap_packet_status packet_##n(void *data, packet_info *pinfo, epan_dissect_t *edt _U_, const void *tapped, \
                                        tap_flags_t flags _U_) \
    { \
        return packet(n, data, pinfo, tapped); \
    }
CALLBACKS(PACKET_FUNCTION)

void responses_register(int proto, const span_source *from)
{
    const char *command = wmem_strdup_printf(wmem_epan_scope(), "%s,srt", from->tap);
    int tables = 0;
#define PACKET_NAME(n) packet_##n,
    static const tap_packet_cb packets[] = {CALLBACKS(PACKET_NAME)};
    const unsigned n = callbacks_take(&registered_count, CALLBACKS_COUNT, command);
    registered[n].proto = proto;
    registered[n].from = from;
    while (from->kinds[tables].name)
        tables++;
    if (n == 0)
        register_cleanup_routine(forget_numbers);
    register_srt_table(proto, from->tap, tables, packets[n], init, NULL);
    menus_add_command(from->tap, from->filtered, command);
}
