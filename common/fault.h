/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be wrong with a record: a number travels with the record, the words are looked up when shown. The numbers below
 * FAULT_OWN are those of every format; the others are of the format's own list.
 * A '#' in the words stands for the number that goes with the fault, a '@' for the system's words for this number as an error. */
#ifndef WIRETRACE_FAULT_H
#define WIRETRACE_FAULT_H

#include <stddef.h>
#include <stdint.h>

typedef struct fault_row {
    const char *name, *words;
} fault_row;

typedef struct fault_list {
    const fault_row *rows; /* of the numbers from FAULT_OWN on */
    unsigned count;
} fault_list;

/* For a list X(NAME, "words") of faults: the members of an enum, which begin behind FAULT_OWN - 1, and the rows. */
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
    FAULT_UNKNOWN = 255, /* of an exported record, by a later version */
};

/* The fault in words, '#' replaced by `value` (shown as signed), '@' by the words for it. `own`: faults of the format, or NULL.
 * Writes at most `size` bytes with the final NUL and returns `text`. An unknown fault gives "unknown fault". */
const char *fault_text(const fault_list *own, fault f, uint64_t value, char *text, size_t size);

/* The name of a fault as it stands in its list, and back: what leaves the program says names, as the lists may change.
 * FAULT_UNKNOWN for a name that is in neither. */
const char *fault_name(const fault_list *own, fault f);
fault fault_named(const fault_list *own, const char *name, size_t length);

#endif
