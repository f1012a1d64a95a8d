/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record that is understood alone, outside of its trace: Wireshark's tags that say who dissects it, then the context of
 * the record, then its bytes. This is what capture files of the kind "Wireshark Upper PDU" hold (LINKTYPE_WIRESHARK_UPPER_PDU).
 * What is read here may come from anybody: every length is compared, every number that selects something is checked.
 * Knows nothing of files.
 *
 * The tags, big-endian as Wireshark wants them: 12 (name of the dissector: the format's protocol), then 0 (end).
 * The context, little-endian:
 *    0  4  "WTrc"
 *    4  1  version of this layout, 1
 *    5  1  format: its number in the list of formats
 *    6  2  bytes of numbers that follow
 *    8  2  bytes of texts that follow the numbers
 *   10     the numbers (exported.c has the table; later versions of Wiretrace may append some)
 *          the texts, 2 bytes of length before each: name of the stream, description of the stream, name of the fault */
#ifndef WIRETRACE_EXPORTED_H
#define WIRETRACE_EXPORTED_H

#include <glib.h>

#include "record.h"

/* In the environment, 1: the reader hands out all records like this. */
#define EXPORTED_VARIABLE "WIRETRACE_PDU"

#define EXPORTED_VERSION 1
#define EXPORTED_HEAD 10
/* Texts are cut to this. */
#define EXPORTED_TEXT_MAX 8192
/* Capture files hold no longer packets; what does not fit is left out at the end, as in any shortened packet. */
#define EXPORTED_PACKET_MAX 262144u

/* Borrowed bytes, not NUL-terminated; from a file: of any kind. */
typedef struct exported_text {
    const char *data;
    size_t length;
} exported_text;

typedef struct exported {
    record_context context;
    exported_text stream, loom; /* empty where there is none */
    size_t length;              /* of the context; the bytes of the record follow */
} exported;

/* Appends the tags alone. */
void exported_append_tags(GByteArray *out, const char *protocol);
/* Appends tags and context. `name` and `description` of the stream (its interface) may be NULL. */
void exported_append(GByteArray *out, const record_context *c, const char *name, const char *description);

/* Reads the context at the beginning of the data and checks that `protocol`'s dissector can rely on it and on the bytes
 * after it. False with *reason (static) otherwise. */
bool exported_read(const uint8_t *data, size_t length, const char *protocol, exported *e, const char **reason);

/* The same from the tags on, which must name the protocol's dissector; e->length then counts the tags too. */
bool exported_read_packet(const uint8_t *data, size_t length, const char *protocol, exported *e, const char **reason);

#endif
