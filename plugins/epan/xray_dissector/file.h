/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of the open file. */
#ifndef WIRETRACE_XRAY_DISSECTOR_FILE_H
#define WIRETRACE_XRAY_DISSECTOR_FILE_H

#include "containers/hash_map.h"
#include "dissector/idle_field.h"
#include "xray/session.h"

struct xray_file {
    xray_session session; /* calls are analysed from the first function record on */
    bool noted;           /* that there are calls without an exit, or that there are none */
    bool names_loaded;
    bool nameless;         /* no program is known */
    uint32_t libraries;    /* bits of those that functions without a name belong to; the last bit is for all further ones */
    bool basic;            /* the first record is that of a log of basic mode */
    xray_functions *names; /* NULL: names are unknown */
    char *program;         /* its name; NULL: it is not known */
    GString *problems;     /* problems with the binaries */
    uint32_t first;        /* frame at which they are shown */
    uint32_t unnamed;      /* the first frame of a function without a name although there are names; 0: none */
    uint32_t typed;        /* the first frame of a typed event; 0: none */
    bool profile, called;  /* there is a path; a call */
    bool visited;          /* threads match calls */
    bool asked_for_sums;   /* sums of paths have been asked for */
    unsigned reported;     /* doubts (xray_session.report); atomic */
    bool remarked;         /* and that there are only sums of calls */
    idle_field idle;
    GMutex lock;     /* of `stacks`, while threads count */
    hash_map stacks; /* of the streams that were read, in all threads */
};
extern struct xray_file xray_file;
/* Call when a file is opened or closed. */
void xray_file_forget(void);

/* A sum of ticks of the session in nanoseconds; they are those of a profile, which does not have their number in a second.
 */
uint64_t xray_file_nanoseconds(uint64_t ticks);
/* Returns whether there are only sums, in ticks of which there is no such number. */
bool xray_file_unclocked(void);

#endif
