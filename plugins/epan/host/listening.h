/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Listeners to the taps of our protocols. In a program without windows, those whose filter can be asked of records as they
 * are, or that have none, do not ask Wireshark to dissect. If nothing else does, it dissects no record, and the records that
 * the reader gives out (record_sink.h) are counted directly (dissector/direct.h). */
#ifndef WIRETRACE_HOST_LISTENING_H
#define WIRETRACE_HOST_LISTENING_H

#include "compat.h"

#include <epan/dfilter/dfilter.h>
#include <epan/packet.h>
#include <epan/tap.h>

#include "host/record_seen.h"
#include "core/record_sink.h"
#include "host/parallel.h"

/* What is called, with its data: as by Wireshark; and `count` in place of `packet` for a record that is counted directly,
 * with the data that `counted` points to then (NULL: its own). */
typedef struct listening_calls {
    tap_reset_cb reset;
    tap_packet_cb packet;
    tap_draw_cb draw;
    tap_finish_cb finish;
    bool (*count)(void *data, const counted_record *r);
    void *const *counted;
} listening_calls;

/* A listener that asks for no dissection. Without windows none is removed before the file is closed. */
typedef struct listener {
    int tap;
    void *data;
    bool (*count)(void *data, const counted_record *r);
    void *const *counted;      /* never NULL */
    dfilter_t *filter;         /* which of the records; NULL: all */
    parallel_listener threads; /* without `how` it needs records in order */
    parallel_sums filtered;    /* of dissector/filtered_sums.h: the same with the filter, */
    const void *filtered_for;  /* and whose records these are */
    struct listener *next;     /* registered before this one, and called after it, as Wireshark's */
} listener;

/* register_tap_listener(), for a listener that does not need its epan_dissect_t; `tree`: but that records have a tree.
 * False if the filter is invalid. */
bool listening_add(const char *tap, void *data, const char *filter, bool tree, const listening_calls *calls, GError **error);

/* The tap for who needs no analysis of records: `records`, which may be NULL, or `tap` where only that sees what is before
 * the open part. */
const char *listening_tap(const char *tap, const char *records);

/* Lets threads count for a listener (parallel.h), if it does so directly. `data`: of listening_add(); `own`: what `how`
 * gets. */
void listening_sums(const void *data, const parallel_sums *how, void *own);

/* Ends listening: the file is closed. */
void listening_end(void);
/* Who counts records directly. `compile` returns a filter that can be asked of them; NULL: this one cannot. */
typedef dfilter_t *(*listening_compile)(const char *filter);
void listening_register(const record_sink *sink, listening_compile compile);

#endif
