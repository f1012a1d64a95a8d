/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which fields of ours somebody needs, so that others need not be made. Knows nothing of any format. */
#ifndef WIRETRACE_DISSECTOR_TREE_FIELDS_H
#define WIRETRACE_DISSECTOR_TREE_FIELDS_H

#include "compat.h"

#include <epan/proto.h>

#include <stdbool.h>

/* In a field's row in place of HFILL: what a table of records (record_rows.h) must know of it. */
enum {
    TREE_IS_PLAIN = 1,   /* it comes from no analysis, like those of layouts */
    TREE_IS_SEVERAL = 2, /* a number of which a record may have several, so that the column is a text */
    TREE_IS_ORDERED = 4, /* it depends on records of other streams, like numbers of records: threads do not know it */
};
#define TREE_FILL(marks) -1, marks, HF_REF_TYPE_NONE, -1, NULL /* Wireshark sets the second one when it is registered */
#define TREE_PLAIN TREE_FILL(TREE_IS_PLAIN)
#define TREE_SEVERAL TREE_FILL(TREE_IS_SEVERAL)
#define TREE_PLAIN_SEVERAL TREE_FILL(TREE_IS_PLAIN | TREE_IS_SEVERAL)
#define TREE_ORDERED TREE_FILL(TREE_IS_ORDERED)
/* Registers fields of a protocol whose rows may have such marks. */
void tree_fields_register(int proto, hf_register_info *hf, int count);
/* The marks of a field. */
unsigned tree_field_marks(int hf);

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
