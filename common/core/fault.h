/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be wrong with a record. A record carries only the number; the words are looked up when it is shown. Numbers
 * below FAULT_OWN are shared by all formats, the others belong to the format. In the words, '#' stands for the value that
 * goes with the fault, and '@' for the system's message for that value as an errno. */
#ifndef WIRETRACE_CORE_FAULT_H
#define WIRETRACE_CORE_FAULT_H

#include <stddef.h>
#include <stdint.h>

typedef struct fault_row {
    const char *name, *words;
} fault_row;

typedef struct fault_list {
    const fault_row *rows; /* from FAULT_OWN on */
    unsigned count;
} fault_list;

/* For a list X(NAME, "words"): the members of an enum, after FAULT_OWN - 1, and the rows. */
#define FAULT_NUMBER(name, text) name,
#define FAULT_ROW(name, text) {#name, text},

#define FAULTS(X) \
    X(FAULT_NONE, "") \
    X(FAULT_CUT_BY_FILE, "the file ends inside this record") \
    X(FAULT_SKIPPED, "no record can be recognised in these bytes")

typedef uint8_t fault;
enum {
    FAULTS(FAULT_NUMBER) FAULT_COMMON_COUNT,
    FAULT_OWN = 16,
    FAULT_UNKNOWN = 255, /* in an exported record from a later version */
};

/* Describes a fault in words, with '#' replaced by `value` (shown as a signed number) and '@' by the errno message for
 * it. `own`: the format's faults, or NULL. Writes at most `size` bytes including the NUL and returns `text`. An unknown
 * fault gives "unknown fault". */
const char *fault_text(const fault_list *own, fault f, uint64_t value, char *text, size_t size);

/* The name of a fault as in its list, and the reverse. Exported records contain names, as numbers may change between
 * versions. An unknown name gives FAULT_UNKNOWN. */
const char *fault_name(const fault_list *own, fault f);
fault fault_named(const fault_list *own, const char *name, size_t length);

#endif
