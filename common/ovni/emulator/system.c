/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the metadata of a trace declare: looms with CPUs, processes, threads, models, marks and counters. */
#include "ovni/emulator/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "containers/hash.h"
#include "ovni/emulator/emulator.h"
#include "ovni/metadata.h"

/* --- looms, processes, threads ------------------------------------------------------------------------------------- */

static void free_cpu(gpointer p)
{
    emulated_cpu *cpu = p;
    g_ptr_array_free(cpu->threads, TRUE);
    g_free(cpu->shown);
    g_free(cpu);
}

static void free_process(gpointer p)
{
    g_ptr_array_free(((emulated_process *)p)->threads, TRUE);
    g_free(p);
}

static void free_loom(gpointer p)
{
    emulated_loom *loom = p;
    g_ptr_array_free(loom->processes, TRUE);
    g_ptr_array_free(loom->cpus, TRUE);
    if (loom->by_index)
        g_ptr_array_free(loom->by_index, TRUE);
    g_free(loom->name);
    g_free(loom);
}

/* What has a name is found by it: a file may declare any number. `what` is a letter for the kind of thing. */
static char *ovni_system_name_of(char what, const emulated_loom *loom, int32_t of, int32_t number)
{
    return g_strdup_printf("%c%d %d %s", what, of, number, loom->name);
}

static gpointer ovni_system_named(const ovni_emulator *e, char what, const emulated_loom *loom, int32_t of, int32_t number)
{
    g_autofree char *name = ovni_system_name_of(what, loom, of, number);
    return g_hash_table_lookup(e->named, name);
}

static void name(ovni_emulator *e, char what, const emulated_loom *loom, int32_t of, int32_t number, gpointer thing)
{
    g_hash_table_insert(e->named, ovni_system_name_of(what, loom, of, number), thing);
}

static emulated_loom *find_loom(const ovni_emulator *e, const char *text)
{
    emulated_loom key = {.name = (char *)(uintptr_t)text};
    return ovni_system_named(e, 'l', &key, 0, 0);
}

static emulated_loom *loom_of(ovni_emulator *e, const char *text)
{
    emulated_loom *loom = find_loom(e, text);
    if (loom)
        return loom;
    loom = g_new0(emulated_loom, 1);
    loom->name = g_strdup(text);
    loom->processes = g_ptr_array_new_with_free_func(free_process);
    loom->cpus = g_ptr_array_new_with_free_func(free_cpu);
    loom->least_rank = -1;
    g_ptr_array_add(e->looms, loom);
    name(e, 'l', loom, 0, 0, loom);
    return loom;
}

static emulated_process *ovni_system_process_of(ovni_emulator *e, emulated_loom *loom, int32_t pid)
{
    emulated_process *p = ovni_system_named(e, 'p', loom, pid, 0);
    if (p)
        return p;
    p = g_new0(emulated_process, 1);
    *p = (emulated_process){.pid = pid, .rank = -1, .threads = g_ptr_array_new()};
    g_ptr_array_add(loom->processes, p);
    name(e, 'p', loom, pid, 0, p);
    return p;
}

emulated_thread *emulator_named_thread(const ovni_emulator *e, const emulated_loom *loom, int32_t pid, int32_t tid)
{
    emulated_thread *t = ovni_system_named(e, 't', loom, pid, tid);
    return t ? t : ovni_system_named(e, 'a', loom, 0, tid);
}

static emulated_cpu *cpu_new(int32_t index, int32_t system, bool is_virtual)
{
    emulated_cpu *cpu = g_new0(emulated_cpu, 1);
    cpu->seen = (ovni_emulated_cpu){.index = index, .system = system, .virtual = is_virtual};
    cpu->threads = g_ptr_array_new();
    return cpu;
}

emulated_thread *emulator_know_stream(ovni_emulator *e, const record_context *c, const char *loom)
{
    const ovni_context *o = ovni_context_of(c);
    const emulated_loom *l = loom ? find_loom(e, loom) : NULL;
    bool known = l && o->known & OVNI_KNOWN_PROCESS && o->known & OVNI_KNOWN_THREAD;
    emulated_thread *t = known ? ovni_system_named(e, 't', l, o->process, o->thread) : NULL;
    if (t)
        g_hash_table_insert(e->by_stream, GUINT_TO_POINTER(c->stream), t);
    return t;
}

/* --- metadata of a thread ------------------------------------------------------------------------------------------ */

