/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables with a row for each record, written while the trace is read: `-z FORMAT,records`. A column is a field, set by the
 * same functions that add it to a tree (tree_row.h), so there is no second list of fields. Nothing is kept. */
#ifndef WIRETRACE_DISSECTOR_RECORD_ROWS_H
#define WIRETRACE_DISSECTOR_RECORD_ROWS_H

#include "dissector/protocol.h"

/* Registers the table of a protocol, if it has one. */
void record_rows_register(const protocol *p);
/* To be called before tapped data of a dissected record come to tables: it is kept as long as its packet, if there is one.
 */
void record_rows_keep(const protocol *p, const dissection *d, const void *tapped);
/* The tree with which records are looked at that are counted directly: the fields of tables are needed. NULL: there are
 * none. */
proto_tree *record_rows_tree(void);

#endif
