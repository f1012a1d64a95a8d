/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How statistics name what an access goes to. The names are freed by the caller. */
#ifndef WIRETRACE_CACHERAY_DATA_NAMES_H
#define WIRETRACE_CACHERAY_DATA_NAMES_H

#include "cacheray/analysis.h"

/* The data of an access: its type, or its variable. */
char *cacheray_data_name(const cacheray_view *v);
/* A member without the numbers of elements: `tag[]` of `tag[3]`. */
char *cacheray_member_of_all(const char *member);

#endif
