/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls and function names of XRay records (common/analysis/calls.h, common/xray/names/functions.h), as fields and for
 * statistics. The analysis is per open file: each record is visited in the first pass, and results are looked up afterwards.
 */
#ifndef WIRETRACE_XRAY_DISSECTOR_FIELDS_H
#define WIRETRACE_XRAY_DISSECTOR_FIELDS_H

#include "containers/hash_map.h"
#include "dissector/idle_field.h"
#include "dissector/protocol.h"
#include "taps/diff.h"
#include "taps/span_rows.h"
#include "taps/spans.h"

#include <epan/prefs.h>

#include "analysis/calls.h"
#include "xray/names/functions.h"
#include "xray/statistics/account.h"
#include "xray/tails.h"
#include "xray/visited.h"
#include "xray/xray.h"

/* What is known about a record. Valid during its dissection. */
typedef struct xray_tapped {
    const record_context *context;
    cursor bytes;
    uint64_t value[XRAY_FIELD_COUNT]; /* of its own fields; 0 if it does not have the field */
    uint32_t function;                /* id; in function records, and arguments of basic mode */
    calls *calls; /* those of the file, or of a thread that counts (host/parallel.h); NULL: they are not analysed */
    bool has_function;
    bool has_call; /* `call` is valid */
    call call;
    uint32_t within; /* the entry of the innermost call around the record; 0: none, or unknown */
    uint64_t stack;  /* key of the thread in calls.h */
} xray_tapped;

/* What is kept of the open file. */
struct xray_file {
    calls *calls;      /* made for the first function record */
    GArray *unwound;   /* what is known of them in advance (xray/missing_exits.h); NULL: nothing */
    GHashTable *self;  /* of a profile (xray/profile_self.h); NULL: not known */
    xray_tails *tails; /* what is known of them, and of threads that switch stacks; NULL: nothing */
    bool noted;        /* that there are calls without an exit, or that there are none */
    bool names_loaded;
    bool nameless;         /* no program is known */
    uint32_t libraries;    /* bits of those that functions without a name belong to; the last bit is for all further ones */
    bool basic;            /* the first record is that of a log of basic mode */
    xray_functions *names; /* NULL: names are unknown */
    char *program;         /* its name; NULL: it is not known */
    GString *problems;     /* problems with the binaries */
    uint32_t first;        /* frame at which they are shown */
    uint32_t unnamed;      /* the first frame of a function without a name although there are names; 0: none */
    uint32_t typed;        /* the first frame of a typed event; 0: none */
    uint64_t frequency;    /* of the first record: what is added up is in its ticks */
    uint64_t base;         /* of the same: the ticks that its times are computed from */
    bool profile, called;  /* there is a path; a call */
    bool visited;          /* threads match calls */
    bool selfless;         /* it is reported that self times of paths are not known */
    bool remarked;         /* and that there are only sums of calls */
    bool mixed;            /* it is reported that some ticks have an unknown length */
    idle_field idle;
    GMutex lock;     /* of `stacks`, while threads count */
    hash_map stacks; /* of the streams that were read, in all threads */
};
extern struct xray_file xray_file;
/* Call when a file is opened or closed. */
void xray_forget_file(void);

/* Register fields and expert infos; and preferences. */
void xray_fields_register(int proto);
void xray_calls_register(module_t *module);

/* What is reported where the program is not known, and where ends are missing (xray_loses_end()). */
#define XRAY_NAMELESS \
    "Functions have numbers instead of names: the program that wrote this log is not known. Set xray.binary to it " \
    "(-o xray.binary:FILE), or put it beside the log as NAME if the log is called xray-log.NAME.SUFFIX."
#define XRAY_UNCOUNTED \
    "The ends of buffers are missing: LLVM's runtime leaves out 16 bytes for each typed event, and with them calls, or the exits of the " \
    "last ones, such as main. Custom events do not have this fault."

#define XRAY_SWITCHES \
    "This thread seems to switch stacks (fibers): only calls with an unmistakable exit have a duration, and none has a caller."

/* A frequency is set for the other kind of log; NULL: none is. */
const char *xray_unused_frequency(const record_context *c);
#define XRAY_FOUND_LATE \
    "The ends of calls without an exit were found too late: what follows them may be missing, and threads that switch stacks " \
    "are not recognised. Save the log as a file, or use -2."

/* Returns whether calls are analysed. */
bool xray_calls_asked(void);
/* Returns whether records can be counted in threads; to be called before the first of them. */
bool xray_calls_prepare(packet_info *pinfo, const record_context *first);
/* How threads count them. */
extern const parallel_format xray_parallel;
/* Fills in d->record, an xray_tapped, and visits the record if this is its first dissection. */
void xray_calls_look(dissection *d);
/* Notes a function of a library: those without names are reported when the file is closed. Threads may call it. */
void xray_calls_note_library(uint32_t function);
/* Reports why a table of calls may have none, unless it has a filter. */
void xray_calls_note_none(const statistic_run *run, const rows *shown);
/* The ticks of the file's clock at a record, and the calls that are open then, as span_table.each_open says. */
uint64_t xray_calls_now(const void *tapped);
/* How many ns the times of records differ at two moments of that clock. */
uint64_t xray_calls_between(const void *tapped, uint64_t from, uint64_t to);
void xray_calls_each_open(const void *tapped, uint64_t now, span_opened visit, void *data);
/* Adds everything known as generated fields. */
void xray_fields_add(proto_tree *tree, proto_item *item, packet_info *pinfo, tvbuff_t *tvb, const xray_tapped *r);

