/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics: programs print them, windows show them in Wireshark's table (table.h), or as a text. What they have found are
 * rows, or a text for other programs. One may run several times, with words and a filter of its own each. */
#ifndef WIRETRACE_SHOWING_STATISTIC_H
#define WIRETRACE_SHOWING_STATISTIC_H

#include "showing/statistic_run.h"

void statistic_register(statistic *s);
/* The commands of a protocol whose statistics have rows, separated by commas; g_free() it. */
char *statistic_commands(const char *protocol);
/* Adds another entry of the menu, which starts the statistic with words. All three last as long as the program. */
void statistic_add_entry(statistic *s, const char *title, const char *words);
/* Starts a statistic in a window, with words and a filter; shows what is wrong with them. */
void statistic_start(statistic *s, const char *words, const char *filter);

/* A run that listens, in a program with windows; NULL: it cannot. Counts the open file now; and frees the run. */
statistic_run *statistic_listen(statistic *s, const char *arguments, GError **error);
void statistic_count(statistic_run *run);
void statistic_stop(void *run);

/* Does what its dialog asked for, for a statistic that writes files (a dialog_done). */
void statistic_write_files(const char *words, const char *filter, char *const *answers, void *statistic);

/* Prints the text so far, unless it is for a window: the rows_writer of what a statistic writes. */
void statistic_flush(GString *text);

#endif
