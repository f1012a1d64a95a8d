/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In place of demangle_cxx.c. */
#include "program/demangle.h"

#include <stddef.h>

char *demangle_cxx(const char *symbol)
{
    (void)symbol;
    return NULL;
}
