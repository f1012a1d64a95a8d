/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record as the dissector, the statistics and pictures of XRay logs know it, and what is kept of the open file. */
#ifndef WIRETRACE_XRAY_DISSECTOR_RECORD_H
#define WIRETRACE_XRAY_DISSECTOR_RECORD_H

#include "analysis/calls.h"
#include "containers/hash_map.h"
#include "dissector/idle_field.h"
#include "xray/names/functions.h"
#include "xray/tails.h"
#include "xray/names/display.h"
#include "xray/xray.h"

/* Taps: the data of both is an xray_tapped; its call may be missing for listeners to the second one. */
#define XRAY_TAP "xray"
#define XRAY_RECORDS_TAP "xray_records"

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
void xray_record_forget_file(void);

/* What is reported where the program is not known, and where ends are missing (xray_loses_end()). */
#define XRAY_NAMELESS \
    "Functions have numbers instead of names: the program that wrote this log is not known. Set xray.binary to it " \
    "(-o xray.binary:FILE), or put it beside the log as NAME if the log is called xray-log.NAME.SUFFIX."
#define XRAY_UNCOUNTED \
    "The ends of buffers are missing: LLVM's runtime leaves out 16 bytes for each typed event, and with them calls, or the exits of the " \
    "last ones, such as main. Custom events do not have this fault."
#define XRAY_SWITCHES \
    "This thread seems to switch stacks (fibers): only calls with an unmistakable exit have a duration, and none has a caller."
#define XRAY_FOUND_LATE \
    "The ends of calls without an exit were found too late: what follows them may be missing, and threads that switch stacks " \
    "are not recognised. Save the log as a file, or use -2."

/* A frequency is set for the other kind of log; NULL: none is. */
const char *xray_record_unused_frequency(const record_context *c);

/* All times that are added up are in ticks of the first record of the file: merged logs may have counters of different
 * speeds. Ticks of a record in those of the first one; and the counter at a record. */
uint64_t xray_record_ticks(const xray_tapped *r, uint64_t ticks);
uint64_t xray_record_now(const void *tapped);
/* How many ns the times of records differ at two moments of that clock. */
uint64_t xray_record_between(const void *tapped, uint64_t from, uint64_t to);
/* A sum of such ticks in nanoseconds; they are those of a profile, which does not have their number in a second. */
uint64_t xray_record_nanoseconds(uint64_t ticks);
bool xray_record_unclocked(void);

/* The entry of the enclosing call; 0: none, or unknown. */
static inline uint32_t xray_record_entry_around(const xray_tapped *r)
{
    return !r->has_call ? 0 : r->call.state & CALL_INSIDE ? r->call.begin : r->call.caller;
}

/* Returns whether depths are unknown at this record. */
static inline bool xray_record_depth_unknown(const xray_tapped *r)
{
    return xray_depth_unknown(r->context) || calls_switches(r->calls, r->stack);
}

#endif