/* Members that ovniemu asks for. */
enum { VERSION, PART, PID, TID, FINISHED, APP, RANK, RANKS, REQUIRE, CPUS, LIBRARY, COMMIT, COUNTERS, BREAKDOWN, MEMBERS };
static const char *const member_names[MEMBERS] = {
    "version",          "ovni.part",       "ovni.pid",    "ovni.tid",           "ovni.finished",
    "ovni.app_id",      "ovni.rank",       "ovni.nranks", "ovni.require",       "ovni.loom_cpus",
    "ovni.lib.version", "ovni.lib.commit", "nosv.hwc",    "nosv.can_breakdown",
};

typedef struct {
    ovni_emulator *e;
    bool is_thread, bad_loom; /* the loom has a slash, or is too long */
    bool has[MEMBERS];
    double real[MEMBERS];
    int64_t length[MEMBERS];
    char *loom;
    GArray *cpus;     /* of declared_cpu */
    GArray *declared; /* of declared_mark, in their order */
} thread_metadata;

typedef struct {
    int32_t index, system;
} declared_cpu;

static void note_member(thread_metadata *s, const ovni_metadata_item *item)
{
    for (int i = 0; i < MEMBERS; i++)
        if (strcmp(member_names[i], item->key) == 0) {
            s->has[i] = true;
            s->real[i] = item->real;
            s->length[i] = item->number;
        }
    if (strcmp(item->key, "ovni.loom") == 0) {
        s->loom = g_strdup(item->text);
        s->bad_loom = strchr(item->raw, '/') || strlen(item->raw) >= EMULATOR_PATH_MAX;
    }
    if (strcmp(item->key, "ovni.part") == 0)
        s->is_thread = strcmp(item->raw, "thread") == 0;
}

/* The three numbers of a version, as ovniemu splits it. */
static bool read_version(const char *text, int version[3])
{
    static const char *const ends[] = {".", ".", ".-"};
    g_autofree char *copy = g_strdup(text);
    char *rest = copy, *at = NULL, *end;
    if (strlen(text) >= EMULATOR_VERSION_MAX)
        return false;
    for (int i = 0; i < 3; i++, rest = NULL) {
        const char *number = strtok_r(rest, ends[i], &at);
        errno = 0;
        version[i] = number ? (int)strtol(number, &end, 10) : -1;
        if (version[i] < 0 || errno || end == number || *end)
            return false;
    }
    return true;
}

static void check_version(const thread_metadata *s, const ovni_metadata_item *item)
{
    const unsigned model = ovni_model_named(item->key);
    const int *have = ovni_model_versions[model];
    int want[3];
    if (model == OVNI_MODEL_NONE) /* ovniemu does not look for it */
        return;
    if (!read_version(item->raw, want))
        emulator_report(s->e, OVNI_LINT_REQUIRE, "the version %s of the model %s cannot be read", item->text, item->key);
    else if (want[0] != have[0] || want[1] > have[1])
        emulator_report(s->e, OVNI_LINT_REQUIRE, "the model %s is required in version %s, ovniemu 1.14.0 has %d.%d.%d",
                        item->key, item->text, have[0], have[1], have[2]);
    s->e->enabled |= 1u << model;
}

static emulated_mark *ovni_system_mark_of(ovni_emulator *e, int64_t type, bool make)
{
    for (guint i = 0; i < e->marks->len; i++) {
        emulated_mark *m = g_ptr_array_index(e->marks, i);
        if (m->type == type)
            return m;
    }
    if (!make || e->marks->len >= OVNI_MARK_TYPES)
        return NULL;
    emulated_mark *m = g_new0(emulated_mark, 1);
    m->type = (int32_t)type;
    m->labels = g_array_new(FALSE, FALSE, sizeof(mark_label));
    g_ptr_array_add(e->marks, m);
    return m;
}

static void check_mark_length(const thread_metadata *s, const ovni_metadata_item *item)
{
    if (strlen(item->raw) >= EMULATOR_LABEL_MAX)
        emulator_report(s->e, OVNI_LINT_MARK, "a title or label of the mark %d has more than %d bytes", (int)item->number,
                        EMULATOR_LABEL_MAX - 1);
}

static void declare(const thread_metadata *s, emulated_mark *m, uint32_t label)
{
    const declared_mark declared = {m, label};
    g_array_append_val(s->declared, declared);
}

