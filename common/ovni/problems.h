/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was wrong when a trace was opened, for the file's comment: the first few in words, the others counted. */
#ifndef WIRETRACE_OVNI_PROBLEMS_H
#define WIRETRACE_OVNI_PROBLEMS_H

#include <glib.h>

#define OVNI_PROBLEMS_TOLD 8u

typedef struct ovni_problems {
    GString *text; /* NULL until there is one */
    unsigned count;
} ovni_problems;

void ovni_problem(ovni_problems *p, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Appends a sentence if there were problems. */
void ovni_problems_tell(const ovni_problems *p, GString *comment);
void ovni_problems_clear(ovni_problems *p);

#endif
