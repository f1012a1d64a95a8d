/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A capture: follows files until it is stopped, and writes their records in order of time, as far as they come in time. */
#ifndef WIRETRACE_EXTCAP_CAPTURE_H
#define WIRETRACE_EXTCAP_CAPTURE_H

#include "places.h"
#include "program.h"

typedef struct capture_options {
    places places;
    program *program;   /* NULL: none is run; else the capture ends with it */
    unsigned idle_most; /* seconds without a record after which the capture ends; 0: it does not */
    const char *pipe;   /* to write to */
    const char *name;   /* of this program, with its version */
} capture_options;

/* False with *error if it has failed; that it was stopped is no failure. */
bool capture_run(const capture_options *options, GError **error);

#endif
