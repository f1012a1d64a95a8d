/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What members.c asks of a file that describes types. For use by members*.c alone. */
#ifndef WIRETRACE_CACHERAY_MEMBERS_SOURCE_H
#define WIRETRACE_CACHERAY_MEMBERS_SOURCE_H

#include <glib.h>

#include "cacheray/members.h"

#define MEMBERS_DEPTH_MAX 32u       /* of types within types */
#define MEMBERS_ENTRIES_MAX 100000u /* that are looked at for one name */
#define MEMBERS_NAMES_MAX 32u       /* that share a byte */
#define MEMBERS_TYPES_MAX 16u       /* that one name may mean */

/* A trace may ask for a million names, each of which is looked for among all types or members of the file: so many of
 * these are looked at in all, so many more for each byte of the file, and for each question. Then nothing new is found
 * until further questions have made up for it. */
#define MEMBERS_WORK_MIN (INT64_C(1) << 23)
#define MEMBERS_WORK_PER_BYTE 16u
#define MEMBERS_WORK_PER_QUESTION 128u

/* A type that is used: what its source calls it, and the bytes from one to the next. */
typedef struct used_type {
    uint64_t type;
    uint64_t stride;
} used_type;

typedef struct known_variable {
    uint64_t start, count; /* first address as linked, elements */
    used_type element;     /* type 0: not known */
    uint32_t used;         /* number in members.c; 0: not yet */
    const char *name;      /* of the source */
} known_variable;

typedef struct member_source member_source;
typedef struct member_search member_search;

typedef struct member_source_ops {
    void (*close)(member_source *s);
    /* Adds to *found (of used_type) the type of this name, without prefix and number, that fits an element of this size
     * best: all of them where several fit as well, but do not have the same members. `plain` is the name without template
     * arguments and what else compilers do not tell. */
    void (*find)(member_source *s, const char *name, const char *plain, uint32_t elem_size, GArray *found);
    /* Adds the members at an offset to *found, as member_search_found() does. */
    void (*search)(member_source *s, uint64_t type, uint64_t offset, member_search *search);
} member_source_ops;

/* First member of every source. */
struct member_source {
    const member_source_ops *ops;
    GArray *variables; /* of known_variable, sorted by start, none at the start of another; NULL: none */
    const char *lacks; /* what is not in the file, and why; NULL: nothing */
    int64_t work;      /* types and members that may still be looked at, and bytes that may be answered */
    bool fixed;
};

/* A search for the members at a byte. */
struct member_search {
    GString *path;  /* to where the search stands */
    GString *found; /* names with '|' between */
    unsigned names;
    uint64_t entries; /* looked at */
};

/* Whether a question that has not been asked before is looked into. */
static inline bool member_source_asked(member_source *s)
{
    s->work += MEMBERS_WORK_PER_QUESTION;
    return s->work > 0;
}

static inline void member_source_work(member_source *s, uint64_t done)
{
    s->work -= (int64_t)done;
}

/* The search has come to something that has no members. What is found twice counts once. */
void member_search_found(member_search *s);
/* Appends a member to the path, whose length before is the result: truncate it to that when the search leaves it. An empty
 * or missing name adds nothing, and of others no more is taken than can be shown: types that contain themselves would
 * otherwise put the longest name of the file behind itself again and again. */
gsize member_search_enter(member_search *s, const char *name);

/* A name without template arguments; g_malloc'ed. */
char *member_plain_name(const char *name);

/* How well a type of `size` bytes fits elements of `elem_size`: 3 exactly, 2 many of it, 1 not. */
static inline unsigned member_fitness(uint64_t size, uint32_t elem_size)
{
    return size == elem_size ? 3 : size && elem_size % size == 0 ? 2 : 1;
}

/* Sources. NULL with *reason when the file is of no use. */
member_source *members_dwarf_open(const char *path, const members_machine *machine, const char **reason);
member_source *members_json_open(const char *path, const char **reason);

#endif
