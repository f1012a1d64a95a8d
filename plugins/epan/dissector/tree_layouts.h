/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes tree items from layouts (core/layout.h), or cells of a row. Knows nothing of any format. */
#ifndef WIRETRACE_DISSECTOR_TREE_LAYOUTS_H
#define WIRETRACE_DISSECTOR_TREE_LAYOUTS_H

#include "core/layout.h"
#include "dissector/tree.h"

/* Call once, before any protocol is registered. */
void tree_layouts_register(void);
/* Call once after tree_note_fields(): checks that each field id in the layouts has a field as wide as the row. Aborts with
 * the name of the field if not. */
void tree_check(const tree_protocol *p, const layout *const *layouts, unsigned count);

/* Adds the fields of two layouts (each may be NULL) that are within the bytes, in byte order, with bit-fields below the
 * number that contains them, and the bytes in between. *covered: how many bytes at the beginning are shown. Returns which
 * fields were added: bit n is field id n. */
uint64_t tree_add_layouts(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, const layout *lead, const layout *body,
                          const cursor *c, unsigned *covered);

#endif
