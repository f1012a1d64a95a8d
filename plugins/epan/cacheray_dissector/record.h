/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a Cacheray record relates to earlier ones (common/cacheray/analysis.h), as fields and for statistics: the
 * annotation that applies, who shares its cache line, which cache has it. The analysis is per open file: each record is
 * visited in the first pass, and results are looked up afterwards. */
#ifndef WIRETRACE_CACHERAY_DISSECTOR_RECORD_H
#define WIRETRACE_CACHERAY_DISSECTOR_RECORD_H

#include "dissector/protocol.h"
#include "showing/diff.h"

#include <epan/prefs.h>

#include "cacheray/session.h"
#include "cacheray/statistics/display.h"

/* The values of cacheray.event; end with {0, NULL}. */
extern const value_string cacheray_events[];

/* Registers fields, expert infos, preferences and the tap "cacheray", whose data is a cacheray_tapped. */
void cacheray_shown_register(int proto, module_t *module);

/* Completes *v, in which the record's own fields are set (see cacheray_tapped), and visits the record if this is its first
 * dissection. */
void cacheray_shown_look(cacheray_tapped *v, const dissection *d);
/* Adds everything known as generated fields. */
void cacheray_shown_show(proto_tree *tree, proto_item *item, const record_seen *seen, tvbuff_t *tvb,
                         const cacheray_tapped *v);
/* The choice that the text of a preference means. Such preferences are texts because Wireshark's own kind of choice
 * ignores invalid values without a message. Compares names and also descriptions, as saved by version 0.1; NULL: none. */
const enum_val_t *cacheray_choice(const enum_val_t *choices, const char *text);
/* Call when a preference has changed. */
void cacheray_shown_apply(void);
/* Call when a file is opened or closed. */
void cacheray_forget_file(void);
/* The analysis of the open file; NULL before its first record. */
const cacheray_analysis *cacheray_shown_of_file(void);
/* Names as people read them (cacheray.names): a name, which is short or the same one; and a column of names, unless the
 * words of a statistic ask for names in full. */
const char *cacheray_label(const record_seen *seen, const char *name);
void cacheray_shorten_names(const statistic_run *run, rows *r, unsigned column, unsigned columns);
/* Number of cache levels simulated for the open file; 0: none. */
unsigned cacheray_levels(void);
/* Returns whether they are coherent. */
bool cacheray_coherence(void);
/* Size of a cache line in bytes, from the preference. */
unsigned cacheray_shown_line_size(void);
extern const picture_source cacheray_picture;
/* What the preferences say of an analysis. */
cacheray_options cacheray_shown_options(void);
/* Prints what is wrong with the files that an analysis of another trace has used. */
void cacheray_report_problems(const cacheray_analysis *a);
/* What is reported of a struct that a program does not know; g_malloc'ed. */
char *cacheray_unknown_struct(const char *binary, const char *type);
/* What is printed of a trace in which no thread but 0 has accesses. */
#define CACHERAY_UNNUMBERED \
    "All accesses are of thread 0, so nothing is shared. Cacheray's own runtime does not number threads: if the program has several, link " \
    "cacheray.c of Wiretrace instead."
/* What the dissector knows about a record begins with this. */
static inline const cacheray_tapped *cacheray_tapped_of(const dissection *d)
{
    return d->record;
}
extern const protocol_filter cacheray_filters[];
/* Threads, lines and types as conversations and endpoints, and the field for filters from these tables. */
void cacheray_endpoints_register(int proto);
void cacheray_endpoints_add(proto_tree *tree, tvbuff_t *tvb, const record_seen *seen, const cacheray_tapped *v);
/* The statistics. They listen to the tap "cacheray", whose data is a cacheray_tapped; or to this one, where only what the
 * record itself has may be set. */
#define CACHERAY_RECORDS_TAP "cacheray_records"
extern const statistic_source cacheray_statistics;
void cacheray_tables_register(void);
extern diff cacheray_diff;
extern statistic cacheray_whatif_statistic;
void cacheray_statistics_register(void);
void cacheray_statistics_handoff(void);

#endif
