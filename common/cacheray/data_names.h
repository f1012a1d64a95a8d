/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How statistics name what an access goes to. The names are freed by the caller. */
#ifndef WIRETRACE_CACHERAY_DATA_NAMES_H
#define WIRETRACE_CACHERAY_DATA_NAMES_H

#include "cacheray/analysis.h"

#define CACHERAY_NOT_ANNOTATED "(not annotated)"
/* The data of an access: its type, or its variable. */
char *cacheray_data_name(const cacheray_view *v);
/* A member without the numbers of elements: `tag[]` of `tag[3]`. */
char *cacheray_member_of_all(const char *member);
/* The text that tells the data of an access apart: each is stored once per analysis, so its address is enough. 0: not annotated. */
static inline uint64_t cacheray_data_key(const cacheray_view *v)
{
    return (uintptr_t)(v->variable ? v->variable : v->type);
}

#endif
