/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/emulator/model.h"

#include <inttypes.h>
#include <string.h>

#include "util/text.h"

enum { CHANNEL_STACK_MAX = 512 };

#define LINT_ERROR OVNI_REFUSED
#define LINT_STRICT OVNI_STRICT
#define LINT_UNJUDGED OVNI_UNJUDGED
const ovni_rule_row ovni_rules[OVNI_LINT_RULES] = {
#define LINT_RULE(id, name, severity, words) [OVNI_LINT_##id] = {name, words, severity},
#include "ovni/emulator/lint.def"
#undef LINT_RULE
};

/* --- findings and changes ------------------------------------------------------------------------------------------ */

static void ovni_model_clear_finding(gpointer p)
{
    g_free(((ovni_finding *)p)->text);
}

GArray *emulator_findings_new(void)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(ovni_finding));
    g_array_set_clear_func(all, ovni_model_clear_finding);
    return all;
}

void ovni_findings_free(GArray *findings)
{
    g_array_free(findings, TRUE);
}

void emulator_report(ovni_emulator *e, ovni_rule rule, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    ovni_finding f = {rule, 0, text_show(text, -1)};
    va_end(arguments);
    g_array_append_val(e->findings, f);
}

void emulator_begin_record(ovni_emulator *e)
{
    if (e->findings->len)
        g_array_set_size(e->findings, 0);
    e->changes->len = e->cpu_changes->len = e->touched->len = 0;
}

void emulator_write(ovni_emulator *e, bool of_cpu, uint32_t row, int32_t type, int64_t value)
{
    ovni_change change = {of_cpu, row, type, value};
    if (e->report_changes)
        g_array_append_val(e->changes, change);
}

void emulator_touch(ovni_emulator *e, const emulated_cpu *cpu)
{
    const GArray *all = e->touched;
    if (!all->len || g_array_index(all, uint32_t, all->len - 1) != cpu->row)
        g_array_append_val(e->touched, cpu->row);
}

static bool same_value(emulated_value a, emulated_value b)
{
    return a.set == b.set && (!a.set || a.number == b.number);
}

/* Shows a channel on a row, unless that would say nothing new. */
void emulator_show(ovni_emulator *e, bool of_cpu, uint32_t row, const ovni_channel *c, shown_value *shown,
                   emulated_value value)
{
    shown->record = e->record;
    if (!(c->flags & OVNI_CH_WRITE_ALL) && shown->written && same_value(shown->value, value) &&
        (c->flags & OVNI_CH_SKIP || !value.set))
        return;
    *shown = (shown_value){value, true, e->record};
    emulator_write(e, of_cpu, row, c->type, value.set ? value.number : 0);
}

/* --- channels ------------------------------------------------------------------------------------------------------ */

uint32_t emulator_first_counter(const ovni_emulator *e)
{
    return EMULATOR_FIRST_MARK + e->marks->len;
}

/* One that no thread names is called as printf() of ovniemu's C library calls it. */
const char *emulator_counter_name(const ovni_emulator *e, uint32_t counter)
{
    const char *name = g_ptr_array_index(e->counters, counter);
    return name ? name : "(null)";
}

/* Marks and counters are made from what metadata declare. */
static ovni_channel describe_channel(const ovni_emulator *e, uint32_t channel)
{
    if (channel < OVNI_CH_COUNT)
        return ovni_channels[channel];
    ovni_channel c = {.track = OVNI_TRACK_ACTIVE, .flags = OVNI_CH_REPEATS};
    if (channel < emulator_first_counter(e)) {
        const emulated_mark *m = g_ptr_array_index(e->marks, channel - EMULATOR_FIRST_MARK);
        c.model = 'O';
        c.type = OVNI_PRV_MARK + m->type;
        c.title = m->title;
        c.flags |= m->stack ? OVNI_CH_STACK : 0;
    } else {
        uint32_t counter = channel - emulator_first_counter(e);
        c.model = 'V';
        c.type = OVNI_PRV_COUNTER + (int32_t)counter;
        c.title = emulator_counter_name(e, counter);
    }
    return c;
}

void emulator_describe_channels(ovni_emulator *e)
{
    e->channels = g_new(ovni_channel, e->channel_count);
    for (uint32_t i = 0; i < e->channel_count; i++)
        e->channels[i] = describe_channel(e, i);
}

static bool runs_alone(const emulated_thread *t)
{
    return t->cpu && t->cpu->alone == t;
}

