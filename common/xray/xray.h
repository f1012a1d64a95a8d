/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LLVM XRay logs: flight data recorder versions 1 to 5 and basic mode versions 1 to 3, in either byte order. Framing,
 * context and clock; docs/formats/xray.md describes the files. Knows nothing of calls or function names. */
#ifndef WIRETRACE_XRAY_XRAY_H
#define WIRETRACE_XRAY_XRAY_H

#include "core/format.h"
#include "core/settings.h"
#include "core/trace.h"
#include "containers/hash.h"
#include "core/layout.h"
#include "xray/context.h"
#include "xray/state.h"

#define XRAY_HEADER_LENGTH 32
#define XRAY_FUNCTION_LENGTH 8
#define XRAY_METADATA_LENGTH 16
#define XRAY_BASIC_LENGTH 32

/* xray.kind: function action + 1, or metadata kind + 16. */
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
    XRAY_PROFILE_BLOCK = 32, /* of a profile, like the next */
    XRAY_PROFILE_PATH = 33,
};
/* Has the names of all kinds that a record may have. */
#define XRAY_KINDS(KIND) \
    KIND(XRAY_HEADER, "File header") \
    KIND(XRAY_ENTRY, "Function entry") \
    KIND(XRAY_EXIT, "Function exit") \
    KIND(XRAY_TAIL_EXIT, "Function tail exit") \
    KIND(XRAY_ENTRY_ARGUMENTS, "Function entry with arguments") \
    KIND(XRAY_NEW_BUFFER, "New buffer") \
    KIND(XRAY_END_OF_BUFFER, "End of buffer") \
    KIND(XRAY_NEW_CPU, "New CPU id") \
    KIND(XRAY_TSC_WRAP, "TSC wrap") \
    KIND(XRAY_WALL_CLOCK, "Wall-clock time") \
    KIND(XRAY_CUSTOM_EVENT, "Custom event") \
    KIND(XRAY_CALL_ARGUMENT, "Call argument") \
    KIND(XRAY_BUFFER_EXTENTS, "Buffer extents") \
    KIND(XRAY_TYPED_EVENT, "Typed event") \
    KIND(XRAY_PROCESS_ID, "Process id") \
    KIND(XRAY_PROFILE_BLOCK, "Profile block") \
    KIND(XRAY_PROFILE_PATH, "Call path") \
    KIND(KIND_PADDING, "Padding") \
    KIND(KIND_CUT, "Cut record") \
    KIND(KIND_UNKNOWN, "Unknown")
#define XRAY_METADATA_COUNT 10 /* metadata kinds 0 to 9 */

static inline bool xray_is_function(uint8_t kind)
{
    return kind >= XRAY_ENTRY && kind <= XRAY_ENTRY_ARGUMENTS;
}

static inline bool xray_is_event(uint8_t kind)
{
    return kind == XRAY_CUSTOM_EVENT || kind == XRAY_TYPED_EVENT;
}

/* As in the file header; a profile has none of them there. */
enum { XRAY_TYPE_BASIC = 0, XRAY_TYPE_FDR = 1, XRAY_TYPE_PROFILE = 2 };

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
    XRAY_FIELD_PROFILE_MAGIC,
    XRAY_FIELD_PROFILE_VERSION,
    XRAY_FIELD_PROFILE_STARTED,
    XRAY_FIELD_PROFILE_SIZE,
    XRAY_FIELD_PROFILE_BLOCK,
    XRAY_FIELD_PROFILE_CALLS,
    XRAY_FIELD_PROFILE_TICKS,
    XRAY_FIELD_COUNT
};

/* The layout of the first bytes of a record, whose bit-fields depend on the byte order, and of the rest. Either is NULL
 * if there is nothing: in cut and unknown records. */
const layout *xray_lead_layout(const record_context *c);
const layout *xray_body_layout(const record_context *c);
/* All layouts. */
const layout *const *xray_layouts(unsigned *count);
/* Reads all fields of a record, indexed by field id. Fields that are cut off become 0; elements of other fields are left
 * unchanged. */
void xray_read(const record_context *r, const cursor *c, uint64_t values[XRAY_FIELD_COUNT]);
/* The name of a kind, such as "New CPU id"; NULL if there is no such kind. */
const char *xray_kind_name(uint8_t kind);

/* Which processes have written buffers or records of a log. */
typedef struct xray_writers {
    uint32_t first, other; /* other: 0 if it is a single one */
    uint32_t named;        /* that of the name of the log, if it is another one; 0: it is not, or is not known */
    bool known;
} xray_writers;

