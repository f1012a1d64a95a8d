/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of a record that has been looked at, without a tree of Wireshark's (tree_row.h). */
#ifndef WIRETRACE_DISSECTOR_RECORD_FIELDS_H
#define WIRETRACE_DISSECTOR_RECORD_FIELDS_H

#include "dissector/protocol.h"

/* Sets all that the row has of the record's fields. They are valid as long as the record. */
void record_fields_set(const protocol *p, const dissection *d, tree_row *row);
/* Returns whether a field of the protocol comes from no analysis. */
bool record_fields_are_plain(const protocol *p, int field);

/* Records are counted directly from now on in this thread, each as `d` when it comes to those who need its fields; NULL:
 * they are dissected. */
void record_fields_count_directly(const dissection *d);
const dissection *record_fields_counted(void);

#endif
