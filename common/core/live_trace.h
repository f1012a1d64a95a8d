/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a trace is that is being captured live. Its records come without their file, as exported ones do, but the program
 * that follows it runs for the same user: it leaves a note in a folder that only this user can write, by which those who
 * show the records find names of functions and types. What a capture file says leads nowhere. */
#ifndef WIRETRACE_CORE_LIVE_TRACE_H
#define WIRETRACE_CORE_LIVE_TRACE_H

#include <stdint.h>

/* Notes the path of the trace with this identity (record_context.trace), and forgets notes that are old. */
void live_trace_note(uint64_t identity, const char *path);
/* The path, valid until the next call; NULL: there is no note. */
const char *live_trace_name(uint64_t identity);

#endif
