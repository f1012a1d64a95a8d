/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saving records of XRay logs as a log again. Records come in the order of their times and are put aside until all are
 * there: a log keeps the order of its file. What both modes share: the header, and whether records belong to one log.
 */
#ifndef WIRETRACE_XRAY_WRITING_H
#define WIRETRACE_XRAY_WRITING_H

#include "spool.h"
#include "writing.h"
#include "layouts.h"

/* Pieces of at most about this go to the spool. */
#define XRAY_PIECE (256u << 10)

typedef struct xray_copy {
    bool begun, has_header, has_cut;
    record_context like; /* of the first record: what it says of the log holds for all */
    xray_log log;
    uint8_t header[XRAY_HEADER_LENGTH];
    spool *spool;
} xray_copy;

void xray_copy_init(xray_copy *x);
void xray_copy_clear(xray_copy *x);
/* Whether the record can stand in the log: same log, own time. Keeps the header. */
bool xray_copy_accept(xray_copy *x, uint16_t type, const write_record *r, char **reason);
/* A record that the end of a file has cut: false for the second, as only the last of a log can be one. */
bool xray_copy_cut(xray_copy *x, char **reason);
/* The header as it was, or made again. */
void xray_copy_header(const xray_copy *x, uint8_t header[XRAY_HEADER_LENGTH]);
/* Puts bytes aside; false: the sink's error is set. */
bool xray_copy_keep(xray_copy *x, sink *out, GByteArray *bytes, uint64_t *at);
/* Writes what was put aside. */
bool xray_copy_put(const xray_copy *x, sink *out, uint64_t at, uint64_t length);

/* Values by field id; those that are not named are 0. */
#define XRAY_VALUES(...) \
    (const uint64_t[XRAY_FIELD_COUNT]) \
    { \
        __VA_ARGS__ \
    }
/* A header, or a metadata record of the log's version, with these values. */
void xray_make(const xray_log *log, uint8_t kind, const uint64_t values[XRAY_FIELD_COUNT], uint8_t *made);
/* A field into a record of a layout that has it. */
void xray_put(uint8_t *made, enum xray_layout_id l, enum xray_field field, uint64_t value, bool big_endian);

extern const write_ops xray_fdr_write, xray_basic_write;

#endif
