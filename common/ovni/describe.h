/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A concrete event: its arguments one by one, and the event in words. Knows one record's bytes and nothing about
 * streams. */
#ifndef WIRETRACE_OVNI_DESCRIBE_H
#define WIRETRACE_OVNI_DESCRIBE_H

#include "cursor.h"
#include "events.h"
#include "layout.h"

/* An argument where it stands in the record. */
typedef struct ovni_value {
    uint8_t id;      /* ovni_argument_id */
    uint8_t type;    /* ovni_type, never OVNI_REPEAT */
    uint32_t offset; /* from the first byte of the record */
    uint32_t width;  /* bytes; of a string without its NUL */
    uint64_t number; /* sign-extended where the type is signed; of a string 0 */
} ovni_value;

typedef struct ovni_arguments {
    const ovni_event *event; /* or NULL: nothing */
    const cursor *bytes;     /* borrowed: a whole record, or what is there of it */
    uint32_t at, end;
    uint8_t next;
    bool missing; /* the payload ends before the declared arguments do; valid once there are no more */
} ovni_arguments;

/* The code of a record. Needs its first four bytes. */
static inline const char *ovni_mcv(const cursor *bytes)
{
    return (const char *)ovni_code(bytes->data);
}

/* Bytes of payload as the record declares them; 0 when too little of the record is there. */
uint64_t ovni_declared_payload(const cursor *bytes);

/* What is known about a record's code, or NULL. */
const ovni_event *ovni_event_of(ovni_era era, const cursor *bytes);

void ovni_arguments_init(ovni_arguments *a, const ovni_event *event, const cursor *bytes);
/* The next argument that is there as a whole. Bytes after the last one are of no concern. */
bool ovni_arguments_next(ovni_arguments *a, ovni_value *v);

/* What numbers of an event stand for, by ovni_argument_id: UTF-8, or NULL where nobody knows. */
typedef struct ovni_labels {
    const char *of[OVNI_ARGUMENT_COUNT];
} ovni_labels;

/* The event in words, its arguments filled in, '?' for what is missing; after a number its label, where there is one (`labels`
 * may be NULL). Strings are quoted, shortened and free of control characters; the text is UTF-8 whatever the record holds.
 * Writes at most `size` bytes with the final NUL; returns the length without it. */
size_t ovni_describe(const ovni_event *event, const cursor *bytes, const ovni_labels *labels, char *text, size_t size);

#endif
