/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -z xray,call,FRAME: what happened inside one call: the calls that it made, the self time between them, moves to other CPUs,
 * events. -z xray,gaps: the same of the time between the outermost calls of each thread, in which it waited or ran what is not
 * traced. Pieces of one kind between the same functions are one row. */
#include "host/hidden_records.h"
#include "host/menus.h"
#include "host/notices.h"
#include "statistics/table.h"
#include "xray/calls-xray.h"

#include <epan/frame_data.h>
#include <epan/plugin_if.h>

#include "containers/hash.h"

/* --- rows ------------------------------------------------------------------------------------------------------------- */

enum {
    COLUMN_WHAT,
    COLUMN_KIND,
    COLUMN_COUNT,
    COLUMN_SUM,
    COLUMN_LONGEST,
    COLUMN_PART,
    COLUMN_AT,
    COLUMN_RECORD,
    GAP_COLUMNS,
    COLUMN_UNWOUND = GAP_COLUMNS, /* of calls only */
    CALL_COLUMNS
};

#define COLUMNS_OF(what, kind, at) \
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, what, "%-48s"}, {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, kind, "%-12s"}, \
        {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Count", "%10u"}, TABLE_NUMBER("Sum (ns)"), TABLE_NUMBER("Longest (ns)"), \
        {TABLE_ITEM_STRING, TAP_ALIGN_RIGHT, "Part (%)", "%6s"}, TABLE_NUMBER(at), \
    { \
        TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Record", "%10u" \
    }

