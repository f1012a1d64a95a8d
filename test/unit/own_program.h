/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of the test itself, whose debug information tests read. */
#ifndef WIRETRACE_TEST_OWN_PROGRAM_H
#define WIRETRACE_TEST_OWN_PROGRAM_H

#include <glib.h>

/* Not the link in /proc: under an emulator that leads to the emulator, but its text is right. */
static inline const char *own_program(void)
{
    static char *path;
    if (!path)
        path = g_file_read_link("/proc/self/exe", NULL);
    return path;
}

#endif
