/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures of a trace for other programs. A format says what there is to see, in one of two ways: when things happened
 * (moments), and what things cost (costs). An output, a file each in this folder, writes that down: `-z FORMAT,OUTPUT`. */
#ifndef WIRETRACE_PICTURE_H
#define WIRETRACE_PICTURE_H

#include "../../compat.h"

#include <epan/packet.h>

#include "stacks.h"

/* --- when things happened -------------------------------------------------------------------------------------------------- */

/* A row of a timeline: what stands in it does not overlap, or lies one inside the other. */
typedef struct picture_lane {
    uint64_t key;            /* any number that the format chooses; lanes of one key are one */
    int64_t process, thread; /* as the system numbers them; several lanes may have the same */
    const char *within;      /* name of the process, or of what else the lanes belong to */
    const char *name;
} picture_lane;

typedef enum {
    MOMENT_SPAN,    /* begins at `at`, takes `ns` */
    MOMENT_INSTANT, /* at `at` */
    MOMENT_COUNTER, /* has the values from `at` on */
    MOMENT_BEGIN,   /* of something that may overlap with others of its lane, and ends with the same `id` */
    MOMENT_END,
} moment_kind;

/* What more there is to say. */
typedef struct moment_value {
    const char *name, *text; /* text NULL: a number */
    int64_t number;
} moment_value;

#define MOMENT_VALUES 6

typedef struct moment {
    moment_kind kind;
    uint64_t lane; /* key */
    uint64_t id;
    int64_t at; /* ns since the first record of the file */
    uint64_t ns;
    const char *name, *category;
    unsigned count; /* of values */
    moment_value values[MOMENT_VALUES];
} moment;

/* Where a format's moments go. */
typedef struct timeline {
    bool (*knows)(void *out, uint64_t lane);
    void (*name)(void *out, const picture_lane *lane); /* of one that it does not know */
    void (*show)(void *out, const moment *m);
    void *out;
} timeline;

/* --- what things cost ------------------------------------------------------------------------------------------------------ */

#define COST_EVENTS 8

/* What costs are counted in. */
typedef struct cost_event {
    const char *word;  /* without blanks */
    const char *title; /* with the unit */
} cost_event;

/* Texts live as long as the record is looked at. */
typedef struct cost {
    const char *name, *place; /* of a function or the like; `file:line`, or NULL */
    const char *caller, *caller_place;
    uint64_t self[COST_EVENTS];  /* its own */
    uint64_t total[COST_EVENTS]; /* with those that it has called */
} cost;

/* Time of a record in ns since the first record of the file. Times that no 64 bits hold wrap. */
int64_t picture_time(const packet_info *pinfo);

/* --- formats and outputs --------------------------------------------------------------------------------------------------- */

#define PICTURE_FILTERS 4

/* Display filters for what stands in a path that begins so: one for each depth, the last one for all further. %p is the path
 * so far, %1 to %9 the names in it (the first without its beginning), %n the last name. */
typedef struct picture_filter {
    const char *begins, *depths[3];
} picture_filter;

/* What a format has to show. All pointers have static storage. */
typedef struct picture_source {
    const char *tap;   /* that tells of its records; also what its commands begin with */
    const char *title; /* in menus */
    /* What is remembered from record to record. */
    void *(*start)(void);
    void (*free)(void *state);
    void (*show)(void *state, const packet_info *pinfo, const void *tapped, const timeline *t);
    cost_event events[COST_EVENTS]; /* the first has most to say; ends with a word of NULL */
    /* Cost `i` that a record tells of, from 0; false: there are no more. Asked in this order, each once.
     * Without a name it does not count. `c` is zeroed. */
    bool (*cost)(void *state, packet_info *pinfo, const void *tapped, uint32_t i, cost *c);
    /* A sum of costs as it is written; NULL: as it is. */
    uint64_t (*shown)(const void *state, unsigned event, uint64_t sum);
    const stacks_protocol *stacks;           /* that cost `i` is on, and the thread */
    picture_filter filters[PICTURE_FILTERS]; /* the first that fits holds; ends with a `begins` of NULL */
} picture_source;

/* A picture that is being made. */
typedef struct picture {
    const picture_source *source;
    void *state;   /* of the source */
    void *data;    /* of the output */
    bool threads;  /* are told apart, where an output can do so */
    bool records;  /* their numbers are written with what they say, likewise */
    GString *text; /* that is to be written */
    FILE *file;
    unsigned events;        /* costs that the source has */
    bool seen[COST_EVENTS]; /* what has cost nothing so far is left out: it may not have been measured */
    uint64_t looked;        /* how many records were looked at */
    bool failed;            /* to write */
} picture;

typedef struct picture_output {
    const char *word, *title; /* in commands and menus */
    const char *suffix;       /* of files */
    bool browsed;             /* made to be opened in a browser */
    void *(*start)(const picture *p);
    void (*record)(picture *p, packet_info *pinfo, const void *tapped);
    void (*finish)(picture *p); /* what is still to be written */
    void (*free)(void *data);
} picture_output;

extern const picture_output picture_chrome, picture_flame, picture_callgrind;

/* Registers the commands and menus of all outputs for a format. */
void picture_register(const picture_source *s);

/* Adds costs, one for each of `events`. */
void picture_add(picture *p, uint64_t *to, const uint64_t more[COST_EVENTS]);
/* A sum of costs as it is written. */
uint64_t picture_shown(const picture *p, unsigned event, uint64_t sum);
/* Writes what there is so far, if that is much. */
void picture_flush(picture *p);
/* A text in quotes, as JSON has it, which may stand in HTML as well. */
void picture_append_json(GString *text, const char *utf8);

#endif
