/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ovniemu would say of a trace (common/ovni/emulator/emulator.h): ovni,lint, whether it would refuse it and why; ovni,cpus, what each CPU
 * did; ovni,at, what everybody was in at a moment. The emulator sees every record, whatever the filter. */
#include "host/carried.h"
#include "containers/hash.h"
#include "host/notices.h"
#include "ovni/statistics-ovni.h"
#include "host/menus.h"
#include "statistics/report.h"
#include "statistics/table.h"

#include "ovni/context.h"
#include "ovni/layout.h"
#include "dissector/pdu.h"
#include "util/text.h"

void ovni_play(ovni_emulator *e, const packet_info *pinfo, const ovni_record *r)
{
    const record_context *c = r->context;
    ovni_emulator_record(e, carried_place(pinfo));
    if (c->kind == OVNI_METADATA)
        ovni_emulator_metadata(e, c, (const char *)r->bytes.data, r->bytes.length);
    else if (c->kind == OVNI_HEADER)
        ovni_emulator_header(e, c, pdu_stream_description(pinfo, c));
    else if (r->is_event && !c->fault)
        ovni_emulator_event(e, c, r->event, &r->bytes);
    else
        ovni_emulator_damage(e, c);
}

static const record_context *context_of(const void *tapped)
{
    return ((const ovni_record *)tapped)->context;
}

static const void *record_of(packet_info *hidden, const record_context *c, const cursor *bytes)
{
    static ovni_record r;
    r = (ovni_record){.pinfo = hidden, .context = c, .bytes = *bytes};
    r.is_event = ovni_states_is_event(c, bytes);
    r.event = r.is_event ? ovni_event_of((ovni_era)ovni_context_of(c)->era, bytes) : NULL;
    return &r;
}

/* --- lint ----------------------------------------------------------------------------------------------------------------- */

enum { LINES_MAX = 10000 };

typedef struct lint {
    ovni_emulator *emulator;
    GString *lines;
    uint64_t listed, more;
    uint64_t found[OVNI_LINT_RULES];
    char *limit; /* the first that was passed, in words; or NULL */
} lint;

static void *lint_start(const void *unused, const char **arguments)
{
    (void)unused;
    (void)arguments;
    lint *l = g_new0(lint, 1);
    l->emulator = ovni_emulator_new(OVNI_EMULATE_RULES);
    l->lines = g_string_new(NULL);
    return l;
}

static void lint_reset(void *data)
{
    lint *l = data;
    ovni_emulator_free(l->emulator);
    g_string_truncate(l->lines, 0);
    g_free(l->limit);
    *l = (lint){.emulator = ovni_emulator_new(OVNI_EMULATE_RULES), .lines = l->lines};
}

static void lint_every(void *data, packet_info *pinfo, const void *tapped)
{
    lint *l = data;
    ovni_play(l->emulator, pinfo, tapped);
    const GArray *findings = ovni_emulator_findings(l->emulator);
    for (guint i = 0; i < findings->len; i++) {
        const ovni_finding *f = &g_array_index(findings, ovni_finding, i);
        l->found[f->rule]++;
        if (f->rule == OVNI_LINT_LIMIT && !l->limit)
            l->limit = g_strdup(f->text);
    }
}

static bool lint_packet(void *data, packet_info *pinfo, const void *tapped)
{
    lint *l = data;
    const GArray *findings = ovni_emulator_findings(l->emulator);
    for (guint i = 0; i < findings->len; i++) {
        const ovni_finding *f = &g_array_index(findings, ovni_finding, i);
        if (l->listed++ < LINES_MAX)
            g_string_append_printf(l->lines, "%u %s %s: %s\n", pinfo->num, ovni_stream_words(tapped),
                                   ovni_rules[f->rule].name, f->text);
        else
            l->more++;
    }
    return findings->len > 0;
}

static const char not_judged[] = "verdict: not judged";

