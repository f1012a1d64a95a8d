/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/emulator/emulator.h"

#include <inttypes.h>

#include "containers/hash.h"
#include "ovni/clocks.h"
#include "ovni/emulator/model.h"
#include "ovni/events/layout.h"
#include "ovni/states.h"
#include "util/text.h"

static const uint64_t HOUR = UINT64_C(3600) * 1000 * 1000 * 1000;

/* --- events -------------------------------------------------------------------------------------------------------- */

/* Its payload has so many bytes, or at least so many. */
static bool has_payload(ovni_emulator *e, const cursor *bytes, uint64_t least, uint64_t most)
{
    uint64_t size = emulator_payload_size(bytes);
    if (size >= least && size <= most && EMULATOR_PAYLOAD + size <= bytes->length)
        return true;
    emulator_report(e, OVNI_LINT_EVENT, "the payload has %" PRIu64 " bytes, ovniemu expects %s%" PRIu64 " bytes", size,
                    least == most ? "" : "at least ", least);
    return false;
}

static void change_channel(ovni_emulator *e, emulated_thread *t, uint32_t channel, uint8_t role, int64_t value)
{
    if (role == OVNI_PUSH)
        emulator_push(e, t, channel, value);
    else if (role == OVNI_POP)
        emulator_pop(e, t, channel, value);
    else
        emulator_set(e, t, channel, &value);
}

static void mark(ovni_emulator *e, emulated_thread *t, uint8_t role, const cursor *bytes)
{
    if (!has_payload(e, bytes, 12, 12))
        return;
    int64_t value = (int64_t)cursor_u64(bytes, EMULATOR_PAYLOAD);
    int32_t type = (int32_t)cursor_u32(bytes, EMULATOR_PAYLOAD + 8);
    for (uint32_t i = 0; i < e->marks->len; i++) {
        if (((emulated_mark *)g_ptr_array_index(e->marks, i))->type != type)
            continue;
        if (value == 0)
            emulator_report(e, OVNI_LINT_MARK, "the value of a mark is 0, type %d", type);
        else
            change_channel(e, t, EMULATOR_FIRST_MARK + i, role, value);
        return;
    }
    emulator_report(e, OVNI_LINT_MARK, "no metadata declare the type %d of the mark", type);
}

static void ovni_emulator_count(ovni_emulator *e, emulated_thread *t, const cursor *bytes)
{
    uint64_t want = (uint64_t)e->counters->len * sizeof(int64_t);
    if (!e->counters->len)
        emulator_report(e, OVNI_LINT_COUNTER, "no metadata declare hardware counters");
    else if (!(cursor_u8(bytes, 0) & OVNI_FLAG_JUMBO))
        emulator_report(e, OVNI_LINT_COUNTER, "hardware counters must be a jumbo event");
    else if (ovni_declared_payload(bytes) != want || OVNI_JUMBO_SIZE + want > bytes->length)
        emulator_report(e, OVNI_LINT_COUNTER, "%u hardware counters are declared, here are %" PRIu64 " bytes",
                        e->counters->len, ovni_declared_payload(bytes));
    else
        for (uint32_t i = 0; i < e->counters->len; i++) {
            int64_t value = (int64_t)cursor_u64(bytes, OVNI_JUMBO_SIZE + i * sizeof value);
            emulator_set(e, t, emulator_first_counter(e) + i, &value);
        }
}

