/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xray/analysis.h"

uint64_t xray_analysis_stack(const record_context *c)
{
    const xray_context *x = xray_context_of(c);
    if (!(x->known & XRAY_KNOWN_THREAD) || c->flags & CONTEXT_EXPORTED)
        return UINT64_MAX - c->stream;
    uint64_t process = x->known & XRAY_KNOWN_PROCESS ? x->process : 0;
    return process << 32 | x->thread;
}

/* Returns whether an argument belongs to the innermost open call: it must directly follow the entry. Basic mode logs one
 * argument per call, even for calls that it drops. */
static bool belongs_to_open_call(calls *c, uint64_t stack, const xray_context *x, uint32_t function)
{
    uint32_t open;
    if (x->previous != XRAY_ENTRY && x->previous != XRAY_ENTRY_ARGUMENTS)
        return false;
    if (x->type == XRAY_TYPE_FDR)
        return true;
    return x->argument_index == 0 && calls_open(c, stack, &open) && open == function;
}

/* Where records of the thread are missing. */
static void note_losses(calls *c, uint64_t stack, const record_context *context)
{
    if (context->kind >= KIND_CUT)
        calls_lost(c, stack);
    else if (context->kind == XRAY_NEW_BUFFER && xray_context_of(context)->known & XRAY_REUSED)
        calls_forget(c, stack);
    else if (context->kind == XRAY_NEW_BUFFER)
        calls_reach_gap(c, stack);
    else if (xray_loses_end(context))
        calls_expect_gap(c, stack);
}

bool xray_analysis_visit(calls *c, uint32_t frame, const record_context *context, uint64_t stack, uint32_t function,
                         const xray_tails *tails, call *result)
{
    const xray_context *x = xray_context_of(context);
    uint8_t kind = context->kind;
    bool clocked = x->known & XRAY_KNOWN_TSC;
    calls_record(c, frame);
    if (x->known & XRAY_REPEATED) /* its calls were counted in the first copy */
        return false;
    if (clocked && (xray_is_function(kind) || kind == XRAY_NEW_CPU || kind == XRAY_TSC_WRAP))
        calls_clock(c, stack, x->tsc);
    if (!xray_is_function(kind)) {
        note_losses(c, stack, context);
        bool inside = xray_is_event(kind) || (kind == XRAY_CALL_ARGUMENT && belongs_to_open_call(c, stack, x, function));
        if (!inside)
            calls_around(c, stack, frame);
        return inside && calls_inside(c, stack, frame, x->time_tsc, clocked, kind == XRAY_CALL_ARGUMENT, result);
    }
    if (kind == XRAY_ENTRY || kind == XRAY_ENTRY_ARGUMENTS)
        calls_begin(c, stack, frame, function, x->tsc, clocked, result);
    else if (kind == XRAY_TAIL_EXIT && tails && g_hash_table_contains(tails->not_taken, &context->offset))
        return calls_inside(c, stack, frame, x->tsc, clocked, true, result);
    else
        calls_end(c, stack, frame, function, x->tsc, clocked, result);
    return true;
}

bool xray_analysis_ended(const calls *c, uint8_t kind, const call *own, uint32_t own_function, uint32_t i, span *ended)
{
    if ((kind != XRAY_EXIT && kind != XRAY_TAIL_EXIT) || own->state & CALL_INSIDE)
        return false;
    ended->kind = 0;
    ended->many = 0;
    ended->nests = true;
    ended->detail = NULL;
    if (i > 0)
        return calls_closed(c, own->end, i - 1, &ended->call, &ended->function);
    ended->call = *own;
    ended->function = own_function;
    return true;
}