static stat_tap_table_item call_columns[CALL_COLUMNS] = {COLUMNS_OF("What", "Kind", "At (ns)"),
                                                         {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Unwound", "%10u"}};
static stat_tap_table_item gap_columns[GAP_COLUMNS] = {COLUMNS_OF("Gap", "Thread", "At (ns)")};

enum { NUMBER = 16 }; /* bytes for a function without a name */

/* The calls at one depth of one stack, and the time between them. */
typedef struct row_of_calls {
    uint64_t stack;
    uint32_t depth;
    bool begun;           /* the rest is valid */
    uint64_t first, last; /* when this began, and the latest end of a call; ticks */
    uint32_t place;       /* of the record at the latter */
    uint32_t done;        /* place of the entry of the latest call that was counted there, as it has no exit */
    const char *before;   /* the function of that call; may be in `number` */
    char number[NUMBER];
} row_of_calls;

/* Pieces of time of one kind. Times are ticks of the first record of the file. */
typedef struct piece {
    char *what, *kind;
    guint row;
    unsigned count, unwound; /* the latter: calls without an exit */
    bool timed;
    uint64_t sum, longest;
    const row_of_calls *within; /* the sum is a part of this */
    uint64_t at;                /* when the longest began, or the first if there are no times */
    uint32_t record;            /* the record that begins it */
} piece;

typedef struct pieces {
    table_statistic *statistic;
    GHashTable *known; /* "frame kind what" -> piece */
    GPtrArray *all;
    uint64_t counted;
    bool full; /* see table_has_room() */
} pieces;

static void free_piece(gpointer data)
{
    piece *p = data;
    g_free(p->what);
    g_free(p->kind);
    g_free(p);
}

static void pieces_forget(pieces *p)
{
    if (p->all) {
        g_hash_table_destroy(p->known);
        g_ptr_array_free(p->all, TRUE);
    }
    p->known = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    p->all = g_ptr_array_new_with_free_func(free_piece);
    p->counted = 0;
    p->full = false;
}

/* `frame`: pieces of other frames are other ones; 0: they are the same. */
static piece *piece_of(pieces *p, const char *kind, const char *what, uint32_t frame, const row_of_calls *within)
{
    char *key = g_strdup_printf("%u %s %s", frame, kind, what);
    piece *one = g_hash_table_lookup(p->known, key);
    if (one || (strcmp(what, TABLE_OTHERS) != 0 && !table_has_room(&p->full, p->all->len, ++p->counted))) {
        g_free(key);
        return one ? one : piece_of(p, kind, TABLE_OTHERS, 0, within);
    }
    one = g_new0(piece, 1);
    *one = (piece){.what = g_strdup(what), .kind = g_strdup(kind), .within = within, .row = p->all->len};
    g_hash_table_insert(p->known, key, one);
    g_ptr_array_add(p->all, one);
    return one;
}

static void piece_add(piece *one, uint64_t at, uint32_t frame)
{
    if (one->count++ == 0) {
        one->at = at;
        one->record = frame;
    }
}

static void piece_add_time(piece *one, uint64_t ticks, uint64_t at, uint32_t frame)
{
    piece_add(one, at, frame);
    one->timed = true;
    one->sum += ticks;
    if (ticks <= one->longest)
        return;
    one->longest = ticks;
    one->at = at;
    one->record = frame;
}

static uint64_t shown_ticks(const pieces *p, uint64_t ticks)
{
    return table_in_ticks(p->statistic) ? ticks : xray_calls_sum_nanoseconds(ticks);
}

static void add_row(stat_tap_table *table, const piece *one)
{
    stat_tap_table_item_type cells[CALL_COLUMNS] = {0};
    cells[COLUMN_WHAT] = table_text(one->what);
    cells[COLUMN_KIND] = table_text(one->kind);
    cells[COLUMN_COUNT].type = cells[COLUMN_RECORD].type = cells[COLUMN_UNWOUND].type = TABLE_ITEM_UINT;
    cells[COLUMN_SUM] = table_number();
    cells[COLUMN_LONGEST] = table_number();
    cells[COLUMN_PART] = table_text("");
    cells[COLUMN_AT] = table_number();
    stat_tap_init_table_row(table, one->row, table->num_fields, cells);
}

static void pieces_show(const pieces *p, stat_tap_table *table)
{
    for (guint i = 0; i < p->all->len; i++) {
        const piece *one = g_ptr_array_index(p->all, i);
        if (one->row >= table->num_elements)
            add_row(table, one);
        stat_tap_get_field_data(table, one->row, COLUMN_COUNT)->value.uint_value = one->count;
        stat_tap_get_field_data(table, one->row, COLUMN_RECORD)->value.uint_value = one->record;
        table_set(table, one->row, COLUMN_AT, shown_ticks(p, one->at));
        if (table->num_fields > COLUMN_UNWOUND)
            stat_tap_get_field_data(table, one->row, COLUMN_UNWOUND)->value.uint_value = one->unwound;
        if (!one->timed)
            continue;
        table_set(table, one->row, COLUMN_SUM, shown_ticks(p, one->sum));
        table_set(table, one->row, COLUMN_LONGEST, shown_ticks(p, one->longest));
        double whole = (double)(one->within->last - one->within->first);
        if (whole > 0)
            table_set_text(table, one->row, COLUMN_PART, g_strdup_printf("%6.1f", 100.0 * (double)one->sum / whole));
    }
}

/* --- calls next to each other on one thread ----------------------------------------------------------------------------- */

/* Names stay as long as the file is open. */
static const char *name_call(char number[NUMBER], uint32_t function, const char *name)
{
    snprintf(number, NUMBER, "#%u", function);
    return name ? name : number;
}

static uint64_t now_of(const xray_record *r)
{
    return xray_calls_file_ticks(r, xray_context_of(r->context)->tsc);
}

/* Whether there is a gap between the latest end and `now`; *what: between which functions, g_free() it. */
static bool has_gap(const row_of_calls *row, uint64_t now, const char *after, char **what)
{
    bool gap = row->begun && now > row->last;
    *what = gap ? g_strdup_printf("%s → %s", row->before, after) : NULL;
    return gap;
}

static void add_gap(piece *one, const row_of_calls *row, uint64_t now)
{
    piece_add_time(one, now - row->last, row->last - row->first, record_frame(row->place));
}

static void note_end(row_of_calls *row, uint64_t now, uint32_t place)
{
    row->last = now;
    row->place = place;
}

/* The call at this depth that a record begins. */
static bool begins(const row_of_calls *row, const xray_record *r, const packet_info *pinfo)
{
    bool entry = r->context->kind == XRAY_ENTRY || r->context->kind == XRAY_ENTRY_ARGUMENTS;
    return entry && r->has_call && r->stack == row->stack && r->call.begin == record_number(pinfo) &&
           r->call.depth == row->depth;
}

/* The same for one that it ends; calls without a duration count as well. */
static bool ends(const row_of_calls *row, const xray_record *r, xray_ended *ended)
{
    for (uint32_t i = 0; r->stack == row->stack && xray_calls_added(r, i, ended); i++)
        if (ended->call.begin > row->done && ended->call.depth == row->depth)
            return true;
    return false;
}

/* --- call: inside one call ---------------------------------------------------------------------------------------------- */

static table_statistic call_statistic;
static pieces call_pieces = {.statistic = &call_statistic};
static uint32_t call_wanted; /* the record that was asked for */
static uint32_t call_begin;  /* the entry of its call; 0: not known yet */
static bool call_each;       /* a row for each piece */
static bool call_looked, call_over;
static call call_end;  /* if it is known at its entry that it has no exit; otherwise `begin` is 0 */
static bool call_late; /* calls without an exit were not known at their entries */
static row_of_calls call_children;
static uint64_t call_entered;
static uint16_t call_cpu;
static bool call_has_cpu;
static char call_problem[128];

static void call_forget(void)
{
    pieces_forget(&call_pieces);
    call_begin = 0;
    call_looked = call_over = call_late = call_has_cpu = false;
    call_end = (call){0};
    call_children = (row_of_calls){0};
    call_problem[0] = '\0';
}

static piece *call_piece(const char *kind, const char *what, uint32_t frame)
{
    return piece_of(&call_pieces, kind, what, call_each ? frame : 0, &call_children);
}

/* After all records have been seen once, any record of the call will do. */
static void look_for_begin(void)
{
    call k;
    call_looked = true;
    call_begin = call_wanted;
    if (!xray_calls_find(record_number_at(call_wanted), &k) || !k.begin)
        return;
    call_begin = record_frame(k.begin);
    call_over = !call_begin;
    if (call_over)
        snprintf(call_problem, sizeof call_problem, "The call of record %u begins before the open part.", call_wanted);
}

static void enter(const xray_record *r, const packet_info *pinfo)
{
    const uint32_t begin = r->has_call ? record_frame(r->call.begin) : 0;
    if (begin != pinfo->num) {
        if (begin)
            snprintf(call_problem, sizeof call_problem, "Record %u is not an entry: its call begins at record %u.",
                     pinfo->num, begin);
        else if (r->has_call && r->call.begin)
            snprintf(call_problem, sizeof call_problem, "The call of record %u begins before the open part.", pinfo->num);
        else
            snprintf(call_problem, sizeof call_problem, "Record %u belongs to no call.", pinfo->num);
        call_over = true;
        return;
    }
    call_entered = now_of(r);
    call_children = (row_of_calls){r->stack,      r->call.depth + 1,  true, call_entered, call_entered,
                                   r->call.begin, .before = "(entry)"};
    xray_ended ended;
    if (xray_calls_unwound(r, &ended))
        call_end = ended.call;
    char number[NUMBER];
    piece_add(call_piece("this call", name_call(number, r->function, r->name), pinfo->num), 0, pinfo->num);
}

static void count_gap(uint64_t now, const char *after)
{
    g_autofree char *what = NULL;
    if (has_gap(&call_children, now, after, &what))
        add_gap(call_piece("self time", what, record_frame(call_children.place)), &call_children, now);
}

/* When a call ended that has an exit in this record, or none. */
static uint64_t end_of(const xray_record *r, const call *k)
{
    return k->state & CALL_CLOSED ? k->until : now_of(r);
}

static void count_child(const xray_record *r, const xray_ended *child)
{
    const bool unwound = child->call.state & CALL_CLOSED;
    const char *name = name_call(call_children.number, child->function, child->name);
    uint64_t end = end_of(r, &child->call), took = child->call.duration;
    const uint32_t entry = record_frame(child->call.begin);
    if (child->call.state & CALL_TIMED) {
        piece *one = call_piece("call", name, entry);
        piece_add_time(one, took, end - took - call_entered, entry);
        one->unwound += unwound;
    }
    note_end(&call_children, end, unwound ? child->call.last : child->call.end);
    call_children.before = name;
}

/* One without an exit is counted at once if it is known where it ended: others may follow it before that shows. */
static void begin_child(const xray_record *r)
{
    char number[NUMBER];
    xray_ended ended;
    count_gap(now_of(r), name_call(number, r->function, r->name));
    if (!xray_calls_unwound(r, &ended))
        return;
    call_children.done = ended.call.begin;
    count_child(r, &ended);
}

static void end_child(const xray_record *r, const xray_ended *child)
{
    call_late |= child->call.state & CALL_CLOSED;
    count_child(r, child);
}

static void count_move(const xray_record *r, const packet_info *pinfo)
{
    const xray_context *x = xray_context_of(r->context);
    char what[32];
    if (!(x->known & XRAY_KNOWN_CPU))
        return;
    if (call_has_cpu && x->cpu != call_cpu) {
        snprintf(what, sizeof what, "CPU %u → CPU %u", call_cpu, x->cpu);
        piece_add(call_piece("move", what, pinfo->num), now_of(r) - call_entered, pinfo->num);
    }
    call_has_cpu = true;
    call_cpu = x->cpu;
}

static void count_event(const xray_record *r, const packet_info *pinfo)
{
    char what[32] = "custom event";
    if (r->context->kind == XRAY_TYPED_EVENT)
        snprintf(what, sizeof what, "type %u", (unsigned)r->value[XRAY_FIELD_EVENT_TYPE]);
    piece_add(call_piece("event", what, pinfo->num), now_of(r) - call_entered, pinfo->num);
}

/* The call ends: its row, and the parts of it that the others are. */
static void leave(const xray_record *r, const call *k)
{
    piece *whole = g_ptr_array_index(call_pieces.all, 0);
    whole->unwound = k->state & CALL_CLOSED ? 1 : 0;
    if (k->state & CALL_TIMED) {
        count_gap(end_of(r, k), "(exit)");
        whole->timed = true;
        whole->sum = whole->longest = k->duration;
        note_end(&call_children, end_of(r, k), 0);
    } else {
        g_strlcpy(call_problem, "The call has no duration: the counter went back.", sizeof call_problem);
    }
    call_over = true;
}

static bool ends_this(const xray_record *r, xray_ended *ended)
{
    for (uint32_t i = 0; xray_calls_added(r, i, ended); i++)
        if (record_frame(ended->call.begin) == call_begin)
            return true;
    return false;
}

static void count_inside(const xray_record *r, const packet_info *pinfo)
{
    xray_ended ended;
    count_move(r, pinfo);
    if (begins(&call_children, r, pinfo))
        begin_child(r);
    else if (ends(&call_children, r, &ended))
        end_child(r, &ended);
    if (xray_is_event(r->context->kind))
        count_event(r, pinfo);
}

static bool call_record(stat_tap_table *table, const packet_info *pinfo, const void *tapped)
{
    (void)table;
    const xray_record *r = tapped;
    xray_ended ended;
    if (!call_looked)
        look_for_begin();
    if (call_over || pinfo->num < call_begin)
        return false;
    if (pinfo->num == call_begin)
        enter(r, pinfo);
    if (call_over || !call_children.begun || r->stack != call_children.stack)
        return false;
    const uint32_t place = record_number(pinfo);
    if (!call_end.begin || place <= call_end.last)
        count_inside(r, pinfo);
    if (call_end.begin && place >= call_end.last) {
        leave(r, &call_end);
    } else if (ends_this(r, &ended)) {
        call_late |= ended.call.state & CALL_CLOSED;
        leave(r, &ended.call);
    }
    return true;
}

static void call_finish(stat_tap_table *table)
{
    if (!call_children.begun && !*call_problem)
        snprintf(call_problem, sizeof call_problem, "There is no record %u, or the filter excludes it.", call_wanted);
    else if (!call_over && !*call_problem)
        g_strlcpy(call_problem,
                  hidden_rest_unread() ? "The call does not end in the open part of the log."
                                       : "The call does not end in this log, or the filter excludes its end.",
                  sizeof call_problem);
    else if (call_late && !*call_problem)
        g_strlcpy(call_problem,
                  "The ends of calls without an exit were found too late: what follows them may be missing. Use -2.",
                  sizeof call_problem);
    if (*call_problem && !menus_windows())
        notices_print(call_problem);
    pieces_show(&call_pieces, table);
}

static bool call_word(const char *word)
{
    guint64 frame;
    if (!word) {
        call_wanted = 0;
        call_each = false;
        return false;
    }
    if (strcmp(word, "each") == 0) {
        call_each = true;
        return true;
    }
    if (call_wanted || !g_ascii_string_to_unsigned(word, 10, 1, UINT32_MAX, &frame, NULL))
        return false;
    call_wanted = (uint32_t)frame;
    return true;
}

static char *call_check(void)
{
    return call_wanted ? NULL : g_strdup("the number of a record is missing: xray,call,FRAME");
}

/* --- the selected record ------------------------------------------------------------------------------------------------ */

static void *number_of(frame_data *selected, void *number)
{
    *(uint32_t *)number = selected ? selected->num : 0;
    return NULL;
}

static void start_with_selected(void *unused)
{
    (void)unused;
    const funnel_ops_t *ops = menus_windows();
    uint32_t selected = 0;
    call k;
    if (!ops)
        return;
    plugin_if_get_frame_data(number_of, &selected);
    if (selected && xray_calls_find(record_number_at(selected), &k) && record_frame(k.begin)) {
        g_autofree char *words = g_strdup_printf("%u", record_frame(k.begin));
        g_free(table_start(&call_statistic, words, ""));
        return;
    }
    ops->append_text(ops->new_text_window(ops->ops_id, call_statistic.ui.title),
                     "Select a record of a call: an entry, an exit, an argument, or an event inside one.\n");
}

static table_statistic call_statistic = {
    .ui = {.title = "XRay This Call",
           .tap_name = "xray",
           .cli_string = "xray,call",
           .nfields = CALL_COLUMNS,
           .fields = call_columns},
    .title = "XRay inside the call",
    .sorted_by = {COLUMN_SUM},
    .count = call_record,
    .forget = call_forget,
    .word = call_word,
    .words = "each, FRAME",
    .begin = call_check,
    .finish = call_finish,
    .start = start_with_selected,
};

/* --- gaps: between the outermost calls of a thread ------------------------------------------------------------------------ */

static table_statistic gaps_statistic;
static pieces gaps_pieces = {.statistic = &gaps_statistic};
static GHashTable *gaps_threads; /* stack -> row_of_calls */

static void gaps_forget(void)
{
    pieces_forget(&gaps_pieces);
    if (gaps_threads)
        g_hash_table_destroy(gaps_threads);
    gaps_threads = g_hash_table_new_full(hash_number, g_int64_equal, NULL, g_free);
}

static row_of_calls *thread_of(const xray_record *r)
{
    row_of_calls *t = g_hash_table_lookup(gaps_threads, &r->stack);
    if (!t) {
        t = g_new0(row_of_calls, 1);
        t->stack = r->stack;
        g_hash_table_insert(gaps_threads, &t->stack, t);
    }
    return t;
}

static void count_thread_gap(const row_of_calls *t, const xray_record *r, const char *after)
{
    const xray_context *x = xray_context_of(r->context);
    char thread[32];
    g_autofree char *what = NULL;
    if (!has_gap(t, now_of(r), after, &what))
        return;
    if (x->known & XRAY_KNOWN_PROCESS)
        snprintf(thread, sizeof thread, "%u/%u", x->process, x->thread);
    else
        snprintf(thread, sizeof thread, "?/%u", x->thread);
    add_gap(piece_of(&gaps_pieces, thread, what, 0, t), t, now_of(r));
}

static bool gaps_record(stat_tap_table *table, const packet_info *pinfo, const void *tapped)
{
    (void)table;
    const xray_record *r = tapped;
    xray_ended ended;
    char number[NUMBER];
    if (!r->has_call || !xray_is_function(r->context->kind))
        return false;
    row_of_calls *t = thread_of(r);
    if (begins(t, r, pinfo)) {
        if (!t->begun)
            t->first = now_of(r);
        count_thread_gap(t, r, name_call(number, r->function, r->name));
    } else if (ends(t, r, &ended)) {
        t->before = name_call(t->number, ended.function, ended.name);
        note_end(t, now_of(r), record_number(pinfo));
        t->begun = true;
    } else {
        return false;
    }
    return true;
}

static void gaps_finish(stat_tap_table *table)
{
    pieces_show(&gaps_pieces, table);
}

static table_statistic gaps_statistic = {
    .ui = {.title = "XRay Gaps between Calls",
           .tap_name = "xray",
           .cli_string = "xray,gaps",
           .nfields = GAP_COLUMNS,
           .fields = gap_columns},
    .title = "XRay time of threads outside any call",
    .sorted_by = {COLUMN_SUM},
    .count = gaps_record,
    .forget = gaps_forget,
    .finish = gaps_finish,
};

void xray_call_register(void)
{
    table_register(&call_statistic);
    table_register(&gaps_statistic);
}
