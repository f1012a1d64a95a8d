/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is at an offset in a type, as people read it, and what it consists of. Who makes it also reports that, and nobody
 * reads it out of the text again: names of members may have dots themselves, such as `_vptr.Left`. */
#ifndef WIRETRACE_CACHERAY_MEMBERS_MEMBERS_NAME_H
#define WIRETRACE_CACHERAY_MEMBERS_MEMBERS_NAME_H

#include <stdint.h>

/* A path to a member: `pairs[1].second`. */
typedef struct members_path {
    uint32_t at, length; /* in the text */
    uint32_t own; /* its first bytes that are the member of the type itself, `pairs`; 0: there is none, as in padding */
    uint32_t top; /* the same with its element, `pairs[1]` */
} members_path;

/* A path, or several that share the bytes: `whole|parts[0]`; of bit-fields in several bytes `small, middle`. */
typedef struct members_name members_name;
struct members_name {
    const char *text;
    const members_name *all; /* the same without the numbers of elements, `whole|parts[]`; itself if it has none */
    uint32_t count;          /* of paths; 0: there are no members */
    members_path paths[];
};

#endif
