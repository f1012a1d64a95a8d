/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record that can be understood on its own, outside of its trace: Wireshark's tags that name the dissector, then the
 * context of the record, then its bytes. Capture files of the type "Wireshark Upper PDU" hold such records
 * (LINKTYPE_WIRESHARK_UPPER_PDU). What is read here may come from anybody: every length and every number that selects
 * something is checked. Knows nothing of files.
 *
 * The tags, big-endian as in all of Wireshark's: 12 (name of the dissector: the format's protocol), then 0 (end).
 * The context, little-endian:
 *    0  4  "WTrc"
 *    4  1  version of this layout, 1
 *    5  1  format: its number in the list of formats
 *    6  2  size of the numbers that follow, in bytes
 *    8  2  size of the texts that follow the numbers, in bytes
 *   10     the numbers (see the table in exported.c; later versions of Wiretrace may append more)
 *          the texts, each after its length in 2 bytes: stream name, stream description, name of the fault */
#ifndef WIRETRACE_CORE_EXPORTED_H
#define WIRETRACE_CORE_EXPORTED_H

#include <glib.h>

#include "core/record.h"

/* The environment variable that, set to 1, makes the reader deliver all records in this form. */
#define EXPORTED_VARIABLE "WIRETRACE_PDU"

#define EXPORTED_VERSION 1
#define EXPORTED_HEAD 10
/* Longer texts are cut; bytes. */
#define EXPORTED_TEXT_MAX 8192
/* The largest packet in a capture file, in bytes. What does not fit is cut off at the end, as in any packet cut by a
 * capture limit. */
#define EXPORTED_PACKET_MAX 262144u

/* Borrowed bytes without a NUL. Those from a file may be anything, not only UTF-8. */
typedef struct exported_text {
    const char *data;
    size_t length;
} exported_text;

typedef struct exported {
    record_context context;
    exported_text stream, description; /* empty if there is none */
    size_t length;                     /* of the context in bytes; the record's bytes follow */
} exported;

/* Appends only the tags. */
void exported_append_tags(GByteArray *out, const char *protocol);
/* Appends tags and context. `name` and `description` are those of the stream (the interface); they may be NULL. */
void exported_append(GByteArray *out, const record_context *c, const char *name, const char *description);

/* Reads the context that the data begins with, and checks that the dissector of `protocol` can rely on it and on the
 * bytes after it. *e points into the data. */
bool exported_read(const uint8_t *data, size_t length, const char *protocol, exported *e, GError **error);

/* The same, but the data begins with the tags, which must name the protocol's dissector. e->length then includes the
 * tags. */
bool exported_read_packet(const uint8_t *data, size_t length, const char *protocol, exported *e, GError **error);

#endif
