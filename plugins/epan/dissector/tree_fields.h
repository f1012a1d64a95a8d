/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which fields of ours somebody needs, so that others need not be made. Knows nothing of any format. */
#ifndef WIRETRACE_DISSECTOR_TREE_FIELDS_H
#define WIRETRACE_DISSECTOR_TREE_FIELDS_H

#include "compat.h"

#include <epan/proto.h>

#include <stdbool.h>

/* Call when all our fields have been registered, with the numbers of the first and the last one. */
void tree_note_fields(int first, int last);
/* Call for each file that is opened: finds out which fields tshark prints alone. */
void tree_note_printed(void);

/* tshark prints certain fields of ours alone. */
extern bool tree_fields_alone;

/* Returns whether the tree is displayed, and not only made for certain fields. Up to 4.2, Wireshark makes all trees of -T
 * fields visible. */
static inline bool tree_visible(const proto_tree *tree)
{
    return tree && PTREE_DATA(tree)->visible && !tree_fields_alone;
}

/* Wireshark's descriptions of our fields; the index is a field number minus tree_first_info. Those of fields that -T fields
 * prints are copies, which are always referenced. */
extern const header_field_info **tree_infos;
extern unsigned tree_first_info, tree_info_count;
static inline const header_field_info *tree_info(int hf)
{
    return tree_infos[(unsigned)hf - tree_first_info];
}

/* Returns whether a filter, column or statistic needs a field of ours: proto_field_is_referenced(), inlined. */
static inline bool tree_field_referenced(int hf)
{
    return tree_info(hf)->ref_type != HF_REF_TYPE_NONE;
}

/* Returns whether anybody needs the field. If not, its value need not be computed, and asking costs less than adding it. */
static inline bool tree_field_needed(const proto_tree *tree, int hf)
{
    return tree && (tree_visible(tree) || tree_field_referenced(hf));
}
/* The same for any field, such as those of expert information. */
static inline bool tree_any_field_needed(const proto_tree *tree, int hf)
{
    const bool ours = (unsigned)hf - tree_first_info < tree_info_count;
    return tree && (tree_visible(tree) ||
                    (ours ? tree_info(hf) : proto_registrar_get_nth((unsigned)hf))->ref_type != HF_REF_TYPE_NONE);
}

/* From now on somebody needs this field of the protocol in each record. */
void tree_reference(int hf);

#endif
