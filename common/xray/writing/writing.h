/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saving records of XRay logs as a log. Records arrive in order of time and are stored until all are there, since a log
 * keeps the order of its file. This part is for both modes: the header, and whether records can be in one log. */
#ifndef WIRETRACE_XRAY_WRITING_WRITING_H
#define WIRETRACE_XRAY_WRITING_WRITING_H

#include "util/spool.h"
#include "xray/layouts.h"

/* About the maximum size of a piece in the spool, bytes. */
#define XRAY_PIECE (256u << 10)

typedef struct xray_copy {
    bool begun, has_header, has_cut;
    record_context like; /* context of the first record: what it says about the log must hold for all */
    xray_log log;
    uint8_t header[XRAY_HEADER_LENGTH];
    spool *spool;
} xray_copy;

void xray_copy_init(xray_copy *x);
void xray_copy_clear(xray_copy *x);
/* Returns whether the record can be saved in this log: it comes from the same log and its time is unchanged. Also keeps the
 * header. */
bool xray_copy_accept(xray_copy *x, uint16_t type, const write_record *r, GError **error);
/* Accepts a record cut off by the end of a file. False for the second one, as only the last record of a log
 * can be cut. */
bool xray_copy_cut(xray_copy *x, GError **error);
/* The original header, or a new one. */
void xray_copy_header(const xray_copy *x, uint8_t header[XRAY_HEADER_LENGTH]);
/* Moves bytes to the spool. False: the sink's error is set. */
bool xray_copy_keep(xray_copy *x, sink *out, GByteArray *bytes, uint64_t *at);
/* Writes bytes from the spool to the sink. False: the sink's error is set. */
bool xray_copy_put(const xray_copy *x, sink *out, uint64_t at, uint64_t length);

/* Values by field id; all others are 0. */
#define XRAY_VALUES(...) \
    (const uint64_t[XRAY_FIELD_COUNT]) \
    { \
        __VA_ARGS__ \
    }
/* Makes a header, or a metadata record of the log's version, with these values. */
void xray_make(const xray_log *log, uint8_t kind, const uint64_t values[XRAY_FIELD_COUNT], uint8_t *made);
/* Writes a field to a record; the layout must have the field. */
void xray_put(uint8_t *made, enum xray_layout_id l, enum xray_field field, uint64_t value, bool big_endian);

#endif
