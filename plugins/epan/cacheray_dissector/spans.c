/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data that a record accesses, as a stack of its type and member. */
#include "cacheray_dissector/spans.h"

#include "cacheray/statistics/display.h"
#include "cacheray_dissector/names.h"
#include "showing/stacks.h"

/* Filters have the name as it is. The page of a flame graph makes a semicolon of this Greek question mark again. */
#define SEMICOLON "\xcd\xbe"

enum { STACKS_VARIABLE = STACKS_KINDS, STACKS_TYPE, STACKS_MEMBER };

/* Each text is stored once per file, so its address is its number. */
static unsigned cacheray_spans_stack(const void *tapped, const span *s _U_, unsigned most _U_, stack_piece *pieces)
{
    const cacheray_tapped *v = tapped;
    pieces[0] = v->variable ? (stack_piece){STACKS_VARIABLE, (uintptr_t)v->variable}
                            : (stack_piece){STACKS_TYPE, (uintptr_t)(v->type ? v->type : CACHERAY_NOT_ANNOTATED)};
    pieces[1] = (stack_piece){STACKS_MEMBER, (uintptr_t)cacheray_names_member(v)};
    return v->covered.count ? 2 : 1;
}

static stack_piece cacheray_spans_thread(const void *tapped)
{
    return (stack_piece){STACKS_THREAD, ((const cacheray_tapped *)tapped)->thread};
}

static unsigned cacheray_spans_name(const void *tapped _U_, const stack_piece *piece, GString *name)
{
    if (piece->kind == STACKS_THREAD) {
        g_string_append_printf(name, "thread %" PRIu64, piece->id);
        return 0;
    }
    if (piece->kind == STACKS_VARIABLE)
        g_string_append(name, "variable ");
    stacks_append_name(name, (const char *)(uintptr_t)piece->id, SEMICOLON);
    return 0;
}

const span_source cacheray_spans = {.tap = "cacheray",
                                    .title = "Cacheray",
                                    .thread = cacheray_spans_thread,
                                    .stack = cacheray_spans_stack,
                                    .name = cacheray_spans_name};
