/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables ovni,states and ovni,tasks: sums of durations by name and model, optionally also by rank, process, thread,
 * CPU or loom. The event that ends a state or task is counted; after all records also those that are still open, with the
 * event that began them. */
#include "host/hidden_records.h"
#include "containers/frame_set.h"
#include "containers/hash.h"
#include "ovni/statistics-ovni.h"
#include "statistics/table.h"

#include "ovni/context.h"
#include "dissector/pdu.h"

/* --- columns ----------------------------------------------------------------------------------------------------------- */

enum {
    COLUMN_NAME,
    COLUMN_MODEL,
    COLUMN_GROUP,
    COLUMN_COUNT,
    COLUMN_MIN,
    COLUMN_AVERAGE,
    COLUMN_MAX,
    COLUMN_SUM,
    COLUMN_ACTIVE,
    COLUMN_OWN,
    STATE_COLUMNS,
    COLUMN_ON_CPU = STATE_COLUMNS,
    TASK_COLUMNS
};

#define COLUMNS_OF(what) \
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, what, "%-48s"}, {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Model", "%-8s"}, \
        {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Group", "%-16s"}, {TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Count", "%10u"}, \
        TABLE_NUMBER("Min (ns)"), TABLE_NUMBER("Average (ns)"), TABLE_NUMBER("Max (ns)"), TABLE_NUMBER("Sum (ns)"), \
        TABLE_NUMBER("Active (ns)"), TABLE_NUMBER("Own active (ns)")

static stat_tap_table_item state_columns[STATE_COLUMNS] = {COLUMNS_OF("State")};
static stat_tap_table_item task_columns[TASK_COLUMNS] = {COLUMNS_OF("Task type"), TABLE_NUMBER("On a CPU (ns)")};

typedef struct totals {
    unsigned count;
    uint64_t min, max, sum, active, own, on_cpu; /* ns */
} totals;

typedef struct sums {
    guint row;
    totals ended, shown; /* shown: including those still open */
} sums;

/* Times of a state or of a run of a task, in ns. */
typedef struct times {
    uint64_t ns, active, own, on_cpu;
} times;

static void add_times(totals *t, const times *more)
{
    t->min = t->count ? MIN(t->min, more->ns) : more->ns;
    t->max = MAX(t->max, more->ns);
    t->count++;
    t->sum += more->ns;
    t->active += more->active;
    t->own += more->own;
    t->on_cpu += more->on_cpu;
}

/* --- groups ------------------------------------------------------------------------------------------------------------ */

typedef enum { BY_NOTHING, BY_RANK, BY_PROCESS, BY_THREAD, BY_CPU, BY_LOOM, GROUPINGS } grouping;

static const char *const grouping_words[GROUPINGS] = {NULL, "by:rank", "by:process", "by:thread", "by:cpu", "by:loom"};

static bool take_grouping(grouping *by, const char *word)
{
    if (!word)
        *by = BY_NOTHING;
    for (grouping g = BY_RANK; word && g < GROUPINGS; g++)
        if (strcmp(word, grouping_words[g]) == 0) {
            *by = g;
            return true;
        }
    return false;
}

/* A process or CPU. Its number is unique only in the loom. */
static char *in_loom(const char *loom, const char *what, bool known, int32_t number)
{
    if (!known)
        return g_strdup_printf("(no %s)", what);
    return g_strdup_printf("%s%s%s %d", loom ? loom : "", loom ? " " : "", what, number);
}

static char *group_of(grouping by, const packet_info *pinfo, const ovni_record *r)
{
    const ovni_context *c = ovni_context_of(r->context);
    const char *loom = pdu_stream_description(pinfo, r->context);
    switch (by) {
    case BY_RANK:
        return in_loom(NULL, "rank", c->known & OVNI_KNOWN_RANK, c->rank);
    case BY_PROCESS:
        return in_loom(loom, "process", c->known & OVNI_KNOWN_PROCESS, c->process);
    case BY_THREAD:
        return g_strdup(ovni_stream_words(r));
    case BY_CPU:
        return in_loom(loom, "CPU", r->known.thread.cpu_known, r->known.thread.cpu);
    case BY_LOOM:
        return g_strdup(loom ? loom : "(no loom)");
    default:
        return g_strdup("");
    }
}

/* --- a table ----------------------------------------------------------------------------------------------------------- */

typedef struct durations {
    table_statistic statistic;
    guint columns;
    grouping by;
    GHashTable *rows;   /* "model name \x1f group" -> sums */
    GHashTable *groups; /* stream -> its latest group; empty without grouping */
    GByteArray *begun;  /* a bit per frame: set for counted records that may have begun something still open at the end */
} durations;

static durations states_table, tasks_table;

static durations *table_of(const stat_tap_table *table)
{
    return strcmp(table->title, states_table.statistic.title) == 0 ? &states_table : &tasks_table;
}

static void forget(durations *d)
{
    if (d->rows) {
        g_hash_table_destroy(d->rows);
        g_hash_table_destroy(d->groups);
        g_byte_array_free(d->begun, TRUE);
    }
    d->rows = g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free);
    d->groups = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    d->begun = g_byte_array_new();
}

