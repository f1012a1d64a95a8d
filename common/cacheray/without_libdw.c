/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stands in for members_dwarf.c. */
#include "cacheray/members_source.h"

member_source *members_dwarf_open(const char *path, const members_machine *machine, const char **reason)
{
    (void)path;
    (void)machine;
    *reason = "Wiretrace was built without libelf and libdw";
    return NULL;
}
