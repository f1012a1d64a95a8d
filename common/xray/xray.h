/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LLVM XRay logs: flight data recorder versions 1 to 5 and basic mode versions 1 to 3, either byte order. Framing, context and
 * clock; docs/formats/xray.md describes the files. Knows nothing about calls or names of functions. */
#ifndef WIRETRACE_XRAY_H
#define WIRETRACE_XRAY_H

#include "format.h"
#include "hash.h"
#include "layout.h"
#include "xray/context.h"
#include "xray/state.h"

#define XRAY_HEADER_LENGTH 32
#define XRAY_FUNCTION_LENGTH 8
#define XRAY_METADATA_LENGTH 16
#define XRAY_BASIC_LENGTH 32

/* xray.kind: function action + 1, metadata kind + 16. */
enum xray_kind {
    XRAY_HEADER = 0,
    XRAY_ENTRY = 1,
    XRAY_EXIT = 2,
    XRAY_TAIL_EXIT = 3,
    XRAY_ENTRY_ARGUMENTS = 4,
    XRAY_NEW_BUFFER = 16,
    XRAY_END_OF_BUFFER = 17,
    XRAY_NEW_CPU = 18,
    XRAY_TSC_WRAP = 19,
    XRAY_WALL_CLOCK = 20,
    XRAY_CUSTOM_EVENT = 21,
    XRAY_CALL_ARGUMENT = 22,
    XRAY_BUFFER_EXTENTS = 23,
    XRAY_TYPED_EVENT = 24,
    XRAY_PROCESS_ID = 25,
};
#define XRAY_METADATA_COUNT 10 /* metadata kinds 0..9 */

static inline bool xray_is_function(uint8_t kind)
{
    return kind >= XRAY_ENTRY && kind <= XRAY_ENTRY_ARGUMENTS;
}

static inline bool xray_is_event(uint8_t kind)
{
    return kind == XRAY_CUSTOM_EVENT || kind == XRAY_TYPED_EVENT;
}

enum { XRAY_TYPE_BASIC = 0, XRAY_TYPE_FDR = 1 };

/* Field ids of the layouts. */
enum xray_field {
    XRAY_FIELD_VERSION,
    XRAY_FIELD_TYPE,
    XRAY_FIELD_CONSTANT_TSC,
    XRAY_FIELD_NONSTOP_TSC,
    XRAY_FIELD_FREQUENCY,
    XRAY_FIELD_BUFFER_SIZE,
    XRAY_FIELD_DISCRIMINANT,
    XRAY_FIELD_ACTION,
    XRAY_FIELD_FUNCTION,
    XRAY_FIELD_TSC_DELTA,
    XRAY_FIELD_METADATA_KIND,
    XRAY_FIELD_THREAD,
    XRAY_FIELD_PROCESS,
    XRAY_FIELD_CPU,
    XRAY_FIELD_TSC,
    XRAY_FIELD_WALL_SECONDS,
    XRAY_FIELD_WALL_MICROSECONDS,
    XRAY_FIELD_ARGUMENT,
    XRAY_FIELD_EVENT_SIZE,
    XRAY_FIELD_EVENT_TYPE,
    XRAY_FIELD_EVENT_DELTA,
    XRAY_FIELD_EXTENT,
    XRAY_FIELD_COUNT
};

/* What the first bytes of the record say in either byte order (bit-fields are mirrored), and what follows. Either is NULL
 * where there is nothing: cut and unknown records. */
const layout *xray_lead_layout(const record_context *c);
const layout *xray_body_layout(const record_context *c);
/* All layouts, for checks. */
const layout *const *xray_layouts(unsigned *count);
/* The values of all its fields, by field id; others stay as they are, those that are cut off become 0. */
void xray_read(const record_context *r, const cursor *c, uint64_t values[XRAY_FIELD_COUNT]);
/* Name of a kind, e.g. "New CPU id"; NULL for a number that is no kind. */
const char *xray_kind_name(uint8_t kind);