static void write_verdict(GString *text, const lint *l, const uint64_t found[OVNI_LINT_RULES])
{
    ovni_verdict verdict = OVNI_ACCEPTED;
    for (int rule = 0; rule < OVNI_LINT_RULES; rule++)
        if (found[rule])
            verdict = MAX(verdict, ovni_rules[rule].verdict);
    if (carried_part())
        g_string_append_printf(text, "%s: %s\n", not_judged, carried_part());
    else if (verdict == OVNI_UNJUDGED)
        g_string_append_printf(text, "verdict: not judged, as %s\n", l->limit);
    else if (verdict == OVNI_ACCEPTED && !ovni_emulator_has_metadata(l->emulator))
        g_string_append_printf(text, "%s, as there are no metadata of ovni 1.11 or later: open a stream.json\n", not_judged);
    else if (verdict == OVNI_ACCEPTED)
        g_string_append(text, "verdict: accepted by ovniemu\n");
    else
        g_string_append(text, verdict == OVNI_STRICT ? "verdict: refused by ovniemu -l\n" : "verdict: refused by ovniemu\n");
}

static void lint_write(const void *data, GString *text)
{
    const lint *l = data;
    uint64_t found[OVNI_LINT_RULES];
    memcpy(found, l->found, sizeof found);
    g_string_append_len(text, l->lines->str, (gssize)l->lines->len);
    if (l->more)
        g_string_append_printf(text, "and %" PRIu64 " more\n", l->more);
    GArray *end = ovni_emulator_at_end(l->emulator);
    for (guint i = 0; i < end->len && !carried_part(); i++) {
        const ovni_finding *f = &g_array_index(end, ovni_finding, i);
        found[f->rule]++;
        g_string_append_printf(text, "end %s: %s\n", ovni_rules[f->rule].name, f->text);
        report_flush(text);
    }
    ovni_findings_free(end);
    write_verdict(text, l, found);
}

static void lint_free(void *data)
{
    lint *l = data;
    ovni_emulator_free(l->emulator);
    g_string_free(l->lines, TRUE);
    g_free(l->limit);
    g_free(l);
}

/* --- CPUs ----------------------------------------------------------------------------------------------------------------- */

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
static void look_again(const cpus *c)
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
    look_again(c);
    c->interval = now > c->last ? now - c->last : 0;
    c->last = MAX(c->last, now);
    ovni_play(c->emulator, pinfo, tapped);
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

