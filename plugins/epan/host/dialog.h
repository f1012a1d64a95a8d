/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dialogs before a statistic starts. Wireshark's (funnel_ops_t) have fields of text only: no ticks, and no choice of a file.
 */
#ifndef WIRETRACE_HOST_DIALOG_H
#define WIRETRACE_HOST_DIALOG_H

#include <stdbool.h>

enum { DIALOG_FIELDS = 4 }; /* at most */

/* A question. One for the display filter comes before all others. */
typedef struct dialog_field {
    const char *label;
    const char *answer; /* offered; NULL: none */
    /* What the answer becomes among the words of the statistic: "%s" in it stands for the answer, which is left out if it is
     * empty. Without "%s" it is a question with the answers yes and no. NULL: not a word. */
    const char *word;
} dialog_field;

/* `words`: of all answers, as before the filter of -z; `answers`: of each field. All are valid until it returns. */
typedef void (*dialog_done)(const char *words, const char *filter, char *const *answers, void *data);

/* Does nothing in a program without windows. `title`, labels and words: static storage. `fields` ends with an empty row;
 * NULL: none. The filter line of the window is offered if `fits` returns true for it; NULL: always. */
void dialog_open(const char *title, const dialog_field *fields, bool (*fits)(const char *filter), dialog_done done,
                 void *data);
/* Returns whether an answer is yes. */
bool dialog_yes(const char *answer);
/* Shows a text in a window of its own. */
void dialog_say(const char *title, const char *text);

#endif
