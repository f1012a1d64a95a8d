/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/emulator/cpus.h"

#include "containers/hash.h"
#include "ovni/emulator/doing.h"

#define COLUMNS_OF(what) \
    [OVNI_CPUS_NAME] = {what, ROWS_TEXT, ROWS_EACH}, [OVNI_CPUS_BUSY] = {"Busy", ROWS_TIME, ROWS_ADDS}, \
    [OVNI_CPUS_IDLE] = {"Idle", ROWS_TIME, ROWS_ADDS}, [OVNI_CPUS_CROWDED] = {"Crowded", ROWS_TIME, ROWS_ADDS}, \
    [OVNI_CPUS_TASKS] = {"Tasks", ROWS_TIME, ROWS_ADDS}, [OVNI_CPUS_RUNTIME] = {"Runtime", ROWS_TIME, ROWS_ADDS}, \
    [OVNI_CPUS_RESTING] = {"Resting", ROWS_TIME, ROWS_ADDS}
#define PART_COLUMNS_OF(what) \
    [OVNI_CPUS_PART_CPU] = {what, ROWS_TEXT, ROWS_EACH}, [OVNI_CPUS_PART_MODEL] = {"Model", ROWS_TEXT, ROWS_EACH}, \
    [OVNI_CPUS_PART_DOES] = {"Does", ROWS_TEXT, ROWS_EACH}, [OVNI_CPUS_PART_WHAT] = {"What", ROWS_TEXT, ROWS_EACH}, \
    [OVNI_CPUS_PART_TIME] = {"Time", ROWS_TIME, ROWS_EACH}

const rows_column ovni_cpus_columns[OVNI_CPUS_COLUMNS] = {COLUMNS_OF("CPU")};
const rows_column ovni_cpus_node_columns[OVNI_CPUS_COLUMNS] = {COLUMNS_OF("Node")};
const rows_column ovni_cpus_part_columns[OVNI_CPUS_PART_COLUMNS] = {PART_COLUMNS_OF("CPU")};
const rows_column ovni_cpus_node_part_columns[OVNI_CPUS_PART_COLUMNS] = {PART_COLUMNS_OF("Node")};

/* What a CPU is doing, for each model that tells. */
typedef struct cpu_doing {
    uint32_t running; /* threads */
    ovni_doing of[OVNI_DOING_MODELS];
} cpu_doing;

/* A CPU, and what it has been doing since then, ns of counted time. */
typedef struct cpu_sum {
    int64_t ns[OVNI_CPUS_COLUMNS]; /* but for that of the name */
    cpu_doing now;
    int64_t since;
} cpu_sum;

/* Time counts up to each record that is counted, from the record before. A CPU is looked at only when a record has changed
 * it. */
struct ovni_cpus {
    ovni_emulator *emulator;
    GArray *sums;      /* of cpu_sum, by row */
    GHashTable *parts; /* hash_pair: row and model, what and value -> int64_t*; NULL: not asked for */
    bool by_node;
    int64_t last;     /* record, ns */
    int64_t interval; /* ns until the record that is looked at */
    int64_t counted;  /* ns in all */
};

static GHashTable *parts_new(void)
{
    return g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, g_free);
}

ovni_cpus *ovni_cpus_new(bool parts, bool by_node)
{
    ovni_cpus *c = g_new0(ovni_cpus, 1);
    c->by_node = by_node;
    c->emulator = ovni_emulator_new(OVNI_EMULATE_SHOWN);
    c->sums = g_array_new(FALSE, TRUE, sizeof(cpu_sum));
    if (parts)
        c->parts = parts_new();
    return c;
}

void ovni_cpus_free(void *cpus)
{
    ovni_cpus *c = cpus;
    if (!c)
        return;
    ovni_emulator_free(c->emulator);
    g_array_free(c->sums, TRUE);
    if (c->parts)
        g_hash_table_destroy(c->parts);
    g_free(c);
}

bool ovni_cpus_known(const ovni_cpus *c)
{
    return ovni_emulator_thread_count(c->emulator) > 0;
}

