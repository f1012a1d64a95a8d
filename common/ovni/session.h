/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The analysis of a trace, for all who read its records: the dissector, records that are counted directly, a part of the
 * time, and the baseline of a comparison. Each record is read, then visited once in order of time; if results are kept, it
 * can be found later. */
#ifndef WIRETRACE_OVNI_SESSION_H
#define WIRETRACE_OVNI_SESSION_H

#include "ovni/states.h"

typedef struct ovni_tapped ovni_tapped;

typedef struct ovni_session {
    ovni_states *states; /* made for the first record that is visited; free it with ovni_session_end() */
    /* What the stream of a record is called, and its loom; NULL: not known. Valid as long as the record. */
    const char *(*name_of)(const ovni_tapped *r);
    const char *(*loom_of)(const ovni_tapped *r);
} ovni_session;

/* What is known about a record. Valid as long as it is. */
struct ovni_tapped {
    ovni_session *session;
    const void *reader; /* what whoever reads it knows in addition; in the plugins its record_seen */
    const record_context *context;
    uint32_t number;
    cursor bytes;
    const ovni_event *event; /* NULL: no event, or unknown */
    bool is_event;           /* a complete event */
    bool has_state;          /* `known` is valid */
    char mcv[4];             /* of the event */
    ovni_known known;
};

/* Sets all that the record itself tells; `reader` is set by who has one. */
void ovni_session_read(ovni_session *s, ovni_tapped *r, const record_context *c, uint32_t number, const cursor *bytes);
/* Visits a record that has been read, or finds what is known of it. `keep`: what is found is kept (ovni_states_new()). */
void ovni_session_visit(ovni_tapped *r, bool keep);
void ovni_session_find(ovni_tapped *r);
/* Whichever of the two is right. `again`: it has been visited before. */
void ovni_session_look(ovni_tapped *r, bool keep, bool again);
/* Makes its stream known, as visiting it does. */
void ovni_session_announce(const ovni_tapped *r);
void ovni_session_end(ovni_session *s);

/* Span `i` that the event of a record ends (ovni_known_span()). `tapped`: an ovni_tapped. */
bool ovni_session_span(const void *tapped, uint32_t i, span *s);
/* What its stream is called, never NULL. */
const char *ovni_session_stream(const ovni_tapped *r);
/* Its loom, or NULL. */
const char *ovni_session_loom(const ovni_tapped *r);

#endif