static void note_title(thread_metadata *s, const ovni_metadata_item *item)
{
    if (item->number < 0 || item->number >= OVNI_MARK_TYPES) {
        emulator_report(s->e, OVNI_LINT_MARK, "the type %d of a mark is not between 0 and 99", (int)item->number);
        return;
    }
    check_mark_length(s, item);
    emulated_mark *m = ovni_system_mark_of(s->e, item->number, true);
    declare(s, m, DECLARED_TITLE);
    if (!m->title)
        m->title = g_strdup(item->raw);
    else if (strcmp(m->title, item->raw) != 0)
        emulator_report(s->e, OVNI_LINT_MARK, "the mark %d has two titles, %s and %s", m->type, m->title, item->raw);
}

static void note_label(thread_metadata *s, const ovni_metadata_item *item)
{
    check_mark_length(s, item);
    emulated_mark *m = ovni_system_mark_of(s->e, item->number, false);
    if (!m)
        return;
    for (guint i = 0; i < m->labels->len; i++) {
        const mark_label *l = &g_array_index(m->labels, mark_label, i);
        if ((int32_t)l->value != (int32_t)item->value) /* what Paraver's file would distinguish */
            continue;
        if (l->value != item->value || strcmp(l->text, item->raw) != 0)
            emulator_report(s->e, OVNI_LINT_MARK, "value %" G_GINT64_FORMAT " of the mark %d has two labels, %s and %s",
                            item->value, m->type, l->text, item->raw);
        declare(s, m, i);
        return;
    }
    const mark_label l = {item->value, g_strdup(item->raw), 0};
    declare(s, m, m->labels->len);
    g_array_append_val(m->labels, l);
}

static void note_mark_kind(thread_metadata *s, const ovni_metadata_item *item)
{
    emulated_mark *m = ovni_system_mark_of(s->e, item->number, false);
    const bool stack = strcmp(item->raw, "stack") == 0;
    if (!m || !item->value)
        emulator_report(s->e, OVNI_LINT_MARK, "the mark %d has no title", (int)item->number);
    else if (!stack && strcmp(item->raw, "single") != 0)
        emulator_report(s->e, OVNI_LINT_MARK, "the mark %d is neither single nor stack: %s", m->type, item->raw);
    else if (m->has_kind && m->stack != stack)
        emulator_report(s->e, OVNI_LINT_MARK, "the mark %d is both single and stack", m->type);
    else
        m->stack = stack;
    if (m)
        m->has_kind = true;
}

static void note_counter(thread_metadata *s, const ovni_metadata_item *item)
{
    GPtrArray *counters = s->e->counters;
    if (item->number < 0 || item->number >= OVNI_COUNTER_TYPES) {
        emulator_report(s->e, OVNI_LINT_COUNTER, "the index %d of a counter is not between 0 and 99", (int)item->number);
        return;
    }
    if (strlen(item->raw) > EMULATOR_COUNTER_MAX)
        emulator_report(s->e, OVNI_LINT_COUNTER, "the name of counter %d has more than %d bytes, too many for a file name",
                        (int)item->number, EMULATOR_COUNTER_MAX);
    if (item->number >= counters->len)
        g_ptr_array_set_size(counters, (gint)item->number + 1);
    gpointer *name = &counters->pdata[item->number];
    if (!*name)
        *name = g_strdup(item->raw);
    else if (strcmp(*name, item->raw) != 0)
        emulator_report(s->e, OVNI_LINT_COUNTER, "the counter %d has two names, %s and %s", (int)item->number, (char *)*name,
                        item->raw);
}

/* ovniemu reads counters only if some thread requires nOS-V. */
static void find_with_nosv(ovni_emulator *e, void (*look)(thread_metadata *, const ovni_metadata_item *), thread_metadata *s,
                           const ovni_metadata_item *item)
{
    GArray *kept = e->findings;
    e->findings = e->nosv_findings;
    look(s, item);
    e->findings = kept;
}

static void count_counters(thread_metadata *s, const ovni_metadata_item *unused)
{
    ovni_emulator *e = s->e;
    (void)unused;
    if (e->counter_count && e->counter_count != s->length[COUNTERS])
        emulator_report(e, OVNI_LINT_COUNTER, "threads declare different numbers of counters");
    else
        e->counter_count = s->length[COUNTERS];
    if (e->counters->len > e->counter_count)
        emulator_report(e, OVNI_LINT_COUNTER, "there are %d counters, but one has the index %u", (int)e->counter_count,
                        e->counters->len - 1);
}

