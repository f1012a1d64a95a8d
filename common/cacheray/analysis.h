/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a Cacheray record relates to earlier ones: the annotation that applies and what the program knows about its type,
 * who shares the cache line, which cache has it (docs/cacheray.md). Each record is visited once, in file order; results
 * are kept by frame number. Knows nothing of fields. */
#ifndef WIRETRACE_CACHERAY_ANALYSIS_H
#define WIRETRACE_CACHERAY_ANALYSIS_H

#include <glib.h>

#include "cacheray/annotations.h"
#include "cacheray/cacheray.h"
#include "cacheray/caches.h"
#include "cacheray/lines.h"
#include "cacheray/remap/placing.h"

/* What is known about a record. The caller fills in what the record itself says: the members up to `thread`, and for an
 * add also the elements of `region` and the name. */
typedef struct cacheray_tapped {
    const record_context *context;
    bool is_access; /* a complete read or write that happened */
    bool touches;   /* the access counts for its cache line; set by the caller */
    bool cold;      /* what came before is not known, so neither is what caches have; set by the caller */
    bool has_cache; /* `cache` is valid */
    bool many;      /* the annotated region or variable of the access has several elements */
    bool atomic, unaligned;
    bool overlaps; /* an annotation: a live one; an access: too many live ones overlap there to find the one that applies */
    uint8_t kind;  /* one of CACHERAY_KINDS if the record is complete and, an access, happened; or KIND_* */
    uint8_t size;
    uint64_t address, thread;
    uint64_t placed;   /* of an access: the address that counts for lines and caches; another one if a struct is remapped */
    uint64_t base;     /* of an access: where the region or variable begins; 0: neither */
    uint32_t layout;   /* of an access: for cacheray_analysis_parts(); 0: no members are known */
    uint32_t number;   /* of the annotation that applies, is added or is removed; 0: none */
    annotation region; /* that annotation */
    const char *place; /* of the allocation: FILE:LINE, or NULL; valid as long as the analysis */
    const char *type;  /* the name of its type, or of the place of the allocation (util/place_name.h); valid as long as the
                          analysis */
    const char
        *member; /* of an access: members of the type or variable as one name, or NULL; valid as long as the analysis */
    members_cover covered; /* each of these; valid as long as members_covered() says */
    const char *type_name; /* of an access to a variable: the struct that it consists of, or NULL */
    const char *variable;  /* of an access without an annotation: global variable, or NULL; valid as long as the analysis */
    cache_result cache;
    line_result line; /* of an access */
    const char *name; /* of an add: the type name in its bytes, without a NUL */
    int name_length;
    uint32_t index, offset; /* of an access with an annotation or to a variable: the element, and the offset in it in
                             * bytes */
} cacheray_tapped;

/* Options. Strings are borrowed and must outlive the analysis; "" means none. */
typedef struct cacheray_options {
    cacheray_layout layout; /* of the trace */
    bool keep;              /* keep results, at most 24 bytes per frame */
    bool annotations;       /* evaluate annotations */
    unsigned line_size;     /* bytes */
    const char *trace;      /* path of the trace, for the objects that its recorder has listed; NULL: not known */
    const char *binary;     /* programs or type files with the members, separated by ';', instead of those objects */
    const char *load_bias;  /* hexadecimal: where the first of them was loaded, for its variables */
    const char *caches;     /* file that describes the caches */
    bool coherence;         /* writes remove lines from caches of other threads */
    bool no_write_allocate; /* writes load nothing into caches */
    const char *remap;      /* file that moves members; used only with `binary` */
} cacheray_options;

/* What is wrong with the options, in words; NULL if nothing is. Valid as long as the analysis. */
typedef struct cacheray_problems {
    const char *caches, *remap;
    const GPtrArray *binaries;    /* sentences about files of `binary` and `load_bias` */
    const GPtrArray *notices;     /* sentences about the objects of the trace; NULL: none are listed */
    const GPtrArray *remap_lines; /* lines of `remap` that are not used, as of remap_read() */
    bool no_members;              /* `binary` is of no use at all, not even for variables */
    bool no_bias; /* a file is position-independent, and where it was loaded is not known: its variables are not found */
    /* The first frame that adds a struct unknown to the binary, if no type so far is known to it; 0: none. */
    uint32_t unknown_struct;
} cacheray_problems;

typedef struct cacheray_analysis cacheray_analysis;

cacheray_analysis *cacheray_analysis_new(const cacheray_options *o);
void cacheray_analysis_free(cacheray_analysis *a);
/* Returns whether the trace is, as far as is known by now, one of Wiretrace's own recorder. */
bool cacheray_analysis_recorded(const cacheray_analysis *a);
bool cacheray_analysis_kept(const cacheray_analysis *a);
cacheray_problems cacheray_analysis_problems(const cacheray_analysis *a);

/* The number of simulated cache levels; 0: none. */
unsigned cacheray_analysis_levels(const cacheray_analysis *a);

/* Their description; NULL: none. */
const caches_config *cacheray_analysis_caches(const cacheray_analysis *a);
/* An annotation by its number, with the record that has ended it by now. */
const annotation *cacheray_analysis_region(const cacheray_analysis *a, uint32_t number);
/* Returns whether members are moved. */
bool cacheray_analysis_remaps(const cacheray_analysis *a);
/* The parts of the struct that an access goes to, by cacheray_tapped.layout; NULL: it cannot be split. */
struct_parts *cacheray_analysis_parts(const cacheray_analysis *a, uint32_t type);
/* The same as parts_declared(). */
struct_parts *cacheray_analysis_declared(const cacheray_analysis *a, uint32_t type, const struct_parts *pieces);
/* A placing by a line for cacheray.remap, with the regions up to a number. NULL: the line is refused. Free with
 * placing_free(). */
placing *cacheray_analysis_try(const cacheray_analysis *a, const char *line, uint32_t regions);
/* Where it (NULL: cacheray.remap) puts an address in a region (by number) or, 0, a variable. */
uint64_t cacheray_analysis_place(const cacheray_analysis *a, placing *p, uint32_t number, uint64_t address);

/* Visits the record of a frame. */
void cacheray_analysis_visit(cacheray_analysis *a, uint32_t frame, cacheray_tapped *v);
/* Looks up the result for a frame. False if it was not visited, or nothing is kept. */
bool cacheray_analysis_find(cacheray_analysis *a, uint32_t frame, cacheray_tapped *v);
/* Call when all records have been visited: frees what only visiting needs, if results are kept. */
void cacheray_analysis_finish(cacheray_analysis *a);

#endif
