/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a statistic in Wireshark's table, for windows and sharkd. There is one table for all windows of a statistic.
 * Wireshark's tables have no 64-bit integers: their integers have 32 bits, and its window shows other
 * numbers with six decimals. So such a number is a text with a fixed width there, which sorts like the number. */
#ifndef WIRETRACE_SHOWING_TABLE_H
#define WIRETRACE_SHOWING_TABLE_H

#include "showing/statistic_run.h"

void table_register(statistic *s);
/* What the next window that is opened counts; takes the run. */
void table_show(statistic_run *run);

#endif