static void ovni_system_note_problem(thread_metadata *s, const ovni_metadata_item *item)
{
    emulator_report(s->e, item->number == OVNI_REFUSED_COUNTER ? OVNI_LINT_COUNTER : OVNI_LINT_METADATA, "%s", item->text);
}

/* Notes what only metadata of a thread have: ovniemu does not look at these items in others. */
static void note_thread(thread_metadata *s, const ovni_metadata_item *item)
{
    const declared_cpu cpu = {(int32_t)item->number, (int32_t)item->value};
    switch (item->kind) {
    case OVNI_ITEM_MARK_TITLE:
        note_title(s, item);
        break;
    case OVNI_ITEM_MARK_LABEL:
        note_label(s, item);
        break;
    case OVNI_ITEM_MARK_KIND:
        note_mark_kind(s, item);
        break;
    case OVNI_ITEM_COUNTER:
        find_with_nosv(s->e, note_counter, s, item);
        break;
    case OVNI_ITEM_REQUIREMENT:
        check_version(s, item);
        break;
    case OVNI_ITEM_CPU:
        if (strcmp(item->key, "loom_cpus") == 0)
            g_array_append_val(s->cpus, cpu);
        break;
    case OVNI_ITEM_PROBLEM:
        if (item->number == OVNI_REFUSED_THREAD)
            ovni_system_note_problem(s, item);
        else if (item->number == OVNI_REFUSED_COUNTER)
            find_with_nosv(s->e, ovni_system_note_problem, s, item);
        break;
    default:
        break;
    }
}

static void ovni_system_note(void *data, const ovni_metadata_item *item)
{
    thread_metadata *s = data;
    if (item->kind == OVNI_ITEM_MEMBER)
        note_member(s, item);
    else if (item->kind == OVNI_ITEM_PROBLEM && item->number == OVNI_REFUSED_ALL)
        ovni_system_note_problem(s, item);
    else if (s->is_thread)
        note_thread(s, item);
}

/* --- what they say together ---------------------------------------------------------------------------------------- */

static void ovni_system_add_cpu(ovni_emulator *e, emulated_loom *loom, emulated_cpu *cpu)
{
    g_ptr_array_add(loom->cpus, cpu);
    name(e, 'c', loom, 0, cpu->seen.system, cpu);
}

static void ovni_system_add_cpus(thread_metadata *s, emulated_loom *loom)
{
    if (s->has[CPUS] && s->length[CPUS] == 0)
        emulator_report(s->e, OVNI_LINT_CPUS, "the list of CPUs is empty");
    for (guint i = 0; i < s->cpus->len; i++) {
        const declared_cpu c = g_array_index(s->cpus, declared_cpu, i);
        const emulated_cpu *found = ovni_system_named(s->e, 'c', loom, 0, c.system);
        if (c.index < 0 || c.system < 0)
            emulator_report(s->e, OVNI_LINT_CPUS, "CPU %d has the index %d", c.system, c.index);
        else if (found && found->seen.index != c.index)
            emulator_report(s->e, OVNI_LINT_CPUS, "CPU %d has two indices, %d and %d", c.system, found->seen.index, c.index);
        else if (!found)
            ovni_system_add_cpu(s->e, loom, cpu_new(c.index, c.system, false));
    }
}

static void add_numbers(const thread_metadata *s, emulated_process *p)
{
    ovni_emulator *e = s->e;
    const int32_t app = ovni_metadata_int(s->real[APP]), rank = ovni_metadata_int(s->real[RANK]),
                  ranks = ovni_metadata_int(s->real[RANKS]);
    if (s->has[APP] && p->app && p->app != app)
        emulator_report(e, OVNI_LINT_METADATA, "the process has two applications, %d and %d", p->app, app);
    else if (s->has[APP] && app <= 0)
        emulator_report(e, OVNI_LINT_METADATA, "the application (ovni.app_id) is %d, it must be positive", app);
    else if (s->has[APP])
        p->app = app;
    if (!s->has[RANK])
        return;
    if (rank < 0 || (p->rank >= 0 && p->rank != rank) || !s->has[RANKS] || ranks <= 0 || (p->ranks && p->ranks != ranks) ||
        rank >= ranks)
        emulator_report(e, OVNI_LINT_METADATA, "rank %d of %d is impossible, or differs from that of its process", rank,
                        ranks);
    p->rank = rank;
    p->ranks = ranks;
}

