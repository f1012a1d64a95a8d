/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the metadata of a trace declare: looms with CPUs, processes, threads, models, marks and counters. */
#include "emulator_private.h"

#include <stdio.h>
#include <string.h>

#include "hash.h"
#include "metadata.h"

/* --- looms, processes, threads -------------------------------------------------------------------------------------------- */

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
static char *name_of(char what, const emulated_loom *loom, int32_t of, int32_t number)
{
    return g_strdup_printf("%c%d %d %s", what, of, number, loom->name);
}

static gpointer named(const ovni_emulator *e, char what, const emulated_loom *loom, int32_t of, int32_t number)
{
    g_autofree char *name = name_of(what, loom, of, number);
    return g_hash_table_lookup(e->named, name);
}

static void name(ovni_emulator *e, char what, const emulated_loom *loom, int32_t of, int32_t number, gpointer thing)
{
    g_hash_table_insert(e->named, name_of(what, loom, of, number), thing);
}

static emulated_loom *find_loom(const ovni_emulator *e, const char *text)
{
    emulated_loom key = {.name = (char *)(uintptr_t)text};
    return named(e, 'l', &key, 0, 0);
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

static emulated_process *process_of(ovni_emulator *e, emulated_loom *loom, int32_t pid)
{
    emulated_process *p = named(e, 'p', loom, pid, 0);
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
    emulated_thread *t = named(e, 't', loom, pid, tid);
    return t ? t : named(e, 'a', loom, 0, tid);
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
    emulated_thread *t = known ? named(e, 't', l, o->process, o->thread) : NULL;
    if (t)
        g_hash_table_insert(e->by_stream, GUINT_TO_POINTER(c->stream), t);
    return t;
}

/* --- metadata of a thread ------------------------------------------------------------------------------------------------- */

typedef struct {
    ovni_emulator *e;
    bool has_version, has_part, has_require, has_library, has_commit, has_app, has_rank, has_ranks, has_cpus, is_thread;
    int64_t version, pid, tid, finished, app, rank, ranks, cpus, counters;
    char *loom;
    GArray *cpu_numbers; /* of int32_t, two for each CPU: its index, and its number in the system */
} said;

static void note_member(said *s, const ovni_metadata_item *item)
{
    const struct {
        const char *key;
        bool *there;
        int64_t *number;
    } rows[] = {{"version", &s->has_version, &s->version},
                {"ovni.part", &s->has_part, NULL},
                {"ovni.pid", NULL, &s->pid},
                {"ovni.tid", NULL, &s->tid},
                {"ovni.finished", NULL, &s->finished},
                {"ovni.app_id", &s->has_app, &s->app},
                {"ovni.rank", &s->has_rank, &s->rank},
                {"ovni.nranks", &s->has_ranks, &s->ranks},
                {"ovni.require", &s->has_require, NULL},
                {"ovni.loom_cpus", &s->has_cpus, &s->cpus},
                {"ovni.lib.version", &s->has_library, NULL},
                {"ovni.lib.commit", &s->has_commit, NULL},
                {"nosv.hwc", NULL, &s->counters}};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (strcmp(rows[i].key, item->key) == 0) {
            if (rows[i].there)
                *rows[i].there = true;
            if (rows[i].number)
                *rows[i].number = item->number;
        }
    if (strcmp(item->key, "ovni.loom") == 0)
        s->loom = g_strdup(item->text);
    if (strcmp(item->key, "ovni.part") == 0)
        s->is_thread = strcmp(item->text, "thread") == 0;
}

static void check_version(said *s, const char *model, const char *text)
{
    const int *have = ovni_model_version(model);
    unsigned major, minor, patch;
    char point;
    if (!have) /* ovniemu does not look for it */
        return;
    if (sscanf(text, "%u.%u.%u%c", &major, &minor, &patch, &point) < 3)
        emulator_find(s->e, OVNI_LINT_REQUIRE, "the version %s of the model %s cannot be read", text, model);
    else if ((int)major != have[0] || (int)minor > have[1])
        emulator_find(s->e, OVNI_LINT_REQUIRE, "the model %s is required in version %s, ovniemu 1.14.0 has %d.%d.%d", model,
                      text, have[0], have[1], have[2]);
    for (int letter = 0; letter < 128; letter++)
        if (g_strcmp0(ovni_model_name((char)letter), model) == 0)
            s->e->enabled |= 1u << ovni_model_number((char)letter);
}

static emulated_mark *mark_of(ovni_emulator *e, int64_t type, bool make)
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

static void check_mark_length(const said *s, const ovni_metadata_item *item)
{
    if (strlen(item->text) >= EMULATOR_LABEL_MAX)
        emulator_find(s->e, OVNI_LINT_MARK, "a title or label of the mark %d has more than %d bytes", (int)item->number,
                      EMULATOR_LABEL_MAX - 1);
}

static void note_title(said *s, const ovni_metadata_item *item)
{
    if (item->number < 0 || item->number >= OVNI_MARK_TYPES) {
        emulator_find(s->e, OVNI_LINT_MARK, "the type %d of a mark is not between 0 and 99", (int)item->number);
        return;
    }
    check_mark_length(s, item);
    emulated_mark *m = mark_of(s->e, item->number, true);
    if (!m->title)
        m->title = g_strdup(item->text);
    else if (strcmp(m->title, item->text) != 0)
        emulator_find(s->e, OVNI_LINT_MARK, "the mark %d has two titles, %s and %s", m->type, m->title, item->text);
}

static void note_label(said *s, const ovni_metadata_item *item)
{
    check_mark_length(s, item);
    emulated_mark *m = mark_of(s->e, item->number, false);
    for (guint i = 0; m && i < m->labels->len; i++) {
        const mark_label *l = &g_array_index(m->labels, mark_label, i);
        if (l->value != item->value)
            continue;
        if (strcmp(l->text, item->text) != 0)
            emulator_find(s->e, OVNI_LINT_MARK, "value %" G_GINT64_FORMAT " of the mark %d has two labels, %s and %s",
                          l->value, m->type, l->text, item->text);
        return;
    }
    mark_label l = {item->value, NULL};
    if (m) {
        l.text = g_strdup(item->text);
        g_array_append_val(m->labels, l);
    }
}

static void note_mark_kind(said *s, const ovni_metadata_item *item)
{
    emulated_mark *m = mark_of(s->e, item->number, false);
    const bool stack = strcmp(item->text, "stack") == 0;
    if (!m)
        emulator_find(s->e, OVNI_LINT_MARK, "the mark %d has no title", (int)item->number);
    else if (!stack && strcmp(item->text, "single") != 0)
        emulator_find(s->e, OVNI_LINT_MARK, "the mark %d is neither single nor stack: %s", m->type, item->text);
    else if (m->has_kind && m->stack != stack)
        emulator_find(s->e, OVNI_LINT_MARK, "the mark %d is both single and stack", m->type);
    else
        m->stack = stack;
    if (m)
        m->has_kind = true;
}

static void check_mark_kinds(const said *s)
{
    for (guint i = 0; i < s->e->marks->len; i++) {
        emulated_mark *m = g_ptr_array_index(s->e->marks, i);
        if (!m->has_kind)
            emulator_find(s->e, OVNI_LINT_MARK, "the mark %d is neither single nor stack", m->type);
        m->has_kind = true; /* said once */
    }
}

static void note_counter(said *s, const ovni_metadata_item *item)
{
    GPtrArray *counters = s->e->counters;
    if (item->number < 0 || item->number >= OVNI_COUNTER_TYPES) {
        emulator_find(s->e, OVNI_LINT_COUNTER, "the index %d of a counter is not between 0 and 99", (int)item->number);
        return;
    }
    if (item->number >= counters->len)
        g_ptr_array_set_size(counters, (gint)item->number + 1);
    gpointer *name = &counters->pdata[item->number];
    if (!*name)
        *name = g_strdup(item->text);
    else if (strcmp(*name, item->text) != 0)
        emulator_find(s->e, OVNI_LINT_COUNTER, "the counter %d has two names, %s and %s", (int)item->number, (char *)*name,
                      item->text);
}

static void note(void *data, const ovni_metadata_item *item)
{
    said *s = data;
    const int32_t pair[] = {(int32_t)item->number, (int32_t)item->value};
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
        note_counter(s, item);
        break;
    case OVNI_ITEM_REQUIREMENT:
        check_version(s, item->key, item->text);
        break;
    case OVNI_ITEM_CPU:
        g_array_append_vals(s->cpu_numbers, pair, 2);
        break;
    case OVNI_ITEM_MEMBER:
        note_member(s, item);
        break;
    default:
        break;
    }
}

