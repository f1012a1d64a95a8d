/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A capture: follows files until it is stopped, and writes their records in order of time, as far as they come in time. */
#ifndef WIRETRACE_EXTCAP_CAPTURE_H
#define WIRETRACE_EXTCAP_CAPTURE_H

#include <stdio.h>

#include "places.h"
#include "program.h"

typedef struct capture_options {
    places places;
    program *program;   /* NULL: none is run; else the capture ends with it */
    unsigned idle_most; /* seconds without a record after which the capture ends; 0: it does not */
} capture_options;

/* Comes first of all: notes who has started this program. A capture ends when that has ended, which could otherwise happen
 * before it was noted. */
void capture_begin(void);
/* Opens the pipe that is captured into, and begins to write. This comes before all that may fail: Wireshark waits for it.
 * NULL with *error, or without if it is stopped meanwhile. `name`: of this program, with its version. */
FILE *capture_open(const char *pipe, const char *name, GError **error);
/* Captures until it is stopped. False with *error if it has failed; it may be stopped at any time. */
bool capture_run(const capture_options *options, FILE *out, GError **error);

#endif
