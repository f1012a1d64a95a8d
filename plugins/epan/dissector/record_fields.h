/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of a record that has been looked at, without a tree of Wireshark's (tree_row.h). */
#ifndef WIRETRACE_DISSECTOR_RECORD_FIELDS_H
#define WIRETRACE_DISSECTOR_RECORD_FIELDS_H

#include "dissector/protocol.h"

/* Sets all that the row has of the record's fields. They are valid as long as the record. */
void record_fields_set(const protocol *p, const dissection *d, tree_row *row);

#endif