/* What every thread must say. */
static bool has_all(const thread_metadata *s)
{
    ovni_emulator *e = s->e;
    /* A process may be 0, cut from 0.5, while none of its threads runs alone on a CPU. */
    const bool numbers = s->real[PID] != 0 && ovni_metadata_int(s->real[PID]) >= 0 && ovni_metadata_int(s->real[TID]) > 0;
    if (ovni_metadata_int(s->real[VERSION]) != 3)
        emulator_report(e, OVNI_LINT_METADATA, "the version of the metadata is not 3");
    if (!s->has[PART])
        emulator_report(e, OVNI_LINT_METADATA, "ovni.part is missing");
    if (!s->is_thread)
        return false;
    if (!s->loom || s->bad_loom)
        emulator_report(e, OVNI_LINT_METADATA, "ovni.loom is missing, has a slash or is too long");
    if (!numbers)
        emulator_report(e, OVNI_LINT_METADATA, "ovni.pid or ovni.tid is missing, 0 or negative");
    if (s->real[FINISHED] != 1)
        emulator_report(e, OVNI_LINT_UNFINISHED,
                        "ovni.finished is missing: the thread was killed or did not end the stream");
    if (!s->has[REQUIRE])
        emulator_report(e, OVNI_LINT_REQUIRE, "ovni.require is missing");
    if (!s->has[LIBRARY] || !s->has[COMMIT])
        emulator_report(e, OVNI_LINT_METADATA, "ovni.lib.version or ovni.lib.commit is missing");
    return s->loom && numbers;
}

static void ovni_system_add_thread(thread_metadata *s)
{
    ovni_emulator *e = s->e;
    const int32_t pid = ovni_metadata_int(s->real[PID]), tid = ovni_metadata_int(s->real[TID]);
    emulated_loom *loom = loom_of(e, s->loom);
    emulated_process *p = ovni_system_process_of(e, loom, pid);
    ovni_system_add_cpus(s, loom);
    add_numbers(s, p);
    if (ovni_system_named(e, 't', loom, pid, tid)) {
        emulator_report(e, OVNI_LINT_METADATA, "thread %d is declared twice", tid);
        return;
    }
    emulated_thread *t = g_new0(emulated_thread, 1);
    t->seen = (ovni_emulated_thread){.tid = tid, .pid = pid, .cpu = -1};
    t->process = p;
    t->loom = loom;
    t->record = e->record;
    t->declared = g_steal_pointer(&s->declared);
    e->unclear += !s->has[BREAKDOWN];
    e->distinct += s->length[BREAKDOWN] != 0;
    g_ptr_array_add(p->threads, t);
    g_ptr_array_add(e->threads, t);
    name(e, 't', loom, pid, tid, t);
}

/* Faults of the reader, not of the metadata. */
static bool is_limit(uint8_t f)
{
    return f == FAULT_OVNI_JSON_DEPTH || f == FAULT_OVNI_JSON_MEMBERS || f == FAULT_OVNI_JSON_SIZE;
}

void ovni_emulator_metadata(ovni_emulator *e, const record_context *c, const char *text, size_t length)
{
    thread_metadata s = {.e = e,
                         .cpus = g_array_new(FALSE, FALSE, sizeof(declared_cpu)),
                         .declared = g_array_new(FALSE, FALSE, sizeof(declared_mark))};
    char words[160];
    emulator_begin_record(e);
    if (ovni_context_of(c)->era == OVNI_ERA_V3 && !e->built) {
        e->has_metadata = true;
        e->limited = e->limited || is_limit(c->fault);
        ovni_metadata_visit(text, length, ovni_system_note, &s);
        if (c->fault)
            emulator_report(e, is_limit(c->fault) ? OVNI_LINT_LIMIT : OVNI_LINT_METADATA, "%s",
                            fault_text(&ovni_faults, c->fault, c->fault_value, words, sizeof words));
        else if (has_all(&s))
            ovni_system_add_thread(&s);
        e->others += !c->fault && !s.is_thread;
        if (s.is_thread && s.length[COUNTERS])
            find_with_nosv(e, count_counters, &s, NULL);
    }
    g_array_free(s.cpus, TRUE);
    if (s.declared)
        g_array_free(s.declared, TRUE);
    g_free(s.loom);
}

/* --- rows ---------------------------------------------------------------------------------------------------------- */

