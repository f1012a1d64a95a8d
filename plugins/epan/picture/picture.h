/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures of a trace for other programs. A format says what there is to show, in one of two ways: when things happened
 * (moments), and what they cost (costs). An output, one file each in this folder, writes that: `-z FORMAT,OUTPUT`. */
#ifndef WIRETRACE_PICTURE_PICTURE_H
#define WIRETRACE_PICTURE_PICTURE_H

#include "compat.h"

#include <epan/packet.h>

#include "host/dialog.h"
#include "host/record_seen.h"
#include "showing/stacks.h"

/* --- when things happened ---------------------------------------------------------------------------------------------- */

/* For `process`, if its number is not known. */
#define PICTURE_NO_PROCESS (-1)

/* A row of a timeline: its spans are nested or do not overlap. */
typedef struct picture_lane {
    uint64_t key;            /* chosen by the format; identifies the lane */
    int64_t process, thread; /* numbers of the system; several lanes may have the same */
    unsigned row;            /* 0: the thread itself; others: further rows of it, in this order */
    const char *within;      /* identifies the process, or whatever contains the lane, which has this name */
    const char *program;     /* shown in its place; NULL: it is not known */
    const char *name;
} picture_lane;

typedef enum {
    MOMENT_SPAN,    /* begins at `at`, takes `ns`; of two with the same times the inner one comes first */
    MOMENT_INSTANT, /* at `at` */
    MOMENT_COUNTER, /* has these values from `at` on */
    MOMENT_BEGIN,   /* begins something that may overlap with others in its lane; ends with the same `id` */
    MOMENT_END,
    MOMENT_OPEN, /* begins at `at`, and has not ended; it contains what begins later */
} moment_kind;

typedef enum { ARROW_NONE, ARROW_FROM, ARROW_TO } moment_arrow;

/* An additional value to show. */
typedef struct moment_value {
    const char *name, *text; /* NULL `text`: it is a number */
    int64_t number;
} moment_value;

#define MOMENT_VALUES 6

typedef struct moment {
    moment_kind kind;
    uint64_t lane; /* its key */
    uint64_t id;
    int64_t at; /* ns since the first record of the file */
    uint64_t ns;
    const char *name, *category;
    moment_arrow arrow; /* of an instant: from the one before it with the same `id` to this one */
    unsigned count;     /* number of values */
    moment_value values[MOMENT_VALUES];
} moment;

/* Receives the moments of a format. */
typedef struct timeline {
    bool (*knows)(void *out, uint64_t lane);
    void (*name)(void *out, const picture_lane *lane); /* names a lane that it does not know yet */
    void (*show)(void *out, const moment *m);
    void *out;
    bool values; /* of spans as well: what takes time to find is only wanted then */
} timeline;

/* --- what things cost -------------------------------------------------------------------------------------------------- */

#define COST_EVENTS 8

enum { COST_TIME, COST_COUNT }; /* of spans */

/* A unit of costs. */
typedef struct cost_event {
    const char *word;  /* without blanks */
    const char *title; /* with its unit */
    bool plain;        /* only `self` of a cost is known */
} cost_event;

/* A cost. Strings are valid while the record is looked at. */
typedef struct cost {
    uint64_t counts;           /* as how many; 0: it does not count */
    const char *name, *caller; /* of functions or the like */
    source_place place, caller_place;
    uint64_t self[COST_EVENTS];  /* without callees */
    uint64_t total[COST_EVENTS]; /* including callees */
} cost;

/* --- formats and outputs ---------------------------------------------------------------------------------------------- */

#define PICTURE_FILTERS 4

/* Display filters for a path of names that begins with `begins`: one per depth, and the last for all greater ones. %p is
 * the path, %1 to %9 are its names (the first without `begins`), and %n is the last name. */
typedef struct picture_filter {
    const char *begins, *depths[3];
} picture_filter;

/* The pictures of a format. All pointers have static storage. */
typedef struct picture_source {
    const span_source *spans; /* its stacks, and unless it has a cost(), what costs */
    /* State kept from record to record. */
    void *(*start)(void);
    void (*free)(void *state);
    void (*show)(void *state, const record_seen *seen, const void *tapped, const timeline *t);
    /* Shows what is open after the last record; NULL: nothing. */
    void (*open)(void *state, const timeline *t);
    bool clockless;                 /* times tell only the order */
    const char *(*program)(void);   /* that was traced; it may return NULL. NULL: it is not known */
    cost_event events[COST_EVENTS]; /* the most useful first; ends with a word of NULL */
    /* Cost `i` of a record, from 0; false if there are no more. Called once for each, in this order. *c is zeroed before.
     * NULL: the events are those of spans. */
    bool (*cost)(void *state, const record_seen *seen, const void *tapped, uint32_t i, cost *c);
    char *(*label)(const shown_name *name);  /* a short form of a name in a stack, to be freed with g_free(), or NULL; NULL:
                                                there are none */
    picture_filter filters[PICTURE_FILTERS]; /* the first that matches is used; ends with a `begins` of NULL */
} picture_source;

/* A picture being made. */
typedef struct picture {
    const picture_source *source;
    void *state;  /* of the source */
    void *data;   /* of the output */
    bool threads; /* distinguish threads, if the output can */
    bool records; /* write frame numbers, if the output can */
    bool filtered;
    nstime_t start; /* absolute time of the first record of the file; of records without a time 0 */
    GString *text;  /* still to be written */
    FILE *file;
    unsigned events;        /* number of costs of the source */
    bool seen[COST_EVENTS]; /* events without any cost are omitted: they may not have been measured */
    uint64_t looked;        /* number of records */
    bool unknown;           /* a sum does not fit, and was written as UINT64_MAX */
    int error;              /* an errno: writing failed; 0: it did not */
} picture;

typedef struct picture_output {
    const char *word, *title; /* in commands, and in menus */
    const char *suffix;       /* of file names */
    bool browsed;             /* intended for a browser */
    dialog_field ask;         /* what else the dialog asks for, if it has a label */
    void *(*start)(const picture *p);
    void (*record)(picture *p, const record_seen *seen, const void *tapped);
    void (*finish)(picture *p); /* writes the rest */
    void (*free)(void *data);
} picture_output;

extern const picture_output picture_chrome, picture_flame, picture_callgrind;

/* Registers the commands and menu entries of all outputs for a format. */
void picture_register(const picture_source *s);

/* Cost `i` of a record. With `named` it has its names and places. *s: the span whose cost it is. */
bool picture_cost(const picture *p, const record_seen *seen, const void *tapped, uint32_t i, bool named, span *s, cost *c);
/* Adds one number for each of `events`. */
void picture_add(picture *p, uint64_t *to, const uint64_t more[COST_EVENTS]);
/* A unit of costs: that of the source, unless it is not known how long its ticks are. */
const cost_event *picture_event(const picture *p, unsigned event);
/* Converts a sum of costs for output: those of spans are in their own unit, so that no rounding errors add up. UINT64_MAX
 * if it is not known, which is reported at the end. */
uint64_t picture_shown(picture *p, unsigned event, uint64_t sum);
/* Writes the text so far if there is much of it. */
void picture_flush(picture *p);

#endif
