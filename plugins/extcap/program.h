/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program that is started to be recorded: sets where its recorder writes, and ends it. */
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
    bool basic;                   /* clang's runtime records it, which writes no list of objects */
    char *found;                  /* its file */
} program;

/* Starts it. False if it cannot be. */
bool program_start(program *p, GError **error);
/* Writes the list of objects beside a trace of the program, by which its names are found, unless its recorder does. */
void program_note(const program *p, const char *trace);
/* Returns whether it has ended. */
bool program_has_ended(program *p);
/* Ends it, unless it is to be left, and frees what it has. */
void program_clear(program *p);

#endif