/* Categories of the model ovni. */
static void process_ovni(ovni_emulator *e, emulated_thread *t, const ovni_event *event, const char *mcv, const cursor *bytes)
{
    const char category = mcv[1], value = mcv[2];
    if (category == 'U' || category == 'B' || (category == 'C' && value == 'n') || (category == 'H' && value == 'C'))
        return;
    if (category == 'H' && value == 'x' && has_payload(e, bytes, 4, UINT64_MAX - OVNI_EVENT_MAX))
        emulator_start_thread(e, t, bytes);
    else if (category == 'H' && value != 'x')
        emulator_step_thread(e, t, ovni_thread_state_after(event));
    else if (category == 'A' && value == 's' && has_payload(e, bytes, 4, 4))
        emulator_move_itself(e, t, bytes);
    else if (category == 'A' && value == 'r' && has_payload(e, bytes, 8, 8))
        emulator_move_other(e, t, bytes);
    else if (category == 'M')
        mark(e, t, event->role, bytes);
    else if (category == 'F' && value == '[')
        emulator_set(e, t, OVNI_CH_FLUSH, &(int64_t){1});
    else if (category == 'F')
        emulator_set(e, t, OVNI_CH_FLUSH, NULL);
}

/* Reports an event of a model that the thread may not write now. */
static void find_outside(ovni_emulator *e, const emulated_thread *t, char model)
{
    static const struct {
        uint8_t track;
        bool on_cpu; /* not while the kernel has taken the thread from its CPU */
    } allowed[OVNI_MODEL_COUNT] = {
        [OVNI_MODEL_NANOS6] = {OVNI_TRACK_ACTIVE, false},  [OVNI_MODEL_NOSV] = {OVNI_TRACK_ACTIVE, true},
        [OVNI_MODEL_NODES] = {OVNI_TRACK_RUNNING, false},  [OVNI_MODEL_MPI] = {OVNI_TRACK_RUNNING, false},
        [OVNI_MODEL_OPENMP] = {OVNI_TRACK_RUNNING, false}, [OVNI_MODEL_TAMPI] = {OVNI_TRACK_RUNNING, false},
        [OVNI_MODEL_OVNI] = {OVNI_TRACK_ANY, true},
    };
    const unsigned number = ovni_model_number(model);
    const char *state = ovni_thread_state_name(t->seen.state);
    if (!ovni_thread_state_counts(t->seen.state, allowed[number].track))
        emulator_report(e, OVNI_LINT_OUTSIDE, "an event of %s, but thread %d is %s", ovni_model_name(model), t->seen.tid,
                        state ? state : "not started");
    else if (allowed[number].on_cpu && t->out_of_cpu)
        emulator_report(e, OVNI_LINT_OUTSIDE, "an event of %s, but the kernel has taken thread %d from its CPU",
                        ovni_model_name(model), t->seen.tid);
}

static bool ovni_emulator_is_known(const ovni_event *event, const char *mcv)
{
    if (mcv[0] == 'O' && (mcv[1] == 'U' || mcv[1] == 'B'))
        return true;
    return event && event->mcv[0] == mcv[0] && ovni_event_number(event) <= ovni_event_count;
}

/* What ovniemu skips, whatever its payload is. */
static bool is_skipped(const char *mcv)
{
    return memcmp(mcv, "6TC", 3) == 0;
}

static void play(ovni_emulator *e, emulated_thread *t, const ovni_event *event, const char *mcv, const cursor *bytes)
{
    ovni_channel_change change;
    const char *name = ovni_model_name(mcv[0]);
    if (!name || !(e->enabled >> ovni_model_number(mcv[0]) & 1)) {
        emulator_report(e, name ? OVNI_LINT_REQUIRE : OVNI_LINT_EVENT, "no thread requires the model of the event %.3s",
                        mcv);
        return;
    }
    find_outside(e, t, mcv[0]);
    if (is_skipped(mcv))
        return;
    if (!ovni_emulator_is_known(event, mcv))
        emulator_report(e, OVNI_LINT_EVENT, "ovniemu 1.14.0 does not know the event, or its payload");
    else if (mcv[0] == 'O')
        process_ovni(e, t, event, mcv, bytes);
    else if (event->channels & OVNI_COUNTERS)
        ovni_emulator_count(e, t, bytes);
    else if (event->arguments[0].type != OVNI_NO_ARGUMENT)
        emulator_task(e, t, event, bytes);
    else if (ovni_channel_of(event, &change)) {
        if (mcv[0] == 'K')
            t->out_of_cpu = change.role == OVNI_PUSH;
        change_channel(e, t, change.channel, change.role, change.value);
    }
}

