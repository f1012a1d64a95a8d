/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/emulator/breakdown.h"

#include <string.h>

/* A row, and the CPU of the same number. */
typedef struct place {
    int64_t value;          /* of the CPU; 0: none */
    int64_t sorted;         /* the value in this place */
    int64_t shown, written; /* of the row */
    bool changed;           /* by the last record */
} place;

typedef struct one_model {
    GArray *doing;  /* of ovni_doing, by row of the CPU */
    GArray *places; /* of place */
    GArray *order;  /* uint32_t: rows that the last record has changed, in that order */
    GArray *changes;
    bool begun; /* something has been shown */
} one_model;

struct ovni_breakdowns {
    GArray *numbers; /* uint32_t: by row of the CPU its number among the physical ones, from 1; 0: it is virtual */
    uint32_t physical;
    one_model models[OVNI_DOING_MODELS];
};

ovni_breakdowns *ovni_breakdowns_new(void)
{
    ovni_breakdowns *b = g_new0(ovni_breakdowns, 1);
    b->numbers = g_array_new(FALSE, TRUE, sizeof(uint32_t));
    for (unsigned i = 0; i < OVNI_DOING_MODELS; i++)
        b->models[i] = (one_model){.doing = g_array_new(FALSE, TRUE, sizeof(ovni_doing)),
                                   .places = g_array_new(FALSE, TRUE, sizeof(place)),
                                   .order = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                                   .changes = g_array_new(FALSE, FALSE, sizeof(ovni_change))};
    return b;
}

void ovni_breakdowns_free(ovni_breakdowns *b)
{
    if (!b)
        return;
    g_array_free(b->numbers, TRUE);
    for (unsigned i = 0; i < OVNI_DOING_MODELS; i++) {
        GArray *const all[] = {b->models[i].doing, b->models[i].places, b->models[i].order, b->models[i].changes};
        for (unsigned k = 0; k < G_N_ELEMENTS(all); k++)
            g_array_free(all[k], TRUE);
    }
    g_free(b);
}

bool ovni_breakdowns_made(const ovni_emulator *e, unsigned model)
{
    uint32_t unused;
    const char letter = ovni_doing_models[model].model;
    return ovni_emulator_enabled(e, letter) && (letter != 'V' || ovni_emulator_breakdown(e, &unused) == OVNI_BREAKDOWN_MADE);
}

/* CPUs are known from the first event on. */
static void number_cpus(ovni_breakdowns *b, const ovni_emulator *e)
{
    for (uint32_t row = b->numbers->len; row < ovni_emulator_cpu_count(e); row++) {
        const uint32_t number = ovni_emulator_cpu(e, row)->virtual ? 0 : ++b->physical;
        g_array_append_val(b->numbers, number);
    }
    for (unsigned i = 0; i < OVNI_DOING_MODELS; i++) {
        g_array_set_size(b->models[i].doing, b->numbers->len);
        g_array_set_size(b->models[i].places, b->physical);
    }
}

static place *place_at(const one_model *m, uint32_t i)
{
    return &g_array_index(m->places, place, i);
}

/* One of the values in order becomes another one. */
static void sort_again(const one_model *m, int64_t old, int64_t new)
{
    uint32_t i = 0;
    while (place_at(m, i)->sorted != old)
        i++;
    for (; i + 1 < m->places->len && place_at(m, i + 1)->sorted <= new; i++)
        place_at(m, i)->sorted = place_at(m, i + 1)->sorted;
    for (; i > 0 && place_at(m, i - 1)->sorted > new; i--)
        place_at(m, i)->sorted = place_at(m, i - 1)->sorted;
    place_at(m, i)->sorted = new;
}

/* All rows are shown as soon as one has a value. */
static void show(one_model *m)
{
    for (uint32_t row = 0; row < m->places->len; row++) {
        place *p = place_at(m, row);
        if (m->begun && p->shown == p->sorted)
            continue;
        p->shown = p->sorted;
        if (!p->changed)
            g_array_append_val(m->order, row);
        p->changed = true;
    }
    m->begun = true;
}

static void change_value(one_model *m, uint32_t number, int64_t value)
{
    place *p = place_at(m, number - 1);
    if (p->value == value)
        return;
    sort_again(m, p->value, value);
    p->value = value;
    show(m);
}

/* A row that was changed, and changed back, has not changed. */
static void list_changes(one_model *m, int32_t type, bool first)
{
    for (guint i = 0; i < m->order->len; i++) {
        const uint32_t row = g_array_index(m->order, uint32_t, i);
        place *p = place_at(m, row);
        const ovni_change change = {.of_cpu = true, .row = row, .type = type, .value = p->shown};
        p->changed = false;
        if (first || p->written != p->shown)
            g_array_append_val(m->changes, change);
        p->written = p->shown;
    }
    g_array_set_size(m->order, 0);
}

static void look_at_all(const ovni_breakdowns *b, const ovni_emulator *e, const ovni_doing_model *model, one_model *m)
{
    const GArray *touched = ovni_emulator_touched(e);
    const bool first = !m->begun;
    for (guint i = 0; i < touched->len; i++) {
        const uint32_t row = g_array_index(touched, uint32_t, i), number = g_array_index(b->numbers, uint32_t, row);
        ovni_doing *d = &g_array_index(m->doing, ovni_doing, row);
        ovni_doing_look(e, row, model, d);
        if (number)
            change_value(m, number, d->known ? d->value : 0);
    }
    list_changes(m, model->prv, first);
}

void ovni_breakdowns_look(ovni_breakdowns *b, const ovni_emulator *e)
{
    number_cpus(b, e);
    for (unsigned i = 0; i < OVNI_DOING_MODELS; i++) {
        g_array_set_size(b->models[i].changes, 0);
        if (ovni_breakdowns_made(e, i))
            look_at_all(b, e, &ovni_doing_models[i], &b->models[i]);
    }
}

const GArray *ovni_breakdowns_changes(const ovni_breakdowns *b, unsigned model)
{
    return b->models[model].changes;
}
