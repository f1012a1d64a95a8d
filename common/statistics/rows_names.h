/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names in rows, for people: columns of full names get short ones (util/short_names.h), of which different names have
 * different ones. Remarks stay. `kept`: SHORT_NAME_DATA or
 * 0. `known`: the short name that other tables have, or NULL; no other name gets the same. */
#ifndef WIRETRACE_STATISTICS_ROWS_NAMES_H
#define WIRETRACE_STATISTICS_ROWS_NAMES_H

#include "statistics/rows.h"

void rows_shorten_names(rows *r, unsigned column, unsigned columns, unsigned kept, shown_name (*known)(const char *name));

#endif