static char *cpu_words(const ovni_emulated_cpu *cpu)
{
    return cpu->virtual ? g_strdup_printf("vCPU %u.*", cpu->loom) : g_strdup_printf("CPU %u.%d", cpu->loom, cpu->system);
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
        g_autofree char *cpu = cpu_words(ovni_emulator_cpu(c->emulator, (uint32_t)(key->first >> 32))),
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
    look_again(c);
    for (guint row = 0; row < c->sums->len; row++) {
        count_cpu(c, row);
        const cpu_time *t = &g_array_index(c->sums, cpu_sum, row).time;
        g_autofree char *cpu = cpu_words(ovni_emulator_cpu(c->emulator, row));
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

/* --- at a moment ---------------------------------------------------------------------------------------------------------- */

typedef struct moment_report {
    ovni_emulator *emulator;
    int64_t at;   /* ns since the first record */
    bool wrong;   /* no time was given */
    int64_t last; /* record that is shown, ns */
    bool *wanted; /* by row: a record of the thread has passed the filter, whenever */
    uint32_t rows;
} moment_report;

static void *at_start(const void *unused, const char **arguments)
{
    (void)unused;
    moment_report *m = g_new0(moment_report, 1);
    char *end;
    double seconds = g_ascii_strtod(*arguments, &end);
    m->wrong = end == *arguments || (*end && *end != ',') || !(seconds >= -1e9 && seconds <= 1e9);
    m->at = m->wrong ? 0 : (int64_t)(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5));
    *arguments = m->wrong ? *arguments : *end ? end + 1 : end;
    m->emulator = ovni_emulator_new(OVNI_EMULATE_SHOWN);
    return m;
}

static void at_reset(void *data)
{
    moment_report *m = data;
    ovni_emulator_free(m->emulator);
    m->emulator = ovni_emulator_new(OVNI_EMULATE_SHOWN);
    g_free(m->wanted);
    m->wanted = NULL;
    m->rows = 0;
    m->last = 0;
}

/* Plays until then: what follows changes nothing. */
static void at_every(void *data, packet_info *pinfo, const void *tapped)
{
    moment_report *m = data;
    const ovni_record *r = tapped;
    m->last = MAX(m->last, picture_time(pinfo));
    if (!r->is_event || picture_time(pinfo) <= m->at)
        ovni_play(m->emulator, pinfo, r);
}

static bool at_packet(void *data, packet_info *pinfo, const void *tapped)
{
    moment_report *m = data;
    (void)pinfo;
    const ovni_record *r = tapped;
    int64_t row = r->is_event ? ovni_emulator_row(m->emulator, r->context->stream)
                              : -1; /* rows are known with the first event */
    if (row < 0)
        return false;
    if (!m->wanted && ovni_emulator_thread_count(m->emulator)) {
        m->rows = ovni_emulator_thread_count(m->emulator);
        m->wanted = g_new0(bool, m->rows);
    }
    if ((uint64_t)row < m->rows)
        m->wanted[row] = true;
    return true;
}

static void write_thread(const ovni_emulator *e, uint32_t row, GString *text)
{
    const ovni_emulated_thread *t = ovni_emulator_thread(e, row);
    const char *state = ovni_thread_state_name(t->state);
    const bool shows = state && t->state != OVNI_THREAD_DEAD;
    g_autofree char *cpu = t->cpu < 0 ? g_strdup("-") : cpu_words(ovni_emulator_cpu(e, (uint32_t)t->cpu)),
                    *states = shows ? ovni_emulator_stacks(e, row) : g_strdup("");
    g_string_append_printf(text, "%-24s %-9s %-12s %s\n", ovni_emulator_thread_name(e, row), state ? state : "unknown", cpu,
                           states);
}

static void at_write(const void *data, GString *text)
{
    const moment_report *m = data;
    const bool late = m->at > m->last && carried_lacks_end();
    if (m->wrong)
        g_string_append(text, "ovni,at needs a time in seconds: ovni,at,3.25\n");
    else if (late)
        g_string_append(text, "unknown: the moment is after the last record that has been read\n");
    else if (!ovni_emulator_has_threads(m->emulator))
        g_string_append(text, "Threads are known from the metadata of ovni 1.11 or later: open a stream.json\n");
    else
        g_string_append_printf(text, "%-24s %-9s %-12s %s\n", "Thread", "State", "CPU", "In");
    for (uint32_t row = 0; row < m->rows && !m->wrong && !late; row++)
        if (m->wanted[row]) {
            write_thread(m->emulator, row, text);
            report_flush(text);
        }
}

static void at_free(void *data)
{
    moment_report *m = data;
    ovni_emulator_free(m->emulator);
    g_free(m->wanted);
    g_free(m);
}

/* --- balance of load ------------------------------------------------------------------------------------------------------ */

typedef struct load {
    int64_t running, mpi; /* ns */
} load;

typedef struct balance {
    GHashTable *loads; /* "rank N" or "LOOM process N" -> load */
} balance;

static void *balance_start(const void *unused, const char **arguments)
{
    (void)unused;
    (void)arguments;
    balance *b = g_new0(balance, 1);
    b->loads = g_hash_table_new_full(hash_text, g_str_equal, g_free, g_free);
    return b;
}

static void balance_reset(void *data)
{
    g_hash_table_remove_all(((balance *)data)->loads);
}

static load *load_of(balance *b, const packet_info *pinfo, const ovni_record *r)
{
    const ovni_context *c = ovni_context_of(r->context);
    const char *loom = pdu_stream_description(pinfo, r->context);
    char *key = c->known & OVNI_KNOWN_RANK ? g_strdup_printf("rank %d", c->rank)
                                           : g_strdup_printf("%s process %d", loom ? loom : "?", c->process);
    load *l = g_hash_table_lookup(b->loads, key);
    if (!l)
        g_hash_table_insert(b->loads, key, l = g_new0(load, 1));
    else
        g_free(key);
    return l;
}

/* The event that ends the running of a thread, or the outermost MPI function. */
static bool balance_packet(void *data, packet_info *pinfo, const void *tapped)
{
    const ovni_record *r = tapped;
    const call *k = &r->known.region;
    if (!r->has_state || !r->event)
        return false;
    if (r->known.has_left && r->event->channels & OVNI_THREAD_STATE && r->known.left.state & CALL_TIMED) {
        const ovni_event *left = ovni_event_numbered(r->known.left_function);
        if (!left || g_strcmp0(left->state, "Running") != 0)
            return false;
        load_of(data, pinfo, r)->running += (int64_t)r->known.left.duration;
        return true;
    }
    if (!(r->event->channels & OVNI_FUNCTION) || !ovni_ends_region(r, pinfo) || k->depth)
        return false;
    load_of(data, pinfo, r)->mpi += (int64_t)(k->duration - k->away);
    return true;
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    size_t x = strlen(a), y = strlen(b);
    return x != y && g_str_has_prefix(a, "rank ") && g_str_has_prefix(b, "rank ") ? (x > y) - (x < y) : strcmp(a, b);
}

static void balance_write(const void *data, GString *text)
{
    const balance *b = data;
    GList *names = g_list_sort(g_hash_table_get_keys(b->loads), compare_names);
    int64_t most = 0, all = 0;
    g_string_append_printf(text, "%-32s %16s %16s %16s\n", "", "Running (ns)", "MPI (ns)", "Outside (ns)");
    for (const GList *n = names; n; n = n->next) {
        const load *l = g_hash_table_lookup(b->loads, n->data);
        int64_t outside = l->running - l->mpi;
        most = MAX(most, outside);
        all += outside;
        g_string_append_printf(text, "%-32s %16" PRId64 " %16" PRId64 " %16" PRId64 "\n", (const char *)n->data, l->running,
                               l->mpi, outside);
        report_flush(text);
    }
    if (most)
        g_string_append_printf(text, "balance: %.4f\n", (double)all / g_list_length(names) / (double)most);
    g_list_free(names);
}

static void balance_free(void *data)
{
    g_hash_table_destroy(((balance *)data)->loads);
    g_free(data);
}

/* --- registration --------------------------------------------------------------------------------------------------------- */

static const report lint_report = {
    .tap = "ovni",
    .command = "ovni,lint",
    .title = "ovni Lint",
    .start = lint_start,
    .reset = lint_reset,
    .every = lint_every,
    .instead = not_judged,
    .context = context_of,
    .tapped = record_of,
    .packet = lint_packet,
    .write = lint_write,
    .free = lint_free,
};
static const report cpus_report = {
    .tap = "ovni",
    .command = "ovni,cpus",
    .title = "ovni CPUs",
    .words = "Each subsystem and type of tasks: breakdown",
    .typed = "",
    .start = cpus_start,
    .reset = cpus_reset,
    .every = cpus_every,
    .context = context_of,
    .tapped = record_of,
    .packet = cpus_packet,
    .write = cpus_write,
    .free = cpus_free,
};

static const report at_report = {
    .tap = "ovni",
    .command = "ovni,at",
    .title = "ovni At a Moment",
    .words = "Seconds since the first record:",
    .typed = "0",
    .start = at_start,
    .reset = at_reset,
    .every = at_every,
    .context = context_of,
    .tapped = record_of,
    .packet = at_packet,
    .write = at_write,
    .free = at_free,
};
static const report balance_report = {
    .tap = "ovni",
    .command = "ovni,balance",
    .title = "ovni Balance of Load",
    .start = balance_start,
    .reset = balance_reset,
    .packet = balance_packet,
    .write = balance_write,
    .free = balance_free,
};

void ovni_emulation_register(void)
{
    report_register(&at_report);
    report_register(&balance_report);
    report_register(&lint_report);
    report_register(&cpus_report);
}