/* --- what they say together ----------------------------------------------------------------------------------------------- */

static void add_cpu(ovni_emulator *e, emulated_loom *loom, emulated_cpu *cpu)
{
    g_ptr_array_add(loom->cpus, cpu);
    name(e, 'c', loom, 0, cpu->seen.system, cpu);
}

static void add_cpus(said *s, emulated_loom *loom)
{
    if (s->has_cpus && s->cpus == 0)
        emulator_find(s->e, OVNI_LINT_CPUS, "the list of CPUs is empty");
    for (guint i = 0; i < s->cpu_numbers->len / 2; i++) {
        const int32_t pair[] = {g_array_index(s->cpu_numbers, int32_t, 2 * i),
                                g_array_index(s->cpu_numbers, int32_t, 2 * i + 1)};
        const emulated_cpu *found = named(s->e, 'c', loom, 0, pair[1]);
        if (pair[0] < 0 || pair[1] < 0)
            emulator_find(s->e, OVNI_LINT_CPUS, "CPU %d has the index %d", pair[1], pair[0]);
        else if (found && found->seen.index != pair[0])
            emulator_find(s->e, OVNI_LINT_CPUS, "CPU %d has two indices, %d and %d", pair[1], found->seen.index, pair[0]);
        else if (!found)
            add_cpu(s->e, loom, cpu_new(pair[0], pair[1], false));
    }
}

