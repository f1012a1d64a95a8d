/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Printing on standard output in programs without windows. Knows nothing of what is printed. */
#ifndef WIRETRACE_PRINTING_H
#define WIRETRACE_PRINTING_H

#include <glib.h>

/* Prints the text and empties it. If that fails, ends the program with a message: what was printed is not all. */
void printing_flush(GString *text);

#endif
