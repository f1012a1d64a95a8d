/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a layout table to items of Wireshark's tree, and what every record of every format shows. Nothing about one format
 * is known here. */
#ifndef WIRETRACE_TREE_H
#define WIRETRACE_TREE_H

#include "../compat.h"

#include <epan/expert.h>
#include <epan/packet.h>

#include "layout.h"
#include "record.h"

/* What a protocol tells about itself. All pointers have static storage. */
typedef struct tree_protocol {
    int *proto;
    const value_string *kinds; /* of records; ends with {0, NULL} */
    const int *const *fields;  /* by the field id of the format's layouts */
    unsigned field_count;
    const header_field_info **infos; /* room for what Wireshark knows of these fields and two more, noted by tree_check() */
    int *offset, *length, *byte_order; /* the fields of every record */
    int *undecoded;                    /* its bytes that no other field tells of */
    int *bits;                         /* the number that bit-fields of the layouts stand in; NULL: there are none */
    /* What the bits of a field stand for; NULL: for themselves. */
    uint64_t (*decode_bits)(unsigned field, uint64_t bits);
    expert_field *truncated, *malformed;
    expert_field *time_cut; /* NULL: all times of the format fit */
    expert_field *missing;  /* of a record of no bytes, which stands for what is not there; NULL: the format has none */
    /* A fault in words where the plain list does not say enough; NULL, or returns false to take the plain words. */
    bool (*explain)(const record_context *c, char *text, size_t size);
} tree_protocol;

/* Room for tree_protocol.infos. */
#define TREE_INFOS(fields) ((fields) + 2)

/* To be called once after registration, before any layout is added: looks the fields up, and makes sure that every id of
 * the layouts maps to one that is as wide as the row. Aborts with the name of the field otherwise; the unit tests run it. */
void tree_check(const tree_protocol *p, const layout *const *layouts, unsigned count);
/* Once, before any protocol. */
void tree_register(void);
/* When all our fields have been registered: these numbers and those between them. */
void tree_note_fields(int first, int last);

/* The context of a record, as the reader left it in the pseudo-header that Wireshark hands to the dissector. */
const record_context *tree_context(const void *pseudo_header);

/* The record's own bytes as a cursor in its byte order. Valid as long as the buffer. */
cursor tree_cursor(tvbuff_t *tvb, const record_context *c);

/* Whether somebody sees the tree, and not only what is asked for by name. */
static inline bool tree_is_seen(const proto_tree *tree)
{
    return tree && PTREE_DATA(tree)->visible;
}

/* What Wireshark knows of our fields, from the first one on. */
extern const header_field_info **tree_infos;
extern unsigned tree_first_info, tree_info_count;

/* Whether a filter, a column or a statistic asks for the field: proto_field_is_referenced() without a call. */
static inline bool tree_asks(int hf)
{
    unsigned i = (unsigned)hf - tree_first_info;
    return i < tree_info_count && tree_infos[i]->ref_type != HF_REF_TYPE_NONE;
}

/* Whether anybody looks at the field: what nobody looks at need not be worked out, and adding it costs more than asking. */
static inline bool tree_wants(const proto_tree *tree, int hf)
{
    return tree && (PTREE_DATA(tree)->visible || tree_asks(hf));
}

/* Adds the record's own item. NULL without a tree. */
proto_item *tree_add_protocol(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb);
/* The line of an item that is seen: "NAME, WORDS" (NAME may be NULL), without formatting. */
void tree_set_line(proto_item *item, const char *name, const char *words);

/* Adds the fields of two layouts (each may be NULL) that lie within the bytes, in the order in which they stand there, bit-fields
 * below the number that they stand in, and what lies between them. *covered: the bytes that are told of, from the first on.
 * Returns which fields: bit n = field id n. */
uint64_t tree_add_layouts(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, const layout *lead, const layout *body,
                          const cursor *c, unsigned *covered);
/* Bytes that no field tells of, of which there may be none. */
void tree_add_undecoded(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, unsigned from, unsigned to);

/* A subtree of what is derived from other records, with these words in its line; where nobody sees trees, `tree` itself. */
proto_tree *tree_branch(proto_tree *tree, tvbuff_t *tvb, int ett, const char *words);

/* A text of the record, which may hold any bytes: with escapes where it is not tame (text.h), as where it has a NUL. It lives
 * as long as the packet. */
const char *tree_text(packet_info *pinfo, tvbuff_t *tvb, int at, int length);
void tree_add_text(proto_tree *tree, int hf, packet_info *pinfo, tvbuff_t *tvb, int at, int length);

/* Adds offset, length and byte order, and the expert info of a cut or malformed record, on `item` (the protocol's own). */
void tree_add_record(const tree_protocol *p, proto_tree *tree, proto_item *item, packet_info *pinfo, tvbuff_t *tvb,
                     const record_context *c);

/* Texts like "function 17", the lower ones made once. */
#define TREE_NUMBERS_KEPT 65536u
typedef struct tree_numbers {
    const char *kind; /* "function ", of at most 16 bytes */
    char *kept[TREE_NUMBERS_KEPT];
} tree_numbers;
const char *tree_numbered(tree_numbers *n, packet_info *pinfo, uint64_t number);
/* Source and destination of the record, which live as long as the packet; NULL: left out. */
void tree_set_source(packet_info *pinfo, const char *text);
void tree_set_destination(packet_info *pinfo, const char *text);

/* Generated items, where anybody looks at them: numbers and strings that are not in the record's own bytes. */
void tree_generated_uint(proto_tree *tree, int hf, tvbuff_t *tvb, uint32_t value);
void tree_generated_uint64(proto_tree *tree, int hf, tvbuff_t *tvb, uint64_t value);
void tree_generated_int(proto_tree *tree, int hf, tvbuff_t *tvb, int32_t value);
void tree_generated_int64(proto_tree *tree, int hf, tvbuff_t *tvb, int64_t value);
void tree_generated_boolean(proto_tree *tree, int hf, tvbuff_t *tvb, bool value);
void tree_generated_string(proto_tree *tree, int hf, tvbuff_t *tvb, const char *value);
/* A duration; one that Wireshark has no room for is cut and says so. */
void tree_generated_time(proto_tree *tree, int hf, tvbuff_t *tvb, uint64_t ns);

/* Names a byte order; ends with {0, NULL}. */
extern const value_string tree_byte_orders[];

/* A small text builder on the stack for the Info column: no allocation, silently full at its end. */
typedef struct info_text {
    char text[384];
    size_t length;
} info_text;
static inline void info_begin(info_text *t)
{
    t->length = 0;
    t->text[0] = '\0';
}
/* A copy that lives as long as the packet. */
const char *info_keep(packet_info *pinfo, const info_text *t);
void info_add_some(info_text *t, const char *words, size_t length);
static inline void info_add(info_text *t, const char *words)
{
    info_add_some(t, words, strlen(words));
}
void info_add_uint(info_text *t, uint64_t value);
void info_add_int(info_text *t, int64_t value);
void info_add_hex(info_text *t, uint64_t value); /* with 0x */
/* A name of at most so many bytes, of a longer one its beginning and "...". */
void info_add_name(info_text *t, const char *name);
#define INFO_NAME_MAX 120u
/* A duration in the unit that suits it: "460 ns", "12.345 µs"; milliseconds and seconds are rounded. */
void info_add_duration(info_text *t, uint64_t ns);
/* The fault of a record in words, for the Info column of what is no record. */
void info_add_fault(info_text *t, const tree_protocol *p, const record_context *c);

#endif