static void add_numbers(said *s, emulated_process *p)
{
    ovni_emulator *e = s->e;
    if (s->has_app && p->app && p->app != s->app)
        emulator_find(e, OVNI_LINT_METADATA, "the process has two applications, %d and %d", p->app, (int)s->app);
    else if (s->has_app && s->app <= 0)
        emulator_find(e, OVNI_LINT_METADATA, "the application (ovni.app_id) is %d, it must be positive", (int)s->app);
    else if (s->has_app)
        p->app = (int32_t)s->app;
    if (!s->has_rank)
        return;
    if (s->rank < 0 || (p->rank >= 0 && p->rank != s->rank) || !s->has_ranks || s->ranks <= 0 ||
        (p->ranks && p->ranks != s->ranks) || s->rank >= s->ranks)
        emulator_find(e, OVNI_LINT_METADATA, "the rank %d of %d cannot be, or is not that of its process", (int)s->rank,
                      (int)s->ranks);
    p->rank = (int32_t)s->rank;
    p->ranks = (int32_t)s->ranks;
}

/* What every thread must say. */
static bool has_all(const said *s)
{
    ovni_emulator *e = s->e;
    if (!s->has_version || s->version != 3)
        emulator_find(e, OVNI_LINT_METADATA, "the version of the metadata is not 3");
    if (!s->has_part)
        emulator_find(e, OVNI_LINT_METADATA, "ovni.part is missing");
    if (!s->is_thread)
        return false;
    if (!s->loom || strchr(s->loom, '/'))
        emulator_find(e, OVNI_LINT_METADATA, "ovni.loom is missing or has a slash");
    if (s->pid == 0 || s->tid == 0)
        emulator_find(e, OVNI_LINT_METADATA, "ovni.pid or ovni.tid is missing or 0");
    if (s->finished != 1)
        emulator_find(e, OVNI_LINT_UNFINISHED, "ovni.finished is missing: the thread was killed or did not end the stream");
    if (!s->has_require)
        emulator_find(e, OVNI_LINT_REQUIRE, "ovni.require is missing");
    if (!s->has_library || !s->has_commit)
        emulator_find(e, OVNI_LINT_METADATA, "ovni.lib.version or ovni.lib.commit is missing");
    return s->loom && s->pid != 0 && s->tid != 0;
}

