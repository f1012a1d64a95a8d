/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables with a row for each record, written while the trace is read: `-z FORMAT,records`. A column is a field, set by the
 * same functions that add it to a tree (tree.h, tree_row), so there is no second list of fields. Nothing is kept. */
#ifndef WIRETRACE_DISSECTOR_RECORD_ROWS_H
#define WIRETRACE_DISSECTOR_RECORD_ROWS_H

#include "dissector/protocol.h"

/* Registers the table of a protocol, if it has one. */
void record_rows_register(const protocol *p);
/* To be called before tapped data of a record, or NULL, come to tables. A dissected record is kept as long as its packet, if
 * there is a table; one that is counted directly must last until then. */
void record_rows_note(const protocol *p, const dissection *d, const void *tapped);
/* The tree with which records are looked at that are counted directly: the fields of tables are needed. NULL: there are
 * none. */
proto_tree *record_rows_tree(void);

#endif
