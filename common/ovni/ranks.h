/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts the ranks of MPI that a trace has, and those that its metadata promise. Does not know where the files are. */
#ifndef WIRETRACE_OVNI_RANKS_H
#define WIRETRACE_OVNI_RANKS_H

#include "ovni/discover.h"
#include "ovni/metadata.h"

typedef struct ovni_ranks {
    GHashTable *programs;  /* how many ranks each has; each of its ranks may have another application */
    GHashTable *found;     /* "RANK of RANKS" */
    GHashTable *processes; /* "PID LOOM" -> whether it has a rank */
} ovni_ranks;

#define OVNI_MISSING_RANKS "%u of %u ranks are in the trace"

void ovni_ranks_init(ovni_ranks *r);
void ovni_ranks_clear(ovni_ranks *r);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ovni_ranks, ovni_ranks_clear)

/* Adds what a file of metadata at this place says. */
void ovni_ranks_add(ovni_ranks *r, const ovni_location *p, const ovni_metadata *m);

unsigned ovni_ranks_found(const ovni_ranks *r);
/* How many there should be; 0 if that is not known. */
unsigned ovni_ranks_declared(const ovni_ranks *r);
/* Returns whether all processes are ranks of one program, each another one. */
bool ovni_ranks_are_one_run(const ovni_ranks *r);

#endif