static void add_thread(said *s)
{
    ovni_emulator *e = s->e;
    emulated_loom *loom = loom_of(e, s->loom);
    emulated_process *p = process_of(e, loom, (int32_t)s->pid);
    add_cpus(s, loom);
    add_numbers(s, p);
    if (named(e, 't', loom, p->pid, (int32_t)s->tid)) {
        emulator_find(e, OVNI_LINT_METADATA, "thread %d is declared twice", (int)s->tid);
        return;
    }
    emulated_thread *t = g_new0(emulated_thread, 1);
    t->seen = (ovni_emulated_thread){.tid = (int32_t)s->tid, .pid = (int32_t)s->pid, .cpu = -1};
    t->process = p;
    t->loom = loom;
    g_ptr_array_add(p->threads, t);
    g_ptr_array_add(e->threads, t);
    name(e, 't', loom, p->pid, t->seen.tid, t);
}

void ovni_emulator_metadata(ovni_emulator *e, const record_context *c, const char *text, size_t length)
{
    said s = {.e = e, .cpu_numbers = g_array_new(FALSE, FALSE, sizeof(int32_t))};
    emulator_begin_record(e);
    if (ovni_context_of(c)->era == OVNI_ERA_V3 && !e->built) {
        ovni_metadata_visit(text, length, note, &s);
        if (c->fault)
            emulator_find(e, OVNI_LINT_METADATA, "the JSON is broken");
        else if (has_all(&s))
            add_thread(&s);
        check_mark_kinds(&s);
        if (s.counters && e->counters->len != (guint)s.counters)
            emulator_find(e, OVNI_LINT_COUNTER, "threads declare different numbers of counters");
    }
    g_array_free(s.cpu_numbers, TRUE);
    g_free(s.loom);
}

/* --- rows ----------------------------------------------------------------------------------------------------------------- */

static int compare_loom_ranks(gconstpointer a, gconstpointer b)
{
    const emulated_loom *x = *(emulated_loom *const *)a, *y = *(emulated_loom *const *)b;
    return (x->least_rank > y->least_rank) - (x->least_rank < y->least_rank);
}

static int compare_loom_names(gconstpointer a, gconstpointer b)
{
    return strcmp((*(emulated_loom *const *)a)->name, (*(emulated_loom *const *)b)->name);
}

