/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a capture file of exported records (core/exported.h) into a pipe: pcapng, with an interface for each stream. Knows
 * nothing of where they come from. */
#ifndef WIRETRACE_EXTCAP_PCAPNG_H
#define WIRETRACE_EXTCAP_PCAPNG_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* LINKTYPE_WIRESHARK_UPPER_PDU, and how it is called in lists of link types. */
#define PCAPNG_LINK_TYPE 252
#define PCAPNG_LINK_NAME "WIRESHARK_UPPER_PDU"

/* Parts of a packet: `before` is put before the record's own bytes. */
typedef struct pcapng_packet {
    uint32_t interface; /* in the order in which interfaces were written, from 0 */
    uint64_t time;      /* nanoseconds since 1970 */
    const uint8_t *before, *data;
    size_t before_length, length;
    uint64_t whole; /* bytes of the record, if its end is left out */
} pcapng_packet;

/* All return whether it could be written. */
bool pcapng_begin(FILE *out, const char *program);
bool pcapng_interface(FILE *out, const char *name, const char *description);
bool pcapng_put(FILE *out, const pcapng_packet *p);

#endif