/* --- counting ---------------------------------------------------------------------------------------------------------- */

static void look_at_cpu(const ovni_emulator *e, uint32_t row, cpu_doing *d)
{
    d->running = ovni_emulator_cpu(e, row)->running;
    for (size_t i = 0; i < OVNI_DOING_MODELS; i++)
        if (ovni_emulator_enabled(e, ovni_doing_models[i].model))
            ovni_doing_look(e, row, &ovni_doing_models[i], &d->of[i]);
}

/* More than this is not a time: INT64_MAX stands for it, and is shown as unknown. */
static int64_t ovni_cpus_add_ns(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static rows_cell time_cell(int64_t ns)
{
    return ns == INT64_MAX ? rows_unknown() : rows_number((uint64_t)ns);
}

/* A key has the row in its upper half. */
static void add_part(GHashTable *parts, hash_pair key, int64_t ns)
{
    int64_t *sum = g_hash_table_lookup(parts, &key);
    if (sum)
        *sum = ovni_cpus_add_ns(*sum, ns);
    else
        g_hash_table_insert(parts, g_memdup2(&key, sizeof key), g_memdup2(&ns, sizeof ns));
}

/* Counts what a CPU has been doing until now. */
static void count_cpu(const ovni_cpus *c, uint32_t row)
{
    cpu_sum *s = &g_array_index(c->sums, cpu_sum, row);
    const int64_t ns = c->counted == INT64_MAX ? INT64_MAX : c->counted - s->since; /* neither is negative */
    int64_t *sum = &s->ns[s->now.running == 0 ? OVNI_CPUS_IDLE : s->now.running == 1 ? OVNI_CPUS_BUSY : OVNI_CPUS_CROWDED];
    s->since = c->counted;
    *sum = ovni_cpus_add_ns(*sum, ns);
    for (size_t i = 0; ns && i < OVNI_DOING_MODELS; i++) {
        if (!s->now.of[i].known)
            continue;
        if (s->now.running == 1)
            s->ns[OVNI_CPUS_TASKS + s->now.of[i].does] = ovni_cpus_add_ns(s->ns[OVNI_CPUS_TASKS + s->now.of[i].does], ns);
        if (c->parts)
            add_part(c->parts, (hash_pair){(uint64_t)row << 32 | i << 8 | s->now.of[i].does, (uint64_t)s->now.of[i].value},
                     ns);
    }
}

/* What the last record has changed holds from there on. CPUs are known from the first event on. */
static void record_again(const ovni_cpus *c)
{
    for (uint32_t row = c->sums->len; row < ovni_emulator_cpu_count(c->emulator); row++) {
        const cpu_sum new = {.since = c->counted};
        g_array_append_val(c->sums, new);
    }
    const GArray *touched = ovni_emulator_touched(c->emulator);
    for (guint i = 0; i < touched->len; i++) {
        const uint32_t row = g_array_index(touched, uint32_t, i);
        count_cpu(c, row);
        look_at_cpu(c->emulator, row, &g_array_index(c->sums, cpu_sum, row).now);
    }
}

/* Only now it is known whether time counts up to the last record. */
void ovni_cpus_play(ovni_cpus *c, int64_t now, const ovni_played *p)
{
    record_again(c);
    c->interval = now <= c->last ? 0 : c->last < 0 && now > INT64_MAX + c->last ? INT64_MAX : now - c->last;
    c->last = MAX(c->last, now);
    ovni_emulator_play(c->emulator, p);
}

void ovni_cpus_count(ovni_cpus *c)
{
    c->counted = ovni_cpus_add_ns(c->counted, c->interval);
    c->interval = 0;
}

/* --- rows -------------------------------------------------------------------------------------------------------------- */

/* Up to the last record. */
static void ovni_cpus_count_all(ovni_cpus *c)
{
    record_again(c);
    for (guint row = 0; row < c->sums->len; row++)
        count_cpu(c, row);
}

static bool rest_is_known(const ovni_cpus *c)
{
    uint32_t unused;
    return ovni_emulator_breakdown(c->emulator, &unused) == OVNI_BREAKDOWN_MADE;
}

void ovni_cpus_warn(const ovni_cpus *c, GString *text)
{
    uint32_t can;
    const ovni_breakdown made = ovni_emulator_breakdown(c->emulator, &can);
    if (made != OVNI_BREAKDOWN_MADE)
        g_string_append_printf(
            text,
            "waiting of nOS-V counts as runtime: it was recorded by %u of %u threads (nosv.can_breakdown), and ovniemu -b %s. "
            "Record with ovni.level = 3 in nosv.toml\n",
            can, ovni_emulator_thread_count(c->emulator),
            made == OVNI_BREAKDOWN_REFUSED ? "refuses the trace" : "makes no breakdown of it");
}

/* The CPU, or its node; to be freed. */
static char *row_name(const ovni_cpus *c, uint32_t row)
{
    return c->by_node ? ovni_emulator_cpu_node(c->emulator, row) : ovni_emulator_cpu_name(c->emulator, row);
}

/* For each CPU (uint32_t) the first one that is in the same row. */
static GArray *first_rows(const ovni_cpus *c)
{
    GArray *first = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (uint32_t row = 0; row < c->sums->len; row++) {
        uint32_t same = row;
        gpointer before;
        g_autofree char *name = c->by_node ? row_name(c, row) : NULL;
        if (name && g_hash_table_lookup_extended(known, name, NULL, &before))
            same = GPOINTER_TO_UINT(before);
        else if (name)
            g_hash_table_insert(known, g_steal_pointer(&name), GUINT_TO_POINTER(row));
        g_array_append_val(first, same);
    }
    return first;
}

static void fill_cpu(const ovni_cpus *c, uint32_t row, const int64_t ns[OVNI_CPUS_COLUMNS], rows *to)
{
    g_autofree char *name = row_name(c, row);
    rows_cell *cells = rows_add(to);
    cells[OVNI_CPUS_NAME] = rows_text(to, name);
    for (unsigned i = OVNI_CPUS_BUSY; i < OVNI_CPUS_COLUMNS; i++)
        cells[i] = time_cell(ns[i]);
    if (!rest_is_known(c))
        cells[OVNI_CPUS_RESTING] = rows_unknown();
}

void ovni_cpus_fill(ovni_cpus *c, rows *to)
{
    ovni_cpus_count_all(c);
    g_autoptr(GArray) first = first_rows(c), sums = g_array_new(FALSE, TRUE, sizeof(cpu_sum));
    g_array_set_size(sums, first->len);
    for (guint row = 0; row < first->len; row++) {
        cpu_sum *sum = &g_array_index(sums, cpu_sum, g_array_index(first, uint32_t, row));
        for (unsigned i = OVNI_CPUS_BUSY; i < OVNI_CPUS_COLUMNS; i++)
            sum->ns[i] = ovni_cpus_add_ns(sum->ns[i], g_array_index(c->sums, cpu_sum, row).ns[i]);
    }
    for (guint row = 0; row < first->len; row++)
        if (g_array_index(first, uint32_t, row) == row)
            fill_cpu(c, row, g_array_index(sums, cpu_sum, row).ns, to);
}

static char *part_name(const ovni_emulator *e, const hash_pair *key)
{
    const ovni_doing_model *m = &ovni_doing_models[key->first >> 8 & 0xff];
    const ovni_channel_id channels[OVNI_DOES_COUNT] = {m->type, m->subsystem, m->idle};
    return ovni_emulator_value(e, channels[key->first & 0xff], (int64_t)key->second);
}

static int compare_parts(gconstpointer a, gconstpointer b)
{
    const hash_pair *x = a, *y = b;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
                                : (x->second > y->second) - (x->second < y->second);
}

/* The parts by rows that are shown. */
static GHashTable *shown_parts(const ovni_cpus *c)
{
    GHashTable *shown = parts_new();
    g_autoptr(GArray) first = first_rows(c);
    GHashTableIter all;
    gpointer k, ns;
    g_hash_table_iter_init(&all, c->parts);
    while (g_hash_table_iter_next(&all, &k, &ns)) {
        hash_pair key = *(const hash_pair *)k;
        key.first = (uint64_t)g_array_index(first, uint32_t, key.first >> 32) << 32 | (uint32_t)key.first;
        add_part(shown, key, *(const int64_t *)ns);
    }
    return shown;
}

static void fill_part(const ovni_cpus *c, const hash_pair *key, int64_t ns, rows *to)
{
    static const char *const words[OVNI_DOES_COUNT] = {"task", "runtime", "rest"};
    g_autofree char *cpu = row_name(c, (uint32_t)(key->first >> 32)), *name = part_name(c->emulator, key);
    const ovni_doing_model *m = &ovni_doing_models[key->first >> 8 & 0xff];
    const bool mixed = m->model == 'V' && (key->first & 0xff) == OVNI_DOES_RUNTIME && !rest_is_known(c);
    rows_cell *cells = rows_add(to);
    cells[OVNI_CPUS_PART_CPU] = rows_text(to, cpu);
    cells[OVNI_CPUS_PART_MODEL] = rows_lasting_text(ovni_model_words(m->model));
    cells[OVNI_CPUS_PART_DOES] = rows_lasting_text(mixed ? "runtime or rest" : words[key->first & 0xff]);
    cells[OVNI_CPUS_PART_WHAT] = rows_text(to, name);
    cells[OVNI_CPUS_PART_TIME] = time_cell(ns);
}

void ovni_cpus_fill_parts(ovni_cpus *c, rows *to)
{
    ovni_cpus_count_all(c);
    g_autoptr(GHashTable) parts = shown_parts(c);
    GList *keys = g_list_sort(g_hash_table_get_keys(parts), compare_parts);
    for (const GList *k = keys; k; k = k->next)
        fill_part(c, k->data, *(const int64_t *)g_hash_table_lookup(parts, k->data), to);
    g_list_free(keys);
}

/* --- as a statistic ------------------------------------------------------------------------------------------------------
 */

static const char breakdown_word[] = "breakdown", by_node_word[] = "by:node";

/* With these words, wherever they are, the columns are others. */
static const rows_column *columns_for(const void *protocol, const char *arguments, unsigned *count)
{
    (void)protocol;
    g_auto(GStrv) words = g_strsplit(arguments, ",", -1);
    const bool split = g_strv_contains((const char *const *)words, breakdown_word),
               by_node = g_strv_contains((const char *const *)words, by_node_word);
    *count = split ? OVNI_CPUS_PART_COLUMNS : OVNI_CPUS_COLUMNS;
    if (by_node)
        return split ? ovni_cpus_node_part_columns : ovni_cpus_node_columns;
    return split ? ovni_cpus_part_columns : ovni_cpus_columns;
}

static void *cpus_begin(const statistic_words *words, const void *how)
{
    (void)how;
    return ovni_cpus_new(statistic_words_has(words, breakdown_word), statistic_words_has(words, by_node_word));
}

static void cpus_see(void *data, const counted_record *r)
{
    const ovni_played p = ovni_emulator_played(r->tapped);
    ovni_cpus_play(data, r->time, &p);
}

static bool cpus_count(void *data, const counted_record *r)
{
    (void)r;
    ovni_cpus_count(data);
    return true;
}

static void cpus_fill(void *data, const void *how, rows *to)
{
    (void)how;
    (((const ovni_cpus *)data)->parts ? ovni_cpus_fill_parts : ovni_cpus_fill)(data, to);
}

const counted ovni_cpus_counted = {.columns_for = columns_for,
                                   .words = "breakdown, by:node",
                                   .begin = cpus_begin,
                                   .each_record = cpus_see,
                                   .count = cpus_count,
                                   .fill = cpus_fill,
                                   .free = ovni_cpus_free};