/* Sorts by the int32_t at this offset of what the elements point to. */
static gint ovni_system_compare_numbers(gconstpointer a, gconstpointer b, gpointer offset)
{
    const char *const *x = a, *const *y = b;
    const int32_t p = G_STRUCT_MEMBER(int32_t, *x, GPOINTER_TO_SIZE(offset)),
                  q = G_STRUCT_MEMBER(int32_t, *y, GPOINTER_TO_SIZE(offset));
    return (p > q) - (p < q);
}

static void sort_by(GPtrArray *array, size_t offset)
{
    g_ptr_array_sort_with_data(array, ovni_system_compare_numbers, GSIZE_TO_POINTER(offset));
}

static int compare_loom_names(gconstpointer a, gconstpointer b)
{
    return strcmp((*(emulated_loom *const *)a)->name, (*(emulated_loom *const *)b)->name);
}

static void find_ranks(ovni_emulator *e, emulated_loom *loom)
{
    unsigned with = 0;
    for (guint i = 0; i < loom->processes->len; i++) {
        const emulated_process *p = g_ptr_array_index(loom->processes, i);
        if (p->app <= 0)
            emulator_report(e, OVNI_LINT_METADATA, "process %d of loom %s has no application (ovni.app_id)", p->pid,
                            loom->name);
        if (p->rank < 0)
            continue;
        with++;
        if (loom->least_rank < 0 || p->rank < loom->least_rank)
            loom->least_rank = p->rank;
    }
    if (with && with != loom->processes->len)
        emulator_report(e, OVNI_LINT_METADATA, "some processes of loom %s have a rank, others have none", loom->name);
}

static void index_cpus(ovni_emulator *e, emulated_loom *loom)
{
    guint n = loom->cpus->len;
    loom->by_index = g_ptr_array_new();
    g_ptr_array_set_size(loom->by_index, (gint)n);
    if (n == 0)
        emulator_report(e, OVNI_LINT_CPUS, "loom %s has no CPUs", loom->name);
    for (guint i = 0; i < n; i++) {
        emulated_cpu *cpu = g_ptr_array_index(loom->cpus, i);
        int32_t index = cpu->seen.index;
        if (index < 0 || (guint)index >= n)
            emulator_report(e, OVNI_LINT_CPUS, "loom %s has %u CPUs, but one with index %d", loom->name, n, index);
        else if (loom->by_index->pdata[index])
            emulator_report(e, OVNI_LINT_CPUS, "loom %s has two CPUs of index %d", loom->name, index);
        else
            loom->by_index->pdata[index] = cpu;
    }
    g_ptr_array_add(loom->cpus, cpu_new(-1, -1, true));
}

