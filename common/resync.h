/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding back into a damaged file: where sound records begin again, and whether they are hidden in bytes that may be
 * others. One wrong length misplaces all that follows, so a record is believed for what follows it: a place is sound
 * where a record passes all checks and the next one confirms it. A format judges one record; what is done with a place
 * that is not sound is its own business, too. */
#ifndef WIRETRACE_RESYNC_H
#define WIRETRACE_RESYNC_H

#include "cursor.h"
#include "fault.h"
#include "stream.h"

/* How far the bytes after a stretch or an odd record are looked at; a longer record is not followed there. */
#define RESYNC_LOOKAHEAD RECORD_STRETCH_MAX
/* Bytes held while damage is judged: a stretch and what follows it. */
#define RESYNC_WINDOW (RECORD_STRETCH_MAX + RESYNC_LOOKAHEAD)
/* So many odd records in a row may be believed. */
#define RESYNC_ODD_MAX 16

typedef enum resync_class {
    RESYNC_END,     /* nothing: the file ends here */
    RESYNC_CUT,     /* the file ends inside the fixed part */
    RESYNC_UNFIT,   /* the rest does not fit in the file */
    RESYNC_FAR,     /* reaches beyond the window */
    RESYNC_INVALID, /* no such kind */
    RESYNC_ODD,     /* whole, but fails a check */
    RESYNC_GOOD,
} resync_class;

/* What stands at a place, as a format judges it. */
typedef struct resync_frame {
    resync_class class;
    uint8_t kind;
    uint8_t traits;  /* the format's own */
    fault fault;     /* the check that it fails */
    uint64_t length; /* as its fields say */
    int64_t mark;    /* near that of its neighbours: a clock, the neighbourhood of an address */
} resync_frame;

/* The bytes from the record under judgement on. Their length depends on the file alone, never on what a window happens
 * to hold, so that the same record is judged alike whenever it is read. */
typedef struct resync_window {
    const struct resync_format *format;
    cursor c;
    bool end;   /* the file ends with these bytes */
    bool pairs; /* a record alone before the end of the file is no proof of any */
    bool mark_known;
    bool telling;    /* a single record that passes is hardly a chance */
    uint8_t layout;  /* the format's own */
    uint8_t usual;   /* bytes of the most frequent record */
    uint16_t rivals; /* bytes behind a sound place where another one may contradict it; 0: it is no chance */
    int64_t mark;    /* of the record before */
} resync_window;

/* A format's judgement of one record. */
typedef struct resync_format {
    /* Fills in what is known of the record before, and of the format. */
    void (*prepare)(resync_window *s, const walk *w);
    resync_frame (*judge)(const resync_window *s, uint64_t at);
    /* The first place in [from, to) where a record may pass, or `to`: most places are sorted out here. */
    size_t (*next_passing)(const resync_window *s, size_t from, size_t to);
    /* Whether a record that passes is confirmed by what stands at its end; `alone`: by the end of the file, too. */
    bool (*confirmed)(const resync_window *s, const resync_frame *f, const resync_frame *next, bool alone);
} resync_format;

resync_window resync_look(walk *w, const resync_format *format, size_t need);

/* The class of a record whose fixed part is not all there, and of one that is. */
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

/* Whether records begin here for sure. */
bool resync_sound(const resync_window *s, uint64_t at, bool alone);
/* The first sound place in [from, to), or `to`. */
size_t resync_next_sound(const resync_window *s, size_t from, size_t to, bool alone);
/* Where records begin again in [from, to), or `to`: the first sound place, unless one within its first record reads on
 * without a failure for longer, or a later one refutes it. */
size_t resync_next_begin(const resync_window *s, size_t from, size_t to);
/* Whether sound records are lost if the records go on at `at`: those `before` it, or those that refute what is there.
 */
bool resync_hides(const resync_window *s, size_t at, bool before);

/* Whether sound records stand somewhere in the file after the first byte of what does not fit in the window; no more
 * than half of WINDOW_MAX is looked through. Nothing is known after an error of the window. */
typedef enum { RESYNC_NONE, RESYNC_FOUND, RESYNC_TOO_FAR } resync_rest;
resync_rest resync_in_rest(walk *w, const resync_format *format, bool alone);

#endif
