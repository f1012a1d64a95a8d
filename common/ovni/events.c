/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "events.h"

#include <glib.h>

/* Open addressing over the 24 bits of a code; twice as many slots as codes keep every search short. */
#define SLOTS 1024u
typedef struct {
    uint32_t code; /* 0: empty; no code has only NULs that a table could hold */
    const ovni_event *today;
    const ovni_old_event *old;
} slot;

static slot slots[SLOTS];

static uint32_t code_of(const char mcv[3])
{
    return (uint32_t)(uint8_t)mcv[0] << 16 | (uint32_t)(uint8_t)mcv[1] << 8 | (uint8_t)mcv[2];
}

/* The slot of a code, or the empty one where it would stand. */
static slot *slot_of(uint32_t code)
{
    uint32_t i = (code * UINT32_C(2654435769)) >> 22;
    while (slots[i].code && slots[i].code != code)
        i = (i + 1) % SLOTS;
    return &slots[i];
}

static void fill_slots(void)
{
    for (size_t i = 0; i < ovni_event_count; i++) {
        uint32_t code = code_of(ovni_events[i].mcv);
        slot *s = slot_of(code);
        s->code = code;
        s->today = &ovni_events[i];
    }
    for (size_t i = 0; i < ovni_old_event_count; i++) {
        uint32_t code = code_of(ovni_old_events[i].event.mcv);
        slot *s = slot_of(code);
        s->code = code;
        s->old = &ovni_old_events[i];
    }
}

const ovni_event *ovni_event_find(ovni_era era, const char mcv[3], uint64_t payload_size)
{
    static gsize filled;
    if (g_once_init_enter(&filled)) {
        fill_slots();
        g_once_init_leave(&filled, 1);
    }
    const slot *s = slot_of(code_of(mcv));
    if (!s->old)
        return s->today;
    bool meant = (s->old->eras >> era & 1) && (!s->old->payload || s->old->payload == payload_size);
    return meant || !s->today ? &s->old->event : s->today;
}

uint32_t ovni_event_number(const ovni_event *event)
{
    if (event >= ovni_events && event < ovni_events + ovni_event_count)
        return (uint32_t)(event - ovni_events) + 1;
    size_t bytes = (size_t)((const char *)event - (const char *)ovni_old_events);
    return (uint32_t)(ovni_event_count + bytes / sizeof *ovni_old_events) + 1;
}

const ovni_event *ovni_event_numbered(uint32_t number)
{
    if (number == 0 || number > ovni_event_count + ovni_old_event_count)
        return NULL;
    return number <= ovni_event_count ? &ovni_events[number - 1] : &ovni_old_events[number - 1 - ovni_event_count].event;
}

const char *ovni_argument_name(ovni_argument_id id)
{
    static const char *const names[OVNI_ARGUMENT_COUNT] = {
        [OVNI_CPU] = "cpu",       [OVNI_TID] = "tid",     [OVNI_TAG] = "tag",
        [OVNI_VALUE] = "value",   [OVNI_TYPE] = "type",   [OVNI_TASKID] = "taskid",
        [OVNI_TYPEID] = "typeid", [OVNI_LABEL] = "label", [OVNI_BODYID] = "bodyid"};
    return id < OVNI_ARGUMENT_COUNT ? names[id] : NULL;
}

const char *ovni_model_name(char model)
{
    static const char *const names[256] = {
#define MODEL(id, letter, name) [letter] = name,
        OVNI_MODELS(MODEL)
#undef MODEL
    };
    return names[(uint8_t)model];
}

unsigned ovni_model_number(char model)
{
    static const uint8_t numbers[256] = {
#define MODEL(id, letter, name) [letter] = id,
        OVNI_MODELS(MODEL)
#undef MODEL
    };
    return numbers[(uint8_t)model];
}
