/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ovni,cpus: what each CPU did, as ovniemu -b (common/ovni/emulator/emulator.h) would show it. The emulator sees every record, whatever the
 * filter. */
#include "containers/hash.h"
#include "host/menus.h"
#include "host/notices.h"
#include "ovni/statistics-ovni.h"
#include "statistics/report.h"
#include "statistics/table.h"

#include "util/text.h"

/* What ovniemu -b shows of a CPU: a type of tasks, a subsystem, or that its thread does not progress. */
typedef enum { DOES_TASK, DOES_RUNTIME, DOES_REST, DOES_COUNT } cpu_does;

/* In ns. `busy`: one thread runs; `crowded`: several. */
typedef struct cpu_time {
    int64_t busy, idle, crowded, does[DOES_COUNT];
} cpu_time;

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
    bool told;
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
    cpu_time time;
    cpu_doing now;
    int64_t since;
} cpu_sum;

/* Time counts up to each record that passes the filter, from the record before. A CPU is looked at only when a record has
 * changed it. */
typedef struct cpus {
    ovni_emulator *emulator;
    GArray *sums;           /* of cpu_sum, by row */
    GArray *changed;        /* rows that the last record has changed */
    table_statistic *table; /* to be printed; NULL: as text */
    GHashTable *split;      /* hash_pair: row and model, what and value -> int64_t*; NULL: not asked for */
    int64_t last;           /* record, ns */
    int64_t interval;       /* ns until the record that is looked at */
    int64_t counted;        /* ns in all */
} cpus;

/* The same as tables, for programs: with a word that all tables take, this is printed instead of the text. */
static stat_tap_table_item cpu_columns[] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "CPU", "%-12s"},
    TABLE_NUMBER("Busy (ns)"),
    TABLE_NUMBER("Idle (ns)"),
    TABLE_NUMBER("Crowded (ns)"),
    TABLE_NUMBER("Tasks (ns)"),
    TABLE_NUMBER("Runtime (ns)"),
    TABLE_NUMBER("Resting (ns)"),
};
static stat_tap_table_item part_columns[] = {
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "CPU", "%-12s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Model", "%-8s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Does", "%-8s"},
    {TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "What", "%-48s"},
    TABLE_NUMBER("Time (ns)"),
};
static bool cpus_split;
static table_statistic cpus_table = {.ui = {.title = "ovni CPUs",
                                            .cli_string = "ovni,cpus",
                                            .fields = cpu_columns,
                                            .nfields = G_N_ELEMENTS(cpu_columns)},
                                     .title = "ovni CPUs",
                                     .flag = "breakdown",
                                     .flagged = &cpus_split},
                       parts_table = {.ui = {.title = "ovni CPUs",
                                             .cli_string = "ovni,cpus",
                                             .fields = part_columns,
                                             .nfields = G_N_ELEMENTS(part_columns)},
                                      .title = "ovni breakdown of CPUs",
                                      .flag = "breakdown",
                                      .flagged = &cpus_split};

/* With the word `breakdown`, wherever it is, the columns are others. */
static table_statistic *table_of(const char *arguments)
{
    g_auto(GStrv) words = g_strsplit(arguments, ",", -1);
    return g_strv_contains((const char *const *)words, "breakdown") ? &parts_table : &cpus_table;
}

static bool is_table(const table_statistic *s)
{
    const table_words none = {0};
    return !menus_windows() && memcmp(&s->asked, &none, sizeof none) != 0;
}

static void *cpus_start(const void *unused, const char **arguments)
{
    (void)unused;
    table_statistic *asked = table_of(*arguments);
    table_take(asked, arguments);
    cpus *c = g_new0(cpus, 1);
    c->emulator = ovni_emulator_new(OVNI_EMULATE_SHOWN);
    c->sums = g_array_new(FALSE, TRUE, sizeof(cpu_sum));
    c->changed = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    c->table = is_table(asked) ? g_memdup2(asked, sizeof *asked) : NULL;
    if (cpus_split)
        c->split = g_hash_table_new_full(hash_pair_of, hash_pair_equal, g_free, g_free);
    return c;
}

static void cpus_reset(void *data)
{
    cpus *c = data;
    ovni_emulator_free(c->emulator);
    c->emulator = ovni_emulator_new(OVNI_EMULATE_SHOWN);
    g_array_set_size(c->sums, 0);
    g_array_set_size(c->changed, 0);
    if (c->split)
        g_hash_table_remove_all(c->split);
    c->last = c->interval = c->counted = 0;
}