static sums *add_row(stat_tap_table *table, durations *d, char *key, const char *name, char model, const char *group)
{
    stat_tap_table_item_type cells[TASK_COLUMNS] = {0};
    sums *s = g_new0(sums, 1);
    s->row = g_hash_table_size(d->rows);
    cells[COLUMN_NAME] = table_text(name);
    cells[COLUMN_MODEL] = table_text(ovni_model_words(model));
    cells[COLUMN_GROUP] = table_text(group);
    cells[COLUMN_COUNT].type = TABLE_ITEM_UINT;
    for (guint i = COLUMN_MIN; i < d->columns; i++)
        cells[i] = table_number();
    stat_tap_init_table_row(table, s->row, d->columns, cells);
    g_hash_table_insert(d->rows, key, s);
    return s;
}

static sums *sums_of(stat_tap_table *table, durations *d, const char *name, char model, const char *group)
{
    char *key = g_strdup_printf("%c%s\x1f%s", model, name, group);
    bool full = false; /* the room does not grow */
    sums *s = g_hash_table_lookup(d->rows, key);
    if (!s && strcmp(name, TABLE_OTHERS) != 0 && !table_has_room(&full, g_hash_table_size(d->rows), 0))
        s = sums_of(table, d, TABLE_OTHERS, model, "");
    if (!s)
        return add_row(table, d, key, name, model, group);
    g_free(key);
    return s;
}

static void show_row(stat_tap_table *table, const durations *d, const sums *s)
{
    const totals *t = &s->shown;
    uint64_t average = t->count ? t->sum / t->count + (t->sum % t->count >= (t->count + 1) / 2) : 0;
    stat_tap_get_field_data(table, s->row, COLUMN_COUNT)->value.uint_value = t->count;
    table_set(table, s->row, COLUMN_MIN, t->min);
    table_set(table, s->row, COLUMN_AVERAGE, average);
    table_set(table, s->row, COLUMN_MAX, t->max);
    table_set(table, s->row, COLUMN_SUM, t->sum);
    table_set(table, s->row, COLUMN_ACTIVE, t->active);
    table_set(table, s->row, COLUMN_OWN, t->own);
    if (d->columns > COLUMN_ON_CPU)
        table_set(table, s->row, COLUMN_ON_CPU, t->on_cpu);
}

/* Rows are shown only by finish(), after all records. */
static void count(stat_tap_table *table, durations *d, const packet_info *pinfo, const ovni_record *r, const char *name,
                  char model, const times *more)
{
    g_autofree char *group = d->by == BY_NOTHING ? NULL : group_of(d->by, pinfo, r);
    add_times(&sums_of(table, d, name, model, group ? group : "")->ended, more);
}

/* For counting what is still open, if the event that began it was counted. */
typedef struct rest {
    stat_tap_table *table;
    durations *d;
} rest;

static void count_rest(const rest *to, uint32_t stream, uint32_t begun, const char *name, char model, const times *more)
{
    durations *d = to->d;
    const char *group = g_hash_table_lookup(d->groups, GUINT_TO_POINTER(stream));
    if (frame_set_has(d->begun, begun))
        add_times(&sums_of(to->table, d, name, model, group ? group : "")->shown, more);
}

static void each_row(stat_tap_table *table, const durations *d, void (*visit)(stat_tap_table *, const durations *, sums *))
{
    GHashTableIter all;
    gpointer row;
    g_hash_table_iter_init(&all, d->rows);
    while (g_hash_table_iter_next(&all, NULL, &row))
        visit(table, d, row);
}

static void begin_shown(stat_tap_table *table, const durations *d, sums *s)
{
    (void)table;
    (void)d;
    s->shown = s->ended;
}

/* What is still open ends with the last record of the trace, which may not have been read. */
static void show_shown(stat_tap_table *table, const durations *d, sums *s)
{
    const bool unknown = s->shown.count != s->ended.count && hidden_end_missing();
    show_row(table, d, s);
    for (guint column = COLUMN_MIN; unknown && column < d->columns; column++)
        table_set_unknown(table, s->row, column);
}

static void finish(stat_tap_table *table, ovni_states_visitor states, ovni_states_task_visitor tasks)
{
    durations *d = table_of(table);
    rest to = {table, d};
    each_row(table, d, begin_shown);
    ovni_each_open(states, tasks, &to);
    each_row(table, d, show_shown);
}

/* Remembers the group of a stream, for what is still open there at the end. */
static void note_group(durations *d, const packet_info *pinfo, const ovni_record *r)
{
    if (d->by != BY_NOTHING)
        g_hash_table_insert(d->groups, GUINT_TO_POINTER(r->context->stream), group_of(d->by, pinfo, r));
}

/* --- states ------------------------------------------------------------------------------------------------------------ */

/* Values do not nest, so all of their time is their own. */
static times times_of(const call *k, bool value)
{
    uint64_t self = k->state & CALL_SELF ? k->self - k->self_paused : 0, active = k->duration - k->away;
    return (times){.ns = k->duration, .active = active, .own = value ? active : self};
}

