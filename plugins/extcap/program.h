/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program that is started to be recorded: tells its recorder where to write, and ends it. */
#ifndef WIRETRACE_EXTCAP_PROGRAM_H
#define WIRETRACE_EXTCAP_PROGRAM_H

#include <glib.h>
#include <stdbool.h>

typedef struct program {
    const char *path, *arguments; /* as for a shell, which is not used; may be NULL */
    const char *file;             /* of its trace; NULL: in a new folder */
    const char *folder;           /* where it runs; NULL: where this program does */
    bool leave;                   /* it goes on when the capture stops */
    char *trace, *ovni;           /* names of traces begin so; the folder of an ovni trace */
    GPid process;                 /* 0: it does not run */
    int status;                   /* of its end, as of waitpid() */
} program;

/* Starts it. False if it cannot be. */
bool program_start(program *p, GError **error);
/* Returns whether it has ended. */
bool program_has_ended(program *p);
/* Ends it, unless it is to be left, and frees what it has. */
void program_clear(program *p);

#endif
