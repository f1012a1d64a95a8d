/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls and names of XRay records: what the call engine and the function names of the traced program add to a function record,
 * and what the statistics hear of it. State is that of the open file; first-pass results are stored once and read back. */
#ifndef WIRETRACE_XRAY_CALLS_H
#define WIRETRACE_XRAY_CALLS_H

#include "picture/picture.h"
#include "stacks.h"
#include "tree.h"

#include <epan/prefs.h>

#include "calls.h"
#include "xray/xray.h"

/* What is known of one record. Lives as long as its dissection. */
typedef struct xray_record {
    const record_context *context;
    cursor bytes;
    uint64_t value[XRAY_FIELD_COUNT]; /* of its own fields; 0 where it has none */
    uint32_t function;                /* id; of function and basic argument records */
    bool has_function;
    bool has_call;   /* `call` is known */
    bool has_around; /* `around` is known */
    call call;
    uint32_t around;  /* function: of an entry or exit the caller, else that of the call which the record is in */
    uint64_t stack;   /* key of the thread in the call engine */
    const char *name; /* of the function, or NULL; lives as long as the file is open */
} xray_record;

/* A call that a record ended. */
typedef struct xray_ended {
    call call;
    uint32_t function;
    const char *name; /* as above */
} xray_ended;

/* Registers fields, expert infos and preferences. */
void xray_calls_register(int proto, module_t *module);

/* Works out what is known of the record; the first time a record is seen, its call begins or ends here. */
void xray_calls_look(xray_record *r, const record_context *c, const cursor *bytes, packet_info *pinfo);
/* Adds what is known as generated fields. */
void xray_calls_add(proto_tree *tree, proto_item *item, packet_info *pinfo, tvbuff_t *tvb, const xray_record *r);

extern const picture_source xray_picture;
/* What the statistics and pictures call a stack. */
extern const stacks_protocol xray_stacks;
/* The statistics, which are told of records by the tap "xray" (its data: xray_record). */
void xray_taps_register(int proto);
void xray_taps_handoff(void);

/* Name of a function of the open file, or NULL. */
const char *xray_calls_name(uint32_t function);
/* `file:line` of a function, or NULL; lives as long as the file is open. */
const char *xray_calls_source(uint32_t function);
/* What is known by now of the call that a record began; false: nothing was kept. */
bool xray_calls_find(uint32_t begin, call *k);
/* The calls that a tapped record ended: its own (i = 0), and those within that were left, the innermost first. Not all
 * of them have a duration. False: there are no more. */
bool xray_calls_ended(const xray_record *r, uint32_t i, xray_ended *ended);
/* The same, to be added up: records of logs that have been merged may have clocks of their own, but here all times are in ticks of
 * the first record of the file. */
bool xray_calls_added(const xray_record *r, uint32_t i, xray_ended *ended);
/* A sum of such ticks in nanoseconds. */
uint64_t xray_calls_sum_nanoseconds(uint64_t ticks);
/* Function of the call around one that the record ended; false when there is none. */
bool xray_calls_caller(const xray_record *r, const xray_ended *ended, uint32_t *function);
/* Appends the stack of functions that such a call is on, outermost first, as `outer;...;inner` of names or #id. */
void xray_calls_append_stack(wmem_strbuf_t *text, const xray_record *r, const xray_ended *ended);
/* How long the call of an entry or exit took; false where that is not known. */
bool xray_calls_duration(const xray_record *r, uint64_t *ns);
/* Ticks in nanoseconds at a frequency (0: ticks are nanoseconds), clamped to what fits. */
uint64_t xray_calls_nanoseconds(uint64_t ticks, uint64_t frequency);

#endif