static bool states_record(stat_tap_table *table, const packet_info *pinfo, const void *tapped)
{
    const ovni_record *r = tapped;
    durations *d = &states_table;
    char text[TEXT_PAIR], model = 'O';
    uint32_t function;
    call k;
    if (!r->has_state)
        return false;
    if (r->known.has_left || (r->known.has_region && r->known.region.begin == record_number(pinfo))) {
        frame_set_add(d->begun, record_number(pinfo));
        note_group(d, pinfo, r);
    }
    if (!ovni_ends_state(r, pinfo, &function, &k))
        return r->known.has_left;
    const char *name = ovni_region_name(function, text, sizeof text, &model);
    const times more = times_of(&k, r->known.has_left);
    count(table, d, pinfo, r, name ? name : "", model, &more);
    return true;
}

static void state_at_end(void *data, uint32_t stream, uint32_t function, const call *open)
{
    char text[TEXT_PAIR], model = 'O';
    const char *name = ovni_region_name(function, text, sizeof text, &model);
    const times more = times_of(open, false);
    count_rest(data, stream, open->begin, name ? name : "", model, &more);
}

static void states_finish(stat_tap_table *table)
{
    finish(table, state_at_end, NULL);
}

static void states_forget(void)
{
    forget(&states_table);
}

static bool states_word(const char *word)
{
    return take_grouping(&states_table.by, word);
}

/* --- tasks ------------------------------------------------------------------------------------------------------------- */

static times times_of_task(const ovni_task *task)
{
    return (times){task->running, task->active, task->own, task->has_on_cpu ? task->on_cpu : task->active};
}

static const char *task_name(const ovni_task *task, char *text, size_t size)
{
    if (task->label)
        return task->label;
    if (!task->has_type)
        return "(type not known)";
    snprintf(text, size, "type %u%s", task->type, hidden_streams_missing() ? " (label unknown)" : "");
    return text;
}

static bool tasks_record(stat_tap_table *table, const packet_info *pinfo, const void *tapped)
{
    const ovni_record *r = tapped;
    const ovni_task *task = &r->known.task;
    durations *d = &tasks_table;
    char text[32];
    if (!r->has_state || !r->known.has_task)
        return false;
    if (task->begun == record_number(pinfo)) {
        frame_set_add(d->begun, record_number(pinfo));
        note_group(d, pinfo, r);
        return true;
    }
    if (!ovni_ends_task(r, pinfo))
        return false;
    const times more = times_of_task(task);
    count(table, d, pinfo, r, task_name(task, text, sizeof text), r->mcv[0], &more);
    return true;
}

static void task_at_end(void *data, uint32_t stream, char model, const ovni_task *task)
{
    char text[32];
    const times more = times_of_task(task);
    count_rest(data, stream, task->begun, task_name(task, text, sizeof text), model, &more);
}

static void tasks_finish(stat_tap_table *table)
{
    finish(table, NULL, task_at_end);
}

static void tasks_forget(void)
{
    forget(&tasks_table);
}

static bool tasks_word(const char *word)
{
    return take_grouping(&tasks_table.by, word);
}

/* --- registration ------------------------------------------------------------------------------------------------------ */

static durations states_table = {
    .statistic = {.ui = {.title = "ovni States",
                         .tap_name = "ovni",
                         .cli_string = "ovni,states",
                         .nfields = STATE_COLUMNS,
                         .fields = state_columns},
                  .title = "ovni states",
                  .sorted_by = {COLUMN_SUM},
                  .count = states_record,
                  .forget = states_forget,
                  .word = states_word,
                  .words = "by:rank, by:process, by:thread, by:cpu, by:loom",
                  .finish = states_finish},
    .columns = STATE_COLUMNS,
};
static durations tasks_table = {
    .statistic = {.ui = {.title = "ovni Tasks",
                         .tap_name = "ovni",
                         .cli_string = "ovni,tasks",
                         .nfields = TASK_COLUMNS,
                         .fields = task_columns},
                  .title = "ovni tasks",
                  .sorted_by = {COLUMN_SUM},
                  .count = tasks_record,
                  .forget = tasks_forget,
                  .word = tasks_word,
                  .words = "by:rank, by:process, by:thread, by:cpu, by:loom",
                  .finish = tasks_finish},
    .columns = TASK_COLUMNS,
};

static void add_grouped(durations *d, const char *what, grouping by)
{
    char *title = g_strdup_printf("%s by %s", d->statistic.ui.title, what); /* never freed */
    table_add_entry(&d->statistic, title, grouping_words[by]);
}

void ovni_tables_register(void)
{
    static const char *const words[GROUPINGS] = {NULL, "Rank", "Process", "Thread", "CPU", "Loom"};
    durations *const tables[] = {&states_table, &tasks_table};
    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
        table_register(&tables[i]->statistic);
        for (grouping by = BY_RANK; by < GROUPINGS; by++)
            add_grouped(tables[i], words[by], by);
    }
}