/* --- time ---------------------------------------------------------------------------------------------------------- */

/* Clocks of a damaged trace may be any: a signed difference would overflow. */
static uint64_t distance(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* First events of streams must not be hours apart. */
static void check_gate(ovni_emulator *e, uint32_t stream, int64_t clock)
{
    const int64_t *first = g_hash_table_lookup(e->first_clocks, GUINT_TO_POINTER(e->first_stream));
    GHashTableIter all;
    gpointer other;
    if (stream == e->first_stream) {
        g_hash_table_iter_init(&all, e->first_clocks);
        while (g_hash_table_iter_next(&all, NULL, &other))
            if (distance(clock, *(int64_t *)other) > HOUR) {
                emulator_report(e, OVNI_LINT_CLOCKS,
                                "other streams begin more than an hour before: ovnisync finds the offsets");
                break;
            }
    } else if (first && distance(clock, *first) > HOUR) {
        emulator_report(e, OVNI_LINT_CLOCKS,
                        "this stream begins more than an hour from the first one: ovnisync finds the offsets");
    }
    g_hash_table_insert(e->first_clocks, GUINT_TO_POINTER(stream), g_memdup2(&clock, sizeof clock));
}

static void check_clock(ovni_emulator *e, const record_context *c, emulated_thread *t, const cursor *bytes)
{
    int64_t clock = (int64_t)((uint64_t)ovni_clock_at(bytes, 0) + (uint64_t)ovni_context_of(c)->clock_offset);
    if (!e->first) {
        e->first = true;
        e->first_clock = e->last_clock = clock;
    }
    if (!t->clocked)
        check_gate(e, c->stream, clock);
    if (clock < t->last)
        emulator_report(e, OVNI_LINT_ORDER, "the clock goes back by %" PRIu64 " ns", distance(t->last, clock));
    t->clocked = true;
    t->last = clock;
    e->last_clock = MAX(e->last_clock, clock);
}

/* --- records ------------------------------------------------------------------------------------------------------- */

/* All metadata come before the first header and event. */
static void build(ovni_emulator *e)
{
    if (!e->built && e->has_metadata)
        emulator_build(e);
}

void ovni_emulator_header(ovni_emulator *e, const record_context *c, const char *loom)
{
    emulator_begin_record(e);
    build(e);
    emulated_thread *t = emulator_know_stream(e, c, loom);
    e->first_stream = MIN(e->first_stream, c->stream);
    if (t) {
        t->header = true;
        t->record = e->record;
    }
    e->other_heads += !t && ovni_context_of(c)->beside != FAULT_OVNI_NO_METADATA;
    if (c->fault)
        emulator_report(e, OVNI_LINT_STREAM, "the header of the stream is not one of version 1");
    char words[160];
    const ovni_context *o = ovni_context_of(c);
    if (o->clocks && !e->clocks_reported)
        emulator_report(e, OVNI_LINT_CLOCKS, "%s",
                        fault_text(&ovni_faults, (fault)o->clocks, o->clocks_value, words, sizeof words));
    e->clocks_reported = true;
}

void ovni_emulator_damage(ovni_emulator *e, const record_context *c)
{
    emulator_begin_record(e);
    if (ovni_context_of(c)->era == OVNI_ERA_V3)
        emulator_report(e, OVNI_LINT_STREAM, "a part of the trace that ovniemu cannot read");
}

static emulated_thread *ovni_emulator_thread_of(ovni_emulator *e, uint32_t stream)
{
    emulated_stream *last = &e->last_streams[stream % G_N_ELEMENTS(e->last_streams)];
    if (!last->thread || last->stream != stream)
        *last = (emulated_stream){stream, g_hash_table_lookup(e->by_stream, GUINT_TO_POINTER(stream))};
    return last->thread;
}

/* Reports a stream without a thread once. */
static void find_threadless(ovni_emulator *e, const record_context *c)
{
    if (e->limited || g_hash_table_contains(e->by_stream, GUINT_TO_POINTER(c->stream)))
        return;
    emulator_report(e, OVNI_LINT_METADATA, "an event of a stream whose metadata declare no thread");
    g_hash_table_insert(e->by_stream, GUINT_TO_POINTER(c->stream), NULL);
}

void ovni_emulator_event(ovni_emulator *e, const record_context *c, const ovni_event *event, const cursor *bytes)
{
    emulator_begin_record(e);
    if (!e->has_metadata) /* of another time, or a stream opened alone */
        return;
    build(e);
    emulated_thread *t = ovni_emulator_thread_of(e, c->stream);
    if (!t)
        find_threadless(e, c);
    if (!t || bytes->length < OVNI_EVENT_SIZE)
        return;
    t->record = e->record;
    check_clock(e, c, t, bytes);
    play(e, t, event, ovni_mcv(bytes), bytes);
    if (e->shows)
        emulator_show_stale(e);
}

ovni_played ovni_emulator_played(const ovni_tapped *r)
{
    const record_context *c = r->context;
    return (ovni_played){.number = r->number,
                         .context = c,
                         .bytes = &r->bytes,
                         .event = r->event,
                         .loom = c->kind == OVNI_HEADER ? ovni_session_loom(r) : NULL};
}

void ovni_emulator_play(ovni_emulator *e, const ovni_played *p)
{
    const record_context *c = p->context;
    e->record = p->number;
    if (ovni_is_undeclared(c)) { /* ovniemu does not look at them */
        emulator_begin_record(e);
        return;
    }
    if (c->kind == OVNI_METADATA)
        ovni_emulator_metadata(e, c, (const char *)p->bytes->data, p->bytes->length);
    else if (c->kind == OVNI_HEADER)
        ovni_emulator_header(e, c, p->loom);
    else if (ovni_states_is_event(c, p->bytes) && !c->fault)
        ovni_emulator_event(e, c, p->event, p->bytes);
    else
        ovni_emulator_damage(e, c);
}

GArray *ovni_emulator_at_end(const ovni_emulator *e)
{
    GArray *all = emulator_findings_new();
    for (guint i = 0; i < e->threads->len; i++) {
        const emulated_thread *t = g_ptr_array_index(e->threads, i);
        ovni_finding f = {t->header ? OVNI_LINT_ALIVE : OVNI_LINT_STREAM, t->record, NULL};
        if (t->seen.state == OVNI_THREAD_DEAD && t->header)
            continue;
        f.text = g_strdup_printf(t->header ? "thread %d of loom %s never ends"
                                           : "the event file of thread %d of loom %s is missing, empty or without header",
                                 t->seen.tid, t->loom->name);
        g_array_append_val(all, f);
    }
    ovni_finding f = {OVNI_LINT_STREAM, 0, NULL};
    if (e->other_heads < e->others) {
        f.text = g_strdup("an event file of a stream that belongs to no thread is empty");
        g_array_append_val(all, f);
    }
    return all;
}

const GArray *ovni_emulator_findings(const ovni_emulator *e)
{
    return e->findings;
}

const GArray *ovni_emulator_changes(const ovni_emulator *e)
{
    return e->changes;
}

const GArray *ovni_emulator_cpu_changes(const ovni_emulator *e)
{
    return e->cpu_changes;
}

const GArray *ovni_emulator_touched(const ovni_emulator *e)
{
    return e->touched;
}

/* --- what there is ------------------------------------------------------------------------------------------------- */

ovni_emulator *ovni_emulator_new(ovni_emulation what)
{
    ovni_emulator *e = g_new0(ovni_emulator, 1);
    e->shows = what >= OVNI_EMULATE_SHOWN;
    e->report_changes = what == OVNI_EMULATE_ALL;
    e->findings = emulator_findings_new();
    e->nosv_findings = emulator_findings_new();
    e->changes = g_array_new(FALSE, FALSE, sizeof(ovni_change));
    e->cpu_changes = g_array_new(FALSE, FALSE, sizeof(ovni_cpu_change));
    e->touched = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    e->looms = g_ptr_array_new();
    e->threads = g_ptr_array_new();
    e->cpus = g_ptr_array_new();
    e->marks = g_ptr_array_new();
    e->counters = g_ptr_array_new_with_free_func(g_free);
    e->by_stream = g_hash_table_new(NULL, NULL);
    e->named = g_hash_table_new_full(hash_text, g_str_equal, g_free, NULL);
    e->first_clocks = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    e->first_stream = UINT32_MAX;
    emulator_tasks_init(e);
    return e;
}

void ovni_emulator_free(ovni_emulator *e)
{
    if (!e)
        return;
    emulator_forget_system(e);
    emulator_tasks_clear(e);
    GPtrArray *const arrays[] = {e->looms, e->threads, e->cpus, e->marks, e->counters};
    for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
        g_ptr_array_free(arrays[i], TRUE);
    g_hash_table_destroy(e->by_stream);
    g_hash_table_destroy(e->named);
    g_hash_table_destroy(e->first_clocks);
    g_array_free(e->findings, TRUE);
    g_array_free(e->nosv_findings, TRUE);
    g_array_free(e->changes, TRUE);
    g_array_free(e->cpu_changes, TRUE);
    g_array_free(e->touched, TRUE);
    g_free(e->order);
    g_free(e->channels);
    g_free(e);
}

bool ovni_emulator_has_metadata(const ovni_emulator *e)
{
    return e->has_metadata;
}

int64_t ovni_emulator_time(const ovni_emulator *e)
{
    return emulator_now(e);
}

uint32_t ovni_emulator_thread_count(const ovni_emulator *e)
{
    return e->threads->len;
}

uint32_t ovni_emulator_cpu_count(const ovni_emulator *e)
{
    return e->cpus->len;
}

const ovni_emulated_thread *ovni_emulator_thread(const ovni_emulator *e, uint32_t row)
{
    return &((const emulated_thread *)g_ptr_array_index(e->threads, row))->seen;
}

const ovni_emulated_cpu *ovni_emulator_cpu(const ovni_emulator *e, uint32_t row)
{
    return &((const emulated_cpu *)g_ptr_array_index(e->cpus, row))->seen;
}

int64_t ovni_emulator_row(const ovni_emulator *e, uint32_t stream)
{
    const emulated_thread *t = g_hash_table_lookup(e->by_stream, GUINT_TO_POINTER(stream));
    return t ? (int64_t)t->row : -1;
}

bool ovni_emulator_shown(const ovni_emulator *e, bool of_cpu, uint32_t row, ovni_channel_id channel, int64_t *value)
{
    const shown_value *shown = of_cpu ? ((const emulated_cpu *)g_ptr_array_index(e->cpus, row))->shown
                                      : ((const emulated_thread *)g_ptr_array_index(e->threads, row))->shown;
    *value = shown[channel].value.number;
    return shown[channel].value.set;
}

bool ovni_emulator_set_now(const ovni_emulator *e, uint32_t cpu, ovni_channel_id channel)
{
    return ((const emulated_cpu *)g_ptr_array_index(e->cpus, cpu))->shown[channel].record == e->record;
}

char *ovni_emulator_cpu_name(const ovni_emulator *e, uint32_t row)
{
    const ovni_emulated_cpu *cpu = ovni_emulator_cpu(e, row);
    return cpu->virtual ? g_strdup_printf("vCPU %u.*", cpu->loom) : g_strdup_printf("CPU %u.%d", cpu->loom, cpu->system);
}

char *ovni_emulator_cpu_node(const ovni_emulator *e, uint32_t row)
{
    const emulated_loom *loom = g_ptr_array_index(e->looms, ovni_emulator_cpu(e, row)->loom);
    g_autofree char *host = ovni_clocks_host(loom->name);
    return text_show(host, -1);
}

const char *ovni_emulator_thread_name(const ovni_emulator *e, uint32_t row)
{
    static char name[128];
    const emulated_thread *t = g_ptr_array_index(e->threads, row);
    g_snprintf(name, sizeof name, "%s/%d/%d", t->loom->name, t->seen.pid, t->seen.tid);
    return name;
}

char *ovni_emulator_value(const ovni_emulator *e, uint32_t channel, int64_t value)
{
    char number[32];
    if (channel == OVNI_CH_NOSV_RANK || channel == OVNI_CH_NANOS6_RANK)
        value--; /* as 0 would be none */
    const char *words = emulator_value_words(&e->channels[channel], value, number, sizeof number);
    if (channel >= EMULATOR_FIRST_MARK && channel < emulator_first_counter(e)) {
        const emulated_mark *m = g_ptr_array_index(e->marks, channel - EMULATOR_FIRST_MARK);
        for (guint i = 0; i < m->labels->len; i++)
            if (g_array_index(m->labels, mark_label, i).value == value)
                words = g_array_index(m->labels, mark_label, i).text;
    }
    const char *type = emulator_type_label(e, channel, value);
    return text_show(type ? type : words, -1);
}

static void append_value(const ovni_emulator *e, GString *text, uint32_t channel, int64_t value)
{
    g_autofree char *shown = ovni_emulator_value(e, channel, value);
    g_string_append(text, shown);
}

char *ovni_emulator_stacks(const ovni_emulator *e, uint32_t row)
{
    const emulated_thread *t = g_ptr_array_index(e->threads, row);
    GString *text = g_string_new(NULL);
    for (uint32_t i = 0; i < e->order_length; i++) {
        uint32_t channel = e->order[i];
        const channel_state *s = &t->channels[channel];
        if (!s->now.set)
            continue;
        g_autofree char *title = text_show(e->channels[channel].title, -1);
        g_string_append_printf(text, "%s%s: ", text->len ? ", " : "", title);
        for (guint k = 0; s->stack && k + 1 < s->stack->len; k++) {
            append_value(e, text, channel, g_array_index(s->stack, int64_t, k));
            g_string_append(text, " > ");
        }
        append_value(e, text, channel, s->now.number);
    }
    return g_string_free(text, FALSE);
}

void ovni_emulator_enable_all(ovni_emulator *e)
{
    for (unsigned model = OVNI_MODEL_NONE + 1; model < OVNI_MODEL_COUNT; model++)
        e->enabled |= 1u << model;
}

ovni_breakdown ovni_emulator_breakdown(const ovni_emulator *e, uint32_t *can)
{
    *can = e->distinct;
    if (!ovni_emulator_enabled(e, 'V') || e->distinct == e->threads->len)
        return OVNI_BREAKDOWN_MADE;
    return e->unclear ? OVNI_BREAKDOWN_REFUSED : OVNI_BREAKDOWN_LEFT_OUT;
}

bool ovni_emulator_enabled(const ovni_emulator *e, char model)
{
    return e->enabled >> ovni_model_number(model) & 1;
}

void ovni_emulator_each_mark(const ovni_emulator *e, ovni_label_visitor title, ovni_label_visitor label, void *data)
{
    for (guint i = 0; i < e->marks->len; i++) {
        const emulated_mark *m = g_ptr_array_index(e->marks, i);
        title(data, OVNI_PRV_MARK + m->type, 0, m->title);
        for (guint k = 0; k < m->labels->len; k++) {
            const mark_label *l = &g_array_index(m->labels, mark_label, k);
            label(data, OVNI_PRV_MARK + m->type, l->value, l->text);
        }
    }
}

void ovni_emulator_each_counter(const ovni_emulator *e, ovni_label_visitor name, void *data)
{
    for (guint i = 0; i < e->counters->len; i++)
        name(data, OVNI_PRV_COUNTER + (int32_t)i, 0, emulator_counter_name(e, i));
}
