/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cacheray memory traces (docs/formats/cacheray.md): a bare sequence of accesses and annotations, without a magic number,
 * header or clock, in the byte order and with the pointer size of the traced process. This header is all that the rest of
 * the program knows about the format: its layouts, record kinds, and the functions for its row in the list of formats. */
#ifndef WIRETRACE_CACHERAY_CACHERAY_H
#define WIRETRACE_CACHERAY_CACHERAY_H

#include "core/format.h"
#include "core/settings.h"
#include "core/trace.h"
#include "cacheray/context.h"
#include "cacheray/state.h"
#include "core/layout.h"

/* Byte order and pointer size of the traced process, the same for a whole file. In order of preference. */
typedef enum cacheray_layout {
    CACHERAY_LE64,
    CACHERAY_BE64,
    CACHERAY_LE32,
    CACHERAY_BE32,
    CACHERAY_LAYOUTS
} cacheray_layout;

/* Record kinds: the tag byte without its flags, and also record_context.kind. */
enum { CACHERAY_READ, CACHERAY_WRITE, CACHERAY_RTTA_ADD, CACHERAY_RTTA_REMOVE, CACHERAY_KINDS };

/* The tag byte. */
#define CACHERAY_KIND_MASK 0x3f
#define CACHERAY_ATOMIC 0x40
#define CACHERAY_UNALIGNED 0x80

/* Field ids of the layout tables. */
typedef enum cacheray_field {
    CACHERAY_FIELD_TYPE, /* the tag byte, with its flags */
    CACHERAY_FIELD_ADDRESS,
    CACHERAY_FIELD_SIZE,
    CACHERAY_FIELD_THREAD,
    CACHERAY_FIELD_ELEM_SIZE,
    CACHERAY_FIELD_ELEM_COUNT,
    CACHERAY_FIELD_NAME_LENGTH,
    CACHERAY_FIELDS
} cacheray_field;

/* Size of the largest fixed part in bytes. */
#define CACHERAY_FIXED_MAX 29

/* le64, be64, le32, be32. */
extern const char *const cacheray_layout_names[CACHERAY_LAYOUTS];
static inline bool cacheray_big_endian(cacheray_layout l)
{
    return l == CACHERAY_BE64 || l == CACHERAY_BE32;
}
/* Size of an address in bytes. */
static inline uint8_t cacheray_pointer(cacheray_layout l)
{
    return l == CACHERAY_LE64 || l == CACHERAY_BE64 ? 8 : 4;
}

/* The layout of the fixed part of a record, which must be one of CACHERAY_KINDS. In an add the type name follows. */
const layout *cacheray_layout_of(cacheray_layout l, uint8_t kind);
/* Reads the fields of a record. Elements of fields that the kind does not have are left unchanged; fields that are cut
 * off become 0. */
void cacheray_read(cacheray_layout l, uint8_t kind, const cursor *c, uint64_t values[CACHERAY_FIELDS]);
/* The offset of a field in a record of a kind that has the field. */
uint8_t cacheray_field_at(cacheray_layout l, uint8_t kind, cacheray_field field);

/* Environment variable: the layout of traces opened from now on, one of cacheray_layout_names. If it is unset, "auto" or
 * anything else, the layout is detected. */
#define CACHERAY_LAYOUT_VARIABLE "WIRETRACE_CACHERAY_LAYOUT"

/* For the row in the list of formats. */
bool cacheray_probe(const probe *p);
bool cacheray_open(trace *t, const trace_input *in, GError **error);
step_result cacheray_step(walk *w);
void cacheray_time(walk *w);
extern const write_ops cacheray_write;

#endif
