/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics whose result is text for other programs: `tshark -z` prints it, Wireshark shows it in a window. Its Statistics
 * menu asks for a display filter first. Knows nothing about what is counted. */
#ifndef WIRETRACE_REPORT_H
#define WIRETRACE_REPORT_H

#include "../compat.h"

#include <epan/packet.h>

/* What a kind of report is made of. All pointers have static storage. */
typedef struct report {
    const char *tap;      /* that it listens to */
    const char *command;  /* after -z; a display filter may follow */
    const char *title;    /* in the menu and on the window */
    const char *words;    /* what the dialog calls the words before the filter; NULL: there are none */
    const char *typed;    /* words that stand in the dialog at first */
    const void *protocol; /* for `start` */
    /* Makes the data of a new report. Takes its words off the front of the arguments. */
    void *(*start)(const void *protocol, const char **arguments);
    const char *(*unit)(const void *data); /* of its numbers, for the title of its window; NULL: it says so itself */
    void (*reset)(void *data);
    /* False: the record does not count. */
    bool (*packet)(void *data, packet_info *pinfo, const void *tapped);
    /* Every record, whatever the filter, before `packet` is asked about it; NULL: that is not needed. */
    void (*every)(void *data, packet_info *pinfo, const void *tapped);
    /* Calls report_flush() after every line, as there may be millions. */
    void (*write)(const void *data, GString *text);
    void (*free)(void *data);
} report;

void report_register(const report *r);

/* Takes a word, and the comma after it, off the front of the arguments; false when another one stands there. */
bool report_take_word(const char **arguments, const char *word);

/* What has been written so far may be printed, where it is not for a window. */
void report_flush(GString *text);

#endif