/* The file header, and the clock (docs/formats/xray.md, "Time"). */
typedef struct xray_log {
    uint16_t version, type;
    bool big_endian;
    uint32_t process; /* of a profile, as the next */
    uint64_t profile_version;
    uint64_t frequency;   /* ticks per second, as used for times; 0: unknown */
    uint64_t buffer_size; /* bytes; in version 1 buffers have this size */
    uint8_t flags;        /* 1 constant TSC, 2 nonstop TSC */
    uint64_t base_tsc;    /* counter at base_seconds, of CLOCK_MONOTONIC. Without a wall-clock marker: of time 0 */
    int64_t base_seconds;
    int32_t base_nanoseconds;
    uint64_t first_tsc;    /* lowest of the log: the time of the header */
    bool time_of_day;      /* the counter is the time-of-day clock of s390x, and so has a date */
    bool realtime;         /* it is CLOCK_REALTIME in nanoseconds, and so has one too */
    bool in_file_order;    /* the input cannot seek */
    bool too_many_threads; /* more than there are streams */
    uint64_t missing;      /* bytes missing at the end of the file, according to the extents of a buffer */
    xray_writers writers;
    uint32_t overwritten; /* threads whose first buffers were overwritten, see find_overwritten() in index.c */
    uint32_t late;        /* buffers that show that whole threads seem to be missing, see find_late() in index.c */
    uint32_t buffers;     /* in the log, if there are such threads; blocks of a profile */
    uint32_t full_blocks; /* of a profile: with as many paths as the runtime keeps of a thread by default */
    GHashTable
        *reused; /* set of buffers that begin a new thread with the id of one that has ended, file offsets (uint64_t) */
    GHashTable *repeats; /* second copy of a buffer -> first copy, file offsets (uint64_t); NULL if there are none */
} xray_log;

/* Reads the header from at least XRAY_HEADER_LENGTH bytes. False if it is not a header of this type (XRAY_TYPE_*). */
bool xray_header_read(xray_log *log, const uint8_t *head, size_t length, uint16_t type);
/* Recognises headers of unknown versions: accepts only what must be an XRay log. */
bool xray_header_unknown(xray_log *log, const uint8_t *head, size_t length, uint16_t type);
/* A wall-clock marker with more seconds (after the year 36,000) is damage. */
#define XRAY_WALL_MAX (UINT64_C(1) << 40)
/* Ticks per second: in place of what the header of a log has; and of a profile, which does not have it. */
extern const setting xray_frequency_setting, xray_profile_frequency_setting;
/* The frequency that the user has chosen; 0 if there is none or it is invalid. */
uint64_t xray_chosen_frequency(const setting *s);
/* The frequency used for a log with this frequency in its header and this first counter, ticks per second; 0: unknown. */
uint64_t xray_frequency(uint64_t header, bool big_endian, uint64_t tsc);
/* Sets the clock of a log whose first counter is `tsc`. `wall`: there is a wall-clock marker of that time. */
void xray_clock_set(xray_log *log, bool wall, uint64_t tsc, uint64_t seconds, uint32_t microseconds);
/* Returns whether the counter itself is a clock with a date; then a wall-clock marker does not count for times. */
static inline bool xray_clock_has_date(const xray_log *log)
{
    return log->time_of_day || log->realtime;
}
/* Finds out what kind of clock the counter is from one of its values, with the frequency that is used for times. */
void xray_clock_recognise(xray_log *log, uint64_t tsc);
/* Converts a counter to a time, exactly (in 128 bits) and limited to the range of 64-bit seconds. */
void xray_clock_time(const xray_log *log, uint64_t tsc, int64_t *seconds, int32_t *nanoseconds);
/* The same for a wall-clock marker at this counter, which is always of CLOCK_MONOTONIC. */
void xray_clock_from_marker(const xray_log *log, uint64_t tsc, int64_t *seconds, int32_t *nanoseconds);
/* Ticks in nanoseconds, rounded to the nearest, so that sums of many are right; at most UINT64_MAX. */
uint64_t xray_nanoseconds(uint64_t ticks, uint64_t frequency);
/* Nanoseconds from one counter to another, rounded as the times of records are, without what 64 bits do not hold: so the
 * difference of two of them is right. */
int64_t xray_nanoseconds_since(uint64_t base, uint64_t ticks, uint64_t frequency);
/* Describes the clock for users. */
void xray_clock_comment(const xray_log *log, GString *comment);
/* Appends that the log begins in the middle, or that calls may be missing from the profile, and what to set; nothing if it
 * is complete. */
void xray_missing_append(const xray_log *log, GString *text);
/* The same if it has what another process has recorded. */
void xray_writers_append(const xray_log *log, GString *text);

/* Identifies a thread. */
static inline hash_pair xray_thread_key(uint8_t known, uint32_t process, uint32_t thread)
{
    uint64_t in = known & XRAY_KNOWN_PROCESS ? process : 0;
    return (hash_pair){in << 32 | (known & XRAY_KNOWN_THREAD ? thread : 0),
                       known & (XRAY_KNOWN_PROCESS | XRAY_KNOWN_THREAD)};
}

