/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/emulator/cpus.h"

#include "containers/hash.h"

const rows_column ovni_cpus_columns[OVNI_CPUS_COLUMNS] = {
    [OVNI_CPUS_NAME] = {"CPU", ROWS_TEXT, ROWS_EACH},        [OVNI_CPUS_BUSY] = {"Busy", ROWS_TIME, ROWS_ADDS},
    [OVNI_CPUS_IDLE] = {"Idle", ROWS_TIME, ROWS_ADDS},       [OVNI_CPUS_CROWDED] = {"Crowded", ROWS_TIME, ROWS_ADDS},
    [OVNI_CPUS_TASKS] = {"Tasks", ROWS_TIME, ROWS_ADDS},     [OVNI_CPUS_RUNTIME] = {"Runtime", ROWS_TIME, ROWS_ADDS},
    [OVNI_CPUS_RESTING] = {"Resting", ROWS_TIME, ROWS_ADDS},
};
const rows_column ovni_cpus_part_columns[OVNI_CPUS_PART_COLUMNS] = {
    [OVNI_CPUS_PART_CPU] = {"CPU", ROWS_TEXT, ROWS_EACH},   [OVNI_CPUS_PART_MODEL] = {"Model", ROWS_TEXT, ROWS_EACH},
    [OVNI_CPUS_PART_DOES] = {"Does", ROWS_TEXT, ROWS_EACH}, [OVNI_CPUS_PART_WHAT] = {"What", ROWS_TEXT, ROWS_EACH},
    [OVNI_CPUS_PART_TIME] = {"Time", ROWS_TIME, ROWS_EACH},
};

/* What ovniemu -b shows of a CPU: a type of tasks, a subsystem, or that its thread does not progress. In the order of the
 * columns. */
typedef enum { DOES_TASK, DOES_RUNTIME, DOES_REST, DOES_COUNT } cpu_does;

/* A model that tells what a CPU does. */
typedef struct cpu_model {
    char model;
    ovni_channel_id idle, subsystem, type; /* OVNI_CH_COUNT: there is none */
    int64_t body;                          /* of a task: then its type is shown */
} cpu_model;
static const cpu_model cpu_models[] = {
    {'V', OVNI_CH_NOSV_IDLE, OVNI_CH_NOSV_SUBSYSTEM, OVNI_CH_NOSV_TYPE, OVNI_NOSV_IN_BODY},
    {'6', OVNI_CH_NANOS6_IDLE, OVNI_CH_NANOS6_SUBSYSTEM, OVNI_CH_NANOS6_TYPE, OVNI_NANOS6_IN_BODY},
    {'P', OVNI_CH_COUNT, OVNI_CH_OPENMP_SUBSYSTEM, OVNI_CH_OPENMP_LABEL, 0},
};

typedef enum cpu_shows { SHOWS_NOTHING, SHOWS_UNKNOWN, SHOWS_SUBSYSTEM, SHOWS_TYPE } cpu_shows;

/* What a model says of a CPU. */
typedef struct model_doing {
    cpu_shows shows; /* while its thread makes progress */
    bool known;
    cpu_does does;
    int64_t value;
} model_doing;

/* What a CPU is doing, for each model that tells. */
typedef struct cpu_doing {
    uint32_t running; /* threads */
    model_doing of[G_N_ELEMENTS(cpu_models)];
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
    int64_t last;      /* record, ns */
    int64_t interval;  /* ns until the record that is looked at */
    int64_t counted;   /* ns in all */
};

ovni_cpus *ovni_cpus_new(bool parts)
{
    ovni_cpus *c = g_new0(ovni_cpus, 1);
    c->emulator = ovni_emulator_new(OVNI_EMULATE_SHOWN);
    c->sums = g_array_new(FALSE, TRUE, sizeof(cpu_sum));
    if (parts)
        c->parts = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, g_free);
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

/* ovniemu -b chooses between subsystem and type of task when the subsystem is set, and stays with it until then. */
static cpu_shows ovni_cpus_choose(const ovni_emulator *e, uint32_t row, const cpu_model *m, cpu_shows before)
{
    int64_t subsystem, type;
    if (m->idle == OVNI_CH_COUNT)
        return ovni_emulator_shown(e, true, row, m->type, &type) ? SHOWS_TYPE : SHOWS_SUBSYSTEM;
    if (!ovni_emulator_set_now(e, row, m->subsystem))
        return before;
    if (!ovni_emulator_shown(e, true, row, m->subsystem, &subsystem))
        return SHOWS_UNKNOWN;
    return subsystem == m->body && ovni_emulator_shown(e, true, row, m->type, &type) ? SHOWS_TYPE : SHOWS_SUBSYSTEM;
}

static void look_at_model(const ovni_emulator *e, uint32_t row, const cpu_model *m, model_doing *d)
{
    int64_t idle;
    d->shows = ovni_cpus_choose(e, row, m, d->shows);
    const bool knows_idle = m->idle != OVNI_CH_COUNT,
               is_idle = knows_idle && ovni_emulator_shown(e, true, row, m->idle, &idle);
    if (knows_idle && (!is_idle || idle != OVNI_PROGRESSING)) {
        *d = (model_doing){.shows = d->shows, .known = is_idle, .does = DOES_REST, .value = is_idle ? idle : 0};
        return;
    }
    d->does = d->shows == SHOWS_TYPE ? DOES_TASK : DOES_RUNTIME;
    d->value = OVNI_SUBSYSTEM_UNKNOWN;
    d->known = d->shows == SHOWS_UNKNOWN ||
               (d->shows && ovni_emulator_shown(e, true, row, d->shows == SHOWS_TYPE ? m->type : m->subsystem, &d->value));
}