static int compare_labels(gconstpointer a, gconstpointer b)
{
    const mark_label *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* Marks and their labels are in the order in which threads declare them, by row. */
static void order_marks(ovni_emulator *e)
{
    int32_t order = 0;
    for (guint i = 0; i < e->threads->len; i++) {
        emulated_thread *t = g_ptr_array_index(e->threads, i);
        for (guint k = 0; k < t->declared->len; k++) {
            const declared_mark *d = &g_array_index(t->declared, declared_mark, k);
            int32_t *at = d->label == DECLARED_TITLE ? &d->mark->order
                                                     : &g_array_index(d->mark->labels, mark_label, d->label).order;
            *at = *at ? *at : ++order;
        }
        g_clear_pointer(&t->declared, g_array_unref);
    }
    sort_by(e->marks, offsetof(emulated_mark, order));
    for (guint i = 0; i < e->marks->len; i++)
        g_array_sort(((emulated_mark *)g_ptr_array_index(e->marks, i))->labels, compare_labels);
}

static void add_order(ovni_emulator *e, uint32_t channel)
{
    e->order[e->order_length++] = (uint8_t)channel;
}

static void order_channels(ovni_emulator *e)
{
    e->channel_count = OVNI_CH_COUNT + e->marks->len + e->counters->len;
    e->order = g_new0(uint8_t, e->channel_count);
    e->enabled |= 1u << OVNI_MODEL_OVNI;
    for (uint32_t i = 0; i < OVNI_CH_COUNT; i++) {
        bool enabled = e->enabled & 1u << ovni_model_number(ovni_channels[i].model);
        if (enabled)
            add_order(e, i);
        for (uint32_t m = 0; i == OVNI_CH_FLUSH && m < e->marks->len; m++)
            add_order(e, EMULATOR_FIRST_MARK + m);
        for (uint32_t n = 0; i == OVNI_CH_NOSV_IDLE && enabled && n < e->counters->len; n++)
            add_order(e, emulator_first_counter(e) + n);
    }
}

static void ovni_system_begin_thread(ovni_emulator *e, emulated_thread *t, const emulated_loom *loom)
{
    t->row = e->threads->len;
    t->seen.app = t->process->app;
    t->channels = g_new0(channel_state, e->channel_count);
    t->shown = g_new0(shown_value, e->channel_count);
    const uint8_t idle[] = {OVNI_CH_NANOS6_IDLE, OVNI_CH_NOSV_IDLE};
    for (unsigned i = 0; i < G_N_ELEMENTS(idle); i++)
        t->channels[idle[i]].now = (emulated_value){OVNI_PROGRESSING, true};
    g_ptr_array_add(e->threads, t);
    if (!ovni_system_named(e, 'a', loom, 0, t->seen.tid)) /* of any process: the first one */
        name(e, 'a', loom, 0, t->seen.tid, t);
}

static void place_loom(ovni_emulator *e, emulated_loom *loom, uint32_t number)
{
    sort_by(loom->processes, loom->least_rank >= 0 ? offsetof(emulated_process, rank) : offsetof(emulated_process, pid));
    sort_by(loom->cpus, offsetof(emulated_cpu, seen.system));
    index_cpus(e, loom);
    for (guint i = 0; i < loom->processes->len; i++) {
        emulated_process *p = g_ptr_array_index(loom->processes, i);
        sort_by(p->threads, offsetof(emulated_thread, seen.tid));
        for (guint k = 0; k < p->threads->len; k++)
            ovni_system_begin_thread(e, g_ptr_array_index(p->threads, k), loom);
    }
    for (guint i = 0; i < loom->cpus->len; i++) {
        emulated_cpu *cpu = g_ptr_array_index(loom->cpus, i);
        cpu->seen.loom = number;
        cpu->row = e->cpus->len;
        cpu->shown = g_new0(shown_value, e->channel_count);
        g_ptr_array_add(e->cpus, cpu);
    }
}

void emulator_build(ovni_emulator *e)
{
    bool ranks = true;
    e->built = true;
    g_ptr_array_set_size(e->counters, (gint)e->counter_count);
    order_channels(e);
    g_ptr_array_set_size(e->threads, 0); /* again in their order */
    for (guint i = 0; i < e->looms->len; i++) {
        find_ranks(e, g_ptr_array_index(e->looms, i));
        ranks = ranks && ((emulated_loom *)g_ptr_array_index(e->looms, i))->least_rank >= 0;
    }
    if (ranks)
        sort_by(e->looms, offsetof(emulated_loom, least_rank));
    else
        g_ptr_array_sort(e->looms, compare_loom_names);
    for (guint i = 0; i < e->looms->len; i++)
        place_loom(e, g_ptr_array_index(e->looms, i), i);
    order_marks(e);
    emulator_describe_channels(e);
    if (e->enabled >> OVNI_MODEL_NOSV & 1 && e->nosv_findings->len) {
        g_array_append_vals(e->findings, e->nosv_findings->data, e->nosv_findings->len);
        e->nosv_findings->len = 0; /* they have moved */
    }
}

static void ovni_system_free_thread(emulated_thread *t, uint32_t channels)
{
    for (uint32_t i = 0; t->channels && i < channels; i++)
        if (t->channels[i].stack)
            g_array_free(t->channels[i].stack, TRUE);
    if (t->declared)
        g_array_free(t->declared, TRUE);
    g_free(t->channels);
    g_free(t->shown);
    g_free(t);
}

static void free_mark(emulated_mark *m)
{
    for (guint i = 0; i < m->labels->len; i++)
        g_free(g_array_index(m->labels, mark_label, i).text);
    g_array_free(m->labels, TRUE);
    g_free(m->title);
    g_free(m);
}

void emulator_forget_system(ovni_emulator *e)
{
    for (guint i = 0; i < e->threads->len; i++)
        ovni_system_free_thread(g_ptr_array_index(e->threads, i), e->channel_count);
    for (guint i = 0; i < e->looms->len; i++)
        free_loom(g_ptr_array_index(e->looms, i));
    for (guint i = 0; i < e->marks->len; i++)
        free_mark(g_ptr_array_index(e->marks, i));
}