/* Returns whether the end of the buffer that has this record is missing: runtimes of version 5, in all of LLVM 14 to 24, do
 * not count the 16 bytes of a typed event before its payload. */
static inline bool xray_loses_end(const record_context *c)
{
    return c->kind == XRAY_TYPED_EVENT && xray_context_of(c)->version >= 5;
}

/* Returns whether depths are unknown: calls around this one may have begun in a buffer that was overwritten. */
static inline bool xray_depth_unknown(const record_context *c)
{
    return xray_context_of(c)->flags & XRAY_OVERWRITTEN;
}

/* The stack of calls that a record is on, for calls.h: one per process and thread. A record without a known thread, or one
 * in a file with other traces, is on the stack of its stream. */
static inline uint64_t xray_stack_of(const record_context *c)
{
    const xray_context *x = xray_context_of(c);
    if (!(x->known & XRAY_KNOWN_THREAD) || c->flags & CONTEXT_EXPORTED)
        return UINT64_MAX - c->stream;
    return (uint64_t)(x->known & XRAY_KNOWN_PROCESS ? x->process : 0) << 32 | x->thread;
}

/* The first records of a buffer, up to its first counter. */
typedef struct xray_preamble {
    uint64_t tsc, wall_seconds;
    uint32_t wall_microseconds;
    uint32_t thread, process;
    uint8_t known; /* XRAY_KNOWN_THREAD, _PROCESS, _TSC */
    bool wall;
} xray_preamble;
/* Returns whether `p` is a better basis for the clock than `first`, which has a counter. */
static inline bool xray_clock_prefers(const xray_preamble *first, const xray_preamble *p)
{
    return (p->known & XRAY_KNOWN_TSC) && (p->wall == first->wall ? p->tsc < first->tsc : p->wall);
}
/* Maximum size of a preamble in bytes; real ones have at most five records. */
#define XRAY_PREAMBLE_MAX (8u * XRAY_METADATA_LENGTH)
/* `offset`: of the first record of the buffer, after any BufferExtents. */
void xray_preamble_read(window *w, const xray_log *log, uint64_t offset, uint64_t end, xray_preamble *p);

/* A record of basic mode; KIND_UNKNOWN if it is not one or is incomplete. Fields that it does not have are 0. */
typedef struct xray_basic_record {
    uint64_t tsc;
    uint32_t thread, process;
    uint8_t kind, known, cpu, action;
    uint16_t type;
} xray_basic_record;
void xray_basic_read(const xray_log *log, const cursor *c, xray_basic_record *r);

/* For the rows in the list of formats. */
bool xray_fdr_probe(const probe *p);
bool xray_basic_probe(const probe *p);
bool xray_fdr_open(trace *t, const trace_input *in, GError **error);
bool xray_basic_open(trace *t, const trace_input *in, GError **error);
void xray_enter(const trace *t, const stream_range *range, stream_state *state);
step_result xray_fdr_step(walk *w);
step_result xray_basic_step(walk *w);
void xray_time(walk *w);
void xray_close(trace *t);
bool xray_range_begins(const trace *t, const stream_range *range, int64_t *seconds, int32_t *nanoseconds);
/* Profiles, which are sums of calls (docs/formats/xray.md, "Profiles"). */
#define XRAY_PROFILE_VERSION UINT64_C(0x20180424)
/* False: it is not the header of a profile. */
bool xray_profile_header(xray_log *log, const uint8_t *head, size_t length);
void xray_profile_comment(const xray_log *log, GString *comment);
bool xray_profile_probe(const probe *p);
bool xray_profile_open(trace *t, const trace_input *in, GError **error);
step_result xray_profile_step(walk *w);
/* Of a block whose header has just been read: whether it has as many paths as runtimes keep of a thread by default. */
bool xray_profile_is_full(walk *w);
void xray_profile_missing(const xray_log *log, GString *text);
void xray_profile_time(walk *w);
/* How many functions a path has, innermost first; 0: it is another record, or not there in full. And the function at a
 * position. Zero and the sums follow them. */
#define XRAY_PATH_SUMS_LENGTH 16
#define XRAY_PATH_LENGTH_MIN (4 + XRAY_PATH_SUMS_LENGTH)
static inline uint32_t xray_path_functions(const record_context *c, const cursor *bytes)
{
    const bool full = c->kind == XRAY_PROFILE_PATH && bytes->length == c->length && bytes->length >= XRAY_PATH_LENGTH_MIN;
    return full ? (uint32_t)((bytes->length - XRAY_PATH_LENGTH_MIN) / 4) : 0;
}
static inline uint32_t xray_path_function(const cursor *c, uint32_t i)
{
    return (uint32_t)cursor_uint(c, (size_t)i * 4, 4);
}
extern const write_ops xray_fdr_write, xray_basic_write;

#endif
