/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A single event: its arguments, and a description in words. Works on the bytes of one record; knows nothing of streams. */
#ifndef WIRETRACE_OVNI_EVENTS_DESCRIBE_H
#define WIRETRACE_OVNI_EVENTS_DESCRIBE_H

#include "util/cursor.h"
#include "ovni/events/events.h"
#include "ovni/events/layout.h"

/* An argument and where it is in the record. */
typedef struct ovni_value {
    uint8_t id;      /* ovni_argument_id */
    uint8_t type;    /* ovni_type, never OVNI_REPEAT */
    uint32_t offset; /* from the first byte of the record */
    uint32_t width;  /* in bytes; of a string without its NUL */
    uint64_t number; /* sign-extended if the type is signed; 0 for a string */
} ovni_value;

typedef struct ovni_arguments {
    const ovni_event *event; /* or NULL: no arguments */
    const cursor *bytes;     /* borrowed: a record, perhaps cut */
    uint32_t at, end;
    uint8_t next;
    bool missing; /* the payload is too short for the declared arguments; valid once ovni_arguments_next() has returned
                   * false */
} ovni_arguments;

/* The code of a record: model, category and value. Needs its first four bytes. */
static inline const char *ovni_mcv(const cursor *bytes)
{
    return (const char *)ovni_code(bytes->data);
}

/* The payload size that the record declares, in bytes; 0 if too little of the record is there. */
uint64_t ovni_declared_payload(const cursor *bytes);

/* The table row for a record's code, or NULL. */
const ovni_event *ovni_event_of(ovni_era era, const cursor *bytes);

void ovni_arguments_init(ovni_arguments *a, const ovni_event *event, const cursor *bytes);
/* Gets the next complete argument. Bytes after the last one are ignored. */
bool ovni_arguments_next(ovni_arguments *a, ovni_value *v);

/* Names for the numbers in an event, by ovni_argument_id: UTF-8, or NULL if unknown. */
typedef struct ovni_labels {
    const char *of[OVNI_ARGUMENT_COUNT];
} ovni_labels;

/* Describes the event in words, with its arguments filled in, and '?' for missing ones. A number is followed by its
 * label, if it has one (`labels` may be NULL). Strings are quoted, shortened and escaped; the text is always UTF-8.
 * Writes at most `size` bytes including the NUL; returns the length without it. */
size_t ovni_describe(const ovni_event *event, const cursor *bytes, const ovni_labels *labels, char *text, size_t size);

#endif
