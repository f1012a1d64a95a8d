/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The analysis of a trace, for all who read its records: the dissector, records that are counted directly, and the baseline
 * of a comparison. Each record is read, then visited once in file order; if results are kept, it can be found later. */
#ifndef WIRETRACE_CACHERAY_SESSION_H
#define WIRETRACE_CACHERAY_SESSION_H

#include "cacheray/contents.h"

typedef struct cacheray_session {
    cacheray_analysis *analysis; /* NULL before its first record */
    /* What its records so far have. */
    bool has_accesses, has_members, has_variables;
    bool numbered;              /* an access is of another thread than 0 */
    const char *unknown_struct; /* the first type that the program should know and does not; NULL: none */
} cacheray_session;

/* Begins with the first record, whose layout is that of the trace. */
void cacheray_session_begin(cacheray_session *s, const cacheray_options *o, const record_context *first);
/* Sets what the record itself has. */
void cacheray_session_read(cacheray_tapped *v, const record_context *c, const cursor *bytes);
/* Visits a record that has been read, or finds what is known of it, as the analysis does. `shown`: a problem can
 * be reported at it. */
void cacheray_session_visit(cacheray_session *s, uint32_t number, cacheray_tapped *v, bool shown);
bool cacheray_session_find(cacheray_session *s, uint32_t number, cacheray_tapped *v);
void cacheray_session_end(cacheray_session *s);

#endif
