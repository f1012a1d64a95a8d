/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kind of processor whose debug information is read. */
#ifndef WIRETRACE_CACHERAY_MEMBERS_MEMBERS_MACHINE_H
#define WIRETRACE_CACHERAY_MEMBERS_MEMBERS_MACHINE_H

#include <stdbool.h>

typedef struct members_machine {
    bool wide; /* 64-bit addresses */
    bool big_endian;
} members_machine;

#endif
