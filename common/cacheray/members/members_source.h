/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface between members.c and the files that describe types. Only for members*.c. */
#ifndef WIRETRACE_CACHERAY_MEMBERS_MEMBERS_SOURCE_H
#define WIRETRACE_CACHERAY_MEMBERS_MEMBERS_SOURCE_H

#include <glib.h>
#include <stdint.h>

#include "cacheray/members/members_machine.h"
#include "cacheray/members/members_name.h"

#define MEMBERS_DEPTH_MAX 32u       /* nesting of types */
#define MEMBERS_ENTRIES_MAX 100000u /* examined for one name */
#define MEMBERS_NAMES_MAX 32u       /* that share a byte */
#define MEMBERS_TYPES_MAX 16u       /* for one type name */

/* A trace may ask for a million names, and each is searched among all types or members of the file. So the number of
 * types and members examined is limited: to this, plus so many per byte of the file and per question. When it is used up
 * nothing more is found until further questions have made up for it. */
#define MEMBERS_WORK_MIN (INT64_C(1) << 23)
#define MEMBERS_WORK_PER_BYTE 16u
#define MEMBERS_WORK_PER_QUESTION 128u

/* A type in use: the source's id of it, and the distance between elements in bytes. */
typedef struct used_type {
    uint64_t type;
    uint64_t stride;
} used_type;

typedef struct known_variable {
    uint64_t start, count; /* address as linked; number of elements */
    used_type element;     /* type 0: unknown */
    uint32_t used;         /* number in members.c; 0: none yet */
    const char *name;      /* owned by the source */
    /* Where it is declared: the source's ids of a function and of a unit; 0: nowhere in particular. */
    uint64_t function, unit;
    const char *type_name; /* of an element that is a struct; owned by the source; NULL: it has none */
} known_variable;

typedef struct member_source member_source;
typedef struct member_search member_search;

typedef struct member_source_ops {
    void (*close)(member_source *s);
    /* Adds to *found (of used_type) the type with this name, given without prefix and number, that best fits an element
     * of this size; all of them if several fit equally well but have different members. `plain`: the name without
     * template arguments and other parts that differ between compilers. */
    void (*find)(member_source *s, const char *name, const char *plain, uint32_t elem_size, GArray *found);
    /* Reports the members at an offset with member_search_found(). */
    void (*search)(member_source *s, uint64_t type, uint64_t offset, member_search *search);
    /* As members_of_struct(); NULL: the source does not know. */
    uint32_t (*declared)(member_source *s, uint64_t type, GArray *found);
} member_source_ops;

/* The first member of every source. */
struct member_source {
    const member_source_ops *ops;
    GArray *variables;   /* of known_variable, sorted by start, with no two at the same start; NULL: none */
    const char *missing; /* which types are missing from the file and why; NULL: none */
    int64_t work;        /* how much may still be examined or answered, see MEMBERS_WORK_MIN */
    bool fixed;
};

/* Paths with the numbers of elements, `tag[3]`, and without: `tag[]`. */
typedef enum member_numbering { MEMBER_NUMBERED, MEMBER_OF_ALL, MEMBER_NAMINGS } member_numbering;
typedef struct member_naming {
    GString *path;     /* of the current member */
    uint32_t own, top; /* of it, as in members_path */
    GString *found;
    GArray *paths; /* of members_path, in `found` */
} member_naming;

/* A search for the members at an offset. */
struct member_search {
    member_naming as[MEMBER_NAMINGS];
    unsigned inside; /* members around the current one */
    unsigned names;
    bool bits;        /* one of them is a bit-field */
    uint64_t entries; /* number examined */
    bool unplaced;    /* there are virtual bases of which it is not known where they are */
};

/* Accounts for a new question. Returns whether it may be examined. */
static inline bool member_source_asked(member_source *s)
{
    s->work += MEMBERS_WORK_PER_QUESTION;
    return s->work > 0;
}

static inline void member_source_work(member_source *s, uint64_t done)
{
    s->work -= (int64_t)done;
}

void member_search_init(member_search *s);
void member_search_clear(member_search *s);
/* Adds the current path to the names found, unless it is there already: it leads to something without members. */
void member_search_found(member_search *s);
/* Forgets what was found. */
void member_search_nothing(member_search *s);
/* Appends a member to the path and returns where it was, for member_search_leave(). A name that is empty or NULL adds
 * nothing. The length is limited to what can be shown, since recursive types could otherwise append the longest name in the
 * file to itself again and again. */
typedef struct member_mark {
    gsize lengths[MEMBER_NAMINGS];
    unsigned inside;
} member_mark;
member_mark member_search_enter(member_search *s, const char *name);
/* Appends the number of an element. */
void member_search_element(member_search *s, uint64_t number);
void member_search_leave(member_search *s, member_mark mark);
/* Adds a text that is not a member. */
void member_search_padding(member_search *s, const char *text);
/* Adds the paths of a name that are not there yet, after a comma. */
void member_search_join(member_search *s, const members_name *name);
/* Adds a whole text, with and without the numbers of elements, after a comma. */
void member_search_list(member_search *s, const char *text, const char *of_all);
/* The name of what was found; g_free() it. Its `all` is itself. */
members_name *member_search_name(const member_search *s, member_numbering which);

/* Removes template arguments from a name; g_malloc'ed. */
char *member_plain_name(const char *name);

/* How well a type of `size` bytes fits elements of `elem_size` bytes: 3 exactly, 2 several times, 1 not. */
static inline unsigned member_fitness(uint64_t size, uint32_t elem_size)
{
    return size == elem_size ? 3 : size && elem_size % size == 0 ? 2 : 1;
}

/* The sources. NULL if the file is of no use. */
member_source *members_dwarf_open(const char *path, const members_machine *machine, GError **error);
member_source *members_json_open(const char *path, GError **error);

#endif
