/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ovni/events/events.h"

#include <glib.h>
#include <string.h>

/* The rows of a code in both tables; NULL: none. */
typedef struct {
    const ovni_event *now;
    const ovni_old_event *then;
} code_rows;

/* Events by model, category and value. The table is sparse: few of the memory pages are ever touched. */
static code_rows by_code[OVNI_MODEL_COUNT][128][128];

static code_rows *ovni_events_rows_of(const char mcv[3])
{
    return &by_code[ovni_model_number(mcv[0])][(uint8_t)mcv[1]][(uint8_t)mcv[2]];
}

static void ovni_events_fill(void)
{
    for (size_t i = 0; i < ovni_event_count; i++)
        ovni_events_rows_of(ovni_events[i].mcv)->now = &ovni_events[i];
    for (size_t i = 0; i < ovni_old_event_count; i++)
        ovni_events_rows_of(ovni_old_events[i].event.mcv)->then = &ovni_old_events[i];
}

const ovni_event *ovni_event_find(ovni_era era, const char mcv[3], uint64_t payload_size)
{
    static gsize filled;
    if (g_once_init_enter(&filled)) {
        ovni_events_fill();
        g_once_init_leave(&filled, 1);
    }
    if ((mcv[1] | mcv[2]) & 0x80)
        return NULL;
    const code_rows *rows = ovni_events_rows_of(mcv);
    const ovni_old_event *then = rows->then;
    if (!then)
        return rows->now;
    bool meant = (then->eras >> era & 1) && (!then->payload || then->payload == payload_size);
    return meant || !rows->now ? &then->event : rows->now;
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

const char *ovni_model_words(char model)
{
    const char *name = ovni_model_name(model);
    return name ? name : "(unknown)";
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

unsigned ovni_model_named(const char *name)
{
    static const char *const names[] = {
#define MODEL(id, letter, name) [id] = name,
        OVNI_MODELS(MODEL)
#undef MODEL
    };
    for (unsigned i = OVNI_MODEL_NONE + 1; i < OVNI_MODEL_COUNT; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return OVNI_MODEL_NONE;
}
