/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the instrumentation map that `llvm-xray extract --symbolize` prints as YAML: names of functions without the program,
 * also of programs that are not ELF files. Takes exactly what it writes, one line for each sled:
 *   - { id: 1, address: 0x4233D0, function: 0x4233D0, kind: function-enter, always-instrument: true, function-name:
 * 'f(int)', version: 2 } Knows nothing of logs. */
#ifndef WIRETRACE_XRAY_NAMES_EXTRACT_H
#define WIRETRACE_XRAY_NAMES_EXTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct extract_function {
    uint64_t address;
    char *name; /* fit to be shown; NULL: it has none */
} extract_function;

/* Returns whether a text begins like such a file. */
bool extract_is(const char *text, size_t length);
/* The functions in such a text, in order of their ids from 1; ids without a line are zero. NULL with *line, the line that is
 * wrong (0: there is none at all): also one with an id that is greater than there can be lines. Free with extract_free(). */
extract_function *extract_read(const char *text, size_t length, size_t *count, unsigned *line);
void extract_free(extract_function *functions, size_t count);

#endif
