/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded stacks, as flame graph tools read them: a line for each stack, with `outer;inner`, a blank and a number. The
 * number is the self time of the calls that ended on that stack, their duration, or their number. Such tools add the numbers
 * of a stack to those around it, as is right for self time only. */
#ifndef WIRETRACE_SHOWING_STACKS_H
#define WIRETRACE_SHOWING_STACKS_H

#include "showing/spans.h"
#include "showing/statistic.h"

/* Readers of stacks and profiles take only numbers. */
#define STACKS_UNKNOWN_SUMS \
    "Some times add up to more than 64 bits hold: they are written as 18446744073709551615 or less, and are not known."

/* Registers the statistic of a format's folded stacks. */
void stacks_register(const span_source *from);

#define STACKS_SHORT 64u                     /* functions of a stack where a person looks at it */
#define STACKS_BYTES 65536u                  /* a longer stack is shortened to that */
#define STACKS_PIECES (CALLS_STACK_MAX + 3u) /* with a thread, a group, and what is left out */
#define STACKS_UNWOUND " [unwound]"          /* follows the name of a call without an end */
#define STACKS_PERHAPS " [unwound?]"         /* the same, in the stacks of calls that one around it may have made */
/* What pieces are. Formats may have more kinds. */
enum { STACKS_FUNCTION, STACKS_UNWOUND_FUNCTION, STACKS_PERHAPS_FUNCTION, STACKS_LEFT_OUT, STACKS_THREAD, STACKS_KINDS };

/* A stack, outermost first (calls_stack() in calls.h). */
typedef struct stacks_stack {
    const uint32_t *functions;
    const uint8_t *marks; /* calls_stack() in calls.h; NULL: none */
    unsigned n;
    uint32_t left_out;
} stacks_stack;
/* The pieces of a stack; at most `most` functions, then with one for what is left out in the middle. Returns how many. */
unsigned stacks_pieces(const stacks_stack *s, unsigned most, stack_piece *pieces);
/* Appends the name of a function, or of STACKS_LEFT_OUT, and the mark of a call without an end. Returns the bytes of the
 * remark. */
unsigned stacks_append_piece(GString *text, const stack_piece *piece, const shown_name *function);
/* The pieces of a stack whose names do not take too many bytes, after its thread if that is wanted. */
unsigned stacks_whole(const span_source *from, stack_tree *t, const void *tapped, const span *s, bool thread,
                      stack_piece pieces[STACKS_PIECES]);

/* Appends one name. `semicolon` replaces ';' in it. */
void stacks_append_name(GString *text, const char *name, const char *semicolon);

#endif
