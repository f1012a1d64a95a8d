/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Resynchronising in a damaged file: finds where valid records begin again, and whether any are hidden in bytes that look
 * like other records. One wrong length misplaces everything after it, so a record is checked by what follows it: a place
 * is valid if a record there passes all checks and the next one confirms it. The format checks single records, and
 * decides what to do where a place is not valid. */
#ifndef WIRETRACE_CORE_RESYNC_H
#define WIRETRACE_CORE_RESYNC_H

#include "util/cursor.h"
#include "core/fault.h"
#include "core/stream.h"

/* How many bytes after unknown bytes or an odd record are examined. Longer records are not followed. */
#define RESYNC_LOOKAHEAD RECORD_UNKNOWN_MAX
/* How many bytes must be in memory to classify damage: unknown bytes and what follows them. */
#define RESYNC_WINDOW (RECORD_UNKNOWN_MAX + RESYNC_LOOKAHEAD)
/* This many odd records in a row may be accepted. */
#define RESYNC_ODD_MAX 16

typedef enum resync_class {
    RESYNC_END,     /* no bytes: the file ends here */
    RESYNC_CUT,     /* the file ends inside the fixed part */
    RESYNC_UNFIT,   /* the record does not fit in the rest of the file */
    RESYNC_FAR,     /* extends beyond the window */
    RESYNC_INVALID, /* a kind that does not exist */
    RESYNC_ODD,     /* complete, but fails a check */
    RESYNC_GOOD,
} resync_class;

/* What is at an offset, as the format classifies it. */
typedef struct resync_candidate {
    resync_class class;
    uint8_t kind;
    uint8_t traits;  /* the format's own */
    fault fault;     /* of the check that failed */
    uint64_t length; /* as its fields say, bytes */
    int64_t mark;    /* similar in neighbouring records: a clock, the region of an address */
} resync_candidate;

/* The bytes from the record being checked on. Their length depends only on the file, not on what the walk's window happens
 * to hold, so that a record is classified the same way every time it is read. */
typedef struct resync_window {
    const struct resync_format *format;
    cursor c;
    bool end;   /* the file ends with these bytes */
    bool pairs; /* before the end of the file, a single record proves nothing */
    bool mark_known;
    bool conclusive;    /* a single record that passes is hardly a coincidence */
    uint8_t layout;     /* for the format's own use */
    uint8_t usual_size; /* size of the most frequent record, bytes */
    uint16_t rivals;    /* bytes after a valid position within which another one may contradict it; 0: no coincidences */
    int64_t mark;       /* of the previous record */
} resync_window;

/* How a format checks records. */
typedef struct resync_format {
    /* Fills in what is known of the previous record, and what the format sets. */
    void (*prepare)(resync_window *s, const walk *w);
    resync_candidate (*check)(const resync_window *s, uint64_t at);
    /* The first offset in [from, to) where a record might pass, or `to`. Must be fast: it rules out most offsets. */
    size_t (*next_passing)(const resync_window *s, size_t from, size_t to);
    /* Returns whether a record that passes is confirmed by the next one; with `alone` the end of the file may confirm it,
     * too. */
    bool (*confirmed)(const resync_window *s, const resync_candidate *f, const resync_candidate *next, bool alone);
} resync_format;

resync_window resync_look(walk *w, const resync_format *format, size_t need);

/* The class of a record whose fixed part is incomplete, and of one whose fixed part is complete. */
static inline resync_class resync_class_of_part(const resync_window *s, uint64_t at)
{
    return !s->end || at > s->c.length ? RESYNC_FAR : at < s->c.length ? RESYNC_CUT : RESYNC_END;
}

static inline resync_class resync_class_of(const resync_window *s, uint64_t at, uint64_t length, bool passes)
{
    if (!cursor_has(&s->c, at, length))
        return s->end ? RESYNC_UNFIT : RESYNC_FAR;
    return passes ? RESYNC_GOOD : RESYNC_ODD;
}

/* Returns whether records certainly begin here. */
bool resync_valid(const resync_window *s, uint64_t at, bool alone);
/* The first valid offset in [from, to), or `to`. */
size_t resync_next_valid(const resync_window *s, size_t from, size_t to, bool alone);
/* Where records begin again in [from, to), or `to`: at the first valid offset, unless one inside its first record goes on
 * longer without a failure, or a later one refutes it. */
size_t resync_next_begin(const resync_window *s, size_t from, size_t to);
/* Returns whether continuing at `at` would lose valid records: those `before` it, or those that refute it. */
bool resync_hides(const resync_window *s, size_t at, bool before);

/* Looks for valid records anywhere in the rest of the file, when the record here does not fit in the window.
 * Searches at most WINDOW_MAX / 2 bytes. After an error of the window the result means nothing. */
typedef enum { RESYNC_NONE, RESYNC_FOUND, RESYNC_TOO_FAR } resync_rest;
resync_rest resync_in_rest(walk *w, const resync_format *format, bool alone);

#endif
