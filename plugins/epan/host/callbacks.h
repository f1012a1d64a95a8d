/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wireshark's callbacks have no user data, at least not in all of its versions. So where a list registers such callbacks
 * there is one function per index of the list: CALLBACKS(ROW) writes ROW(0) ROW(1) ... */
#ifndef WIRETRACE_HOST_CALLBACKS_H
#define WIRETRACE_HOST_CALLBACKS_H

#include <wsutil/wslog.h>

#define CALLBACKS(row) row(0) row(1) row(2) row(3)
#define CALLBACKS_MANY(row) \
    CALLBACKS(row) \
    row(4) row(5) row(6) row(7) row(8) row(9) row(10) row(11) row(12) row(13) row(14) row(15) row(16) row(17) row(18) row(19)
#define CALLBACKS_ONE(n) +1
enum { CALLBACKS_COUNT = 0 CALLBACKS(CALLBACKS_ONE), CALLBACKS_MANY_COUNT = 0 CALLBACKS_MANY(CALLBACKS_ONE) };

/* The next place of a list; ends the program if there is none for `what`. */
static inline unsigned callbacks_take(unsigned *taken, unsigned count, const char *what)
{
    if (*taken >= count)
        ws_error("there is no callback left for %s", what);
    return (*taken)++;
}

#endif
