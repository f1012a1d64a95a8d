/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of the open file. The module that is named is the only one that uses a member. */
#ifndef WIRETRACE_OVNI_DISSECTOR_FILE_H
#define WIRETRACE_OVNI_DISSECTOR_FILE_H

#include "dissector/idle_field.h"

#include "ovni/emulator/emulator.h"
#include "ovni/session.h"

struct ovni_file {
    ovni_session session;
    idle_field idle;
    /* emulator_fields.c */
    enum { OVNI_UNKNOWN, OVNI_ASKED, OVNI_NOT_ASKED } asked; /* in one pass the trace is played only if somebody asks */
    bool found;                                              /* there are findings in one of these */
    ovni_emulator *emulator;
    uint32_t emulated;    /* frame */
    uint32_t end;         /* the last frame when `at_end` was found */
    GHashTable *findings; /* frame -> GArray of ovni_finding */
    GHashTable *at_end;   /* the same: what is wrong at the end of the records so far */
    GArray *cpus;         /* of kept_cpu, in order of frames */
    /* packet.c */
    GArray *places; /* of thread_place, by stream number */
    GStringChunk *texts;
    uint32_t changes; /* how many texts of CPUs have been made */
    /* spans.c */
    GPtrArray *owners; /* of owner, by stream number: of what may be open at the end; some are NULL */
};
extern struct ovni_file ovni_file;
/* Call when a file is opened or closed. */
void ovni_file_forget(void);

#endif
