/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shows the records of a statistic's rows in Wireshark's list: its tables cannot lead from a row to a record. */
#ifndef WIRETRACE_SHOWING_RECORD_LIST_H
#define WIRETRACE_SHOWING_RECORD_LIST_H

#include "showing/statistic.h"

/* Adds an entry of the menu, which counts without words or a filter, and applies the records in a column as display filter.
 * All last as long as the program. */
void record_list_add(statistic *s, const char *title, unsigned column);

#endif
