/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be known of a log before its records are looked at in order of time: whether there are calls without an exit,
 * and where they ended (calls_follow() in calls.h); tail exits that were not taken, and threads that switch stacks
 * (xray/tails.h); self times of a profile (xray/profile_self.h). Most logs have none of these. */
#ifndef WIRETRACE_XRAY_LOOK_AHEAD_H
#define WIRETRACE_XRAY_LOOK_AHEAD_H

#include "xray/tails.h"

typedef struct xray_ahead {
    bool none;         /* each exit is that of the innermost open call, or of none: nothing more need be known */
    xray_tails *tails; /* NULL: nothing is known of them */
    GArray *unwound;   /* of calls_unwound, by `begin`: numbers of records as a reader counts them; NULL: not known. Whoever
                        * has a session finds them (session.h) */
    GHashTable *self;  /* of a profile, see xray_profile_sum(); NULL: not known */
} xray_ahead;

/* Reads each stream in its order, beside whoever reads the trace, which must be seekable and have all times. `t`: NULL:
 * there is none. `part`: it leaves out what is before a part, so the log at `path` is read instead, if that is not NULL;
 * then the tail exits of all of it are known, but not that there are none. */
void xray_look_ahead(xray_ahead *a, trace *t, const char *path, bool part);
void xray_ahead_clear(xray_ahead *a);

#endif
