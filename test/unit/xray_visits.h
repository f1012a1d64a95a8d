/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of a log for statistics of what happens between calls, analysed as they are in a program. */
#ifndef TEST_XRAY_VISITS_H
#define TEST_XRAY_VISITS_H

#include "xray/session.h"
#include "xray/statistics/call_event.h"

typedef struct visits {
    xray_session session;
    uint32_t place;
    record_context context; /* of the latest record, like the rest */
    span ended[16], unwound;
} visits;

/* A record of a thread; `function` is the type of a typed event. Valid until the next one. */
static inline xray_call_event visits_next(visits *all, uint32_t thread, uint8_t kind, uint32_t function, uint64_t tsc,
                                          uint16_t cpu)
{
    static const xray_display nameless;
    xray_call_event v = {
        .shown = &nameless, .context = &all->context, .place = ++all->place, .now = tsc, .function = function};
    all->context = (record_context){.kind = kind, .stream = thread};
    *xray_context_of(&all->context) = (xray_context){.tsc = tsc,
                                                     .time_tsc = tsc,
                                                     .type = XRAY_TYPE_FDR,
                                                     .thread = thread,
                                                     .process = 5,
                                                     .cpu = cpu,
                                                     .known = XRAY_KNOWN_THREAD | XRAY_KNOWN_PROCESS | XRAY_KNOWN_TSC |
                                                              XRAY_KNOWN_CPU};
    v.stack = xray_stack_of(&all->context);
    v.event = kind == XRAY_TYPED_EVENT ? (uint16_t)function : 0;
    xray_tapped r = {.context = &all->context, .session = &all->session, .stack = v.stack, .function = function};
    xray_session_visit(&r, v.place);
    v.has_call = r.has_call;
    v.call = r.call;
    v.ended = all->ended;
    while (v.ended_count < G_N_ELEMENTS(all->ended) && xray_session_ended(&r, v.ended_count, &all->ended[v.ended_count]))
        v.ended_count++;
    return v;
}

#endif
