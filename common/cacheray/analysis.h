/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a Cacheray record has to do with the records before it: the annotation in force and what the program says of its type,
 * who shares the cache line, which cache has it (docs/cacheray.md). Records are visited once, in the order of the file; what
 * is kept is found again by the number of the frame. Knows nothing about fields. */
#ifndef WIRETRACE_CACHERAY_ANALYSIS_H
#define WIRETRACE_CACHERAY_ANALYSIS_H

#include "cacheray/annotations.h"
#include "cacheray/cacheray.h"
#include "cacheray/caches.h"
#include "cacheray/lines.h"

/* What is known of one record. What the record itself says is filled in by who asks: up to thread; for an
 * add also the elements of the region. */
typedef struct cacheray_view {
    const record_context *context;
    bool is_access; /* a whole read or write */
    bool touches;   /* its line is to be followed; likewise filled in */
    bool has_cache; /* `cache` is known */
    bool atomic, unaligned, overlaps;
    uint8_t kind; /* a whole record of one of CACHERAY_KINDS, or KIND_* */
    uint8_t size;
    uint64_t address, thread;
    uint32_t number;      /* of the annotation that is in force, added or removed; 0: none */
    annotation region;    /* that annotation */
    const char *type;     /* its type name; lives as long as the file is open */
    const char *member;   /* of an access: member of the type or variable, or NULL; lives as long as the file is open */
    const char *variable; /* of an access without an annotation: global variable, or NULL; lives likewise */
    cache_result cache;
    line_result line;       /* of an access */
    uint32_t index, offset; /* of an access with an annotation or in a variable: element, byte in the element */
} cacheray_view;

/* What users have chosen. Texts are borrowed for as long as the analysis lives; "" for none. */
typedef struct cacheray_options {
    cacheray_layout layout; /* of the trace */
    bool keep;              /* what is known of frames stays known: at most 24 bytes of each */
    bool annotations;       /* followed */
    unsigned line_size;     /* bytes */
    const char *binary;     /* program or type file, for members */
    const char *load_bias;  /* hexadecimal: where the program's variables lie */
    const char *caches;     /* file that describes them */
} cacheray_options;

/* What is wrong with these; NULL: nothing. */
typedef struct cacheray_problems {
    const char *binary, *load_bias, *caches;
    bool no_members;   /* with the binary: not even variables are known */
    uint32_t stranger; /* the frame that first adds a struct which the binary does not know, while it knows none; 0: none */
} cacheray_problems;

typedef struct cacheray_analysis cacheray_analysis;

cacheray_analysis *cacheray_analysis_new(const cacheray_options *o);
void cacheray_analysis_free(cacheray_analysis *a);
bool cacheray_analysis_kept(const cacheray_analysis *a);
cacheray_problems cacheray_analysis_problems(const cacheray_analysis *a);

/* Levels of cache that are simulated; 0: none. */
unsigned cacheray_analysis_levels(const cacheray_analysis *a);

/* The record of a frame, which is not visited again. `name` gives the type name of an add, valid during the call. */
void cacheray_analysis_visit(cacheray_analysis *a, uint32_t frame, cacheray_view *v, const char *(*name)(void *data),
                             void *data);
/* What was kept of a frame. False where it was not visited, or nothing is kept. */
bool cacheray_analysis_find(cacheray_analysis *a, uint32_t frame, cacheray_view *v);
/* All records have been visited: what is kept of them needs no lines. */
void cacheray_analysis_finish(cacheray_analysis *a);

#endif
