/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What relies on more of Wireshark and of the system than is promised to plugins. It is all here, and buys much: without it
 * statistics take several times as long. Each entry says what it relies on, what happens if that changes, how it is checked,
 * and what is done without it: in general the same is shown, more slowly. The preference wiretrace.shortcuts disables all.
 */
#ifndef WIRETRACE_HOST_SHORTCUTS_H
#define WIRETRACE_HOST_SHORTCUTS_H

#include "compat.h"

#include <epan/dfilter/dfilter.h>
#include <epan/packet.h>
#include <epan/prefs.h>
#include <wiretap/wtap.h>

#include <stdbool.h>

/* --- the command line -------------------------------------------------------------------------------------------------- */

/* An option without an argument (NULL), or with one; '-': `argument` is a long one with both minus signs. */
typedef void (*option_visitor)(void *data, char letter, const char *argument);

/* Visits the options of tshark, which its libraries do not tell to plugins. Who calls this knows what they mean (options.c).
 * Relies on: /proc/self/cmdline, and the letters of the options of tshark 4.0 to 4.6.
 * If that changes: an option that has another meaning in a new version is misunderstood; records may then be counted
 *   directly although one of them is to be printed, or fields not added.
 * Checked: the program is called tshark, the system gives its arguments, and no letter is unknown.
 * Without it (false): nothing is visited. Wireshark dissects all records, and adds all fields. */
bool shortcuts_visit_options(option_visitor visit, void *data);

/* --- fields that are printed ------------------------------------------------------------------------------------------- */

/* A copy of a field's description that is always referenced, which lives as long as the program: for fields that are printed
 * (-T fields), since up to version 4.2 Wireshark makes all trees of -T fields visible, and references no field for them; and
 * for fields of tables (record_rows.c). These have a tree that is not visible, and no item is added to it.
 * Relies on: the options, and header_field_info.ref_type, which proto_field_is_referenced() returns. Only our own code sees
 *   the copy and the tree.
 * If that changes: fields that are printed are missing, which the goldens show.
 * Checked: proto_field_is_referenced() returns ref_type.
 * Without it: all fields of a visible tree are added. Tables have theirs nevertheless, which only our own code asks for. */
const header_field_info *shortcuts_referenced(const header_field_info *field);
bool shortcuts_references_hold(const header_field_info *field);
proto_tree *shortcuts_tree(void);

/* --- filters of records that are not dissected ------------------------------------------------------------------------- */

/* A tree with nothing but the fields that filters name, for filters that Wireshark has compiled. Wireshark makes its items
 * once. For each record their values are set again, and those that the record has are offered to the filters.
 * Relies on: a filter looks for the items of a field, by its number, in tree_data_t.interesting_hfids, a GHashTable of
 *   GPtrArray of field_info, and takes their values from there; the tree is made without a session, and its items have no
 *   packet and no bytes.
 * If that changes: filters see no field, or the values of the first record.
 * Checked: a filter on the number of the frame passes one number and not another, nor a record without. Limits of items in a
 *   tree, which the user may set, are not so low that Wireshark would leave out fields of ours.
 * Without it (NULL): Wireshark dissects all records if there is a filter. */
typedef struct filter_tree filter_tree;
filter_tree *shortcuts_filter_tree(void);
void shortcuts_filter_tree_free(filter_tree *t); /* NULL is allowed */
/* Its place for a field, from 0. Later ones have higher numbers. */
unsigned shortcuts_filter_place(filter_tree *t, int field);
/* The value of one more item that the record has of a field: of the field's type, to be set. Valid as long as the tree. */
fvalue_t *shortcuts_filter_value(filter_tree *t, unsigned place);
/* A new record, which has nothing yet. */
void shortcuts_filter_clear(filter_tree *t);
bool shortcuts_filter_passes(const filter_tree *t, dfilter_t *filter);

/* Visits the numbers of all fields that a filter names; `visit` returns whether to go on. Returns whether all did.
 * Relies on: to prime a tree with a filter makes header_field_info.ref_type of these fields HF_REF_TYPE_DIRECT, and no tree
 *   is needed.
 * If that changes: fields are missing from the tree above, so that its check fails.
 * Checked: by that one. What other filters have named counts as named, so that more is dissected than must be.
 * Without it: see above. */
bool shortcuts_filter_fields(const dfilter_t *filter, bool (*visit)(void *data, const header_field_info *field), void *data);

/* --- labels ------------------------------------------------------------------------------------------------------------ */

/* Room for the label of an item, ITEM_LABEL_LENGTH bytes that begin with zeros. To be followed by shortcuts_end_label(). It
 * saves the formatting of proto_item_set_text().
 * Relies on: field_info.rep, an item_label_t of the memory of the tree, is the label of an item.
 * If that changes: labels are missing or wrong.
 * Checked: the first label is set by Wireshark and must then be found there.
 * Without it: proto_item_set_text(). */
char *shortcuts_begin_label(const proto_item *item);
void shortcuts_end_label(proto_item *item, const char *label);

/* --- the exit status --------------------------------------------------------------------------------------------------- */

/* Makes the program end with status 2, for what makes a result wrong.
 * Relies on: the program ends with exit(), and needs nothing of what it does after our handler: to end there is the only way
 *   to change the status.
 * If that changes: the status is the program's own.
 * Checked: nothing; the tests of failures show it.
 * Without it: the same; what is wrong is reported nevertheless. */
void shortcuts_fail(void);

/* --- all of them ------------------------------------------------------------------------------------------------------- */

void shortcuts_register(module_t *wiretrace);

#endif