/* ovniemu -b chooses between subsystem and type of task when the subsystem is set, and stays with it until then. */
static cpu_shows choose(const ovni_emulator *e, uint32_t row, const cpu_model *m, cpu_shows before)
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
    d->shows = choose(e, row, m, d->shows);
    const bool knows_idle = m->idle != OVNI_CH_COUNT,
               is_idle = knows_idle && ovni_emulator_shown(e, true, row, m->idle, &idle);
    if (knows_idle && (!is_idle || idle != OVNI_PROGRESSING)) {
        *d = (model_doing){.shows = d->shows, .told = is_idle, .does = DOES_REST, .value = is_idle ? idle : 0};
        return;
    }
    d->does = d->shows == SHOWS_TYPE ? DOES_TASK : DOES_RUNTIME;
    d->value = OVNI_SUBSYSTEM_UNKNOWN;
    d->told = d->shows == SHOWS_UNKNOWN ||
              (d->shows && ovni_emulator_shown(e, true, row, d->shows == SHOWS_TYPE ? m->type : m->subsystem, &d->value));
}

static void look_at_cpu(const ovni_emulator *e, uint32_t row, cpu_doing *d)
{
    d->running = ovni_emulator_cpu(e, row)->running;
    for (size_t i = 0; i < G_N_ELEMENTS(cpu_models); i++)
        if (ovni_emulator_enabled(e, cpu_models[i].model))
            look_at_model(e, row, &cpu_models[i], &d->of[i]);
}

static void add_part(const cpus *c, uint32_t row, size_t model, cpu_does does, int64_t value, int64_t ns)
{
    const hash_pair key = {(uint64_t)row << 32 | model << 8 | does, (uint64_t)value};
    int64_t *sum = g_hash_table_lookup(c->split, &key);
    if (sum)
        *sum += ns;
    else
        g_hash_table_insert(c->split, g_memdup2(&key, sizeof key), g_memdup2(&ns, sizeof ns));
}

/* Counts what a CPU has been doing until now. */
static void count_cpu(const cpus *c, uint32_t row)
{
    cpu_sum *s = &g_array_index(c->sums, cpu_sum, row);
    const int64_t ns = c->counted - s->since;
    s->since = c->counted;
    *(s->now.running == 0 ? &s->time.idle : s->now.running == 1 ? &s->time.busy : &s->time.crowded) += ns;
    for (size_t i = 0; ns && i < G_N_ELEMENTS(cpu_models); i++) {
        if (!s->now.of[i].told)
            continue;
        if (s->now.running == 1)
            s->time.does[s->now.of[i].does] += ns;
        if (c->split)
            add_part(c, row, i, s->now.of[i].does, s->now.of[i].value, ns);
    }
}

/* What the last record has changed holds from there on. CPUs are known from the first event on. */
static void record_again(const cpus *c)
{
    for (uint32_t row = c->sums->len; row < ovni_emulator_cpu_count(c->emulator); row++) {
        const cpu_sum new = {.since = c->counted};
        g_array_append_val(c->sums, new);
    }
    for (guint i = 0; i < c->changed->len; i++) {
        const uint32_t row = g_array_index(c->changed, uint32_t, i);
        count_cpu(c, row);
        look_at_cpu(c->emulator, row, &g_array_index(c->sums, cpu_sum, row).now);
    }
    g_array_set_size(c->changed, 0);
}

/* Whether time counts up to the last record is known only now. */
static void cpus_every(void *data, packet_info *pinfo, const void *tapped)
{
    cpus *c = data;
    const int64_t now = picture_time(pinfo);
    record_again(c);
    c->interval = now > c->last ? now - c->last : 0;
    c->last = MAX(c->last, now);
    ovni_emulate(c->emulator, pinfo, tapped);
    const GArray *touched = ovni_emulator_touched(c->emulator);
    if (touched->len)
        g_array_append_vals(c->changed, touched->data, touched->len);
}

static bool cpus_packet(void *data, packet_info *pinfo, const void *tapped)
{
    cpus *c = data;
    (void)pinfo;
    (void)tapped;
    c->counted += c->interval;
    return true;
}

typedef struct label_search {
    int64_t value;
    char *found;
} label_search;

static void compare_label(void *data, int32_t type, int64_t value, const char *label)
{
    label_search *s = data;
    (void)type;
    if (value == s->value && !s->found)
        s->found = text_show(label, -1);
}

static char *part_name(const ovni_emulator *e, const hash_pair *key)
{
    const cpu_model *m = &cpu_models[key->first >> 8 & 0xff];
    cpu_does does = (cpu_does)(key->first & 0xff);
    label_search s = {(int64_t)key->second, NULL};
    ovni_channel_id channel = does == DOES_REST ? m->idle : m->subsystem;
    if (does == DOES_TASK)
        ovni_emulator_each_type(e, m->model, compare_label, &s);
    for (const ovni_value_label *l = ovni_channels[channel].labels; does != DOES_TASK && l->label; l++)
        compare_label(&s, 0, l->value, l->label);
    return s.found ? s.found : g_strdup_printf("%" PRId64, s.value);
}

