/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of the open file. Its records are those of xray/session.h. */
#ifndef WIRETRACE_XRAY_DISSECTOR_RECORD_H
#define WIRETRACE_XRAY_DISSECTOR_RECORD_H

#include "containers/hash_map.h"
#include "dissector/idle_field.h"
#include "xray/statistics/display.h"
#include "xray/session.h"

/* The data of the taps "xray" and of this one are an xray_tapped; for listeners to this one its call may be missing. */
#define XRAY_RECORDS_TAP "xray_records"

/* What is kept of the open file. */
struct xray_file {
    xray_session session; /* calls are analysed from the first function record on */
    bool noted;           /* that there are calls without an exit, or that there are none */
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
    bool profile, called;  /* there is a path; a call */
    bool visited;          /* threads match calls */
    bool asked_for_sums;   /* sums of paths have been asked for */
    unsigned reported;     /* of xray_session.doubts */
    bool remarked;         /* and that there are only sums of calls */
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
    "are not recognised. Save the log as a file (exported records: use -2)."

/* A frequency is set for the other kind of log; NULL: none is. */
const char *xray_record_unused_frequency(const record_context *c);

/* A sum of ticks of the session in nanoseconds; they are those of a profile, which does not have their number in a second.
 */
uint64_t xray_record_nanoseconds(uint64_t ticks);
bool xray_record_unclocked(void);

#endif