static void look_at_cpu(const ovni_emulator *e, uint32_t row, cpu_doing *d)
{
    d->running = ovni_emulator_cpu(e, row)->running;
    for (size_t i = 0; i < G_N_ELEMENTS(cpu_models); i++)
        if (ovni_emulator_enabled(e, cpu_models[i].model))
            look_at_model(e, row, &cpu_models[i], &d->of[i]);
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

static void add_part(const ovni_cpus *c, uint32_t row, size_t model, cpu_does does, int64_t value, int64_t ns)
{
    const hash_pair key = {(uint64_t)row << 32 | model << 8 | does, (uint64_t)value};
    int64_t *sum = g_hash_table_lookup(c->parts, &key);
    if (sum)
        *sum = ovni_cpus_add_ns(*sum, ns);
    else
        g_hash_table_insert(c->parts, g_memdup2(&key, sizeof key), g_memdup2(&ns, sizeof ns));
}

/* Counts what a CPU has been doing until now. */
static void count_cpu(const ovni_cpus *c, uint32_t row)
{
    cpu_sum *s = &g_array_index(c->sums, cpu_sum, row);
    const int64_t ns = c->counted == INT64_MAX ? INT64_MAX : c->counted - s->since; /* neither is negative */
    int64_t *sum = &s->ns[s->now.running == 0 ? OVNI_CPUS_IDLE : s->now.running == 1 ? OVNI_CPUS_BUSY : OVNI_CPUS_CROWDED];
    s->since = c->counted;
    *sum = ovni_cpus_add_ns(*sum, ns);
    for (size_t i = 0; ns && i < G_N_ELEMENTS(cpu_models); i++) {
        if (!s->now.of[i].known)
            continue;
        if (s->now.running == 1)
            s->ns[OVNI_CPUS_TASKS + s->now.of[i].does] = ovni_cpus_add_ns(s->ns[OVNI_CPUS_TASKS + s->now.of[i].does], ns);
        if (c->parts)
            add_part(c, row, i, s->now.of[i].does, s->now.of[i].value, ns);
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

void ovni_cpus_fill(ovni_cpus *c, rows *to)
{
    ovni_cpus_count_all(c);
    for (guint row = 0; row < c->sums->len; row++) {
        g_autofree char *name = ovni_emulator_cpu_name(c->emulator, row);
        rows_cell *cells = rows_add(to);
        cells[OVNI_CPUS_NAME] = rows_text(to, name);
        for (unsigned i = OVNI_CPUS_BUSY; i < OVNI_CPUS_COLUMNS; i++)
            cells[i] = time_cell(g_array_index(c->sums, cpu_sum, row).ns[i]);
        if (!rest_is_known(c))
            cells[OVNI_CPUS_RESTING] = rows_unknown();
    }
}

static char *part_name(const ovni_emulator *e, const hash_pair *key)
{
    const cpu_model *m = &cpu_models[key->first >> 8 & 0xff];
    const ovni_channel_id channels[DOES_COUNT] = {m->type, m->subsystem, m->idle};
    return ovni_emulator_value(e, channels[key->first & 0xff], (int64_t)key->second);
}

static int compare_parts(gconstpointer a, gconstpointer b)
{
    const hash_pair *x = a, *y = b;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
                                : (x->second > y->second) - (x->second < y->second);
}

void ovni_cpus_fill_parts(ovni_cpus *c, rows *to)
{
    static const char *const words[DOES_COUNT] = {"task", "runtime", "rest"};
    ovni_cpus_count_all(c);
    GList *keys = g_list_sort(g_hash_table_get_keys(c->parts), compare_parts);
    for (const GList *k = keys; k; k = k->next) {
        const hash_pair *key = k->data;
        g_autofree char *cpu = ovni_emulator_cpu_name(c->emulator, (uint32_t)(key->first >> 32)),
                        *name = part_name(c->emulator, key);
        const cpu_model *m = &cpu_models[key->first >> 8 & 0xff];
        const bool mixed = m->model == 'V' && (key->first & 0xff) == DOES_RUNTIME && !rest_is_known(c);
        const int64_t *ns = g_hash_table_lookup(c->parts, key);
        rows_cell *cells = rows_add(to);
        cells[OVNI_CPUS_PART_CPU] = rows_text(to, cpu);
        cells[OVNI_CPUS_PART_MODEL] = rows_lasting_text(ovni_model_words(m->model));
        cells[OVNI_CPUS_PART_DOES] = rows_lasting_text(mixed ? "runtime or rest" : words[key->first & 0xff]);
        cells[OVNI_CPUS_PART_WHAT] = rows_text(to, name);
        cells[OVNI_CPUS_PART_TIME] = time_cell(*ns);
    }
    g_list_free(keys);
}

/* --- as a statistic ------------------------------------------------------------------------------------------------------
 */

static const char breakdown_word[] = "breakdown";

/* With this word, wherever it is, the columns are others. */
static const rows_column *columns_for(const void *protocol, const char *arguments, unsigned *count)
{
    (void)protocol;
    g_auto(GStrv) words = g_strsplit(arguments, ",", -1);
    const bool split = g_strv_contains((const char *const *)words, breakdown_word);
    *count = split ? OVNI_CPUS_PART_COLUMNS : OVNI_CPUS_COLUMNS;
    return split ? ovni_cpus_part_columns : ovni_cpus_columns;
}

static void *cpus_begin(const statistic_words *words, const void *how)
{
    (void)how;
    return ovni_cpus_new(statistic_words_has(words, breakdown_word));
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
                                   .words = breakdown_word,
                                   .begin = cpus_begin,
                                   .each_record = cpus_see,
                                   .count = cpus_count,
                                   .fill = cpus_fill,
                                   .free = ovni_cpus_free};
