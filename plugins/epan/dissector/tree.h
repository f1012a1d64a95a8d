/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds items to trees, or cells to rows, and what records of all formats show. Knows nothing of any format. */
#ifndef WIRETRACE_DISSECTOR_TREE_H
#define WIRETRACE_DISSECTOR_TREE_H

#include "compat.h"

#include <epan/expert.h>
#include <epan/packet.h>

#include "host/record_seen.h"
#include "core/record.h"
#include "dissector/info_text.h"
#include "dissector/tree_fields.h"
#include "dissector/tree_row.h"
#include "util/shown_name.h"

/* What a protocol provides. All pointers have static storage. Fields that every record has are registered for it: offset,
 * length, byte order, bytes that no other field shows; and expert infos of cut and malformed records. */
typedef struct tree_protocol {
    int *proto;
    const value_string *kinds; /* the values of the kind field; ends with {0, NULL} */
    unsigned *number;          /* room for its number, to find the common fields by */
    const int *fields;         /* those of the layouts, by field id: &fields[id] is in a row of protocol.hf */
    unsigned field_count;
    int *padding; /* as the bytes that no field shows, in a record whose meaning is known; NULL: the format has none */
    int *bits;    /* the number that contains bit-fields; NULL: there are none */
    /* Converts the bits of a field to its value; NULL: they are the same. */
    uint64_t (*decode_bits)(unsigned field, uint64_t bits);
    bool cuts_times;       /* some times of the format do not fit */
    expert_field *missing; /* for a record of no bytes, which stands for something missing; NULL: the format has none */
    /* Describes a fault better than the list of faults does; returns false, or is NULL, to use those words. */
    bool (*explain)(const record_context *c, char *text, size_t size);
} tree_protocol;

/* Registers the fields of a protocol, and the common ones. */
void tree_register_fields(const tree_protocol *p, const char *filter, hf_register_info *own, int count);
/* The subtree below the record's line. */
int tree_line(const tree_protocol *p);
/* The field of bytes that no other one shows. */
int tree_undecoded(const tree_protocol *p);
/* The expert info of its malformed records. */
expert_field *tree_malformed(const tree_protocol *p);
/* Call once, before any protocol is registered. */
void tree_register(void);

/* Sets the label of a displayed item to "NAME, WORDS" (NAME may be NULL), which is cut to fit. */
void tree_set_line(proto_item *item, const char *name, const char *words);

/* Adds the bytes that no field shows, if there are any. `known`: of a record whose meaning is known. */
void tree_add_undecoded(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, bool known, unsigned from, unsigned to);

/* Adds a subtree with this label for values derived from other records; if no tree is displayed, returns `tree` itself. */
proto_tree *tree_branch(proto_tree *tree, tvbuff_t *tvb, int ett, const char *words);

/* Text of the record, which may have any bytes: escaped if it is not safe (text.h) or contains a NUL. Valid as long as
 * the packet. */
const char *tree_text(const record_seen *seen, tvbuff_t *tvb, int at, int length);
void tree_add_text(proto_tree *tree, int hf, const record_seen *seen, tvbuff_t *tvb, int at, int length);
/* A text that is safe, from anywhere; and bytes of the record. */
proto_item *tree_add_string(proto_tree *tree, int hf, tvbuff_t *tvb, int at, int length, const char *value);
void tree_add_bytes(proto_tree *tree, int hf, tvbuff_t *tvb, int at, int length);

/* Adds offset, length and byte order, and the expert info of a cut or malformed record to `item` (the record's line). */
void tree_add_record(const tree_protocol *p, proto_tree *tree, proto_item *item, const record_seen *seen, tvbuff_t *tvb,
                     const record_context *c);

/* Texts such as "function 17", of which those with lower numbers are cached. */
#define TREE_NUMBERS_KEPT 65536u
typedef struct tree_numbers {
    const char *kind; /* "function ", at most 16 bytes */
    char *kept[TREE_NUMBERS_KEPT];
} tree_numbers;
const char *tree_numbered(tree_numbers *n, const record_seen *seen, uint64_t number);
/* Sets source or destination of the record. The text must be valid as long as the packet; NULL: none. */
void tree_set_source(const record_seen *seen, shown_name name);
void tree_set_destination(const record_seen *seen, shown_name name);

/* Adds a number to one of our fields; a negative one as its two's complement. */
proto_item *tree_add_number(proto_tree *tree, int hf, tvbuff_t *tvb, int at, int width, uint64_t value);
/* Add generated items, if anybody needs them: values that are not in the record's own bytes. */
static inline void tree_generated(proto_tree *tree, int hf, tvbuff_t *tvb, uint64_t value)
{
    if (tree_field_needed(tree, hf))
        proto_item_set_generated(tree_add_number(tree, hf, tvb, 0, 0, value));
}
/* The frame at a place (hidden_records.h), unless there is none. */
void tree_add_frame(proto_tree *tree, int hf, tvbuff_t *tvb, uint32_t place);
static inline void tree_generated_frame(proto_tree *tree, int hf, tvbuff_t *tvb, uint32_t place)
{
    if (tree_field_needed(tree, hf))
        tree_add_frame(tree, hf, tvb, place);
}
void tree_generated_string(proto_tree *tree, int hf, tvbuff_t *tvb, const char *value);
/* The same for a text that lasts, unchanged, as long as the file is open. */
void tree_generated_lasting(proto_tree *tree, int hf, tvbuff_t *tvb, const char *value);
/* A duration; one too long for Wireshark is limited, which its label shows. If it is seen, it also has the unit of tables
 * and Info. */
void tree_generated_time(proto_tree *tree, int hf, tvbuff_t *tvb, uint64_t ns);
/* The same as a number of microseconds (FT_DOUBLE, BASE_CUSTOM with the function below), hidden: for columns, which are
 * narrower and can be sorted. */
void tree_generated_us(proto_tree *tree, int hf, tvbuff_t *tvb, uint64_t ns);
/* The label of such a field: always three decimals, so that numbers below each other can be compared at a glance. */
void tree_label_us(char *label, double us);

/* Adds offset, length and byte order. */
void tree_add_position(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, const record_context *c);

/* The values of the byte order field; ends with {0, NULL}. */
extern const value_string tree_byte_orders[];

/* Appends the fault of a record in words. */
void info_add_fault(info_text *t, const tree_protocol *p, const record_context *c);

#endif
