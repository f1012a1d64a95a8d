/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For programs that are recorded: wiretrace_snapshot() writes what has been recorded so far to a file of its own, FILE.1,
 * FILE.2 and so on, and recording goes on. In a program without a recorder it does nothing. It may be called anywhere, also
 * in a signal handler. */
#ifndef WIRETRACE_RECORD_H
#define WIRETRACE_RECORD_H

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((weak)) void wiretrace_write_snapshot(void);

static inline void wiretrace_snapshot(void)
{
    if (wiretrace_write_snapshot)
        wiretrace_write_snapshot();
}

#ifdef __cplusplus
}
#endif

#endif
