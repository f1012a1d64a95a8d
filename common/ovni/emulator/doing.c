/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/emulator/doing.h"

const ovni_doing_model ovni_doing_models[OVNI_DOING_MODELS] = {
    {'V', OVNI_CH_NOSV_IDLE, OVNI_CH_NOSV_SUBSYSTEM, OVNI_CH_NOSV_TYPE, OVNI_NOSV_IN_BODY, 17,
     "CPU: nOS-V Runtime/Idle/Task breakdown"},
    {'6', OVNI_CH_NANOS6_IDLE, OVNI_CH_NANOS6_SUBSYSTEM, OVNI_CH_NANOS6_TYPE, OVNI_NANOS6_IN_BODY, 41,
     "CPU: Nanos6 Runtime/Idle/Task breakdown"},
    {'P', OVNI_CH_COUNT, OVNI_CH_OPENMP_SUBSYSTEM, OVNI_CH_OPENMP_LABEL, 0, 53, "CPU: OpenMP Runtime/Label breakdown"},
};

typedef enum doing_shows { SHOWS_NOTHING, SHOWS_UNKNOWN, SHOWS_SUBSYSTEM, SHOWS_TYPE } doing_shows;

/* ovniemu -b chooses between subsystem and type of task when the subsystem is set, and stays with it until then. */
static doing_shows doing_choose(const ovni_emulator *e, uint32_t row, const ovni_doing_model *m, doing_shows before)
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

void ovni_doing_look(const ovni_emulator *e, uint32_t row, const ovni_doing_model *m, ovni_doing *d)
{
    int64_t idle;
    d->shows = (uint8_t)doing_choose(e, row, m, (doing_shows)d->shows);
    const bool knows_idle = m->idle != OVNI_CH_COUNT,
               is_idle = knows_idle && ovni_emulator_shown(e, true, row, m->idle, &idle);
    if (knows_idle && (!is_idle || idle != OVNI_PROGRESSING)) {
        *d = (ovni_doing){.shows = d->shows, .known = is_idle, .does = OVNI_DOES_REST, .value = is_idle ? idle : 0};
        return;
    }
    d->does = d->shows == SHOWS_TYPE ? OVNI_DOES_TASK : OVNI_DOES_RUNTIME;
    d->value = OVNI_SUBSYSTEM_UNKNOWN;
    d->known = d->shows == SHOWS_UNKNOWN ||
               (d->shows && ovni_emulator_shown(e, true, row, d->shows == SHOWS_TYPE ? m->type : m->subsystem, &d->value));
}
