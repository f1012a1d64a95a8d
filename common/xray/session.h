/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The analysis of a log, for all who read its records: the dissector, records that are counted directly or in threads, and
 * the baseline of a comparison. Each record is read, then visited once in order of time; with CALLS_KEEP it can be found
 * later. All times that are added up are in ticks of the first record: merged logs may have counters of different speeds. */
#ifndef WIRETRACE_XRAY_SESSION_H
#define WIRETRACE_XRAY_SESSION_H

#include "analysis/span.h"
#include "xray/look_ahead.h"
#include "xray/names/functions.h"

enum {
    XRAY_MIXED_TICKS = 1, /* ticks of an unknown length are added to others */
    XRAY_SELFLESS = 2     /* the self time of a sum of calls is not known */
};

typedef struct xray_session {
    calls *calls;                /* NULL: calls are not analysed, as long as there are only paths of a profile */
    const xray_functions *names; /* not owned; NULL: unknown */
    xray_ahead ahead;
    uint64_t frequency;             /* of the first record; 0: unknown, its ticks count as nanoseconds */
    uint64_t base;                  /* of the same: the ticks that its times are computed from */
    void (*report)(unsigned doubt); /* called for each time with XRAY_MIXED_TICKS or XRAY_SELFLESS, perhaps in a thread;
                                       NULL: nobody wants to know */
    bool spanless;                  /* calls are not asked for: xray_session_span() gives none */
} xray_session;

/* What is known about a record. Valid as long as it is. */
typedef struct xray_tapped {
    const record_context *context;
    cursor bytes;
    uint64_t value[XRAY_FIELD_COUNT]; /* of its own fields; 0 if it does not have the field */
    xray_session *session;
    uint32_t function; /* id; in function records, paths, and arguments of basic mode */
    bool has_function;
    bool has_call; /* `call` is valid */
    call call;
    uint32_t within; /* the entry of the innermost call around the record; 0: none, or unknown */
    uint64_t stack;  /* key of the thread in calls.h */
} xray_tapped;

/* Takes the clock of the first record; all of it is NULL before. */
void xray_session_begin(xray_session *s, const record_context *first);
/* Finds out what must be known in advance (look_ahead.h), before calls are analysed. `waits`: whoever reads records can wait
 * for the exit that shows in which call one is, as records can be looked at again, or only ends of calls count. Otherwise
 * the log at `path`, if there is one, is read with all of its analysis. */
void xray_session_look_ahead(xray_session *s, trace *t, const char *path, bool part, bool waits);
/* The calls without an exit of the log at `path`; NULL if it cannot be read (a compressed one cannot). Free with
 * g_array_free(). */
GArray *xray_session_unwound(const char *path, xray_tails *tails);
/* Begins to analyse calls. `flags`: as for calls_new(), CALLS_KEEP or 0. */
void xray_session_analyse(xray_session *s, unsigned flags);
/* Frees what it owns; its clock stays. */
void xray_session_end(xray_session *s);

/* Sets what the record itself has. */
void xray_session_read(xray_session *s, xray_tapped *r, const record_context *c, const cursor *bytes);
/* Visits a record that has been read, with its number; or finds what is known of it, if that is kept. */
void xray_session_visit(xray_tapped *r, uint32_t frame);
void xray_session_find(xray_tapped *r, uint32_t frame);
/* Whichever of the two is right. `again`: it has been visited before. */
void xray_session_look(xray_tapped *r, uint32_t frame, bool again);

/* The calls that a record has ended, with its own times: its own (i = 0), if it is an exit, then those without an exit
 * (call.state has CALL_CLOSED), innermost first. Some have no duration. False if there are no more. */
bool xray_session_ended(const xray_tapped *r, uint32_t i, span *ended);
/* The same in ticks of the session, or the sum of the calls of a path. `tapped`: an xray_tapped, as below. */
bool xray_session_span_of(const xray_tapped *r, uint32_t i, span *ended);
static inline bool xray_session_span(const void *tapped, uint32_t i, span *ended)
{
    const uint8_t kind = ((const xray_tapped *)tapped)->context->kind;
    return (kind == XRAY_EXIT || kind == XRAY_TAIL_EXIT || kind == XRAY_PROFILE_PATH) &&
           xray_session_span_of(tapped, i, ended);
}
/* The function around such a call; false: there is none, or it is not known. */
bool xray_session_caller(const void *tapped, const span *ended, uint32_t *function);
/* The function of the call around a record: the caller of an entry or exit, or the call that another record is in. False:
 * there is none, or it is not known. */
bool xray_session_around(const xray_tapped *r, uint32_t *function);

/* Ticks of a record in those of the session; the counter at a record; and how many ns the times of records differ at two
 * moments of that clock. */
uint64_t xray_session_ticks(const xray_tapped *r, uint64_t ticks);
uint64_t xray_session_now(const void *tapped);
uint64_t xray_session_between(const void *tapped, uint64_t from, uint64_t to);

/* The entry of the enclosing call; 0: none, or unknown. */
static inline uint32_t xray_session_entry_around(const xray_tapped *r)
{
    return !r->has_call ? 0 : r->call.state & CALL_INSIDE ? r->call.begin : r->call.caller;
}

/* Returns whether depths are unknown at this record. */
static inline bool xray_session_depth_unknown(const xray_tapped *r)
{
    return xray_depth_unknown(r->context) || calls_switches(r->session->calls, r->stack);
}

#endif
