/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Listeners to the taps of our protocols. In a program without windows, those without a filter do not ask Wireshark to
 * dissect. If nothing else does, it dissects no record, and the records that the reader gives out (record_sink.h) are
 * counted directly: the dissectors look at each of them, and deliver it to the listeners. Which of the two it is is known
 * when Wireshark has dissected the first record, or asks for the second. */
#ifndef WIRETRACE_HOST_LISTENING_H
#define WIRETRACE_HOST_LISTENING_H

#include "compat.h"

#include <epan/packet.h>
#include <epan/tap.h>

#include "host/record_seen.h"
#include "core/record_sink.h"
#include "host/parallel.h"

/* What is called, with its data: as by Wireshark; and `direct` in place of `packet` for a record that is counted directly.
 */
typedef struct listening_calls {
    tap_reset_cb reset;
    tap_packet_cb packet;
    tap_draw_cb draw;
    tap_finish_cb finish;
    void (*direct)(void *data, const record_seen *seen, const void *tapped);
} listening_calls;

/* register_tap_listener(), for a listener that does not need its epan_dissect_t; `tree`: but that records have a tree.
 * False if the filter is invalid. */
bool listening_add(const char *tap, void *data, const char *filter, bool tree, const listening_calls *calls, GError **error);

/* The tap for who needs no analysis of records: `records`, which may be NULL, or `tap` where only that sees what is before
 * the open part. */
const char *listening_tap(const char *tap, const char *records);

/* Lets threads count for a listener (parallel.h), if it does so directly. `data`: of listening_add(); `own`: what `how`
 * gets. */
void listening_sums(const void *data, const parallel_sums *how, void *own);

/* To be called for each record that Wireshark dissects. */
void listening_dissected(void);
/* Gives a record that is counted directly to those who listen to one of these taps. */
void listening_deliver(const int taps[2], const record_seen *seen, const void *tapped);

/* Looks at a record that is counted directly, and delivers it. `number`: of the frame that it would be. */
typedef void (*listening_counter)(const record_given *r, uint32_t number);
/* Begins to count a trace in threads, of which this is the first record. `listeners`: parallel_listener. False: that is not
 * possible. */
typedef bool (*listening_parallel)(const record_given *r, GArray *listeners);
/* Ends counting directly, and listening: the file is closed. */
void listening_end(void);
void listening_register(listening_counter counter, listening_parallel parallel);

#endif
