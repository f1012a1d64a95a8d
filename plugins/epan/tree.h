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
    const header_field_info **infos;   /* room for what Wireshark knows of these fields, which tree_check() notes */
    int *offset, *length, *byte_order; /* the fields of every record */
    expert_field *truncated, *malformed;
    expert_field *time_cut; /* NULL: all times of the format fit */
    expert_field *missing;  /* of a record of no bytes, which stands for what is not there; NULL: the format has none */
    /* A fault in words where the plain list does not say enough; NULL, or returns false to take the plain words. */
    bool (*explain)(const record_context *c, char *text, size_t size);
} tree_protocol;

/* To be called once after registration, before any layout is added: looks the fields up, and makes sure that every id of
 * the layouts maps to one that is as wide as the row. Aborts with the name of the field otherwise; the unit tests run it. */
void tree_check(const tree_protocol *p, const layout *const *layouts, unsigned count);

/* The context of a record, as the reader left it in the pseudo-header that Wireshark hands to the dissector. */
const record_context *tree_context(const void *pseudo_header);

/* The record's own bytes as a cursor in its byte order. Valid as long as the buffer. */
cursor tree_cursor(tvbuff_t *tvb, const record_context *c);

/* Whether anybody looks at the field: what nobody looks at need not be worked out, and adding it costs more than asking. */
static inline bool tree_wants(proto_tree *tree, int hf)
{
    return tree && (PTREE_DATA(tree)->visible || proto_field_is_referenced(tree, hf));
}

/* Adds the record's own item; where it is seen it says what kind of record this is. NULL without a tree. */
proto_item *tree_add_protocol(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, const record_context *c);

/* Adds the fields of a layout that lie within the bytes. Returns which: bit n = field id n. */
uint64_t tree_add_layout(const tree_protocol *p, proto_tree *tree, tvbuff_t *tvb, const layout *l, const cursor *c);

/* A text of the record, which may hold any bytes: with escapes where it is not tame (text.h), as where it has a NUL. It lives
 * as long as the packet. */
const char *tree_text(packet_info *pinfo, tvbuff_t *tvb, int at, int length);
void tree_add_text(proto_tree *tree, int hf, packet_info *pinfo, tvbuff_t *tvb, int at, int length);

/* Adds offset, length and byte order, and the expert info of a cut or malformed record, on `item` (the protocol's own). */
void tree_add_record(const tree_protocol *p, proto_tree *tree, proto_item *item, packet_info *pinfo, tvbuff_t *tvb,
                     const record_context *c);

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
    char text[256];
    size_t length;
} info_text;
static inline void info_begin(info_text *t)
{
    t->length = 0;
    t->text[0] = '\0';
}
void info_add(info_text *t, const char *words);
void info_add_uint(info_text *t, uint64_t value);
void info_add_hex(info_text *t, uint64_t value); /* with 0x */
/* The fault of a record in words, for the Info column of what is no record. */
void info_add_fault(info_text *t, const tree_protocol *p, const record_context *c);

#endif
