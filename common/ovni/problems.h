/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Problems found while opening a trace, for the file comment: the first few in words, the others counted. */
#ifndef WIRETRACE_OVNI_PROBLEMS_H
#define WIRETRACE_OVNI_PROBLEMS_H

#include <glib.h>

#include "ovni/faults.h"

#define OVNI_PROBLEMS_SHOWN 8u

typedef struct ovni_problems {
    GString *text; /* NULL if there are none */
    unsigned count;
    fault fault; /* the first one that has a fault number, else FAULT_NONE */
    uint64_t value;
} ovni_problems;

void ovni_problem(ovni_problems *p, const char *format, ...) G_GNUC_PRINTF(2, 3);
void ovni_problem_fault(ovni_problems *p, fault f, uint64_t value);
/* Appends a sentence if there are any problems. */
void ovni_problems_append(const ovni_problems *p, GString *comment);
void ovni_problems_clear(ovni_problems *p);

#endif
