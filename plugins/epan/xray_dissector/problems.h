/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with the log, the settings, and the programs that they name. */
#ifndef WIRETRACE_XRAY_DISSECTOR_PROBLEMS_H
#define WIRETRACE_XRAY_DISSECTOR_PROBLEMS_H

#include "host/record_seen.h"

#include "xray/session.h"

void xray_problems_register(int proto);
/* Shows it at the records that it is of; most of it at the first one of the open file. */
void xray_problems_add(proto_item *item, const record_seen *seen, const xray_tapped *r);
/* A frequency is set for the other kind of log; NULL: none is. */
const char *xray_problems_unused_frequency(const record_context *c);

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

#endif