/* A channel of a thread has changed: its row and that of its CPU show it. */
static void show_channel(ovni_emulator *e, emulated_thread *t, uint32_t channel)
{
    if (!e->shows)
        return;
    const ovni_channel *c = &e->channels[channel];
    if (ovni_thread_state_counts(t->seen.state, c->track))
        emulator_show(e, false, t->row, c, &t->shown[channel], t->channels[channel].now);
    if (runs_alone(t)) {
        emulator_show(e, true, t->cpu->row, c, &t->cpu->shown[channel], t->channels[channel].now);
        emulator_touch(e, t->cpu);
    }
}

const char *emulator_value_words(const ovni_channel *c, int64_t value, char *text, size_t size)
{
    for (const ovni_value_label *l = c->labels; l && l->of; l++)
        if (l->value == value)
            return ovni_value_words(l);
    g_snprintf(text, size, "%" G_GINT64_FORMAT, value);
    return text;
}

bool emulator_push(ovni_emulator *e, emulated_thread *t, uint32_t channel, int64_t value)
{
    char text[32];
    const ovni_channel *c = &e->channels[channel];
    channel_state *s = &t->channels[channel];
    if (!(c->flags & OVNI_CH_STACK)) {
        emulator_report(e, OVNI_LINT_NESTING, "%s does not nest", c->title);
        return false;
    }
    if (!(c->flags & OVNI_CH_REPEATS) && s->now.set && s->now.number == value)
        emulator_report(e, OVNI_LINT_NESTING, "%s: %s is entered again inside itself", c->title,
                        emulator_value_words(c, value, text, sizeof text));
    if (!s->stack)
        s->stack = g_array_new(FALSE, FALSE, sizeof value);
    if (s->stack->len == CHANNEL_STACK_MAX)
        emulator_report(e, OVNI_LINT_NESTING, "%s: states are nested deeper than %d levels", c->title, CHANNEL_STACK_MAX);
    g_array_append_val(s->stack, value);
    s->now = (emulated_value){value, true};
    show_channel(e, t, channel);
    return true;
}

static emulated_value top(const channel_state *s)
{
    guint n = s->stack ? s->stack->len : 0;
    return n ? (emulated_value){g_array_index(s->stack, int64_t, n - 1), true} : (emulated_value){0};
}

/* After what is wrong, what is open inside ends as well. */
static bool pop_to(channel_state *s, int64_t value)
{
    for (guint i = s->stack ? s->stack->len : 0; i-- > 0;)
        if (g_array_index(s->stack, int64_t, i) == value) {
            s->stack->len = i; /* g_array_set_size() costs more than all else here */
            return true;
        }
    return false;
}

bool emulator_pop(ovni_emulator *e, emulated_thread *t, uint32_t channel, int64_t value)
{
    char text[32], other[32];
    const ovni_channel *c = &e->channels[channel];
    channel_state *s = &t->channels[channel];
    emulated_value before = top(s);
    if (!(c->flags & OVNI_CH_STACK))
        emulator_report(e, OVNI_LINT_NESTING, "%s does not nest", c->title);
    else if (!before.set)
        emulator_report(e, OVNI_LINT_NESTING, "%s: %s ends, but nothing is open", c->title,
                        emulator_value_words(c, value, text, sizeof text));
    else if (before.number != value)
        emulator_report(e, OVNI_LINT_NESTING, "%s: %s ends, but %s is open inside", c->title,
                        emulator_value_words(c, value, text, sizeof text),
                        emulator_value_words(c, before.number, other, sizeof other));
    if (!pop_to(s, value))
        return false;
    s->now = top(s);
    show_channel(e, t, channel);
    return true;
}

void emulator_set(ovni_emulator *e, emulated_thread *t, uint32_t channel, const int64_t *value)
{
    char text[32];
    const ovni_channel *c = &e->channels[channel];
    emulated_value next = {value ? *value : 0, value != NULL};
    if (c->flags & OVNI_CH_STACK) {
        emulator_report(e, OVNI_LINT_NESTING, "%s is a nested state, but is set", c->title);
        return;
    }
    if (!(c->flags & OVNI_CH_REPEATS) && same_value(t->channels[channel].now, next)) {
        emulator_report(e, OVNI_LINT_NESTING, "%s: it is %s already", c->title,
                        next.set ? emulator_value_words(c, next.number, text, sizeof text) : "nothing");
        return;
    }
    t->channels[channel].now = next;
    show_channel(e, t, channel);
}