static int compare_ranks(gconstpointer a, gconstpointer b)
{
    const emulated_process *x = *(emulated_process *const *)a, *y = *(emulated_process *const *)b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int compare_pids(gconstpointer a, gconstpointer b)
{
    const emulated_process *x = *(emulated_process *const *)a, *y = *(emulated_process *const *)b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

static int compare_tids(gconstpointer a, gconstpointer b)
{
    const emulated_thread *x = *(emulated_thread *const *)a, *y = *(emulated_thread *const *)b;
    return (x->seen.tid > y->seen.tid) - (x->seen.tid < y->seen.tid);
}

static int compare_cpus(gconstpointer a, gconstpointer b)
{
    const emulated_cpu *x = *(emulated_cpu *const *)a, *y = *(emulated_cpu *const *)b;
    return (x->seen.system > y->seen.system) - (x->seen.system < y->seen.system);
}

static void find_ranks(ovni_emulator *e, emulated_loom *loom)
{
    unsigned with = 0;
    for (guint i = 0; i < loom->processes->len; i++) {
        const emulated_process *p = g_ptr_array_index(loom->processes, i);
        if (p->app <= 0)
            emulator_find(e, OVNI_LINT_METADATA, "process %d of loom %s has no application (ovni.app_id)", p->pid,
                          loom->name);
        if (p->rank < 0)
            continue;
        with++;
        if (loom->least_rank < 0 || p->rank < loom->least_rank)
            loom->least_rank = p->rank;
    }
    if (with && with != loom->processes->len)
        emulator_find(e, OVNI_LINT_METADATA, "some processes of loom %s have a rank, others have none", loom->name);
}

static void index_cpus(ovni_emulator *e, emulated_loom *loom)
{
    guint n = loom->cpus->len;
    loom->by_index = g_ptr_array_new();
    g_ptr_array_set_size(loom->by_index, (gint)n);
    if (n == 0)
        emulator_find(e, OVNI_LINT_CPUS, "loom %s has no CPUs", loom->name);
    for (guint i = 0; i < n; i++) {
        emulated_cpu *cpu = g_ptr_array_index(loom->cpus, i);
        int32_t index = cpu->seen.index;
        if (index < 0 || (guint)index >= n)
            emulator_find(e, OVNI_LINT_CPUS, "loom %s has %u CPUs, and one of index %d", loom->name, n, index);
        else if (loom->by_index->pdata[index])
            emulator_find(e, OVNI_LINT_CPUS, "loom %s has two CPUs of index %d", loom->name, index);
        else
            loom->by_index->pdata[index] = cpu;
    }
    g_ptr_array_add(loom->cpus, cpu_new(-1, -1, true));
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

static void begin_thread(ovni_emulator *e, emulated_thread *t, const emulated_loom *loom)
{
    t->row = e->threads->len;
    t->seen.app = t->process->app;
    t->channels = g_new0(channel_state, e->channel_count);
    t->shown = g_new0(shown_value, e->channel_count);
    if (!t->header)
        emulator_find(e, OVNI_LINT_STREAM, "the event file of thread %d of loom %s is missing, empty or without header",
                      t->seen.tid, loom->name);
    const uint8_t idle[] = {OVNI_CH_NANOS6_IDLE, OVNI_CH_NOSV_IDLE};
    for (unsigned i = 0; i < G_N_ELEMENTS(idle); i++)
        t->channels[idle[i]].now = (emulated_value){OVNI_PROGRESSING, true};
    g_ptr_array_add(e->threads, t);
    if (!named(e, 'a', loom, 0, t->seen.tid)) /* of any process: the first one */
        name(e, 'a', loom, 0, t->seen.tid, t);
}

static void lay_out(ovni_emulator *e, emulated_loom *loom, uint32_t number)
{
    g_ptr_array_sort(loom->processes, loom->least_rank >= 0 ? compare_ranks : compare_pids);
    g_ptr_array_sort(loom->cpus, compare_cpus);
    index_cpus(e, loom);
    for (guint i = 0; i < loom->processes->len; i++) {
        emulated_process *p = g_ptr_array_index(loom->processes, i);
        g_ptr_array_sort(p->threads, compare_tids);
        for (guint k = 0; k < p->threads->len; k++)
            begin_thread(e, g_ptr_array_index(p->threads, k), loom);
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
    order_channels(e);
    g_ptr_array_set_size(e->threads, 0); /* again in their order */
    for (guint i = 0; i < e->looms->len; i++) {
        find_ranks(e, g_ptr_array_index(e->looms, i));
        ranks = ranks && ((emulated_loom *)g_ptr_array_index(e->looms, i))->least_rank >= 0;
    }
    g_ptr_array_sort(e->looms, ranks ? compare_loom_ranks : compare_loom_names);
    for (guint i = 0; i < e->looms->len; i++)
        lay_out(e, g_ptr_array_index(e->looms, i), i);
}

static void free_thread(emulated_thread *t, uint32_t channels)
{
    for (uint32_t i = 0; t->channels && i < channels; i++)
        if (t->channels[i].stack)
            g_array_free(t->channels[i].stack, TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(t->bodies); i++)
        if (t->bodies[i])
            g_ptr_array_free(t->bodies[i], TRUE);
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
        free_thread(g_ptr_array_index(e->threads, i), e->channel_count);
    for (guint i = 0; i < e->looms->len; i++)
        free_loom(g_ptr_array_index(e->looms, i));
    for (guint i = 0; i < e->marks->len; i++)
        free_mark(g_ptr_array_index(e->marks, i));
    for (guint i = 0; i < e->counters->len; i++)
        g_free(g_ptr_array_index(e->counters, i));
}
