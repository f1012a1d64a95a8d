/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics that Wireshark prints itself take a filter, but none of the words of tables (common/statistics/rows_words.h).
 * `json` is a valid filter as well, under which they print zeros. */
#ifndef WIRETRACE_SHOWING_WORDLESS_H
#define WIRETRACE_SHOWING_WORDLESS_H

/* Ends tshark with a message if it was asked for such a statistic of this protocol with a word. Call before it reads its
 * options. */
void wordless_check(const char *protocol);

#endif