/* What the file header says, and the clock (docs/formats/xray.md, "Time"). */
typedef struct xray_log {
    uint16_t version, type;
    bool big_endian;
    uint64_t frequency;   /* ticks per second in use; 0 = unknown */
    uint64_t buffer_size; /* version 1: distance of the buffers */
    uint8_t flags;        /* 1 constant TSC, 2 nonstop TSC */
    uint64_t base_tsc;    /* counter at base_seconds; 0 without a wall-clock marker */
    int64_t base_seconds;
    int32_t base_nanoseconds;
    uint64_t first_tsc; /* of the whole log: time of the header */
    bool time_of_day;   /* the counter is the clock of s390x, which has dates */
    bool in_file_order; /* input that cannot seek */
    bool crowded;       /* more threads than streams */
    uint64_t missing;   /* bytes that the extents of a buffer promise and the file does not have */
    GHashTable
        *repeats; /* file offset of each buffer that stands in the log twice -> that of the first (uint64_t); or NULL */
} xray_log;

/* Reads the header from at least XRAY_HEADER_LENGTH bytes. False when it is no header of this type (0 or 1). */
bool xray_header_read(xray_log *log, const uint8_t *head, size_t length, uint16_t type);
/* The same of a version that is not known: claims what can only be an XRay log. */
bool xray_header_unknown(xray_log *log, const uint8_t *head, size_t length, uint16_t type);
/* A wall-clock marker of more seconds, beyond the year 36,000, is damage. */
#define XRAY_WALL_MAX (UINT64_C(1) << 40)
/* Environment: ticks per second, instead of what the file header says. */
#define XRAY_FREQUENCY_VARIABLE "WIRETRACE_XRAY_FREQUENCY"
extern const setting xray_frequency_setting;
/* The frequency in use of a log with this header and first counter. */
uint64_t xray_frequency(uint64_t header, bool big_endian, uint64_t tsc);
/* Chooses the clock: `wall` true when a wall-clock marker stands at counter `tsc`. */
void xray_clock_set(xray_log *log, bool wall, uint64_t tsc, uint64_t seconds, uint32_t microseconds);
/* The time of a counter, exact in 128 bits, clamped to what 64 bits of seconds can say. */
void xray_clock_time(const xray_log *log, uint64_t tsc, int64_t *seconds, int32_t *nanoseconds);
/* What the clock is, for users. */
void xray_clock_comment(const xray_log *log, GString *comment);

/* What tells threads apart. */
static inline hash_pair xray_thread_key(uint8_t known, uint32_t process, uint32_t thread)
{
    uint64_t in = known & XRAY_KNOWN_PROCESS ? process : 0;
    return (hash_pair){in << 32 | (known & XRAY_KNOWN_THREAD ? thread : 0),
                       known & (XRAY_KNOWN_PROCESS | XRAY_KNOWN_THREAD)};
}

/* What the first records of a buffer say, without reading on: up to its first counter. */
typedef struct xray_preamble {
    uint64_t tsc, wall_seconds;
    uint32_t wall_microseconds;
    uint32_t thread, process;
    uint8_t known; /* XRAY_KNOWN_THREAD, _PROCESS, _TSC */
    bool wall;
} xray_preamble;
/* Whether the clock is rather taken from `p` than from `first`, which has a counter. */
static inline bool xray_clock_prefers(const xray_preamble *first, const xray_preamble *p)
{
    return (p->known & XRAY_KNOWN_TSC) && (p->wall == first->wall ? p->tsc < first->tsc : p->wall);
}
/* Bytes of a preamble, in which the longest real one has five records. */
#define XRAY_PREAMBLE_MAX (8u * XRAY_METADATA_LENGTH)
/* `offset`: the first record of the buffer, after any BufferExtents. */
void xray_preamble_read(window *w, const xray_log *log, uint64_t offset, uint64_t end, xray_preamble *p);

/* What a record of basic mode says about itself; KIND_UNKNOWN for what is none, or less than a record. Fields that
 * it does not have are 0. */
typedef struct xray_basic_record {
    uint64_t tsc;
    uint32_t thread, process;
    uint8_t kind, known, cpu, action;
    uint16_t type;
} xray_basic_record;
void xray_basic_read(const xray_log *log, const cursor *c, xray_basic_record *r);

/* Rows of the list of formats. */
bool xray_fdr_probe(const probe *p);
bool xray_basic_probe(const probe *p);
bool xray_fdr_open(trace *t, const trace_input *in, char **reason);
bool xray_basic_open(trace *t, const trace_input *in, char **reason);
void xray_enter(const trace *t, const stream_range *range, stream_state *state);
step_result xray_fdr_step(walk *w);
step_result xray_basic_step(walk *w);
void xray_time(walk *w);
void xray_close(trace *t);

#endif
