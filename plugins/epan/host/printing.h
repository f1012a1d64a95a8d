/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Printing on standard output in programs without windows. Knows nothing of what is printed. */
#ifndef WIRETRACE_HOST_PRINTING_H
#define WIRETRACE_HOST_PRINTING_H

#include <glib.h>
#include <stdbool.h>

#include "statistics/rows_print.h"

/* Prints the text and empties it. If that fails, reports it and prints no more; the exit status will be 2. */
void printing_flush(GString *text);

/* The width of the terminal that standard output is, or of one that the environment describes (COLUMNS); 0: there is none.
 */
unsigned printing_width(void);
/* The room for a table. `streamed`: its rows are printed as they are found, so that a table for people never has all.
 * `folds`: its lines go on in further ones. */
rows_page printing_page(bool streamed, bool folds);

/* For a statistic that is a file as a whole, or is written while records are read. False: tshark has been asked for anything
 * else on standard output, another statistic or records. Looks at the options of the process; true if they are not known. */
bool printing_alone(GError **error);

#endif