/* Records of a profile: what xray_calls_look() does; the Info column, and the fields of a path. */
void xray_profile_look(const dissection *d);
void xray_profile_inform(info_text *t, const xray_tapped *r);
void xray_profile_add(const tree_protocol *p, dissection *d);
void xray_profile_add_experts(proto_item *item, packet_info *pinfo, const xray_tapped *r);
/* Reports, where there is nothing of it, that a profile has no single call. */
void xray_profile_remark(void);
/* The calls of a path as one span, in ticks of the first record of the file; false: it has none. Its stack. */
bool xray_profile_span(const xray_tapped *r, span *s);
unsigned xray_profile_stack(const xray_tapped *r, unsigned most, stack_piece *pieces);
void xray_profile_register(int proto);
/* Appends the name of a function, or its number. */
void xray_info_add_function(info_text *t, uint32_t function);

extern const picture_source xray_picture;
/* Relations between records: rows for protocol.h, and the fields that they need. */
extern const protocol_filter xray_filters[];
extern const protocol_follower xray_follower;
void xray_relations_register(int proto);
/* Threads and CPUs as conversations and endpoints; and the field for filters from these tables. */
void xray_threads_register(int proto);
void xray_threads_add(proto_tree *tree, tvbuff_t *tvb, const record_context *c);
/* The calls of a tapped record, for the statistics and pictures. */
extern const span_source xray_spans;
/* The statistics. They listen to the tap "xray", whose data is an xray_tapped; or to this one, where its call may be
 * missing. */
#define XRAY_RECORDS_TAP "xray_records"
void xray_taps_register(int proto);
void xray_taps_handoff(void);
/* Counts the calls that a record ended; false: none does. */
bool xray_account_record(xray_account *a, const xray_tapped *r);
extern statistic xray_account_statistic, xray_call_statistic, xray_gaps_statistic, xray_graph_statistic;
extern diff xray_diff;
void xray_slowest_register(void);

/* Returns whether names are demangled. */
bool xray_calls_demangled(void);
/* A short form of any name, where it need not differ from others; NULL if names are wanted in full. */
char *xray_calls_short(const char *name);

/* The short name of the only function of this log's program that has this name; NULL if there is none. */
const char *xray_calls_short_of(const char *name);
/* Returns whether there are names of functions; the name of one in the open file, or NULL. */
bool xray_calls_named(void);
const char *xray_calls_name(uint32_t function);
/* The same as people read it (xray.names). */
const char *xray_calls_label(uint32_t function);
/* `file:line` of a function, or NULL; valid as long as the file is open. */
const char *xray_calls_source(uint32_t function);
/* The entry of the enclosing call; 0: none, or unknown. */
static inline uint32_t xray_calls_entry_around(const xray_tapped *r)
{
    return !r->has_call ? 0 : r->call.state & CALL_INSIDE ? r->call.begin : r->call.caller;
}
/* The function of the call around a record: the caller of an entry or exit, or the call that another record is in. False:
 * there is none, or it is not known. */
bool xray_calls_around(const xray_tapped *r, uint32_t *function);
/* Returns whether depths are unknown at this record. */
static inline bool xray_calls_depth_unknown(const xray_tapped *r)
{
    return xray_depth_unknown(r->context) || calls_switches(r->calls, r->stack);
}
/* What is known so far about the call that begins in a record. False if nothing was kept. */
bool xray_calls_find(uint32_t begin, call *k);
/* For statistics of single calls: false if the file has none, as it is a profile. */
bool xray_calls_single(const statistic_run *run, GError **error);
/* The calls that a tapped record ended: its own, if it is an exit, and those without an exit (call.state has CALL_CLOSED),
 * innermost first. Some have no duration. False if there are no more. */
bool xray_calls_ended(const xray_tapped *r, uint32_t i, span *ended);
/* The same, or the sum of the calls of a path. All times are in ticks of the first record of the file, so that they can be
 * added up: merged logs may have counters of different speeds. */
bool xray_calls_span(const void *tapped, uint32_t i, span *ended);
/* The call that an entry begins, with the same times, if it has no exit and it is known already where it ended. Of the call
 * only begin, last, until, duration and state are set. */
bool xray_calls_unwound(const xray_tapped *r, span *ended);
/* Ticks of a record in those of the first one. */
uint64_t xray_calls_file_ticks(const xray_tapped *r, uint64_t ticks);
/* How such ticks, and functions, are shown by a statistic, as its words and xray.names ask for it. */
xray_display xray_calls_shown(const statistic_run *run);
/* A sum of such ticks in nanoseconds; they are those of a profile, which does not have their number in a second. */
uint64_t xray_calls_sum_nanoseconds(uint64_t ticks);
bool xray_calls_unclocked(void);
/* The function around a call that the record ended; false if there is none. */
bool xray_calls_caller(const void *tapped, const span *ended, uint32_t *function);
/* The name of its function as people read it, or #id: marked if it has no exit, as far as that is known by now. */
const char *xray_calls_title(const packet_info *pinfo, const span *ended);
/* The pieces of the stack of such a call, marked likewise (stacks_pieces()); and appends the name of one, or #id. */
unsigned xray_calls_stack(const void *tapped, const span *ended, unsigned most, stack_piece *pieces);
unsigned xray_calls_pieces(const xray_tapped *r, const call *k, uint32_t function, uint8_t *marks, unsigned most,
                           stack_piece *pieces);
void xray_calls_append_piece(GString *text, const stack_piece *piece, bool full);
/* The duration of the call of an entry or exit; false if unknown. */
bool xray_calls_duration(const xray_tapped *r, uint64_t *ns);

#endif