static int compare_parts(gconstpointer a, gconstpointer b)
{
    const hash_pair *x = a, *y = b;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
                                : (x->second > y->second) - (x->second < y->second);
}

/* Texts, and then numbers. */
static void add_cells(stat_tap_table *table, const char *const *texts, unsigned count, const int64_t *numbers)
{
    stat_tap_table_item_type cells[G_N_ELEMENTS(cpu_columns)] = {0};
    guint row = table->num_elements;
    for (guint i = 0; i < table->num_fields; i++)
        cells[i] = i < count ? table_text(texts[i]) : table_number();
    stat_tap_init_table_row(table, row, table->num_fields, cells);
    for (guint i = count; i < table->num_fields; i++)
        table_set(table, row, i, (uint64_t)numbers[i - count]);
}

static void write_parts(const cpus *c, GString *text, stat_tap_table *table)
{
    static const char *const words[DOES_COUNT] = {"task", "runtime", "rest"};
    GList *keys = g_list_sort(g_hash_table_get_keys(c->split), compare_parts);
    if (!table)
        g_string_append_printf(text, "\n%-12s %-8s %-8s %-48s %16s\n", "CPU", "Model", "Does", "What", "Time (ns)");
    for (const GList *k = keys; k; k = k->next) {
        const hash_pair *key = k->data;
        g_autofree char *cpu = ovni_cpu_words(ovni_emulator_cpu(c->emulator, (uint32_t)(key->first >> 32))),
                        *name = part_name(c->emulator, key);
        const char *cells[] = {cpu, ovni_model_words(cpu_models[key->first >> 8 & 0xff].model), words[key->first & 0xff],
                               name};
        const int64_t *ns = g_hash_table_lookup(c->split, key);
        if (table) {
            add_cells(table, cells, G_N_ELEMENTS(cells), ns);
            continue;
        }
        g_string_append_printf(text, "%-12s %-8s %-8s %-48s %16" PRId64 "\n", cells[0], cells[1], cells[2], cells[3], *ns);
        report_flush(text);
    }
    g_list_free(keys);
}

static void cpus_write(const void *data, GString *text)
{
    const cpus *c = data;
    if (!ovni_emulator_has_threads(c->emulator)) {
        static const char words[] = "CPUs are known from the metadata of ovni 1.11 or later: open a stream.json";
        if (c->table)
            notices_print(words);
        else
            g_string_append_printf(text, "%s\n", words);
        return;
    }
    stat_tap_table *table = NULL;
    if (c->table)
        table = stat_tap_init_table(c->table->title, (int)c->table->ui.nfields, 0, NULL);
    else
        g_string_append_printf(text, "%-12s %16s %16s %16s %16s %16s %16s\n", "CPU", "Busy (ns)", "Idle (ns)",
                               "Crowded (ns)", "Tasks (ns)", "Runtime (ns)", "Resting (ns)");
    record_again(c);
    for (guint row = 0; row < c->sums->len; row++) {
        count_cpu(c, row);
        const cpu_time *t = &g_array_index(c->sums, cpu_sum, row).time;
        g_autofree char *cpu = ovni_cpu_words(ovni_emulator_cpu(c->emulator, row));
        const int64_t times[] = {t->busy,           t->idle, t->crowded, t->does[DOES_TASK], t->does[DOES_RUNTIME],
                                 t->does[DOES_REST]};
        if (table && !c->split)
            add_cells(table, (const char *const[]){cpu}, 1, times);
        if (table)
            continue;
        g_string_append_printf(text,
                               "%-12s %16" PRId64 " %16" PRId64 " %16" PRId64 " %16" PRId64 " %16" PRId64 " %16" PRId64 "\n",
                               cpu, times[0], times[1], times[2], times[3], times[4], times[5]);
        report_flush(text);
    }
    if (c->split)
        write_parts(c, text, table);
    if (table)
        table_print_filled(c->table, table);
}

static void cpus_free(void *data)
{
    cpus *c = data;
    ovni_emulator_free(c->emulator);
    g_array_free(c->sums, TRUE);
    g_array_free(c->changed, TRUE);
    if (c->split)
        g_hash_table_destroy(c->split);
    g_free(c->table);
    g_free(c);
}

static const report cpus_report = {
    .tap = "ovni",
    .command = "ovni,cpus",
    .title = "ovni CPUs",
    .words = "Each subsystem and type of tasks: breakdown",
    .typed = "",
    .start = cpus_start,
    .reset = cpus_reset,
    .every = cpus_every,
    .context = ovni_tapped_context,
    .tapped = ovni_tapped_record,
    .packet = cpus_packet,
    .write = cpus_write,
    .free = cpus_free,
};

void ovni_cpus_register(void)
{
    report_register(&cpus_report);
}
